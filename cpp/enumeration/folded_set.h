// A compiled set with more levels than can be held: it counts from both ends (fold.h).
#pragma once

#include "enumeration/compiled_set.h"
#include "enumeration/live_circuit.h"

namespace crediblenet {

// Nodes keep their levels when they have at most `longest` of them.
std::unique_ptr<CompiledSet> folded_set(std::shared_ptr<const LiveCircuit> live,
                                        std::span<const std::int64_t> offsets, std::size_t longest,
                                        Control& control);

} // namespace crediblenet
