#include "classes/canonical.h"

#include <array>

namespace crediblenet {
namespace {

// Maximum cardinality search over all nodes that have neighbours, lowest node first
// among ties. Calls visit(node, visited neighbours) until it returns false. Restricted
// to one connected component this is the search of that component alone, because the
// node chosen is always the best one of its own component.
template <std::size_t W, class Visit>
void maximum_cardinality_search(std::span<const NodeSet<W>> neighbours, Visit&& visit) {
    std::array<NodeSet<W>, NodeSet<W>::capacity> level; // unvisited, by visited neighbours
    std::array<Node, NodeSet<W>::capacity> cardinality;
    NodeSet<W> unvisited;
    for (std::size_t node = 0; node < neighbours.size(); ++node) {
        if (neighbours[node].empty()) continue;
        unvisited.insert(node);
        cardinality[node] = 0;
    }
    const auto all = unvisited;
    level[0] = unvisited;
    std::size_t top = 0;
    while (!unvisited.empty()) {
        while (level[top].empty()) --top;
        const auto node = level[top].lowest();
        level[top].erase(node);
        unvisited.erase(node);
        if (!visit(node, neighbours[node] & (all - unvisited))) return;
        (neighbours[node] & unvisited).for_each([&](std::size_t other) {
            const auto count = ++cardinality[other];
            level[count - 1u].erase(other);
            level[count].insert(other);
            if (count > top) top = count;
        });
    }
}

} // namespace

template <std::size_t W> std::vector<NodeSet<W>> canonical_member(const Cpdag<W>& graph) {
    auto parents = graph.compelled;
    maximum_cardinality_search<W>(graph.undirected,
                                  [&](std::size_t node, const NodeSet<W>& visited) {
                                      parents[node] |= visited;
                                      return true;
                                  });
    return parents;
}

template <std::size_t W>
std::vector<NodeSet<W>> canonical_member(const std::vector<NodeSet<W>>& parents) {
    return canonical_member(cpdag(parents));
}

template <std::size_t W> bool is_canonical(std::span<const NodeSet<W>> parents) {
    // A covered arc that descends refutes most members without any labelling. The tail
    // of a covered arc into b is last_parent(b).
    for (std::size_t b = 0; b < parents.size(); ++b) {
        if (parents[b].empty()) continue;
        const auto a = last_parent(parents, b);
        if (a == no_node || a < b) continue;
        auto family = parents[a];
        family.insert(a);
        if (parents[b] == family) return false;
    }
    std::array<NodeSet<W>, NodeSet<W>::capacity> compelled;
    std::array<NodeSet<W>, NodeSet<W>::capacity> undirected;
    compelled_parents<W>(parents, std::span(compelled).first(parents.size()));
    for (std::size_t y = 0; y < parents.size(); ++y) {
        const auto reversible = parents[y] - compelled[y];
        undirected[y] |= reversible;
        reversible.for_each([&](std::size_t x) { undirected[x].insert(y); });
    }
    bool canonical = true;
    maximum_cardinality_search<W>(std::span<const NodeSet<W>>(undirected).first(parents.size()),
                                  [&](std::size_t node, const NodeSet<W>& visited) {
                                      canonical = visited == parents[node] - compelled[node];
                                      return canonical;
                                  });
    return canonical;
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template std::vector<NodeSet<W>> canonical_member(const Cpdag<W>&);                            \
    template std::vector<NodeSet<W>> canonical_member(const std::vector<NodeSet<W>>&);             \
    template bool is_canonical(std::span<const NodeSet<W>>);
CREDIBLENET_INSTANTIATE(1)
CREDIBLENET_INSTANTIATE(2)
CREDIBLENET_INSTANTIATE(4)
CREDIBLENET_INSTANTIATE(8)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
