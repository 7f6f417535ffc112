// Random search problems and all their networks, found by trying every choice.
#pragma once

#include "bounds/problem.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace crediblenet {

using Rows = std::vector<std::uint32_t>;

struct Instance {
    std::vector<std::int64_t> offsets{0};
    std::vector<Cost> costs;
};

// Few distinct costs make ties; the empty set is not always a candidate.
template <std::size_t W>
Problem<W> random_problem(std::size_t n, std::mt19937& random, Instance& instance) {
    Problem<W> problem;
    problem.candidates.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        std::set<unsigned> sets;
        const auto count = 1 + random() % 5;
        for (unsigned c = 0; c < count; ++c)
            sets.insert(static_cast<unsigned>(random() % (1u << n)) & ~(1u << i));
        if (random() % 4 != 0) sets.insert(0);
        std::vector<Candidate<W>> list;
        for (auto mask : sets) {
            Candidate<W> candidate{{}, static_cast<Cost>(random() % 12) - 4, 0};
            for (std::size_t j = 0; j < n; ++j)
                if (mask >> j & 1) candidate.parents.insert(j);
            list.push_back(candidate);
        }
        std::stable_sort(list.begin(), list.end(),
                         [](const auto& a, const auto& b) { return a.cost < b.cost; });
        for (auto& candidate : list) {
            candidate.row = static_cast<std::uint32_t>(instance.costs.size());
            instance.costs.push_back(candidate.cost);
        }
        problem.candidates[i] = list;
        instance.offsets.push_back(static_cast<std::int64_t>(instance.costs.size()));
    }
    return problem;
}

template <std::size_t W> bool acyclic(const std::vector<NodeSet<W>>& parents) {
    NodeSet<W> placed;
    for (std::size_t round = 0; round < parents.size(); ++round)
        for (std::size_t i = 0; i < parents.size(); ++i)
            if (parents[i].subset_of(placed)) placed.insert(i);
    return placed.size() == parents.size();
}

// Every acyclic choice of candidates, with its cost.
template <std::size_t W> std::map<Rows, Cost> all_networks(const Problem<W>& problem) {
    std::map<Rows, Cost> networks;
    const auto n = problem.n_variables();
    std::vector<std::size_t> at(n, 0);
    for (;;) {
        std::vector<NodeSet<W>> parents;
        Rows rows;
        Cost cost = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const auto& candidate = problem.candidates[i][at[i]];
            parents.push_back(candidate.parents);
            rows.push_back(candidate.row);
            cost += candidate.cost;
        }
        if (acyclic(parents)) networks[rows] = cost;
        std::size_t i = 0;
        while (i < n && ++at[i] == problem.candidates[i].size()) at[i++] = 0;
        if (i == n) return networks;
    }
}

// Calls check.operator()<W>() often, for every width of node sets that is built.
template <class F> void at_every_width(F&& check) {
    for (int round = 0; round < 400; ++round) check.template operator()<1>();
    if constexpr (is_built<2>)
        for (int round = 0; round < 100; ++round) check.template operator()<2>();
    if constexpr (is_built<4>)
        for (int round = 0; round < 50; ++round) check.template operator()<4>();
    if constexpr (is_built<8>)
        for (int round = 0; round < 50; ++round) check.template operator()<8>();
}

} // namespace crediblenet
