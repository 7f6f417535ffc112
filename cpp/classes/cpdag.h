// From a DAG to its Markov equivalence class.
//
// Two DAGs are Markov equivalent iff they have the same skeleton and the same
// v-structures a -> c <- b with a, b not adjacent (Verma & Pearl 1990). The class
// is drawn as its completed partially directed graph (CPDAG): an arc that has one
// direction in all members is compelled, every other arc is reversible and becomes
// an undirected edge (Andersson, Madigan & Perlman 1997).
#pragma once

#include "types.h"

#include <span>
#include <vector>

namespace crediblenet {

template <std::size_t W> struct Cpdag {
    std::vector<NodeSet<W>> compelled;  // per node: the tails of the compelled arcs into it
    std::vector<NodeSet<W>> undirected; // per node: its neighbours by reversible edges

    friend bool operator==(const Cpdag&, const Cpdag&) = default;
};

// What "no node" looks like where a node number is expected.
inline constexpr std::size_t no_node = max_nodes;

// The x in parents[y] with parents[y] - {x} inside parents[x], or no_node. There is
// at most one: two of them would be each other's parents.
template <std::size_t W>
std::size_t last_parent(std::span<const NodeSet<W>> parents, std::size_t y) {
    auto found = no_node;
    parents[y].for_each([&](std::size_t x) {
        auto others = parents[y];
        others.erase(x);
        if (others.subset_of(parents[x])) found = x;
    });
    return found;
}

// Writes to compelled[y] the tails of the compelled arcs into y. `parents` must be
// acyclic; both spans have one entry per node.
template <std::size_t W>
void compelled_parents(std::span<const NodeSet<W>> parents, std::span<NodeSet<W>> compelled);

// The CPDAG of the class of an acyclic graph.
template <std::size_t W> Cpdag<W> cpdag(const std::vector<NodeSet<W>>& parents);

// Whether the graph has no directed cycle.
template <std::size_t W> bool is_acyclic(std::span<const NodeSet<W>> parents);

} // namespace crediblenet
