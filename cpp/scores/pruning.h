// The rules, with everything about one search that they need worked out beforehand.
#pragma once

#include "scores/rules.h"
#include "scores/score.h"

#include <vector>

namespace crediblenet {

// What one search knows of each variable before any set is counted.
struct PruningParams {
    double epsilon = 0; // ε + τ
    RuleSwitches rules;
    std::size_t base_size = 0;              // required parents
    std::vector<bool> target;               // whether the variable's parents are wanted
    std::vector<Cost> base_cost;            // of each target with just its required parents
    std::vector<std::uint32_t> least_arity; // least arity of a further parent of each target
    std::vector<double> floor;              // N·H(target | all its possible parents)
    std::vector<double> floor_all;          // N·H(variable | all others)
};

// Whether some rule can drop a set with all its supersets.
bool drops_families(const ScoreTraits& traits, const RuleSwitches& rules, double epsilon);

class Pruning {
  public:
    Pruning(const Score& score, const PruningParams& params);

    // ---- Before a parent set S of i is counted ----------------------------------

    // What the rules R2, R3 and C4 say from the number of joint states of S alone; the
    // least arity of a member of S is for R3. Counts the set under the rule that drops it.
    [[nodiscard]] bool drops_by_size(Node i, double states, std::size_t added,
                                     double least_member_arity, RuleCounters& removed) const {
        if (states > most_states_[i]) return ++removed.r2, true;
        if (states > least_member_arity * r3_states_[i]) return ++removed.r3, true;
        if (added + base_size_ > c4_size_) return ++removed.c4, true;
        return false;
    }
    // The cost of i with its required parents alone.
    [[nodiscard]] Cost base_cost(Node i) const { return base_cost_[i]; }
    // R2, given the least cost of a proper subset of S.
    [[nodiscard]] bool r2(Node i, double states, Cost best) const {
        return uses_r2_ && r2_drops(nats(best), epsilon_, floor_[i], weight_[i] * states);
    }
    [[nodiscard]] bool uses_r6() const { return uses_r6_; }
    // R6, given that and the terms of S, or of S ∪ {i} and the least cost of a subset of S.
    [[nodiscard]] bool r6(Node i, std::span<const Cost> terms, Cost best) const {
        return uses_r6_ &&
               r6_drops(nats(best), epsilon_, static_cast<double>(terms[1]), log_arity_[i]);
    }

    // ---- After a joint set T is counted -----------------------------------------

    // Whether no superset of S = T \ {i} can be a candidate of i: one more parent has at
    // least as many states as the smallest that is left.
    [[nodiscard]] bool cannot_grow(Node i, double states) const {
        return states * least_arity_[i] > most_states_[i];
    }
    [[nodiscard]] bool cannot_grow(Node i, double states, Cost best) const {
        return r2(i, states * least_arity_[i], best);
    }
    // Whether a set with so many joint states has too many to be a parent set of anyone.
    [[nodiscard]] bool never_parents(double states) const { return states > most_parent_states_; }
    [[nodiscard]] bool uses_r5() const { return uses_r5_; }
    // R5: what variable v, given all other members of T, can pay for. `cost` is that of v
    // with these as parents, `states` their number of joint states.
    [[nodiscard]] std::uint8_t headroom(Node v, Cost cost, double states) const {
        return r5_headroom(fit(v, cost, states) - floor_all_[v], epsilon_, weight_[v] * states);
    }
    [[nodiscard]] std::uint8_t own_headroom(Node v, Cost cost, double states) const {
        return r5_headroom(fit(v, cost, states) - floor_[v], epsilon_, weight_[v] * states);
    }
    [[nodiscard]] std::uint32_t least_arity(Node i) const { return least_arity_[i]; }
    [[nodiscard]] std::uint32_t least_target_arity() const { return least_target_arity_; }

    // R1: whether a set is to be kept, given the least cost of a proper subset.
    [[nodiscard]] bool r1_keeps(Cost cost, Cost best) const {
        return !uses_r1_ || !r1_drops(best, epsilon_units_, cost);
    }
    // How many members besides the required ones a parent set can have at most.
    [[nodiscard]] std::size_t largest_addition(std::size_t variables) const;

  private:
    [[nodiscard]] double nats(Cost cost) const { return static_cast<double>(cost) * unit_; }
    [[nodiscard]] double fit(Node v, Cost cost, double states) const {
        return cost < unreachable_cost ? nats(cost) - weight_[v] * states : HUGE_VAL;
    }

    double unit_;
    double epsilon_; // ε + τ, and what rounding may do to costs
    Cost epsilon_units_;
    bool uses_r1_, uses_r2_, uses_r5_, uses_r6_;
    std::size_t base_size_, c4_size_;
    std::uint32_t least_target_arity_;
    double most_parent_states_ = 0;
    std::vector<double> arity_, log_arity_;
    std::vector<Cost> base_cost_;
    std::vector<double> weight_; // w·(r_i - 1)
    std::vector<double> floor_, floor_all_;
    std::vector<double> most_states_; // R2 with the required parents alone as the subset
    std::vector<double> r3_states_;   // R3: states of the subset at most
    std::vector<std::uint32_t> least_arity_;
};

} // namespace crediblenet
