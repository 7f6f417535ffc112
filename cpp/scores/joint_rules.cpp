#include "scores/joint_rules.h"

#include <bit>
#include <limits>

namespace crediblenet {

void JointRules::apply(JointSet& joint, MemberCosts& least, RuleCounters& removed) const {
    for (auto rest = joint.alive; rest != 0; rest &= rest - 1) {
        const auto t = static_cast<std::size_t>(std::countr_zero(rest));
        if (drops(joint, t, least[t], removed)) joint.alive &= ~(Positions{1} << t);
    }
}

bool JointRules::drops(const JointSet& joint, std::size_t t, Cost& least,
                       RuleCounters& removed) const {
    const auto i = joint.member[t];
    const auto states = joint.states / arity_[i];
    auto least_member_arity = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t y = 0; y < joint.size; ++y)
        if (y != t) least_member_arity = std::min(least_member_arity, arity_[joint.member[y]]);
    if (pruning_.drops_by_size(i, states, joint.size - 1, least_member_arity, removed)) return true;

    const auto& parents = joint.without[t];
    if (parents && r5_drops(parents.headroom(), arity_[i])) return ++removed.r5, true;
    if (pays_too_little(joint, t)) return ++removed.r5, true;
    // R2 and R6 need the cheapest subset of S. Mostly, not even the cheapest set of all would do.
    least = pruning_.base_cost(i);
    const auto least_of_all = least_of_all_[i];
    if (pruning_.r2(i, states, least_of_all)) {
        // Two subsets of S give nearly as good a bound as all of them, and are at hand.
        const auto last = joint.size - 1;
        for (const auto y : {t == last ? last - 1 : last, t + 1 >= last ? last - 2 : last - 1})
            if (y < joint.size) least = std::min(least, joint.best_without(t, y));
        if (pruning_.r2(i, states, least)) return ++removed.r2, true;
    }
    if (pruning_.uses_r6() && parents && pruning_.r6(i, parents.terms(terms_), least_of_all)) {
        least = joint.least_below(t);
        if (pruning_.r6(i, parents.terms(terms_), least)) return ++removed.r6, true;
    }
    return false;
}

// R5: whether member t cannot pay for some other member y, given the rest. If y has the
// fewest states of all possible parents, it was found out when T \ {y} was stored.
bool JointRules::pays_too_little(const JointSet& joint, std::size_t t) const {
    for (std::size_t y = 0; y < joint.size; ++y) {
        const auto arity = arity_[joint.member[y]];
        if (y == t || arity == pruning_.least_arity(joint.member[t])) continue;
        const auto& subset = joint.without[y];
        if (r5_drops(subset.block->own_headroom[subset.own(t - (y < t))], arity)) return true;
    }
    return false;
}

} // namespace crediblenet
