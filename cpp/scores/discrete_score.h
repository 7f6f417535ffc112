// What all scores of discrete data share: the grid, and counting.
#pragma once

#include "scores/cell_bits.h"
#include "scores/log_terms.h"
#include "scores/partition.h"
#include "scores/score.h"

namespace crediblenet {

// The data, the arithmetic and the grid.
class DiscreteScore : public Score {
  public:
    // `largest_sum` bounds the absolute sum of any function of counts over a table.
    DiscreteScore(const DiscreteTable& table, ScoreTraits traits, long double largest_sum);

    [[nodiscard]] const ScoreTraits& traits() const override { return traits_; }
    [[nodiscard]] std::size_t variables() const override { return table_.variables(); }
    [[nodiscard]] std::uint32_t arity(Node variable) const override {
        return table_.arity[variable];
    }
    [[nodiscard]] int grid_bits() const override { return grid_bits_; }
    void set_grid_bits(int bits) override;
    [[nodiscard]] double error() const override;
    [[nodiscard]] std::size_t evaluator_bytes() const override;

    [[nodiscard]] const DiscreteTable& table() const { return table_; }
    // Of the fixed point in which sums over tables are made.
    [[nodiscard]] int bits() const { return fixed_bits_; }
    // Rounds to the nearest grid point.
    [[nodiscard]] Cost to_grid(Fixed sum) const {
        const auto shift = fixed_bits_ - grid_bits_;
        return shift == 0 ? sum : ((sum >> (shift - 1)) + 1) >> 1;
    }
    [[nodiscard]] Cost to_grid(long double value) const;

  private:
    const DiscreteTable& table_;
    ScoreTraits traits_;
    int fixed_bits_;
    int grid_bits_;
};

// Counting; what becomes of the counts is the subclass's business.
class DiscreteEvaluator : public Evaluator {
  public:
    DiscreteEvaluator(const DiscreteTable& table, Control& control);

    void set_prefix(std::span<const Node> prefix) override;
    void evaluate(std::span<Cost> terms) override;
    void evaluate(Node last, std::span<Cost> terms) override;
    void evaluate(Node last_but_one, Node last, std::span<Cost> terms) override;

  protected:
    CellCounts count_prefix();
    CellCounts count_with(Node last);
    // Turns cells() and states() into the terms of the set.
    virtual void digest(std::span<Cost> terms) = 0;
    // The same when most of the cells are still in `bits`, to be counted with `last`.
    virtual void digest_bits(CellBits& bits, Node last, std::span<Cost> terms);

    [[nodiscard]] const CellCounts& cells() const { return cells_; }
    // How many cells of the set evaluated last have a row.
    [[nodiscard]] Cost occupied_cells() const;
    // The number of joint states of the set evaluated last. Beyond exact products the factors
    // are multiplied in order of size, so that the rounded product does not depend on the
    // order of the columns.
    [[nodiscard]] long double states() const { return states_; }

  private:
    // All of the prefix but its last variable.
    [[nodiscard]] std::size_t outer_depth() const {
        return prefix_.empty() ? 0 : prefix_.size() - 1;
    }
    // Lays out the partition by the first `depth` variables of the prefix.
    void lay_out(CellBits& bits, std::size_t depth);
    // Counts in bits that were laid out so, and refined.
    void digest_bits(CellBits& bits, Node last, std::size_t depth, std::span<Cost> terms);
    // Takes note of a set to be counted by bits; whether the whole prefix is laid out for it.
    bool uses_whole_prefix(Node last_but_one, Node last);
    void set_members(std::span<const Node> added);
    [[nodiscard]] long double joint_states() const;

    const DiscreteTable& table_;
    PartitionStack partition_;
    CellBits outer_bits_; // of the partition by all of the prefix but its last variable
    CellBits whole_bits_; // by all of it, if so many sets have the prefix that this pays
    bool whole_laid_out_ = false;
    std::size_t excess_words_ = 0; // that whole_bits_ would have saved so far
    std::size_t sets_ = 0;         // counted in a row with the same variable before the last
    std::size_t columns_ = 0;      // the most such sets: about how many variables are laid out
    Node before_last_ = 0;
    std::vector<Node> prefix_, members_;
    std::vector<std::uint32_t> counts_;
    CellCounts cells_;
    long double prefix_states_ = 1;
    long double states_ = 1;
};

} // namespace crediblenet
