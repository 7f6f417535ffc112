// From candidates to the compiled set, layer by layer, where blocks are small.
//
// The variables of a network without parents are its first layer; the next layer are those
// whose parents are all in layers before, at least one of them in the last of these. So every
// network has its layers, and what may come after the layers so far depends on two sets: the
// variables in them, and those of the last one. The least cost of what is missing is known
// for every set of variables (G of subset_program.h), so that hardly a state is visited that
// is in no network within the limit.
#pragma once

#include "bounds/problem.h"
#include "control.h"
#include "enumeration/circuit.h"
#include "enumeration/compiler.h"

#include <cstdint>
#include <optional>

namespace crediblenet {

// Like `compile`, with the same result; gives up after so many steps, each of them a layer
// that was begun or a candidate that was looked at, and when its tables do not fit into
// memory. The `share` is that of the options of `compile`. Throws std::invalid_argument when
// a block is too large for the subset program.
template <std::size_t W>
std::optional<CircuitNode> compile_layers(const Problem<W>& problem, Cost max_cost,
                                          std::uint64_t step_limit, double share, Circuit& circuit,
                                          Control& control, CompilerStatistics& statistics);

} // namespace crediblenet
