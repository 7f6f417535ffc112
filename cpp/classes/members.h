// The members of a class one by one, without listing them first.
#pragma once

#include "classes/cpdag.h"

#include <vector>

namespace crediblenet {

// Walks through all DAGs of a class, each once, in a fixed order.
//
// An AMO of a connected chordal graph has exactly one source, and once the source v comes
// first the rest splits into independent parts (chordal.h, with K = {v}). So the members
// are the leaves of a tree of choices: take an open part, choose its source (lowest
// first), open the parts that are left. Different choices give different members, and
// there is no dead end: every choice leads to a member. A choice places one node, so from
// one member to the next at most 2n choices are undone and made: polynomial delay.
template <std::size_t W> class MemberLister {
  public:
    explicit MemberLister(const Cpdag<W>& graph);

    // Moves on to the next member; false when there is none left.
    bool next();
    // The current member; only after next() returned true.
    [[nodiscard]] const std::vector<NodeSet<W>>& parents() const { return parents_; }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    // An open part in a linked list that branches share: closing a part and opening others
    // on top of the rest of the list leaves the list of the choice before intact.
    struct Open {
        NodeSet<W> part;    // at least two nodes
        NodeSet<W> parents; // of every one of them, from outside the part
        std::size_t below;  // the next open part
    };
    struct Choice {
        Open open;
        NodeSet<W> sources;   // not tried yet
        std::size_t n_opened; // how long `opened_` was before
    };

    void choose_all(std::size_t open);
    std::size_t choose_source();

    std::vector<NodeSet<W>> undirected_;
    std::vector<NodeSet<W>> parents_;
    std::vector<Open> opened_;
    std::vector<Choice> choices_;
    bool started_ = false;
};

} // namespace crediblenet
