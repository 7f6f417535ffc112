// What one chunk of the work on a level gives, and what one thread works with.
#pragma once

#include "scores/joint_set.h"
#include "scores/piecewise.h"
#include "scores/rules.h"
#include "scores/score.h"
#include "scores/terms_record.h"

#include <memory>
#include <vector>

namespace crediblenet {

// A candidate before the table is there: a parent set of a variable, and its cost.
template <std::size_t W> struct ScoredSet {
    NodeSet<W> parents;
    Cost cost = 0;
    Node child = 0;
};

// What one thread works with.
struct LatticeWorker {
    std::unique_ptr<Evaluator> evaluator;
    std::vector<Node> prefix; // of the set being counted: the base, then its members
    std::vector<Cost> terms;  // of the set counted last
    RuleCounters removed;
    TermsRecord record; // of the piece in work
};

// What one chunk gives: groups in order, with their sets in one block. Chunks are made by any
// thread and joined in order, so that a level does not depend on the threads.
template <std::size_t W> struct LevelPart {
    std::vector<Group<W>> groups;
    std::vector<NodeSet<W>> alive;
    Block block;
    Piecewise<ScoredSet<W>> candidates;
    std::vector<NodeSet<W>> uncounted; // parent sets that must be counted on their own
    std::uint64_t counted = 0, scored = 0;
    RuleCounters removed;

    // Gives back what the lists have in reserve, which `bytes` leaves out.
    void shrink() {
        block.shrink();
        groups.shrink_to_fit();
        alive.shrink_to_fit();
        candidates.shrink();
        uncounted.shrink_to_fit();
    }
    [[nodiscard]] std::size_t bytes() const {
        return block.bytes() + groups.size() * (sizeof(Group<W>) + 16) +
               alive.size() * sizeof(NodeSet<W>) + candidates.bytes() +
               uncounted.size() * sizeof(NodeSet<W>);
    }
};

// The group that is being made: its sets, and for each position those with that member alive.
template <std::size_t W> struct OpenGroup {
    Group<W> group;
    std::array<NodeSet<W>, max_joint_size> alive{};

    // Adds it to the part, unless nothing at all was recorded.
    void close(LevelPart<W>& part, const NodeSet<W>& prefix, std::size_t set_size) {
        if (group.stored.empty() && group.dead.empty()) return;
        group.prefix = prefix;
        part.groups.push_back(group);
        part.alive.insert(part.alive.end(), alive.begin(),
                          alive.begin() + static_cast<std::ptrdiff_t>(set_size));
    }
};

} // namespace crediblenet
