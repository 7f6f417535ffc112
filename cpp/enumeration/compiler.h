// From candidates to the compiled set: exact search with components and a cache.
#pragma once

#include "bounds/problem.h"
#include "control.h"
#include "enumeration/circuit.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace crediblenet {

struct CompilerStatistics {
    bool complete = true;         // nothing is missing
    bool limited = false;         // the node limit ended the search
    std::uint64_t nodes = 0;      // states that were branched on
    std::uint64_t cache_hits = 0; // states found in the cache
    std::uint64_t dead_ends = 0;  // states without a network inside the budget
};

// Adds to `circuit` a node whose networks include every DAG with cost at most
// `max_cost`, and only DAGs: the caller removes those that cost more. No node:
// no such DAG. When the control stops the run, the node holds what was found
// by then, and `statistics.complete` is false; likewise after branching on
// `node_limit` states, if that is not 0. A `share` above 0 is what the problem is of all that
// the control watches: then the control hears how far the search is, as pending.
template <std::size_t W>
std::optional<CircuitNode> compile(const Problem<W>& problem, Cost max_cost,
                                   std::uint64_t node_limit, Circuit& circuit, Control& control,
                                   CompilerStatistics& statistics, double share = 0);

} // namespace crediblenet
