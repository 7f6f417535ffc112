// A compiled set whose nodes all hold their levels.
#pragma once

#include "enumeration/compiled_set.h"
#include "enumeration/live_circuit.h"

namespace crediblenet {

// Null when all nodes together have more levels than the limits allow.
std::unique_ptr<CompiledSet> levelled_set(std::shared_ptr<const LiveCircuit> live,
                                          std::span<const std::int64_t> offsets,
                                          const CountingLimits& limits, Control& control);

} // namespace crediblenet
