// Whether a network of which only some parent sets are chosen can still become the
// canonical member of its class (canonical.h), in one block of variables.
//
// Call a variable y of the block *known* when its compelled parents are already decided.
// Chickering's labelling (cpdag.cpp) decides them by the link of y, the one parent x of y
// with parents(y) - x inside parents(x):
//  * all parents of y are chosen and none is the link: all arcs into y are compelled;
//  * the link is outside the block: the same, because no arc between blocks is reversible;
//  * the link is in the block and known: y follows it.
// Otherwise y is not known yet. The reversible parents of a known y are its link and
// reversible parents of the link, which is known; so the known variables contain the
// parents by reversible arcs of each of them.
//
// Lemma. In the canonical member, let U be a set of variables that contains the reversible
// parents of its members. Then maximum cardinality search on the reversible edges among U
// visits U in the same order as on all of them.
// Proof. Arcs of the canonical member point from earlier to later, so at any time the
// visited neighbours of an unvisited u in U are visited parents of u: they are in U. Visits
// outside of U therefore change no cardinality in U, and of two unvisited members of U the
// one that is preferred on all edges is preferred on those among U. QED
//
// So the known part of a canonical member is canonical by itself; when all variables are
// chosen, all are known, and the condition is sufficient as well.
#pragma once

#include "classes/mcs.h"
#include "types.h"

#include <array>
#include <span>

namespace crediblenet {

// `members` is the block, `chosen` are the variables whose parents are chosen: all those
// outside of the block, and some inside. Allocates nothing.
template <std::size_t W>
bool may_be_canonical(std::span<const NodeSet<W>> parents, const NodeSet<W>& members,
                      const NodeSet<W>& chosen) {
    std::array<NodeSet<W>, NodeSet<W>::capacity> compelled, neighbours;
    std::array<Node, NodeSet<W>::capacity> link, waiting;
    NodeSet<W> known, open; // open: those that follow their link
    const auto inside = members & chosen;
    inside.for_each([&](std::size_t y) {
        bool linked = false;
        (parents[y] & chosen).for_each([&](std::size_t x) {
            auto others = parents[y];
            others.erase(x);
            if (!others.subset_of(parents[x])) return;
            linked = true;
            link[y] = static_cast<Node>(x);
        });
        if (linked ? !members.contains(link[y]) : parents[y].subset_of(chosen)) {
            known.insert(y);
            compelled[y] = parents[y];
        } else if (linked) {
            open.insert(y);
        }
    });
    while (!open.empty()) {
        std::size_t depth = 0;
        auto y = open.lowest();
        for (; open.contains(y); y = link[y]) {
            waiting[depth++] = static_cast<Node>(y);
            open.erase(y);
        }
        if (!known.contains(y)) continue;
        while (depth > 0) {
            const auto x = y;
            y = waiting[--depth];
            known.insert(y);
            compelled[y] = compelled[x].subset_of(parents[y]) ? compelled[x] : parents[y];
        }
    }
    NodeSet<W> connected;
    known.for_each([&](std::size_t y) {
        const auto reversible = parents[y] - compelled[y];
        if (reversible.empty()) return;
        neighbours[y] |= reversible;
        connected |= reversible;
        connected.insert(y);
        reversible.for_each([&](std::size_t x) { neighbours[x].insert(y); });
    });
    bool canonical = true;
    maximum_cardinality_search<W>(std::span<const NodeSet<W>>(neighbours), connected,
                                  [&](std::size_t node, const NodeSet<W>& visited) {
                                      canonical = visited == parents[node] - compelled[node];
                                      return canonical;
                                  });
    return canonical;
}

} // namespace crediblenet
