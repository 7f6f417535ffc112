// All joint sets of one size that matter, kept compactly.
//
// A joint set T is stored under its *prefix*, T without its largest member: all sets with
// one prefix form a group. Looking up T \ {x} for each x then takes one search per
// prefix rather than one per set, and the rest is bit counting.
#pragma once

#include "types.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace crediblenet {

// A set of members of a joint set, by their position in it (lowest member first). A set of
// 32 members in the lattice would have all of its 2^31 subsets there.
using Positions = std::uint32_t;
inline constexpr std::size_t max_joint_size = 32;

// Makes room for position `at`, which becomes 0.
inline Positions insert_position(Positions set, std::size_t at) {
    const Positions below = (Positions{1} << at) - 1;
    return (set & below) | ((set & ~below) << 1);
}

// What is kept of some consecutive joint sets.
struct Block {
    std::vector<Cost> terms;                // per set, as many as the score has
    std::vector<Positions> alive;           // per set: the members i for which T \ {i} is alive
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

template <std::size_t W> struct Group {
    NodeSet<W> prefix;
    NodeSet<W> stored; // the last members of the sets that are kept, in order, in the block
    NodeSet<W> dead;   // the last members of sets that were counted and proved useless
    std::uint32_t block = 0;
    std::uint32_t first = 0; // the first set's place in the block
};

template <std::size_t W> class Level {
  public:
    std::vector<Group<W>> groups; // in lexicographic order of their prefixes
    std::vector<Block> blocks;

    // To be called when the groups are complete.
    void index();
    [[nodiscard]] const Group<W>* find(const NodeSet<W>& prefix) const;
    [[nodiscard]] SetRef find(const Group<W>& group, std::size_t last) const {
        return {&blocks[group.block], group.first + group.stored.rank(last)};
    }
    [[nodiscard]] std::size_t bytes() const;

  private:
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1); // hash: group + 1, or 0
};

} // namespace crediblenet
