// The lattice of parent sets, searched by size for all variables at once.
//
// Parent set Π of variable i corresponds to the joint set T = Π ∪ {i}. The search goes
// through joint sets by size: T is counted once and serves all its members. A pair (i, Π) is
// *alive* until a rule drops Π+ for i; it can be alive only if every (i, Π \ {x}) is. So T
// need be counted only if for some member i all T \ {x}, x ≠ i, have i alive: the
// level-wise search of frequent-set mining (Agrawal & Srikant 1994), with a set of
// targets in place of one bit. Two levels are in memory at a time.
#pragma once

#include "control.h"
#include "scores/journal.h"
#include "scores/level_part.h"

#include <vector>

namespace crediblenet {

template <std::size_t W> struct LatticeParams {
    double epsilon = 0; // with the tolerance τ
    RuleSwitches rules;
    std::vector<Node> base;            // parents that all targets of this search require
    NodeSet<W> targets;                // whose parent sets are wanted
    std::vector<NodeSet<W>> allowed;   // per variable: possible parents besides the base
    std::size_t max_added = max_nodes; // limit on the parents besides the base
    unsigned threads = 1;
    Journal* journal = nullptr;   // what a killed run has finished
    std::uint64_t number = 0;     // of this search in the journal
    std::size_t found_before = 0; // candidates of the searches before this one
};

template <std::size_t W> struct LatticeResult {
    Piecewise<ScoredSet<W>> candidates;
    RuleCounters removed;
    std::uint64_t counted = 0; // joint sets
    std::uint64_t scored = 0;  // pairs of a variable and a parent set
};

// Every parent set of the targets that the rules leave. Throws Stopped.
template <std::size_t W>
LatticeResult<W> search_lattice(const Score& score, const LatticeParams<W>& params,
                                Control& control);

} // namespace crediblenet
