// The networks of a circuit whose true cost is within a limit: counts by cost,
// listing in order of cost, weights of candidates. Only `list` makes networks.
//
// Where there is room, every node holds its levels: the distinct costs of its
// networks, as far as they can be part of a network within the limit, with how
// many cost that. Costs are integers, so equal costs meet exactly. Otherwise the
// set counts from both ends (fold.h): it has no levels and lists nothing, but a
// part of it, within a lower limit, may.
#pragma once

#include "big_uint.h"
#include "control.h"
#include "enumeration/circuit.h"
#include "types.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace crediblenet {

// A circuit in flat form: children precede parents, the root is the last node.
struct FlatCircuit {
    std::vector<std::uint8_t> kind;   // Circuit::Kind
    std::vector<std::uint64_t> first; // a leaf's row, or where the children begin
    std::vector<std::uint32_t> n_children;
    std::vector<CircuitNode> children;
};

// How a set is counted. The answers do not depend on it.
struct CountingLimits {
    std::size_t most_levels; // of all nodes together; with more the set counts from both ends
    std::size_t longest;     // from both ends, levels are kept for nodes with at most so many
};

struct Counted {
    BigUint networks;
    Cost greatest = std::numeric_limits<Cost>::min(); // cost of a network; if there is one
};

class CompiledSet {
  public:
    virtual ~CompiledSet() = default;

    // The networks below `root` with cost, by `row_costs`, at most `max_cost`.
    // `offsets` tell the variable of each row. Counts are kept in 64 bits, in
    // 128 or in numbers of any size, whichever suffices.
    static std::unique_ptr<CompiledSet> make(const Circuit& circuit, CircuitNode root,
                                             std::span<const std::int64_t> offsets,
                                             std::span<const Cost> row_costs, Cost max_cost,
                                             const CountingLimits& limits, Control& control);
    // The same from what `flat` gave, perhaps long ago: it is checked.
    static std::unique_ptr<CompiledSet> make(const FlatCircuit& flat,
                                             std::span<const std::int64_t> offsets,
                                             std::span<const Cost> row_costs, Cost max_cost,
                                             const CountingLimits& limits, Control& control);

    [[nodiscard]] virtual Counted count(Cost max_cost, Control& control) const = 0;
    // The networks that cost at most `max_cost`, as a set with levels; null when there are
    // more than `most_levels`.
    [[nodiscard]] virtual std::unique_ptr<CompiledSet>
    levelled_within(Cost max_cost, std::size_t most_levels, Control& control) const = 0;
    [[nodiscard]] virtual Cost least_cost() const = 0;

    // Whether the three below can be had; if not, they throw std::logic_error.
    [[nodiscard]] virtual bool has_levels() const = 0;
    // Distinct costs, least first, with the number of networks of each.
    [[nodiscard]] virtual std::vector<Cost> level_costs() const = 0;
    [[nodiscard]] virtual std::vector<BigUint> level_counts() const = 0;

    // Calls f(cost, rows) for the networks with ranks start, start + 1, ... in
    // order of cost (ties in a fixed order) until f returns false. The rows are
    // in the order of the variables.
    using Visitor = std::function<bool(Cost, std::span<const std::uint32_t>)>;
    virtual void list(const BigUint& start, const Visitor& visit) const = 0;

    // For each row of the table: ln of the sum over networks with cost at most
    // `max_cost` that use it of exp(-(cost - least cost) * unit). Minus infinity where that is
    // less than a double can say, some 745 nats from the optimum.
    [[nodiscard]] virtual std::vector<double> candidate_log_weights(Cost max_cost, double unit,
                                                                    Control& control) const = 0;

    [[nodiscard]] virtual FlatCircuit flat() const = 0;
    [[nodiscard]] virtual std::size_t n_variables() const = 0;
    [[nodiscard]] virtual std::size_t n_rows() const = 0; // of the table
    [[nodiscard]] virtual std::size_t n_nodes() const = 0;
    [[nodiscard]] virtual std::size_t n_entries() const = 0; // levels held by all nodes together
};

} // namespace crediblenet
