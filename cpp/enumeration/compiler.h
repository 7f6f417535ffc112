// From candidates to the compiled set: exact search with components and a cache.
#pragma once

#include "bounds/clusters.h"
#include "bounds/problem.h"
#include "control.h"
#include "enumeration/circuit.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace crediblenet {

struct CompilerOptions {
    std::uint64_t node_limit = 0;     // give up after branching on so many states; 0: never
    std::uint64_t dead_end_limit = 0; // give up after so many dead ends; 0: never
    bool probing = false;             // drop dead ends among all options of a state
    bool ascending = true;            // dual ascent in every state
    // What the problem is of all that the control watches, if that hears, as
    // pending, how far the search is.
    double share = 0;
};

struct CompilerStatistics {
    bool complete = true;         // nothing is missing
    bool limited = false;         // one of the options' limits ended the search
    std::uint64_t nodes = 0;      // states that were branched on
    std::uint64_t cache_hits = 0; // states found in the cache
    std::uint64_t dead_ends = 0;  // states without a network inside the budget
};

// Adds to `circuit` a node whose networks include every DAG with cost at most
// `max_cost`, and only DAGs: the caller removes those that cost more. No node:
// no such DAG. When the control stops the run, the node holds what was found
// by then, and `statistics.complete` is false; likewise at a limit.
//
// Multipliers of cluster inequalities from a relaxation of the problem make the
// bounds better. Probing, in each state, every option of every variable takes
// longer per state, and far fewer of them where the bounds leave many dead ends.
template <std::size_t W>
std::optional<CircuitNode> compile(const Problem<W>& problem,
                                   const std::vector<Multiplier<W>>& multipliers, Cost max_cost,
                                   const CompilerOptions& options, Circuit& circuit,
                                   Control& control, CompilerStatistics& statistics);

} // namespace crediblenet
