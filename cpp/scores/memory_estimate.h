// How much memory a search will need: what can be known before anything is counted, and
// what the first levels make likely.
#pragma once

#include "scores/lattice.h"
#include "scores/score.h"

#include <vector>

namespace crediblenet {

// Bytes that one search announces, besides what its threads work with: at its peak, and in
// candidates, which are kept after its end.
struct SearchMemory {
    double least = 0, most = 0;
    double least_candidates = 0, most_candidates = 0;
};

// Bytes for each candidate when all are put in order at the end: its place in the order (a
// cost and a pointer), and its parents and its cost in the result.
inline std::size_t ordering_bytes(std::size_t variables) {
    return 2 * sizeof(Cost) + sizeof(void*) + (variables + 63) / 64 * sizeof(std::uint64_t);
}

// Bounds from the numbers of variables, of their states and of rows alone. `least` is what is
// surely needed; where rules drop whole families, that is next to nothing.
template <std::size_t W>
SearchMemory foresee_memory(const Score& score, const LatticeParams<W>& params);

// For each variable, how many parent sets of one size may still grow.
using AliveCounts = std::vector<double>;

// How many parent sets of each size may still grow, from `parents` on, if larger ones survive as
// those `alive` did. For variable i let a be the number of parents that are alive on their own, and
// q the share of pairs of them that are alive together. A set of m parents is alive only if all
// m (m - 1) / 2 pairs in it are: were pairs alive independently of each other, as arcs of a
// random graph, there would be C(a, m) q^(m (m - 1) / 2) such sets. So q follows from `alive`.
std::vector<double> expected_alive(const AliveCounts& singles, const AliveCounts& alive,
                                   std::size_t parents, std::size_t most_parents);

// Bytes of the sets of one size and the next, and a number of candidates.
struct Growth {
    double levels = 0, candidates = 0;
};

// What the levels take at their largest, and how many candidates are still to come, given both
// for the sets of this size (`now`). Parent sets of the largest size are not stored, but can be
// candidates.
Growth expected_growth(const AliveCounts& singles, const AliveCounts& alive, std::size_t parents,
                       std::size_t most_parents, const Growth& now);

} // namespace crediblenet
