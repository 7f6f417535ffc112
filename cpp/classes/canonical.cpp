#include "classes/canonical.h"

#include "classes/mcs.h"

#include <array>

namespace crediblenet {
namespace {

template <std::size_t W> NodeSet<W> with_neighbours(std::span<const NodeSet<W>> undirected) {
    NodeSet<W> nodes;
    for (std::size_t node = 0; node < undirected.size(); ++node)
        if (!undirected[node].empty()) nodes.insert(node);
    return nodes;
}

} // namespace

template <std::size_t W> std::vector<NodeSet<W>> canonical_member(const Cpdag<W>& graph) {
    auto parents = graph.compelled;
    const std::span<const NodeSet<W>> undirected(graph.undirected);
    maximum_cardinality_search(undirected, with_neighbours(undirected),
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
    std::array<NodeSet<W>, NodeSet<W>::capacity> neighbours;
    compelled_parents<W>(parents, std::span(compelled).first(parents.size()));
    for (std::size_t y = 0; y < parents.size(); ++y) {
        const auto reversible = parents[y] - compelled[y];
        neighbours[y] |= reversible;
        reversible.for_each([&](std::size_t x) { neighbours[x].insert(y); });
    }
    const auto undirected = std::span<const NodeSet<W>>(neighbours).first(parents.size());
    bool canonical = true;
    maximum_cardinality_search(undirected, with_neighbours(undirected),
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
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
