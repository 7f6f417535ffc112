// Separation of k-cluster inequalities.
//
// For a set C of variables and 1 <= k < |C|, in every DAG at least k members of
// C have fewer than k parents inside C: the first k members of C in a
// topological order have at most 0, 1, ..., k - 1 of them. So every DAG obeys
//     sum over i in C, candidates P of i with |P & C| < k of x[i, P]  >=  k.
// (Jaakkola et al. 2010 for k = 1; Cussens 2011 for the general case.)
#pragma once

#include "bounds/problem.h"

#include <cstdint>
#include <vector>

namespace crediblenet {

template <std::size_t W> struct Cluster {
    NodeSet<W> members;
    std::uint32_t k = 1;
    double violation = 0; // k minus the left side at the separated point
};

// Violated clusters at the point x (one value per score-table row), most
// violated first, at most `limit` of them. `max_k` bounds k.
template <std::size_t W>
std::vector<Cluster<W>> violated_clusters(const Problem<W>& problem, const std::vector<double>& x,
                                          std::uint32_t max_k, std::size_t limit);

// The score-table rows whose variable counts for the cluster.
template <std::size_t W>
std::vector<std::uint32_t> cluster_rows(const Problem<W>& problem, const NodeSet<W>& members,
                                        std::uint32_t k);

} // namespace crediblenet
