// Every DAG with a few nodes, and random larger ones, for tests.
#pragma once

#include "classes/cpdag.h"

#include <cstdint>
#include <random>
#include <vector>

namespace crediblenet {

using Graph = std::vector<NodeSet<1>>;

// All labelled DAGs: 1, 3, 25, 543, 29281 for 1 to 5 nodes.
inline std::vector<Graph> all_dags(std::size_t nodes) {
    std::vector<Graph> graphs;
    const auto arcs = nodes * (nodes - 1);
    for (std::uint64_t code = 0; code < std::uint64_t{1} << arcs; ++code) {
        Graph parents(nodes);
        std::size_t bit = 0;
        for (std::size_t y = 0; y < nodes; ++y)
            for (std::size_t x = 0; x < nodes; ++x)
                if (x != y && (code >> bit++ & 1)) parents[y].insert(x);
        if (is_acyclic<1>(parents)) graphs.push_back(parents);
    }
    return graphs;
}

// Arcs along a random order, each with the same chance.
template <std::size_t W>
std::vector<NodeSet<W>> random_dag(std::size_t nodes, double density, std::mt19937_64& random) {
    std::vector<std::size_t> order(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
        order[i] = i;
        std::swap(order[i], order[random() % (i + 1)]);
    }
    std::vector<NodeSet<W>> parents(nodes);
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (static_cast<double>(random() >> 11) * 0x1p-53 < density)
                parents[order[i]].insert(order[j]);
    return parents;
}

} // namespace crediblenet
