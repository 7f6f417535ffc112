// Cuts that make the relaxation exact on a few variables at a time.
//
// Let C be a few variables. What a DAG chooses for the members i of C, seen from inside C, is
// Q = P and C: again choices without a cycle. Let weights w(i, Q) >= 0 be given for some of them,
// the empty one of every member included, and let a candidate (i, P) of a member have the
// coefficient
//     a(i, P) = the least w(i, Q) of the given Q inside P.
// Then every DAG obeys
//     sum over i in C of a(i, P) x[i, P]  >=  b = the least sum of w(i, Q_i) of choices without a
//     cycle:
// put the Q with that least weight in the place of each P; arcs are only taken away, so no cycle
// arises, and what is left is one of the choices of which b is the least. (Local cuts: Applegate,
// Bixby, Chvatal and Cook 2001.) b is found by the program over the subsets of C, in integers, so
// that a cut holds whatever its weights are.
//
// Weights that a point x breaks: let y(i, Q) be the sum of x[i, P] over P with P and C = Q. If y
// is no average of choices without a cycle, and p is the average nearest to it, then p - y is such
// a weight. p is approached by moving weight from the worst choice of an average to the best one
// (pairwise Frank-Wolfe steps: Lacoste-Julien and Jaggi 2015).
//
// Such weights know only choices that x makes, and every other candidate would count for as much
// as the smaller choices inside it: the relaxation turns to these, and the next cut gains little.
// So they are lifted (Padberg 1975). Let R(Q) be the least sum of the weights of all members but i
// when i comes after Q. A network in which i chooses Q needs w(i, Q) + R(Q) >= b and no more, and
// R does not depend on the weights of i: so all choices of i that candidates make get the weight
// max(0, b - R(Q)), which is the least one possible, and b stays the same; then the next member.
#pragma once

#include "bounds/problem.h"
#include "control.h"
#include "types.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace crediblenet {

// The subsets of so many variables are gone through for every cut.
inline constexpr std::size_t max_local_variables = 12;
// Weights are rounded to whole numbers up to this.
inline constexpr std::uint32_t max_local_weight = 1'000;

template <std::size_t W> struct LocalCut {
    struct Weight {
        Node variable;
        NodeSet<W> parents;
        std::uint32_t value;
    };

    NodeSet<W> members;
    std::vector<Weight> weights; // by variable; each has one without parents

    [[nodiscard]] bool touches(std::size_t i) const { return members.contains(i); }

    [[nodiscard]] Cost coefficient(std::size_t i, const NodeSet<W>& parents) const {
        if (!touches(i)) return 0;
        Cost least = infeasible;
        for (const auto& weight : weights)
            if (weight.variable == i && weight.parents.subset_of(parents) && weight.value < least)
                least = weight.value;
        return least;
    }

    [[nodiscard]] Cost largest_coefficient() const { return max_local_weight; }

    [[nodiscard]] Cost right_side() const;
};

template <std::size_t W> struct FoundLocalCut {
    LocalCut<W> cut;
    double distance = 0; // of the separated point from the cut, at least
};

// Cuts on so many variables each (at most `max_local_variables`), grown around the fractional
// variables of the point x (one value per score-table row), that x breaks: farthest first, at most
// `limit` of them. A stopped run has fewer of them.
template <std::size_t W>
std::vector<FoundLocalCut<W>> violated_local_cuts(const Problem<W>& problem,
                                                  std::span<const double> x, std::size_t variables,
                                                  std::size_t limit, Control& control);

} // namespace crediblenet
