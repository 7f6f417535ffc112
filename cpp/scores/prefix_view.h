// The joint sets of the next level with one prefix, and where their subsets are.
#pragma once

#include "scores/level.h"

#include <array>

namespace crediblenet {

// A view of all prefixes P = Q ∪ {p}, one after the other, where Q is the prefix of a group.
//
// For each member i of P, and for the last member j itself, it works out for which j the pair
// (i, T \ {i}), T = P ∪ {j}, inherits being alive from all pairs (i, T \ {i, x}): those are
// in the groups of P \ {x}, or belong to P.
//
// At most one immediate subset of T need not be stored: T \ {i} itself, if no member of it
// is alive in it. Then i is the only member of T that can be alive.
template <std::size_t W> class PrefixView {
  public:
    // Takes Q; the groups of (Q \ {x}) ∪ {p}, for all p, are side by side.
    PrefixView(const LatticeLevel<W>& level, const Group<W>& group, const NodeSet<W>& universe)
        : level_(level), group_(group), universe_(universe) {
        group.prefix.for_each([&](std::size_t x) {
            auto rest = group.prefix;
            rest.erase(x);
            runs_[size_] = level.find_run(rest);
            members_[size_++] = static_cast<Node>(x);
        });
        ++size_;
    }

    // The p for which there may be something to see.
    [[nodiscard]] NodeSet<W> further_members() const {
        auto further = universe_ - group_.dead;
        if (size_ > 1) further -= NodeSet<W>::first(members_[size_ - 2] + std::size_t{1});
        return further;
    }

    // Moves to P = Q ∪ {p}. False if no set with this prefix has an alive member.
    bool move(std::size_t p) {
        const auto above = universe_ - NodeSet<W>::first(p + 1);
        const bool stored = group_.stored.contains(p);
        prefix_set_ = stored ? level_.find(group_, p) : SetRef{};
        members_[size_ - 1] = static_cast<Node>(p);
        const auto alive = stored ? prefix_set_.alive() : Positions{0};
        for (std::size_t t = 0; t < size_; ++t)
            inherits_[t] = alive >> t & 1 ? above : NodeSet<W>{};
        inherits_[size_] = above;
        for (std::size_t x = size_; x-- > 0;) {
            groups_[x] = x + 1 == size_ ? &group_ : level_.find(runs_[x], p);
            if (groups_[x] == nullptr) {
                if (!only(x)) return false;
                continue;
            }
            const auto* const of_group = &level_.alive_at(*groups_[x], 0);
            NodeSet<W> any;
            for (std::size_t t = 0; t <= size_; ++t) {
                if (t != x) inherits_[t] &= of_group[t - (t > x)];
                any |= inherits_[t];
            }
            if (any.empty()) return false;
        }
        return true;
    }

    [[nodiscard]] std::size_t size() const { return size_; } // of P
    [[nodiscard]] Node member(std::size_t t) const { return members_[t]; }
    [[nodiscard]] NodeSet<W> prefix() const {
        auto prefix = group_.prefix;
        prefix.insert(members_[size_ - 1]);
        return prefix;
    }

    // The j for which member t inherits being alive; for t = size, for which j itself does.
    [[nodiscard]] NodeSet<W>& inherits(std::size_t t) { return inherits_[t]; }
    [[nodiscard]] const NodeSet<W>& inherits(std::size_t t) const { return inherits_[t]; }
    // Those of them for which T \ {member t}, or P for t = size, is stored and may be a
    // parent set; and those for which it was never counted.
    [[nodiscard]] NodeSet<W> parental(std::size_t t) const {
        if (t == size_)
            return group_.parental.contains(members_[t - 1]) ? inherits_[t] : NodeSet<W>{};
        return groups_[t] != nullptr ? inherits_[t] & groups_[t]->parental : NodeSet<W>{};
    }
    [[nodiscard]] NodeSet<W> uncounted(std::size_t t) const {
        if (t == size_) return prefix_set_ ? NodeSet<W>{} : inherits_[t];
        return groups_[t] != nullptr ? inherits_[t] - groups_[t]->stored - groups_[t]->dead
                                     : inherits_[t];
    }
    // T \ {member t} as far as it is stored in the level.
    [[nodiscard]] SetRef without(std::size_t t, std::size_t j) const {
        if (t == size_) return prefix_set_;
        return groups_[t] != nullptr && groups_[t]->stored.contains(j) ? level_.find(*groups_[t], j)
                                                                       : SetRef{};
    }

  private:
    // No set T \ {member x} is stored: only this member can be alive.
    bool only(std::size_t x) {
        for (std::size_t t = 0; t <= size_; ++t)
            if (t != x) inherits_[t] = {};
        return !inherits_[x].empty();
    }

    const LatticeLevel<W>& level_;
    const Group<W>& group_;
    const NodeSet<W>& universe_;
    std::size_t size_ = 0;
    std::array<Node, max_joint_size> members_;
    std::array<const GroupRun<W>*, max_joint_size> runs_; // [t]: of Q \ {member t}
    std::array<const Group<W>*, max_joint_size> groups_;  // [t]: of P \ {member t}, or null
    std::array<NodeSet<W>, max_joint_size> inherits_;
    SetRef prefix_set_;
};

} // namespace crediblenet
