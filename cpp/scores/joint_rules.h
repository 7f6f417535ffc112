// The rules that need the subsets of a joint set, put to each of its members.
#pragma once

#include "scores/joint_set.h"
#include "scores/pruning.h"

#include <vector>

namespace crediblenet {

class JointRules {
  public:
    // `terms` is the number of terms that the score keeps per joint set. What is
    // referred to must outlive the object.
    JointRules(const Pruning& pruning, const std::vector<std::uint32_t>& arity, std::size_t terms)
        : pruning_(pruning), arity_(arity), terms_(terms),
          least_of_all_(arity.size(), unreachable_cost) {}

    // Takes note of the cost of a parent set of i. Before the sets of the next size come, the
    // cheapest of the sets so far must be among those that were noted.
    void note(Node i, Cost cost) { least_of_all_[i] = std::min(least_of_all_[i], cost); }

    // Members whose parent set T \ {member} is dropped with all its supersets are alive no
    // more. For the others least[t] becomes the cost of a proper subset of T \ {member[t]},
    // the cheapest of some.
    void apply(JointSet& joint, MemberCosts& least, RuleCounters& removed) const;

  private:
    bool drops(const JointSet& joint, std::size_t t, Cost& least, RuleCounters& removed) const;
    [[nodiscard]] bool pays_too_little(const JointSet& joint, std::size_t t) const;

    const Pruning& pruning_;
    const std::vector<std::uint32_t>& arity_;
    std::size_t terms_;
    std::vector<Cost> least_of_all_; // of each variable: of its parent sets so far
};

} // namespace crediblenet
