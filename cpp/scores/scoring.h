// Candidate parent sets of all variables: constraints, grid, lattice, sorted result.
#pragma once

#include "control.h"
#include "scores/journal.h"
#include "scores/rules.h"
#include "scores/score.h"

#include <vector>

namespace crediblenet {

struct ScoringParams {
    double epsilon = 0; // with the tolerance τ; infinity keeps every set
    RuleSwitches rules;
    std::size_t max_parents = max_nodes;
    std::vector<bool> constant;               // per variable: takes no part
    std::vector<std::vector<Node>> required;  // per variable: parents it must have
    std::vector<std::vector<Node>> forbidden; // per variable: parents it must not have
    unsigned threads = 1;
    Journal* journal = nullptr; // finished pieces, if they are to be kept
};

struct ScoringResult {
    // The candidates of variable i are [offsets[i], offsets[i+1]), by cost, then parents.
    std::vector<std::size_t> offsets;
    std::vector<std::uint64_t> parents; // words per candidate: ⌈variables / 64⌉
    std::vector<Cost> costs;            // in units of 2^-grid_bits
    int grid_bits = 0;
    RuleCounters removed;
    std::uint64_t counted = 0; // joint sets
    std::uint64_t scored = 0;  // pairs of a variable and a parent set
};

// Throws Stopped, and std::overflow_error if costs are too large for a grid of use.
ScoringResult score_parent_sets(Score& score, const ScoringParams& params, Control& control);

} // namespace crediblenet
