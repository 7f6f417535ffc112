// Dynamic programming over the subsets of a small block of variables: the exact
// optimum, and exactly the candidates that some network within a limit uses.
//
// F(S) is the least cost of a DAG on S, G(S) the least cost of the variables
// outside S when S is done and may be used as parents (Silander & Myllymaki
// 2006, forwards and backwards). A candidate P of i is in a network of cost at
// most L iff some S contains P, not i, and F(S) + cost + G(S + i) <= L: let S
// be the variables before i in a topological order.
#pragma once

#include "bounds/problem.h"
#include "control.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace crediblenet {

// The largest block: subsets are 32-bit masks, and the tables have 2^n entries.
inline constexpr std::size_t max_subset_block = 28;

// Bytes that a block of n variables needs.
constexpr std::size_t subset_program_bytes(std::size_t n) {
    return (std::size_t{16} << n) + (std::size_t{1} << 20);
}

// Some variables of a block, by their positions in it.
using SubsetMask = std::uint32_t;

template <std::size_t W>
SubsetMask subset_mask(const NodeSet<W>& set, const std::vector<std::size_t>& members) {
    SubsetMask mask = 0;
    for (std::size_t j = 0; j < members.size(); ++j)
        if (set.contains(members[j])) mask |= SubsetMask{1} << j;
    return mask;
}

// F and G for every subset of a block, relative to the least cost of each variable; at least
// `infeasible` where no choice is acyclic.
struct SubsetCosts {
    std::vector<Cost> forward, backward;
};

// Every member needs a candidate; the caller announces the memory.
template <std::size_t W>
SubsetCosts subset_costs(const Problem<W>& problem, const std::vector<std::size_t>& members,
                         Control& control);

struct SubsetProgramResult {
    std::optional<Cost> optimum;     // of the block; none when no choice is acyclic
    std::vector<std::uint32_t> rows; // candidates in some network within the limit
};

// Runs on the variables in `block`, with candidates projected on them (parents
// elsewhere cannot close a cycle). The limit is `slack` above the block's
// optimum. Throws Stopped when the run is stopped or the tables do not fit.
template <std::size_t W>
SubsetProgramResult subset_program(const Problem<W>& problem, const NodeSet<W>& block, Cost slack,
                                   Control& control);

} // namespace crediblenet
