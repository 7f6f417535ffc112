// The part of a circuit that networks within a cost limit use.
#pragma once

#include "control.h"
#include "enumeration/circuit.h"
#include "enumeration/compiled_set.h"
#include "types.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace crediblenet {

// More than any network costs; a sum of some of them does not overflow.
constexpr Cost never = std::numeric_limits<Cost>::max() / 4;

struct LiveCircuit {
    // Nodes, children first; products have exactly two children; the root is
    // last. Empty when no network is within the limit.
    FlatCircuit nodes;
    std::vector<Cost> least; // cost of each node's cheapest network
    std::vector<Cost> limit; // a node's costlier networks are in no network of the set

    [[nodiscard]] std::size_t size() const { return nodes.kind.size(); }
    [[nodiscard]] Circuit::Kind kind(CircuitNode node) const {
        return static_cast<Circuit::Kind>(nodes.kind[node]);
    }
    [[nodiscard]] std::span<const CircuitNode> children(CircuitNode node) const {
        return {nodes.children.data() + nodes.first[node], nodes.n_children[node]};
    }
};

// The cost of the cheapest network of a node.
Cost least_cost(const Circuit& circuit, CircuitNode root, std::span<const Cost> row_costs);

LiveCircuit live_circuit(const Circuit& circuit, CircuitNode root, std::span<const Cost> row_costs,
                         Cost max_cost, Control& control);

// The circuit that `flat` was once part of, node by node, so that its networks
// come in the same order; after checking that the arrays are one: rows and
// children in range, and each node over the right variables and in use.
LiveCircuit checked_live_circuit(const FlatCircuit& flat, std::span<const std::int64_t> offsets,
                                 std::span<const Cost> row_costs, Cost max_cost, Control& control);

// The part of a live circuit that networks within a lower limit use.
LiveCircuit trimmed(const LiveCircuit& live, Cost max_cost);

} // namespace crediblenet
