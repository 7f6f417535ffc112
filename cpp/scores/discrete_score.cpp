#include "scores/discrete_score.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace crediblenet {

namespace {

// Fixed point leaves one bit for the sign and one spare.
int fixed_bits(long double largest_sum) {
    return 62 - static_cast<int>(std::ceil(std::log2(std::max(largest_sum, 1.0L) + 1)));
}

// Products of numbers of states up to here are exact in any order.
constexpr long double exact_product = 0x1p53L;

} // namespace

// ---- The score ------------------------------------------------------------------

DiscreteScore::DiscreteScore(const DiscreteTable& table, ScoreTraits traits,
                             long double largest_sum)
    : table_(table), traits_(traits), fixed_bits_(fixed_bits(largest_sum)),
      grid_bits_(fixed_bits_) {}

void DiscreteScore::set_grid_bits(int bits) { grid_bits_ = std::min(bits, fixed_bits_); }

double DiscreteScore::error() const {
    // Half a unit per cell of the two tables, and of the grid for each of four terms.
    return std::ldexp(static_cast<double>(table_.rows()), -fixed_bits_) +
           std::ldexp(2.0, -grid_bits_);
}

std::size_t DiscreteScore::evaluator_bytes() const {
    // A partition for each of some ten members, and two bits per row and state in each layout.
    std::size_t states = 0;
    for (const auto r : table_.arity) states += std::min(r, 16u);
    return table_.rows() * 10 * 2 * sizeof(std::uint32_t) + 2 * (table_.rows() / 4 * states);
}

Cost DiscreteScore::to_grid(long double value) const {
    const auto scaled = std::ldexp(value, grid_bits_);
    return std::abs(scaled) < static_cast<long double>(unreachable_cost)
               ? static_cast<Cost>(std::llround(scaled))
               : unreachable_cost;
}

// ---- The evaluator --------------------------------------------------------------

DiscreteEvaluator::DiscreteEvaluator(const DiscreteTable& table, Control& control)
    : table_(table), partition_(table, control), outer_bits_(table), whole_bits_(table) {
    lay_out(outer_bits_, 0);
}

void DiscreteEvaluator::set_prefix(std::span<const Node> prefix) {
    if (std::equal(prefix.begin(), prefix.end(), prefix_.begin(), prefix_.end())) return;
    const auto outer = prefix.first(prefix.empty() ? 0 : prefix.size() - 1);
    const bool same_outer =
        prefix.empty() == prefix_.empty() &&
        std::equal(outer.begin(), outer.end(), prefix_.begin(), prefix_.end() - !prefix_.empty());
    prefix_.assign(prefix.begin(), prefix.end());
    members_ = prefix_;
    prefix_states_ = joint_states();
    if (!same_outer) lay_out(outer_bits_, outer_depth());
    whole_laid_out_ = false;
    excess_words_ = sets_ = columns_ = 0;
}

void DiscreteEvaluator::evaluate(std::span<Cost> terms) {
    set_members({});
    cells_ = count_prefix();
    digest(terms);
}

void DiscreteEvaluator::evaluate(Node last, std::span<Cost> terms) {
    set_members({&last, 1});
    cells_ = count_with(last);
    digest(terms);
}

void DiscreteEvaluator::evaluate(Node last_but_one, Node last, std::span<Cost> terms) {
    const std::array added{last_but_one, last};
    states_ = prefix_states_ * table_.arity[last_but_one] * table_.arity[last];
    if (states_ > exact_product) set_members(added);
    if (prefix_.empty() && outer_bits_.pays(last_but_one, last)) {
        outer_bits_.refine(last_but_one);
        digest_bits(outer_bits_, last, 0, terms);
    } else if (!prefix_.empty() && outer_bits_.pays(prefix_.back(), last_but_one, last)) {
        if (uses_whole_prefix(last_but_one, last)) {
            whole_bits_.refine(last_but_one);
            digest_bits(whole_bits_, last, prefix_.size(), terms);
        } else {
            outer_bits_.refine(prefix_.back(), last_but_one);
            digest_bits(outer_bits_, last, outer_depth(), terms);
        }
    } else {
        set_members(added);
        partition_.set({members_.data(), members_.size() - 1});
        cells_ = partition_.count(last);
        digest(terms);
    }
}

// Laying out a variable's bits takes a step per row, for every variable once per layout. The
// finer layout has to be made for each prefix, and saves words in every set. Whether it pays
// depends on how many sets are still to come, which nobody knows here: it is made when it would
// have paid, about, for the sets that came already, so that little more than twice the time is
// taken that would have been needed with that knowledge (as in renting or buying skis).
bool DiscreteEvaluator::uses_whole_prefix(Node last_but_one, Node last) {
    if (whole_laid_out_) return true;
    constexpr std::size_t words_per_row = 3; // that are counted while one row is laid out
    sets_ = last_but_one == before_last_ ? sets_ + 1 : 1;
    before_last_ = last_but_one;
    columns_ = std::max(columns_, sets_);
    excess_words_ += outer_bits_.words_saved(prefix_.back(), last_but_one, last);
    if (excess_words_ < words_per_row * outer_bits_.rows() * columns_) return false;
    lay_out(whole_bits_, prefix_.size());
    whole_laid_out_ = true;
    return true;
}

CellCounts DiscreteEvaluator::count_prefix() {
    partition_.set(prefix_);
    return partition_.count();
}

CellCounts DiscreteEvaluator::count_with(Node last) {
    partition_.set(prefix_);
    return partition_.count(last);
}

void DiscreteEvaluator::digest_bits(CellBits& bits, Node last, std::size_t depth,
                                    std::span<Cost> terms) {
    cells_ = partition_.with_singles({}, bits.ones(), depth);
    digest_bits(bits, last, terms);
}

void DiscreteEvaluator::digest_bits(CellBits& bits, Node last, std::span<Cost> terms) {
    counts_.resize(std::max(counts_.size(), bits.most_counts(last)));
    auto* next = counts_.data();
    bits.for_each_count(last, [&](std::uint32_t n) { *next++ = n; });
    cells_.dense = {counts_.data(), next};
    digest(terms);
}

Cost DiscreteEvaluator::occupied_cells() const {
    std::size_t count = cells_.ones;
    for (const auto n : cells_.dense) count += n != 0;
    for (const auto n : cells_.single) count += n;
    return static_cast<Cost>(count);
}

void DiscreteEvaluator::lay_out(CellBits& bits, std::size_t depth) {
    partition_.set({prefix_.data(), depth});
    const auto& frame = partition_.top();
    bits.reset(frame.row, frame.cell, frame.cells);
}

void DiscreteEvaluator::set_members(std::span<const Node> added) {
    members_.resize(prefix_.size());
    members_.insert(members_.end(), added.begin(), added.end());
    states_ = prefix_states_;
    for (const auto v : added) states_ *= table_.arity[v];
    if (states_ > exact_product) states_ = joint_states();
}

long double DiscreteEvaluator::joint_states() const {
    std::vector<std::uint32_t> factors;
    factors.reserve(members_.size());
    for (const auto v : members_) factors.push_back(table_.arity[v]);
    std::sort(factors.begin(), factors.end());
    long double product = 1;
    for (const auto r : factors) product *= r;
    return product;
}

} // namespace crediblenet
