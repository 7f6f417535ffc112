// A better network near a good one: the best choices for a few variables at a time.
//
// Let D be a few variables, and let all others keep their parents. Close the others: wherever one
// of them is a parent, those members of D stand in for it from which a path leads to it through
// others only. A choice of candidates for D makes the network acyclic if and only if it is acyclic
// with these parents in D (docs/algorithm.md, section 5: closing is correct), so that the best one
// follows from the program over the subsets of D. That is done for one D after the other, each
// grown around a variable along arcs of good candidates.
//
// Moving one variable in an order (order_search.h) gets stuck where several have to change
// together; here they do. Where that gets stuck, too, heat helps: all costs are raised at random
// before the best choice is made, less and less, so that the search leaves what is best for a few
// variables as long as it is hot (simulated annealing: Kirkpatrick, Gelatt and Vecchi 1983).
#pragma once

#include "bounds/problem.h"
#include "control.h"

#include <cstdint>
#include <span>

namespace crediblenet {

struct NeighbourhoodOptions {
    std::uint64_t work = 0; // steps after which the search ends; some tens of millions a second
    Cost heat = 0;          // by how much costs are raised at first, on average
    std::uint64_t seed = 1;
};

// The best network on a way from the one with these rows (one for each variable, without a cycle):
// at least as good as that. If there is a relaxed solution x (one value for each row of the table),
// the candidates that it chooses from tell which variables belong together. The same seed gives the
// same network. It proves nothing: an upper bound.
template <std::size_t W>
FoundNetwork search_neighbourhoods(const Problem<W>& problem, std::span<const std::uint32_t> rows,
                                   std::span<const double> x, const NeighbourhoodOptions& options,
                                   Control& control);

} // namespace crediblenet
