// All joint sets of one size that matter, kept compactly.
//
// A joint set T is stored under its *prefix*, T without its largest member: all sets with
// one prefix form a group. Looking up T \ {x} for each x then takes one search per prefix
// rather than one per set, and what can be said of all sets of a group at once is kept as
// one bit per last member, so that it can be combined for all of them with a few "and"s.
#pragma once

#include "number_index.h"
#include "types.h"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace crediblenet {

// A set of members of a joint set, by their position in it (lowest member first). A set of
// 32 members in the lattice would have all of its 2^31 subsets there.
using Positions = std::uint32_t;
inline constexpr std::size_t max_joint_size = 32;

// What is kept of some consecutive joint sets. A pair of a member i of T and the parent set
// T \ {i} is *alive* as long as supersets of T \ {i} may still be candidates of i.
struct Block {
    std::vector<Cost> terms;                // per set, as many as the score has
    std::vector<Positions> alive;           // per set: the alive members
    std::vector<std::uint8_t> headroom;     // per set: rule R5 for T as a parent set
    std::vector<std::uint32_t> first_own;   // per set: where its alive members begin below
    std::vector<Cost> best;                 // per alive member: least cost of a subset of T \ {i}
    std::vector<std::uint8_t> own_headroom; // per alive member: rule R5 for i

    [[nodiscard]] std::size_t sets() const { return alive.size(); }
    [[nodiscard]] std::size_t bytes() const;
    void shrink();
};

// One stored set.
struct SetRef {
    const Block* block = nullptr;
    std::size_t index = 0;

    explicit operator bool() const { return block != nullptr; }
    [[nodiscard]] Positions alive() const { return block->alive[index]; }
    [[nodiscard]] std::uint8_t headroom() const { return block->headroom[index]; }
    [[nodiscard]] std::span<const Cost> terms(std::size_t count) const {
        return {block->terms.data() + index * count, count};
    }
    // Where the numbers of the alive member at `position` are.
    [[nodiscard]] std::size_t own(std::size_t position) const {
        const auto below = alive() & ((Positions{1} << position) - 1);
        return block->first_own[index] + static_cast<std::size_t>(std::popcount(below));
    }
};

// The sets with one prefix, each named by its last member.
template <std::size_t W> struct Group {
    NodeSet<W> prefix;
    NodeSet<W> stored;   // the sets that are kept, in this order in the block
    NodeSet<W> parental; // those of them that may be parent sets
    NodeSet<W> dead;     // sets that were counted and proved useless
    std::uint32_t block = 0;
    std::uint32_t first = 0; // the first set's place in the block
};

// The groups whose prefixes differ in their last member only, each named by that member.
template <std::size_t W> struct GroupRun {
    NodeSet<W> common; // the prefixes without their last members
    NodeSet<W> lasts;
    std::uint32_t first = 0; // the first group of the run
};

template <std::size_t W> class LatticeLevel {
  public:
    LatticeLevel() = default;
    explicit LatticeLevel(std::size_t set_size) : set_size_(set_size) {}

    std::vector<Group<W>> groups; // in lexicographic order of their prefixes
    // For each group one node set per position: the sets in which that member is alive.
    std::vector<NodeSet<W>> alive;
    std::vector<Block> blocks;
    std::size_t reserved = 0; // bytes announced for it

    // To be called when the groups are complete.
    void index();
    // The groups with prefix `common` and one larger member; null if there is none.
    [[nodiscard]] const GroupRun<W>* find_run(const NodeSet<W>& common) const;
    [[nodiscard]] const Group<W>* find(const GroupRun<W>* run, std::size_t last) const {
        return run != nullptr && run->lasts.contains(last)
                   ? &groups[run->first + run->lasts.rank(last)]
                   : nullptr;
    }
    [[nodiscard]] const Group<W>* find_group(NodeSet<W> prefix) const;
    [[nodiscard]] SetRef find(const Group<W>& group, std::size_t last) const {
        return {&blocks[group.block], group.first + group.stored.rank(last)};
    }
    // The set with these members, if it is stored.
    [[nodiscard]] SetRef find_set(NodeSet<W> set) const;
    [[nodiscard]] const NodeSet<W>& alive_at(const Group<W>& group, std::size_t position) const {
        return alive[static_cast<std::size_t>(&group - groups.data()) * set_size_ + position];
    }
    [[nodiscard]] bool anything_alive() const;
    // For each variable, the sets in which it is alive.
    [[nodiscard]] std::vector<double> alive_counts(std::size_t variables) const;
    // How many sets were counted, stored or not.
    [[nodiscard]] std::size_t counted() const;

  private:
    std::size_t set_size_ = 0;
    std::vector<GroupRun<W>> runs_;
    NumberIndex by_common_; // runs
};

// The largest member of a set that is not empty.
template <std::size_t W> std::size_t highest(const NodeSet<W>& set) {
    std::size_t w = W - 1;
    while (w > 0 && set.word[w] == 0) --w;
    return 64 * w + 63 - static_cast<std::size_t>(std::countl_zero(set.word[w]));
}

// Order of sets of equal size by their members, lowest first.
template <std::size_t W> bool lexicographic(const NodeSet<W>& a, const NodeSet<W>& b) {
    const auto different = (a - b) | (b - a);
    return !different.empty() && a.contains(different.lowest());
}

} // namespace crediblenet
