// The undirected part of a class: chordal graphs, and what is left to orient once a
// clique of one comes first.
//
// An acyclic moral orientation (AMO) of an undirected graph directs every edge so that
// no directed cycle and no v-structure arises. The members of a class are its compelled
// arcs plus one AMO of each chain component, chosen independently, and every chain
// component is connected and chordal (Andersson, Madigan & Perlman 1997).
//
// Everything here rests on one lemma. Let G be connected and chordal, K a clique of it,
// and call a set *first* in an AMO when no arc enters it from outside.
//
// Lemma (parts). There are disjoint connected sets A_1, A_2, ... that cover the nodes
// outside K, each with a clique P_j of nodes of K and of earlier parts, such that the
// AMOs of G in which K is first are exactly: any order of K, the arcs P_j -> A_j between
// all members, and any AMO of each G[A_j], all chosen independently.
//
// Proof. Keep a set Z of nodes that are first, at the beginning K, such that for every
// connected component D of G - Z the set P = N(D) inside Z is a clique; P is not empty,
// as G is connected. Let A be the members of D that are adjacent to all of P.
//  * A is not empty: in a chordal graph a clique that bounds a connected set has a
//    common neighbour in it (Dirac 1961).
//  * A is connected. Otherwise take a shortest path in D between two components of G[A];
//    its inner nodes are outside A. With any p in P it closes a cycle without chords but
//    those at p, so p is adjacent to every inner node; this holds for all p in P, so the
//    inner nodes are in A.
//  * For adjacent a in A and b in D - A there is p in P not adjacent to b, so p -> a - b
//    forces a -> b. Hence Z + A is first again.
//  * For a component D' of D - A, N(D') inside Z + A is a clique: its members in Z are in
//    P, hence adjacent to each other and to all of A; and two members of A that are not
//    adjacent would be joined by a shortest path through D', whose inner nodes would be
//    in A by the argument above.
// So (A, P) is the next part, and D - A goes on the same way. Conversely, put arbitrary
// AMOs of the parts together: arcs lead from earlier to later parts or stay in one, so
// there is no cycle, and the parents of a node in A_j are P_j and parents in A_j, which
// are adjacent to all of P_j, so there is no v-structure.
#pragma once

#include "types.h"

#include <span>
#include <vector>

namespace crediblenet {

// The connected component of `start` in the graph restricted to `nodes`, and the union
// of its members' neighbours.
template <std::size_t W> struct Reached {
    NodeSet<W> component;
    NodeSet<W> neighbours;
};
template <std::size_t W>
Reached<W> reach(std::span<const NodeSet<W>> adjacency, const NodeSet<W>& nodes,
                 std::size_t start) {
    Reached<W> result;
    result.component.insert(start);
    for (auto frontier = result.component; !frontier.empty();) {
        NodeSet<W> next;
        frontier.for_each([&](std::size_t node) { next |= adjacency[node]; });
        result.neighbours |= next;
        frontier = (next & nodes) - result.component;
        result.component |= frontier;
    }
    return result;
}

// The connected components with at least two nodes, by lowest node.
template <std::size_t W>
std::vector<NodeSet<W>> chain_components(std::span<const NodeSet<W>> undirected) {
    std::vector<NodeSet<W>> components;
    NodeSet<W> seen;
    for (std::size_t node = 0; node < undirected.size(); ++node) {
        if (undirected[node].empty() || seen.contains(node)) continue;
        components.push_back(
            reach(undirected, NodeSet<W>::first(undirected.size()), node).component);
        seen |= components.back();
    }
    return components;
}

// Calls part(A, P) for the parts of the lemma, where G is the connected chordal graph
// induced by `nodes`, and K is `clique`.
template <std::size_t W, class F>
void for_each_part(std::span<const NodeSet<W>> adjacency, const NodeSet<W>& nodes,
                   const NodeSet<W>& clique, F&& part) {
    std::vector<NodeSet<W>> open{nodes - clique}; // unions of components of G - Z
    while (!open.empty()) {
        auto rest = open.back();
        open.pop_back();
        while (!rest.empty()) {
            const auto [component, around] = reach(adjacency, rest, rest.lowest());
            rest -= component;
            const auto parents = (around & nodes) - component;
            auto members = component;
            parents.for_each([&](std::size_t p) { members &= adjacency[p]; });
            if (members != component) open.push_back(component - members);
            part(members, parents);
        }
    }
}

// A maximal clique in a rooted clique tree: the cliques that contain a node form a
// subtree. Entries come after their parents; the first one is the root.
template <std::size_t W> struct CliqueTreeEntry {
    NodeSet<W> clique;
    NodeSet<W> separator; // the common nodes with the parent; empty for the root
    std::size_t parent;   // an index; its own for the root
};

// A clique tree of the connected chordal graph induced by `nodes`.
template <std::size_t W>
std::vector<CliqueTreeEntry<W>> clique_tree(std::span<const NodeSet<W>> adjacency,
                                            const NodeSet<W>& nodes);

} // namespace crediblenet
