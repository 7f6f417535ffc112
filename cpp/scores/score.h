// A local score, as the lattice of parent sets needs it.
//
// For every score here the cost of a parent set Π of variable i is made of two parts: one
// read off the contingency table of the family T = Π ∪ {i}, one off the table of Π. So
// each *joint set* is counted once, a few numbers ("terms") are kept, and it serves as the
// family of each of its members and as a parent set of each variable outside.
#pragma once

#include "control.h"
#include "types.h"

#include <memory>
#include <span>
#include <vector>

namespace crediblenet {

// What the pruning rules may use of a score. Terms are in units of the grid.
struct ScoreTraits {
    std::size_t terms = 1; // numbers kept per joint set
    // cost = g(T) - g(Π) for a set function g, and terms[0] = g(S).
    bool equivalent = true;
    // cost = N·H(i | Π) + penalty · r_Π (r_i - 1).
    bool penalized_entropy = false;
    double penalty = 0;
    double rows = 0;  // N
    bool bic = false; // penalty = ln(N) / 2
    // Every parent configuration that occurs costs at least ln r_i, and terms[1] is the
    // number of configurations that occur.
    bool configurations_cost = false;
};

// Terms of joint sets; one per thread.
class Evaluator {
  public:
    virtual ~Evaluator() = default;

    // The sets asked for next are these variables and up to two more.
    virtual void set_prefix(std::span<const Node> prefix) = 0;
    // The terms of the prefix; of the prefix and one more; and two more variables.
    virtual void evaluate(std::span<Cost> terms) = 0;
    virtual void evaluate(Node last, std::span<Cost> terms) = 0;
    virtual void evaluate(Node last_but_one, Node last, std::span<Cost> terms) = 0;
    // N·H(variable | prefix) in nats, for scores that are penalized entropies.
    [[nodiscard]] virtual double remaining_entropy(Node) { return 0; }
    // The cost of `child` with the other members of the set evaluated last as its parents,
    // given the terms of that set and of the parents; unreachable_cost if out of range.
    [[nodiscard]] virtual Cost cost(Node child, std::span<const Cost> family,
                                    std::span<const Cost> parents) = 0;
};

// A cost that is too large for the grid: never part of a credible network.
inline constexpr Cost unreachable_cost = Cost{1} << 61;

class Score {
  public:
    virtual ~Score() = default;
    [[nodiscard]] virtual const ScoreTraits& traits() const = 0;
    [[nodiscard]] virtual std::size_t variables() const = 0;
    // Number of states; 1 for continuous variables, where no rule asks for it.
    [[nodiscard]] virtual std::uint32_t arity(Node variable) const = 0;
    // The costs are multiples of 2^-grid_bits nats. Until the grid is chosen, it is as fine
    // as the score's own arithmetic.
    [[nodiscard]] virtual int grid_bits() const = 0;
    virtual void set_grid_bits(int bits) = 0;
    // Upper bound on how far a cost may be from its exact value, in nats.
    [[nodiscard]] virtual double error() const = 0;
    // Upper bound on the penalty of any set with so many members, where penalties can be
    // so large that they limit the grid.
    [[nodiscard]] virtual double largest_penalty(std::size_t /*members*/) const { return 0; }
    // How far below zero a variable can cost, in nats, whatever its parents are; 0 for scores
    // of discrete variables, which are never negative.
    [[nodiscard]] virtual long double depth(Node /*child*/) const { return 0; }
    // Counting many rows takes long, so an evaluator watches the run and may throw Stopped.
    [[nodiscard]] virtual std::unique_ptr<Evaluator> evaluator(Control& control) const = 0;
    // Bytes that one evaluator needs, to be announced beforehand.
    [[nodiscard]] virtual std::size_t evaluator_bytes() const = 0;
};

} // namespace crediblenet
