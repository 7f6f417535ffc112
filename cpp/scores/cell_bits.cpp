#include "scores/cell_bits.h"

#include <algorithm>

namespace crediblenet {

namespace {

void set_bits(std::uint64_t* words, std::uint32_t begin, std::uint32_t count) {
    words += begin / 64;
    begin %= 64;
    while (count > 0) {
        const auto here = std::min(64 - begin, count);
        const auto ones = here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
        *words++ |= ones << begin;
        begin = 0;
        count -= here;
    }
}

} // namespace

CellBits::CellBits(const DiscreteTable& table)
    : table_(table), unit_weights_(table.total == table.rows()), columns_(table.variables()) {}

void CellBits::reset(std::span<const std::uint32_t> row, std::span<const std::uint32_t> cell,
                     std::uint32_t cells) {
    row_ = row;
    cell_ = cell;
    cells_ = cells;
    ++version_;
    laid_out_ = false;
    first_word_.assign(cells + 1, 0);
    for (std::size_t k = 0; k < row.size(); ++k) first_word_[cell[k]] += table_.weight[row[k]];
    std::uint32_t words = 0;
    for (auto& entry : first_word_) {
        const auto needed = (entry + 63) / 64;
        entry = words;
        words += needed;
    }
    words_ = words;
}

// Gives each row its place among the bits of its cell.
void CellBits::lay_out() {
    laid_out_ = true;
    position_.resize(row_.size());
    std::vector<std::uint32_t> next(cells_);
    for (std::uint32_t c = 0; c < cells_; ++c) next[c] = 64 * first_word_[c];
    for (std::size_t k = 0; k < row_.size(); ++k) {
        position_[k] = next[cell_[k]];
        next[cell_[k]] += table_.weight[row_[k]];
    }
}

const CellBits::Column& CellBits::column(Node variable) {
    auto& column = columns_[variable];
    if (column.version == version_) return column;
    column.version = version_;
    if (!laid_out_) lay_out();
    column.bits.assign(table_.arity[variable] * words_, 0);
    const auto* const code = table_.column[variable].data();
    auto* const bits = column.bits.data();
    if (unit_weights_) {
        for (std::size_t k = 0; k < row_.size(); ++k)
            bits[code[row_[k]] * words_ + position_[k] / 64] |= std::uint64_t{1}
                                                                << (position_[k] % 64);
    } else {
        for (std::size_t k = 0; k < row_.size(); ++k)
            set_bits(bits + code[row_[k]] * words_, position_[k], table_.weight[row_[k]]);
    }
    return column;
}

// Makes the entries of the refined cells; word(state, w) is word w of a state.
template <class Word> void CellBits::collect(std::size_t states, Word&& word) {
    entries_.clear();
    refined_.clear();
    ones_ = 0;
    one_word_each_ = true;
    for (std::size_t state = 0; state < states; ++state)
        for (std::uint32_t c = 0; c < cells_; ++c) {
            const auto begin = static_cast<std::uint32_t>(refined_.size());
            std::uint32_t rows = 0;
            for (auto w = first_word_[c]; w < first_word_[c + 1]; ++w) {
                refined_.push_back(word(state, w));
                rows += static_cast<std::uint32_t>(std::popcount(refined_.back()));
            }
            if (rows < 2) {
                ones_ += rows;
                refined_.resize(begin);
                continue;
            }
            const auto words = first_word_[c + 1] - first_word_[c];
            one_word_each_ = one_word_each_ && words == 1;
            entries_.push_back({first_word_[c], words, begin, rows});
        }
}

void CellBits::refine(Node b) {
    if (refined_version_ == version_ && !by_two_ && b_ == b) return;
    refined_version_ = version_;
    by_two_ = false;
    b_ = b;
    const auto* const bits = column(b).bits.data();
    collect(table_.arity[b],
            [&](std::size_t state, std::size_t w) { return bits[state * words_ + w]; });
}

void CellBits::refine(Node a, Node b) {
    if (refined_version_ == version_ && by_two_ && a_ == a && b_ == b) return;
    refined_version_ = version_;
    by_two_ = true;
    a_ = a;
    b_ = b;
    const auto* const bits_a = column(a).bits.data();
    const auto* const bits_b = column(b).bits.data();
    const auto states_b = table_.arity[b];
    collect(table_.arity[a] * std::size_t{states_b}, [&](std::size_t state, std::size_t w) {
        return bits_a[state / states_b * words_ + w] & bits_b[state % states_b * words_ + w];
    });
}

} // namespace crediblenet
