// Maximum cardinality search (Tarjan & Yannakakis 1984): visit next a node with the most
// visited neighbours. On a chordal graph the reverse of the order eliminates the graph
// perfectly: the visited neighbours of a node, when it is visited, are a clique.
#pragma once

#include "types.h"

#include <array>
#include <span>

namespace crediblenet {

// Searches the graph induced by `nodes`, the lowest node first among ties. Calls
// visit(node, visited neighbours) until it returns false. On a disconnected graph the
// order restricted to a connected component is that of the component alone, because the
// node chosen is always the best one of its own component. Allocates nothing.
template <std::size_t W, class Visit>
void maximum_cardinality_search(std::span<const NodeSet<W>> adjacency, const NodeSet<W>& nodes,
                                Visit&& visit) {
    std::array<NodeSet<W>, NodeSet<W>::capacity> level; // unvisited, by visited neighbours
    std::array<Node, NodeSet<W>::capacity> cardinality;
    nodes.for_each([&](std::size_t node) { cardinality[node] = 0; });
    level[0] = nodes;
    auto unvisited = nodes;
    std::size_t top = 0;
    while (!unvisited.empty()) {
        while (level[top].empty()) --top;
        const auto node = level[top].lowest();
        level[top].erase(node);
        unvisited.erase(node);
        if (!visit(node, (adjacency[node] & nodes) - unvisited)) return;
        (adjacency[node] & unvisited).for_each([&](std::size_t other) {
            const auto count = ++cardinality[other];
            level[count - 1u].erase(other);
            level[count].insert(other);
            if (count > top) top = count;
        });
    }
}

} // namespace crediblenet
