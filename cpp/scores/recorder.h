// What is kept of a joint set that has been counted: candidates, and what larger sets need.
#pragma once

#include "scores/level_part.h"
#include "scores/pruning.h"

#include <vector>

namespace crediblenet {

template <std::size_t W> class Recorder {
  public:
    // `base` are the parents that all targets require, `base_terms` their terms, `max_added` the
    // most parents besides them. What is referred to must outlive the object.
    Recorder(const Score& score, const Pruning& pruning, const std::vector<std::uint32_t>& arity,
             const std::vector<Node>& base, const std::vector<Cost>& base_terms,
             std::size_t max_added);

    // Takes the candidates of the set whose terms the worker has, and stores the set if it or
    // a superset of it is needed. `least` is as the rules left it.
    void record(LatticeWorker& worker, LevelPart<W>& part, OpenGroup<W>& open,
                const JointSet& joint, const MemberCosts& least) const;

  private:
    using MemberHeadrooms = std::array<std::uint8_t, max_joint_size>;

    Positions take_candidates(LatticeWorker& worker, LevelPart<W>& part, const JointSet& joint,
                              const MemberCosts& least, MemberCosts& best,
                              MemberHeadrooms& own_headroom) const;
    void take_last_candidates(LatticeWorker& worker, LevelPart<W>& part, const JointSet& joint,
                              const MemberCosts& least) const;
    [[nodiscard]] Cost cost_of(LatticeWorker& worker, const JointSet& joint, std::size_t t) const;
    [[nodiscard]] std::uint8_t headroom_as_parents(LatticeWorker& worker,
                                                   const JointSet& joint) const;
    void add_candidate(LevelPart<W>& part, const JointSet& joint, std::size_t t, Cost cost) const;

    const Pruning& pruning_;
    const std::vector<std::uint32_t>& arity_;
    const std::vector<Node>& base_;
    const std::vector<Cost>& base_terms_;
    std::size_t max_added_;
    std::size_t terms_;
    bool equivalent_;
};

} // namespace crediblenet
