// Sizes of classes, orientation frequencies inside them, and random members.
//
// The chain components of a class are oriented independently, so its size is the product
// of their numbers of AMOs. Classes of one credible set share most of their components, so
// a component that is neither a tree nor a clique is solved once and remembered, relabelled
// to 0, 1, ..., k - 1 in the order of its nodes.
#pragma once

#include "big_uint.h"
#include "classes/chordal.h"
#include "classes/clique_picking.h"
#include "classes/cpdag.h"

#include <memory>
#include <random>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace crediblenet {

// The graph that is induced by `component`, its nodes renumbered by rank.
template <std::size_t V, std::size_t W>
std::vector<NodeSet<V>> relabelled(std::span<const NodeSet<W>> undirected,
                                   const NodeSet<W>& component) {
    std::vector<NodeSet<V>> adjacency;
    component.for_each([&](std::size_t node) {
        auto& row = adjacency.emplace_back();
        (undirected[node] & component).for_each([&](std::size_t other) {
            row.insert(component.rank(other));
        });
    });
    return adjacency;
}

// Not for concurrent use: give each thread its own.
class ClassCounter {
  public:
    // The number of DAGs in the class.
    template <std::size_t W> BigUint size(std::span<const NodeSet<W>> undirected);

    // Writes to share[a * n + b], for every undirected edge, the part of the members with
    // a -> b; entries of other pairs are left alone.
    template <std::size_t W>
    void orientation_shares(std::span<const NodeSet<W>> undirected, std::span<double> share);

    // Adds to `parents` (the compelled ones on entry) a uniformly drawn orientation.
    template <std::size_t W>
    void sample(std::span<const NodeSet<W>> undirected, std::mt19937_64& random,
                std::vector<NodeSet<W>>& parents);

  private:
    template <std::size_t V> struct Solved {
        CliquePicking<V> orientations;
        std::vector<double> shares; // k * k, made on first use
    };
    template <std::size_t V> struct GraphHash {
        std::size_t operator()(const std::vector<NodeSet<V>>& graph) const {
            std::uint64_t h = graph.size();
            for (const auto& row : graph) h = (h ^ row.hash()) * 0x9e3779b97f4a7c15u;
            return h;
        }
    };
    template <std::size_t V>
    using Cache = std::unordered_map<std::vector<NodeSet<V>>, Solved<V>, GraphHash<V>>;

    template <std::size_t V, std::size_t W>
    Solved<V>& solved(std::span<const NodeSet<W>> undirected, const NodeSet<W>& component);

    std::tuple<Cache<1>, Cache<2>, Cache<4>, Cache<8>> caches_;
    std::size_t kept_ = 0; // bytes in the caches, roughly
};

// Entry a * n + b: the exact number of members of the class with a -> b, for every
// undirected edge; zero for other pairs.
template <std::size_t W>
std::vector<BigUint> orientation_counts(std::span<const NodeSet<W>> undirected);

} // namespace crediblenet
