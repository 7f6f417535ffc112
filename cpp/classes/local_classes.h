// The classes of one block of variables, one network for each.
//
// A block is a strongly connected component of the graph "j is in a parent set of i that
// some network of the set uses". Two networks of the set are Markov equivalent iff they
// are locally equivalent in every block, so the classes of the set are the product of the
// local classes of its blocks, under the common cost limit (docs/algorithm.md, section 6).
//
// The local classes of a block are found by walking the circuit with all other variables
// fixed. Every local class has one canonical member (canonical.h), and only that is
// reported: none twice, none forgotten, and nothing has to be remembered. A choice that no
// canonical member can contain is not followed.
#pragma once

#include "control.h"
#include "enumeration/compiled_set.h"
#include "types.h"

#include <cstdint>
#include <span>
#include <vector>

namespace crediblenet {

// Where the local classes of a block are looked for.
struct BlockProblem {
    const FlatCircuit& circuit;
    std::span<const std::int64_t> offsets; // the variable of each row
    std::span<const Cost> row_costs;
    const std::uint64_t* parents; // of each row, `width` words
    std::size_t width;
    std::span<const std::uint32_t> context; // a network of the set: a row of each variable
    std::span<const Node> members;          // the variables of the block, ascending
};

struct LocalClasses {
    std::vector<Cost> costs;          // of the members' parent sets together
    std::vector<std::uint16_t> codes; // one per class and member: an index of `rows`
    std::vector<std::uint32_t> rows;  // the members' rows in use, ascending
    std::uint64_t leaves = 0;         // complete networks that were reached
    std::uint64_t steps = 0;          // circuit nodes that were passed
    bool complete = true;             // false: given up at a limit, no class is listed
};

// When to give up: whether that happens does not depend on the threads.
struct WalkLimits {
    std::uint64_t steps;
    std::uint64_t classes;
};

// The classes whose cost within the block is at most `max_cost`, in an order that does not
// depend on the threads. Throws Stopped, also for more than 2^16 rows in use.
LocalClasses local_classes(const BlockProblem& block, Cost max_cost, WalkLimits limits,
                           unsigned threads, Control& control);

} // namespace crediblenet
