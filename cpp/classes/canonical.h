// One member per Markov equivalence class: the search emits a class when it meets
// this member of it.
//
// The canonical member orients every chain component (connected by undirected edges
// of the CPDAG; chordal) by maximum cardinality search: visit next the node with most
// visited neighbours, the lowest one among ties; arcs point from earlier to later.
// The reverse of that order eliminates a chordal graph perfectly (Tarjan & Yannakakis
// 1984), so the earlier neighbours of a node are pairwise adjacent: no v-structure
// arises and the result is in the class.
//
// Fact. The canonical member has no covered arc a -> b (parents(b) = parents(a) + a)
// with a > b. Covered arcs are reversible (Chickering 1995), so a and b are in one
// chain component, whose nodes all have the same compelled parents. Among the parents
// of b by reversible edges, all but a are parents of a and were visited before a. So
// when a was visited, b had as many visited neighbours as a, and the tie went to a:
// a < b. A search may therefore forbid covered arcs a -> b with a > b on the way.
#pragma once

#include "classes/cpdag.h"

#include <vector>

namespace crediblenet {

// The canonical member of the class of an acyclic graph.
template <std::size_t W>
std::vector<NodeSet<W>> canonical_member(const std::vector<NodeSet<W>>& parents);

// The canonical member of a class that is given as its CPDAG.
template <std::size_t W> std::vector<NodeSet<W>> canonical_member(const Cpdag<W>& graph);

// Whether an acyclic graph is the canonical member of its class. Stops at the first
// difference, and allocates nothing.
template <std::size_t W> bool is_canonical(std::span<const NodeSet<W>> parents);
template <std::size_t W> bool is_canonical(const std::vector<NodeSet<W>>& parents) {
    return is_canonical<W>(std::span<const NodeSet<W>>(parents));
}

} // namespace crediblenet
