// Clusters with k = 1 that a point breaks, found by annealing.
//
// Greedy growth (clusters.h) reaches a cluster through smaller ones whose left sides are hardly
// larger than its own. Some of dozens or hundreds of variables have none: every variable has its
// parents inside, and whatever is left out takes them from others. Here variables enter and leave
// at random instead, those that raise the left side the more seldom the colder it gets
// (Kirkpatrick, Gelatt and Vecchi 1983).
#pragma once

#include "bounds/clusters.h"
#include "bounds/problem.h"
#include "control.h"

#include <cstdint>
#include <span>
#include <vector>

namespace crediblenet {

// As `violated_clusters`, after at most so many walks in a component. The same seed gives the same
// clusters.
template <std::size_t W>
std::vector<FoundCluster<W>> annealed_clusters(const Problem<W>& problem, std::span<const double> x,
                                               std::size_t walks, std::uint64_t seed, double least,
                                               double most_parallel, std::size_t limit,
                                               Control& control);

} // namespace crediblenet
