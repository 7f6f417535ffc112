// Separation of k-cluster inequalities.
//
// For a set C of variables and 1 <= k < |C|, in every DAG at least k members of
// C have fewer than k parents inside C: the first k members of C in a
// topological order have at most 0, 1, ..., k - 1 of them. So every DAG obeys
//     sum over i in C, candidates P of i with |P & C| < k of x[i, P]  >=  k.
// (Jaakkola et al. 2010 for k = 1; Cussens 2011 for the general case.)
#pragma once

#include "bounds/problem.h"
#include "control.h"

#include <cstdint>
#include <span>
#include <vector>

namespace crediblenet {

template <std::size_t W> struct Cluster {
    NodeSet<W> members;
    std::uint32_t k = 1;

    // Whether a candidate of variable i is part of the left side.
    [[nodiscard]] bool counts(std::size_t i, const NodeSet<W>& parents) const {
        return members.contains(i) && (parents & members).size() < k;
    }
};

template <std::size_t W> struct FoundCluster : Cluster<W> {
    double violation = 0; // k minus the left side at the separated point
};

// Clusters at the point x (one value per score-table row) whose violation is more than
// `least`, at most `limit` of them: those that are selected as in row_selection.h, or, if
// `most_parallel` is 1, the most violated ones. `max_k` bounds k. A stopped run has fewer.
template <std::size_t W>
std::vector<FoundCluster<W>>
violated_clusters(const Problem<W>& problem, std::span<const double> x, std::uint32_t max_k,
                  double least, double most_parallel, std::size_t limit, Control& control);

// A cluster inequality with its multiplier in a bound.
template <std::size_t W> struct Multiplier : Cluster<W> {
    Cost value = 0;
};

// By score-table row, for the candidates that are left: the cost less the
// multipliers of the clusters that the candidate counts for.
template <std::size_t W>
std::vector<Cost> reduced_costs(const Problem<W>& problem,
                                const std::vector<Multiplier<W>>& multipliers,
                                std::size_t total_rows);

} // namespace crediblenet
