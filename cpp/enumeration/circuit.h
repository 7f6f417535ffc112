// The compiled set: an AND/OR circuit whose models are networks.
//
// A leaf is a candidate parent set of one variable. A choice joins disjoint
// sets of networks over the same variables, a product combines independent
// choices over disjoint variables. So the networks below a node are a disjoint
// union of products, and counts, weights, samples and listings follow by
// passing over the nodes once (Darwiche 2001, "deterministic decomposable").
#pragma once

#include "number_index.h"
#include "types.h"

#include <cstdint>
#include <span>
#include <vector>

namespace crediblenet {

using CircuitNode = std::uint32_t;

// Some nodes of a circuit in a row, as they are written to a checkpoint.
struct CircuitNodes {
    std::vector<std::uint8_t> kind;    // Circuit::Kind
    std::vector<std::uint32_t> count;  // values of each node
    std::vector<std::uint32_t> values; // a leaf's row, or the numbers of the children
};

class Circuit {
  public:
    enum class Kind : std::uint8_t { leaf, choice, product };

    // Nodes are shared: equal nodes have equal numbers. Children precede parents.
    CircuitNode leaf(std::uint32_t row);
    // Disjoint union; the children are sorted, a single child is returned as it is.
    CircuitNode choice(std::vector<CircuitNode> children);
    // Product over disjoint variables; nested products are flattened.
    CircuitNode product(const std::vector<CircuitNode>& children);

    // Adds a node of another circuit with all that is below it.
    CircuitNode absorb(const Circuit& other, CircuitNode root);

    // The nodes from number `start` on. Nodes never change, so a checkpoint needs only
    // those that are new since the last one.
    [[nodiscard]] CircuitNodes nodes_from(CircuitNode start) const;
    // Adds nodes that `nodes_from(size())` of another circuit gave, under the same numbers.
    // Throws std::invalid_argument when they are not that.
    void append(const CircuitNodes& nodes);

    [[nodiscard]] std::size_t size() const { return kind_.size(); }
    [[nodiscard]] Kind kind(CircuitNode node) const { return kind_[node]; }
    [[nodiscard]] std::uint32_t row(CircuitNode node) const {
        return static_cast<std::uint32_t>(first_[node]);
    }
    [[nodiscard]] std::span<const CircuitNode> children(CircuitNode node) const {
        return {children_.data() + first_[node], count_[node]};
    }
    // Bytes held.
    [[nodiscard]] std::size_t memory() const {
        return 13 * kind_.capacity() + 4 * children_.capacity() + shared_.memory();
    }

  private:
    CircuitNode share(Kind kind, std::vector<CircuitNode>&& children);

    std::vector<Kind> kind_;
    std::vector<std::uint64_t> first_; // a leaf's row, or where the children begin
    std::vector<std::uint32_t> count_;
    std::vector<CircuitNode> children_;
    NumberIndex shared_; // nodes by kind and children
};

} // namespace crediblenet
