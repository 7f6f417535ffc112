#include "classes/cpdag.h"

#include <array>

namespace crediblenet {

// Chickering (1995) labels the arcs in an order in which all arcs into y come after
// those into the ancestors of y, and among the arcs into y the one from the
// topologically last parent x comes first. That first arc already decides all of them:
//
//   1. If some compelled parent of x is no parent of y, or some other parent of y is no
//      parent of x, all arcs into y are compelled.
//   2. Otherwise the compelled parents of x are compelled parents of y, and all other
//      arcs into y are reversible.
//
// The second test of 1 fails only for x = last_parent(y), so no topological order is
// needed: if there is no last_parent, everything into y is compelled, and if there is
// one, only *its* label must be known first. Following these links is a walk up a
// forest, because a link leads from a child to a parent. All in all one subset test per
// arc and one more per node.
template <std::size_t W>
void compelled_parents(std::span<const NodeSet<W>> parents, std::span<NodeSet<W>> compelled) {
    const auto nodes = parents.size();
    std::array<Node, NodeSet<W>::capacity> link;
    std::array<Node, NodeSet<W>::capacity> waiting;
    NodeSet<W> open; // nodes whose label waits for that of their link
    for (std::size_t y = 0; y < nodes; ++y) {
        compelled[y] = parents[y];
        if (parents[y].empty()) continue;
        const auto x = last_parent(parents, y);
        if (x == no_node) continue;
        link[y] = static_cast<Node>(x);
        open.insert(y);
    }
    while (!open.empty()) {
        std::size_t depth = 0;
        for (auto y = open.lowest(); open.contains(y); y = link[y]) {
            waiting[depth++] = static_cast<Node>(y);
            open.erase(y);
        }
        while (depth > 0) {
            const auto y = waiting[--depth];
            const auto& above = compelled[link[y]];
            if (above.subset_of(parents[y])) compelled[y] = above;
        }
    }
}

template <std::size_t W> Cpdag<W> cpdag(const std::vector<NodeSet<W>>& parents) {
    const auto nodes = parents.size();
    Cpdag<W> result{std::vector<NodeSet<W>>(nodes), std::vector<NodeSet<W>>(nodes)};
    compelled_parents<W>(parents, result.compelled);
    for (std::size_t y = 0; y < nodes; ++y) {
        const auto reversible = parents[y] - result.compelled[y];
        result.undirected[y] |= reversible;
        reversible.for_each([&](std::size_t x) { result.undirected[x].insert(y); });
    }
    return result;
}

template <std::size_t W> bool is_acyclic(std::span<const NodeSet<W>> parents) {
    // Every pass removes the nodes whose parents are gone; lowest first within a pass,
    // so that a graph that is already in order needs a single one.
    auto rest = NodeSet<W>::first(parents.size());
    for (bool moved = true; moved && !rest.empty();) {
        moved = false;
        rest.for_each([&](std::size_t node) {
            if (parents[node].intersects(rest)) return;
            rest.erase(node);
            moved = true;
        });
    }
    return rest.empty();
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template void compelled_parents(std::span<const NodeSet<W>>, std::span<NodeSet<W>>);           \
    template Cpdag<W> cpdag(const std::vector<NodeSet<W>>&);                                       \
    template bool is_acyclic(std::span<const NodeSet<W>>);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
