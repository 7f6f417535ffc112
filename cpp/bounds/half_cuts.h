// Halves of sums of cluster inequalities, rounded up.
//
// Let some clusters (C, k) and a set E of variables be given. A candidate (i, P) counts for
// a number c of the clusters, and every variable has one parent set, so every DAG obeys
//     sum over (i, P) of (c - [i in E]) x[i, P]  >=  sum of k - |E|.
// Halve it. Rounding the coefficients up keeps it valid, since x >= 0; then the left side
// is a whole number in every DAG, and the right side may be rounded up, too. If it was odd,
// the cut removes fractional points that obey all the clusters. (Zero-half cuts: Caprara
// and Fischetti 1996.) With a hundred and more variables they close most of the gap that
// clusters leave.
#pragma once

#include "bounds/clusters.h"
#include "bounds/problem.h"
#include "control.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace crediblenet {

template <std::size_t W> struct HalfCut {
    std::vector<Cluster<W>> clusters;
    NodeSet<W> choices; // E

    [[nodiscard]] Cost coefficient(std::size_t i, const NodeSet<W>& parents) const {
        Cost count = 0;
        for (const auto& cluster : clusters) count += cluster.counts(i, parents) ? 1 : 0;
        return (count + (choices.contains(i) ? 0 : 1)) / 2;
    }

    // Whether a candidate of variable i can have a coefficient.
    [[nodiscard]] bool touches(std::size_t i) const {
        return std::any_of(clusters.begin(), clusters.end(),
                           [i](const auto& cluster) { return cluster.members.contains(i); });
    }

    [[nodiscard]] Cost largest_coefficient() const {
        return static_cast<Cost>(clusters.size() + 1);
    }

    [[nodiscard]] Cost right_side() const {
        Cost sum = -static_cast<Cost>(choices.size());
        for (const auto& cluster : clusters) sum += cluster.k;
        return (sum + 1) >> 1;
    }
};

// A cut made of clusters that are known by their places in a list.
template <std::size_t W> struct FoundHalfCut {
    std::vector<std::uint32_t> clusters;
    NodeSet<W> choices;
    double violation = 0; // right side minus left side at the separated point
};

// Violated half cuts at the point x (one value per score-table row) that can be made of these
// clusters, most useful first, at most `limit` of them. A stopped run has fewer of them.
template <std::size_t W>
std::vector<FoundHalfCut<W>>
violated_half_cuts(const Problem<W>& problem, std::span<const double> x,
                   const std::vector<Cluster<W>>& clusters, std::size_t limit, Control& control);

} // namespace crediblenet
