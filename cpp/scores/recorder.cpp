#include "scores/recorder.h"

#include <algorithm>
#include <bit>

namespace crediblenet {

template <std::size_t W>
Recorder<W>::Recorder(const Score& score, const Pruning& pruning,
                      const std::vector<std::uint32_t>& arity, const std::vector<Node>& base,
                      const std::vector<Cost>& base_terms, std::size_t max_added)
    : pruning_(pruning), arity_(arity), base_(base), base_terms_(base_terms), max_added_(max_added),
      terms_(score.traits().terms), equivalent_(score.traits().equivalent) {}

template <std::size_t W>
void Recorder<W>::record(LatticeWorker& worker, LevelPart<W>& part, OpenGroup<W>& open,
                         const JointSet& joint, const MemberCosts& least) const {
    ++part.counted;
    part.scored += static_cast<std::size_t>(std::popcount(joint.alive));
    if (joint.size > max_added_) return take_last_candidates(worker, part, joint, least);
    MemberCosts best;
    MemberHeadrooms own_headroom;
    const auto alive = take_candidates(worker, part, joint, least, best, own_headroom);
    auto& group = open.group;
    const auto last = joint.member[joint.size - 1];
    const auto headroom = headroom_as_parents(worker, joint);
    const bool parental =
        !pruning_.never_parents(joint.states) && !r5_drops(headroom, pruning_.least_target_arity());
    if (alive == 0 && !parental) {
        // Sets with too many states need no mark: their size tells.
        if (!pruning_.never_parents(joint.states)) group.dead.insert(last);
        return;
    }
    auto& block = part.block;
    if (group.stored.empty()) group.first = static_cast<std::uint32_t>(block.sets());
    group.stored.insert(last);
    if (parental) group.parental.insert(last);
    block.terms.insert(block.terms.end(), worker.terms.begin(), worker.terms.end());
    block.alive.push_back(alive);
    block.headroom.push_back(headroom);
    block.first_own.push_back(static_cast<std::uint32_t>(block.best.size()));
    for (auto rest = alive; rest != 0; rest &= rest - 1) {
        const auto t = static_cast<std::size_t>(std::countr_zero(rest));
        open.alive[t].insert(last);
        block.best.push_back(best[t]);
        block.own_headroom.push_back(own_headroom[t]);
    }
}

// Scores the set for its alive members, and returns those that stay alive: for which
// supersets may still be candidates.
template <std::size_t W>
Positions Recorder<W>::take_candidates(LatticeWorker& worker, LevelPart<W>& part,
                                       const JointSet& joint, const MemberCosts& least,
                                       MemberCosts& best, MemberHeadrooms& own_headroom) const {
    Positions alive = 0;
    for (auto rest = joint.alive; rest != 0; rest &= rest - 1) {
        const auto t = static_cast<std::size_t>(std::countr_zero(rest));
        const auto i = joint.member[t];
        const auto states = joint.states / arity_[i];
        const auto cost = cost_of(worker, joint, t);
        own_headroom[t] = pruning_.uses_r5() ? pruning_.own_headroom(i, cost, states) : 255;
        const bool r5_ends = r5_drops(own_headroom[t], pruning_.least_arity(i));
        bool r2_ends = !r5_ends && pruning_.cannot_grow(i, states);
        bool r6_ends = false;
        if ((!r5_ends && !r2_ends) || pruning_.r1_keeps(cost, least[t])) {
            const auto exact = joint.least_below(t);
            if (pruning_.r1_keeps(cost, exact))
                add_candidate(part, joint, t, cost);
            else
                ++worker.removed.r1;
            best[t] = std::min(cost, exact);
            r6_ends = pruning_.r6(i, worker.terms, best[t]);
            r2_ends = r2_ends || (!r5_ends && pruning_.cannot_grow(i, states, best[t]));
        } else {
            ++worker.removed.r1;
        }
        worker.removed.r5 += r5_ends;
        worker.removed.r2 += r2_ends;
        worker.removed.r6 += r6_ends;
        alive |= static_cast<Positions>(!r5_ends && !r2_ends && !r6_ends) << t;
    }
    return alive;
}

// The same in the last level, where nothing grows and only R1 matters.
template <std::size_t W>
void Recorder<W>::take_last_candidates(LatticeWorker& worker, LevelPart<W>& part,
                                       const JointSet& joint, const MemberCosts& least) const {
    for (auto rest = joint.alive; rest != 0; rest &= rest - 1) {
        const auto t = static_cast<std::size_t>(std::countr_zero(rest));
        const auto cost = cost_of(worker, joint, t);
        if (pruning_.r1_keeps(cost, least[t]) && pruning_.r1_keeps(cost, joint.least_below(t)))
            add_candidate(part, joint, t, cost);
        else
            ++worker.removed.r1;
    }
}

// The cost of member t with the others as parents.
template <std::size_t W>
Cost Recorder<W>::cost_of(LatticeWorker& worker, const JointSet& joint, std::size_t t) const {
    const auto parents =
        joint.size == 1 ? std::span<const Cost>(base_terms_) : joint.without[t].terms(terms_);
    if (!equivalent_) return worker.evaluator->cost(joint.member[t], worker.terms, parents);
    const auto family = worker.terms[0];
    return family < unreachable_cost ? family - parents[0] : unreachable_cost;
}

// R5 for T as a parent set: the least that any of its members can pay for.
template <std::size_t W>
std::uint8_t Recorder<W>::headroom_as_parents(LatticeWorker& worker, const JointSet& joint) const {
    std::uint8_t headroom = 255;
    if (!pruning_.uses_r5() || pruning_.never_parents(joint.states)) return headroom;
    for (std::size_t t = 0; t < joint.size; ++t) {
        const auto v = joint.member[t];
        headroom = std::min(
            headroom, pruning_.headroom(v, cost_of(worker, joint, t), joint.states / arity_[v]));
    }
    return headroom;
}

template <std::size_t W>
void Recorder<W>::add_candidate(LevelPart<W>& part, const JointSet& joint, std::size_t t,
                                Cost cost) const {
    NodeSet<W> parents;
    for (const auto v : base_) parents.insert(v);
    for (std::size_t y = 0; y < joint.size; ++y)
        if (y != t) parents.insert(joint.member[y]);
    part.candidates.push_back({parents, cost, joint.member[t]});
}

#define CREDIBLENET_INSTANTIATE(W) template class Recorder<W>;
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
