// How many acyclic moral orientations (AMOs) a connected chordal graph has, how many of
// them have a -> b, and a uniform draw of one: in polynomial time, by picking the clique
// that comes first (Wienöbst, Bannach & Liśkiewicz 2021, arXiv 2012.09679).
//
// Let T be a clique tree of G with any root, and Q(α) the maximal cliques that are first
// in the AMO α (chordal.h). A separator S = u ∩ w of a tree edge on the path from a clique
// K up to the root (u the upper end) is *bad* for K in α if S is inside K and precedes the
// rest of K in α. For a K of Q(α) such an S is first, too.
//
// Theorem. Exactly one K in Q(α) has no bad separator.
//
// So every AMO is counted once by
//     #AMO(G) = Σ_K  orders(K) · Π_j #AMO(G[A_j]),
// where orders(K) counts the orders of K in which no separator inside K on its path to the
// root is a prefix, and A_j are the parts that are left when K is first. Those separators
// are nested (S ⊆ K implies that S is in all cliques between, hence in the next such
// separator), so orders(K) is easy (prefix_orders.h).
// The parts that ever arise are few (at most twice the number of cliques, section 4 of the
// paper), so each is solved once and remembered.
//
// Proof of the theorem.
// (a) Let K ∈ Q(α), S bad for K, with tree edge (u, w), and D the connected component of
// G − S that contains u − S. Then some K' ∈ Q(α) has S ⊂ K' ⊆ S ∪ D. Grow a clique C = S:
// while C is not maximal, take the component D' of D − C with a node x adjacent to all of C,
// and the only source v of α restricted to D' (two sources of a connected moral orientation
// would have paths that meet in a v-structure). There is a directed path v → ... → x in D'.
// Each c in C precedes x, and walking back along the path, c → y and z → y make c and z
// adjacent, with c → z since C is first. So v is adjacent to all of C, its parents are in C,
// and C + v is a first clique. Such K' lies on u's side of the edge, and K ∩ K' = S.
// With S = ∅ and D = G this shows that Q(α) is not empty.
// (b) For K ≠ K' in Q(α), S = K ∩ K' precedes the rest of both, as an arc from K − K' to S
// would enter K'. Some separator on the tree path between them equals S: otherwise all are
// larger, K − S and K' − S lie in one component of G − S, and its only source, which comes
// before all of it, would be in K and in K'. The edge of this separator is on the way from
// K or from K' up to the root, so S is bad for one of them. Hence at most one is good.
// (c) Suppose all are bad. Begin with S = ∅, D = G, and consider the pairs of a K ∈ Q(α),
// S ⊂ K ⊆ S ∪ D, and a separator bad for it. Take the pair (K, S') whose edge (u, w) is
// nearest to the root; D' is the component of G − S' with u − S'. Let K' be any member of
// Q(α) with S' ⊂ K' ⊆ S' ∪ D' (there is one, by (a)) and S'' bad for it; S' and S'' are
// prefixes of K' in α, so nested. If S'' ⊆ S', the edge of S'' is not above the least common
// ancestor of K and K', by the choice of the pair, so it is on the path from u to K', so
// S' = K ∩ K' ⊆ S'', so S'' = S' would separate u from K', which D' connects. So S' ⊂ S''
// for all such pairs: repeat with (S', D'). The separators grow forever: a contradiction.
#pragma once

#include "big_uint.h"
#include "classes/prefix_orders.h"
#include "types.h"

#include <random>
#include <unordered_map>
#include <vector>

namespace crediblenet {

// The AMOs of one connected chordal graph. Solved by the constructor, constant afterwards,
// so that threads may share it.
template <std::size_t W> class CliquePicking {
  public:
    // Nodes 0 to adjacency.size() - 1; the graph must be connected and chordal.
    explicit CliquePicking(std::vector<NodeSet<W>> adjacency);

    [[nodiscard]] const BigUint& count() const { return count_; }

    // Entry a * n + b: the number of AMOs with a -> b, for adjacent a and b.
    [[nodiscard]] std::vector<BigUint> edge_counts() const;

    // Adds to parents[y] the parents of y in an AMO that is drawn uniformly.
    void sample(std::mt19937_64& random, std::vector<NodeSet<W>>& parents) const;

    // Bytes, roughly.
    [[nodiscard]] std::size_t memory() const;

  private:
    struct Pick {
        NodeSet<W> clique;
        std::vector<NodeSet<W>> nested; // forbidden prefixes, smallest first, then the clique
        BigUint orders;                 // of the clique, without a forbidden prefix
        BigUint weight;                 // AMOs of which this clique is the good one
    };
    struct Problem {
        BigUint count;
        std::vector<Pick> picks; // empty for a tree: see the constructor
    };

    const Problem& solve(const NodeSet<W>& nodes);
    [[nodiscard]] bool is_tree(const NodeSet<W>& nodes) const;
    [[nodiscard]] PrefixOrders prefix_orders(const Pick& pick) const;

    // One problem's share in edge_counts; adds the shares of its parts to `outside`.
    using Counts = std::unordered_map<NodeSet<W>, BigUint, NodeSetHash<W>>;
    void add_tree_edges(const NodeSet<W>& nodes, const BigUint& outside,
                        std::vector<BigUint>& counts) const;
    void add_pick_edges(const NodeSet<W>& nodes, const Pick& pick, const BigUint& outside,
                        std::vector<BigUint>& counts, Counts& outsides) const;

    void sample_pick(const NodeSet<W>& nodes, std::mt19937_64& random,
                     std::vector<NodeSet<W>>& parents, std::vector<NodeSet<W>>& open) const;

    std::vector<NodeSet<W>> adjacency_;
    std::vector<BigUint> factorial_;
    std::unordered_map<NodeSet<W>, Problem, NodeSetHash<W>> problems_; // two nodes or more
    BigUint count_;
};

// A uniform number below `bound`, which must not be zero. The same on every platform.
std::size_t uniform_below(std::mt19937_64& random, std::size_t bound);
BigUint uniform_below(std::mt19937_64& random, const BigUint& bound);

} // namespace crediblenet
