// The search problem: for each variable its candidate parent sets with integer
// costs. Every later stage filters it, splits it, or searches it.
#pragma once

#include "types.h"

#include <cstdint>
#include <vector>

namespace crediblenet {

// Larger than any network's cost, small enough to be added to one.
constexpr Cost infeasible = Cost{1} << 58;

template <std::size_t W> struct Candidate {
    NodeSet<W> parents;
    Cost cost;         // grid units
    std::uint32_t row; // row of the score table
};

template <std::size_t W> struct Problem {
    // candidates[i]: the candidates of variable i, least cost first.
    std::vector<std::vector<Candidate<W>>> candidates;

    [[nodiscard]] std::size_t n_variables() const { return candidates.size(); }
    [[nodiscard]] std::size_t n_candidates() const {
        std::size_t count = 0;
        for (const auto& list : candidates) count += list.size();
        return count;
    }

    // For each variable, every variable that is a parent in some candidate.
    [[nodiscard]] std::vector<NodeSet<W>> possible_parents() const {
        std::vector<NodeSet<W>> parents(candidates.size());
        for (std::size_t i = 0; i < candidates.size(); ++i)
            for (const auto& candidate : candidates[i]) parents[i] |= candidate.parents;
        return parents;
    }
};

// A network that was found.
struct FoundNetwork {
    Cost cost = 0;
    std::vector<std::uint32_t> rows; // the candidate chosen for each variable
};

} // namespace crediblenet
