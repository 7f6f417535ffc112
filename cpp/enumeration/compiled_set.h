// The networks of a circuit whose true cost is within a limit: counts by cost,
// listing in order of cost, exact draws, weights of candidates. Nothing here
// lists networks except `list`.
#pragma once

#include "control.h"
#include "enumeration/circuit.h"
#include "types.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace crediblenet {

// How many networks: see decision 0004.
using Count = unsigned __int128;

class CompiledSet {
  public:
    // The networks below `root` with cost, by `row_costs`, at most `max_cost`.
    CompiledSet(const Circuit& circuit, CircuitNode root, std::span<const Cost> row_costs,
                std::size_t n_variables, Cost max_cost, Control& control);
    // No network at all.
    explicit CompiledSet(std::size_t n_variables) : n_variables_(n_variables) {}

    struct Level {
        Cost cost;
        Count networks;
    };
    // Distinct costs, least first, with the number of networks of each.
    [[nodiscard]] std::span<const Level> levels() const;

    [[nodiscard]] std::size_t n_variables() const { return n_variables_; }
    [[nodiscard]] std::size_t n_nodes() const { return kind_.size(); }
    [[nodiscard]] std::size_t n_entries() const { return entries_.size(); }

    // For each row of the table: ln of the sum over networks with cost at most
    // `max_cost` that use it of exp(-(cost - least cost) * unit).
    [[nodiscard]] std::vector<double> candidate_log_weights(Cost max_cost, double unit) const;

    // Calls f(cost, rows) for the networks with ranks start, start + 1, ... in
    // order of cost (ties in a fixed order) until f returns false.
    using Visitor = std::function<bool(Cost, std::span<const std::uint32_t>)>;
    void list(Count start, const Visitor& visit) const;

    // The network of the given rank.
    [[nodiscard]] std::vector<std::uint32_t> network(Count rank) const;

  private:
    using Kind = Circuit::Kind;

    struct Task; // a node whose networks of one cost are still to be listed
    bool emit(const Task* tasks, Count below, Count& skip, Cost cost, std::vector<std::uint32_t>& rows,
              const Visitor& visit) const;

    [[nodiscard]] std::span<const Level> list_of(CircuitNode node) const {
        return {entries_.data() + begin_[node], entries_.data() + begin_[node + 1]};
    }
    [[nodiscard]] Count count_at(CircuitNode node, Cost cost) const;

    std::size_t n_variables_ = 0;
    std::size_t n_rows_ = 0;
    std::vector<std::uint32_t> variable_; // of each row
    // Nodes, children first; products have exactly two children. The root is last.
    std::vector<Kind> kind_;
    std::vector<std::uint64_t> first_; // a leaf's row, or where the children begin
    std::vector<std::uint32_t> n_children_;
    std::vector<CircuitNode> children_;
    std::vector<Cost> limit_;         // networks of the node that cost more are in no network of the set
    std::vector<std::uint64_t> begin_; // where each node's levels begin
    std::vector<Level> entries_;
};

} // namespace crediblenet
