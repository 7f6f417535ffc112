#include "enumeration/compiled_set.h"

#include "enumeration/folded_set.h"
#include "enumeration/levelled_set.h"
#include "enumeration/live_circuit.h"

namespace crediblenet {

namespace {

std::unique_ptr<CompiledSet> counted(LiveCircuit&& circuit, std::span<const std::int64_t> offsets,
                                     const CountingLimits& limits, Control& control) {
    const auto live = std::make_shared<const LiveCircuit>(std::move(circuit));
    if (auto levelled = levelled_set(live, offsets, limits, control)) return levelled;
    return folded_set(live, offsets, limits.longest, control);
}

} // namespace

std::unique_ptr<CompiledSet> CompiledSet::make(const Circuit& circuit, CircuitNode root,
                                               std::span<const std::int64_t> offsets,
                                               std::span<const Cost> row_costs, Cost max_cost,
                                               const CountingLimits& limits, Control& control) {
    return counted(live_circuit(circuit, root, row_costs, max_cost, control), offsets, limits,
                   control);
}

std::unique_ptr<CompiledSet> CompiledSet::make(const FlatCircuit& flat,
                                               std::span<const std::int64_t> offsets,
                                               std::span<const Cost> row_costs, Cost max_cost,
                                               const CountingLimits& limits, Control& control) {
    return counted(checked_live_circuit(flat, offsets, row_costs, max_cost, control), offsets,
                   limits, control);
}

} // namespace crediblenet
