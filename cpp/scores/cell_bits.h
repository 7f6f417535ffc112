// Contingency tables of a fixed partition and three more variables, by population counts.
#pragma once

#include "scores/discrete_table.h"

#include <bit>
#include <span>

namespace crediblenet {

// One bit per row, the rows of a cell side by side in words of their own, and such a bit
// vector for every state of every variable that is asked for. The cells of the partition
// refined by two variables a and b are then "and"s of two such vectors, and a third variable
// is counted in them with one "and" and one population count per word, instead of a step
// per row. A partition is laid out once and serves all triples of variables.
class CellBits {
  public:
    explicit CellBits(const DiscreteTable& table);

    // Takes a partition: rows, and the cell of each. The spans must stay valid.
    void reset(std::span<const std::uint32_t> row, std::span<const std::uint32_t> cell,
               std::uint32_t cells);

    // How many rows are laid out for each variable.
    [[nodiscard]] std::size_t rows() const { return row_.size(); }

    // Whether counting these variables this way beats counting row by row.
    [[nodiscard]] bool pays(Node a, Node b, Node c) const {
        const std::size_t pairs = std::size_t{table_.arity[a]} * table_.arity[b];
        const std::size_t states = table_.arity[c];
        return pairs * ((states - 1) * words_ + states * cells_) < 2 * row_.size();
    }
    [[nodiscard]] bool pays(Node b, Node c) const {
        const std::size_t states = std::size_t{table_.arity[b]} * table_.arity[c];
        return states * (words_ + cells_) < 2 * row_.size();
    }

    // About how many words fewer would be counted for these variables if the partition were
    // refined by a before it is laid out: each new cell wastes half a word.
    [[nodiscard]] std::size_t words_saved(Node a, Node b, Node c) const {
        const auto states = std::size_t{table_.arity[a]};
        const auto now = states * words_, then = words_ + states * cells_ / 2;
        return now > then ? (now - then) * table_.arity[b] * (table_.arity[c] - 1) : 0;
    }

    // Refines the partition by b, or by a and b; remembered until the next call.
    void refine(Node b);
    void refine(Node a, Node b);

    // Calls f(n) for the count n of every cell of the partition, so refined, and variable c:
    // zeros included, but without the cells that had one row before c, which `ones` counts.
    template <class F> void for_each_count(Node c, F&& f);
    [[nodiscard]] std::size_t ones() const { return ones_; }
    // How many counts there are at most.
    [[nodiscard]] std::size_t most_counts(Node c) const {
        return entries_.size() * table_.arity[c];
    }

  private:
    // The bits of the states of one variable. The last state's are not used.
    struct Column {
        std::uint64_t version = 0;
        std::vector<std::uint64_t> bits; // [state][word]
    };
    // A refined cell with at least two rows.
    struct Entry {
        std::uint32_t first_word; // among the words of the partition
        std::uint32_t words;
        std::uint32_t first_bits; // where its own words are in refined_
        std::uint32_t rows;
    };
    void lay_out();
    const Column& column(Node variable);
    template <class Word> void collect(std::size_t states, Word&& word);

    const DiscreteTable& table_;
    bool unit_weights_;
    std::span<const std::uint32_t> row_, cell_;
    std::uint32_t cells_ = 0;
    std::size_t words_ = 0;
    bool laid_out_ = false;
    std::uint64_t version_ = 0;             // of the partition
    std::vector<std::uint32_t> first_word_; // of each cell, and the end
    std::vector<std::uint32_t> position_;   // of each row: its bit
    std::vector<Column> columns_;

    std::uint64_t refined_version_ = 0;
    Node a_ = 0, b_ = 0;
    bool by_two_ = false;
    bool one_word_each_ = false;
    std::vector<Entry> entries_;
    std::vector<std::uint64_t> refined_;
    std::size_t ones_ = 0;
};

template <class F> void CellBits::for_each_count(Node c, F&& f) {
    const auto* const bits = column(c).bits.data();
    const std::size_t states = table_.arity[c];
    if (states == 2 && one_word_each_) {
        const auto* own = refined_.data();
        for (const auto& entry : entries_) {
            const auto n =
                static_cast<std::uint32_t>(std::popcount(*own++ & bits[entry.first_word]));
            f(n);
            f(entry.rows - n);
        }
        return;
    }
    for (const auto& entry : entries_) {
        auto left = entry.rows;
        for (std::size_t s = 0; s + 1 < states; ++s) {
            const auto* const theirs = bits + s * words_ + entry.first_word;
            const auto* const own = refined_.data() + entry.first_bits;
            auto n = static_cast<std::uint32_t>(std::popcount(own[0] & theirs[0]));
            for (std::uint32_t w = 1; w < entry.words; ++w)
                n += static_cast<std::uint32_t>(std::popcount(own[w] & theirs[w]));
            f(n);
            left -= n;
        }
        f(left);
    }
}

} // namespace crediblenet
