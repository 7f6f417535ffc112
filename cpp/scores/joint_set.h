// One joint set while the rules are put to it and while it is recorded.
#pragma once

#include "scores/level.h"
#include "scores/score.h"

#include <algorithm>
#include <array>

namespace crediblenet {

// One cost per member.
using MemberCosts = std::array<Cost, max_joint_size>;

// A joint set T with its immediate subsets.
struct JointSet {
    std::array<Node, max_joint_size> member;    // ascending
    std::array<SetRef, max_joint_size> without; // [t]: T \ {member[t]}
    std::size_t size = 0;
    Positions alive = 0;
    double states = 1; // joint states, those of required parents included

    // The least cost of a subset of S = T \ {member t} that lacks member y.
    [[nodiscard]] Cost best_without(std::size_t t, std::size_t y) const {
        const auto& subset = without[y];
        return subset.block->best[subset.own(t - (y < t))];
    }
    // The least cost of a proper subset of S = T \ {member t}.
    [[nodiscard]] Cost least_below(std::size_t t) const {
        auto least = unreachable_cost;
        for (std::size_t y = 0; y < size && size > 1; ++y)
            if (y != t) least = std::min(least, best_without(t, y));
        return least;
    }
};

} // namespace crediblenet
