// The subset program of a block that is too large for a table of all subsets:
// only the subsets that a lower bound does not rule out are visited.
//
// Let multipliers m_r >= 0 of cluster inequalities (C_r, k_r) be given, and u_v
// the least of cost - (sum of m_r over the inequalities that the candidate
// counts for) among the candidates of v. If the variables S are placed, the
// others cost at least
//     h(S) = sum of u_v for v outside S
//          + sum over r of m_r * max(0, min(k_r, |C_r|) - |C_r and S|):
// the j-th member of C_r to be placed has at most j - 1 parents in C_r, so the
// first k_r of them count. A subset with F(S) + h(S) above the limit is in no
// network within it and is dropped, F(S) being the least cost of a DAG on S.
//
// A variable outside S whose cheapest candidate is inside S is placed at once:
// any DAG that begins with S may have it there, at no higher cost, and no other
// variable loses a parent. That is exact for the optimum, and for the least
// cost of a DAG with a given candidate of another variable; for its own
// candidates the search is repeated with this variable *held*, exempt from the
// rule. Proofs: docs/algorithm.md, section 4.
//
// With the multipliers of a good linear relaxation few subsets remain: 10^4 to
// 10^6 where a table has 2^26 to 2^40 entries.
#pragma once

#include "bounds/clusters.h"
#include "bounds/problem.h"
#include "bounds/subset_program.h"
#include "control.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace crediblenet {

struct SubsetSearchResult {
    bool finished = false;       // within the work and the memory allowed
    std::uint64_t work = 0;      // attempts to place a variable after a subset
    SubsetProgramResult program; // as subset_program's
};

// Runs on the variables in `block`, with candidates projected on them. Looks
// for the block's optimum if it is at most `limit`; the rows are those in a
// network at most `slack` above that optimum, or above the limit if there is no
// such optimum. The optimum is missing if no network is within limit + slack.
// Gives up after so much work, or when memory runs out. Throws Stopped when the
// run is stopped.
template <std::size_t W>
SubsetSearchResult subset_search(const Problem<W>& problem, const NodeSet<W>& block,
                                 const std::vector<Multiplier<W>>& multipliers, Cost limit,
                                 Cost slack, std::uint64_t max_work, Control& control);

} // namespace crediblenet
