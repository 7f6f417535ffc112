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

#include <algorithm>
#include <array>
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

    [[nodiscard]] Cost coefficient(std::size_t i, const NodeSet<W>& parents) const {
        if (!members.contains(i)) return 0;
        Cost least = infeasible;
        for (const auto& weight : weights)
            if (weight.variable == i && weight.parents.subset_of(parents) && weight.value < least)
                least = weight.value;
        return least;
    }

    [[nodiscard]] Cost right_side() const;
};

// The members of a small set by their places in it, so that a subset of it is a number.
template <std::size_t W> class LocalPlaces {
  public:
    explicit LocalPlaces(const NodeSet<W>& members) : members_(members), place_{} {
        std::uint8_t next = 0;
        members.for_each([&](std::size_t i) { place_[i] = next++; });
    }

    // The part of a set that is inside.
    [[nodiscard]] std::uint32_t inside(const NodeSet<W>& set) const {
        std::uint32_t bits = 0;
        (members_ & set).for_each([&](std::size_t i) { bits |= 1u << place_[i]; });
        return bits;
    }

  private:
    NodeSet<W> members_;
    std::array<std::uint8_t, NodeSet<W>::capacity> place_;
};

// The coefficients in a cut that many candidates of one member have, looked up.
template <std::size_t W> class LocalCoefficients {
  public:
    LocalCoefficients(const LocalCut<W>& cut, std::size_t member)
        : places_(cut.members), least_(std::size_t{1} << cut.members.size(), infeasible) {
        for (const auto& weight : cut.weights)
            if (weight.variable == member) {
                auto& known = least_[places_.inside(weight.parents)];
                known = std::min(known, Cost{weight.value});
            }
        for (std::size_t bit = 1; bit < least_.size(); bit <<= 1)
            for (std::size_t s = bit; s < least_.size(); s = (s + 1) | bit)
                least_[s] = std::min(least_[s], least_[s ^ bit]);
    }

    [[nodiscard]] Cost operator()(const NodeSet<W>& parents) const {
        return least_[places_.inside(parents)];
    }

  private:
    LocalPlaces<W> places_;
    std::vector<Cost> least_; // by subset of the members
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
