// A sum of inequalities gives a violated cut if its right side is odd and
//     (its slack) + (sum of x over the columns whose coefficient is odd)  <  1.
// So only parities matter: each inequality is a row of bits, and rows are added modulo 2.
// Columns are eliminated in the order of their values, the largest first, each with the row
// of least slack; what is left over has small values only. (Koster, Zymolka and Kutschka
// 2009, section 4.)
#include "bounds/half_cuts.h"

#include "bounds/fractions.h"
#include "bounds/row_selection.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>
#include <set>

namespace crediblenet {

namespace {

constexpr double zero = 1e-7;      // values below are no part of the point
constexpr double most_slack = 0.3; // of an inequality that is used
constexpr double least_violation = 0.02;
constexpr unsigned passes = 4;        // eliminations, each in another order
constexpr std::size_t choice_of = 20; // so many cuts are looked at for one that is taken
constexpr double most_alike = 0.6;    // cosine of the angle between cuts that are taken

using Bits = std::vector<std::uint64_t>;

std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }
bool has(const Bits& bits, std::size_t at) { return (bits[at / 64] >> (at % 64) & 1) != 0; }
void flip(Bits& bits, std::size_t at) { bits[at / 64] ^= std::uint64_t{1} << (at % 64); }

template <class F>
void for_each_bit(const Bits& bits, std::size_t first, std::size_t words, F&& f) {
    for (std::size_t w = 0; w < words; ++w)
        for (auto word = bits[first + w]; word != 0; word &= word - 1)
            if (!f(64 * w + static_cast<std::size_t>(std::countr_zero(word)))) return;
}

// A number between 0 and 1 that is the same on every machine.
double unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

// A sum of inequalities modulo 2: first its odd columns, then the inequalities in it.
struct ParityRow {
    Bits bits;
    double slack = 0;
    bool odd = false; // the right side
};

template <std::size_t W> class HalfCutSeparator {
  public:
    HalfCutSeparator(const Problem<W>& problem, std::span<const double> x,
                     const std::vector<Cluster<W>>& clusters, Control& control)
        : n_(problem.n_variables()), clusters_(clusters), control_(control),
          columns_(fractions(problem, x, zero)) {
        std::stable_sort(columns_.begin(), columns_.end(),
                         [](const auto& a, const auto& b) { return a.value > b.value; });
        column_words_ = words_for(columns_.size());
        make_rows();
    }

    std::vector<FoundHalfCut<W>> run(std::size_t limit) {
        std::mt19937_64 random(1);
        std::vector<std::size_t> order(columns_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::vector<double> key(columns_.size());
        for (unsigned pass = 0; pass < passes && !control_.poll(); ++pass) {
            if (pass > 0) {
                for (std::size_t c = 0; c < key.size(); ++c)
                    key[c] = columns_[c].value * (0.6 + 0.8 * unit(random));
                std::stable_sort(order.begin(), order.end(),
                                 [&](auto a, auto b) { return key[a] > key[b]; });
            }
            eliminate(order);
        }
        return chosen(limit);
    }

  private:
    // One row for each variable's choice, then one for each cluster that is nearly tight.
    void make_rows() {
        const auto words = column_words_ + words_for(n_ + clusters_.size());
        for (std::size_t i = 0; i < n_; ++i) {
            ParityRow row{Bits(words), 0, true};
            for (std::size_t c = 0; c < columns_.size(); ++c)
                if (columns_[c].variable == i) flip(row.bits, c);
            flip(row.bits, 64 * column_words_ + i);
            rows_.push_back(std::move(row));
        }
        for (std::size_t r = 0; r < clusters_.size(); ++r) {
            const auto& cluster = clusters_[r];
            ParityRow row{Bits(words), -static_cast<double>(cluster.k), cluster.k % 2 == 1};
            for (std::size_t c = 0; c < columns_.size(); ++c)
                if (cluster.counts(columns_[c].variable, columns_[c].parents)) {
                    flip(row.bits, c);
                    row.slack += columns_[c].value;
                }
            row.slack = std::max(row.slack, 0.0);
            if (row.slack > most_slack) continue;
            flip(row.bits, 64 * column_words_ + n_ + r);
            rows_.push_back(std::move(row));
        }
    }

    void eliminate(const std::vector<std::size_t>& order) {
        auto rows = rows_;
        std::vector<std::size_t> odd_in; // rows with an odd coefficient in the column
        for (const auto column : order) {
            if (control_.poll()) return;
            odd_in.clear();
            for (std::size_t r = 0; r < rows.size(); ++r)
                if (has(rows[r].bits, column)) odd_in.push_back(r);
            if (odd_in.empty()) continue;
            const auto pivot = *std::min_element(odd_in.begin(), odd_in.end(), [&](auto a, auto b) {
                if (rows[a].slack != rows[b].slack) return rows[a].slack < rows[b].slack;
                return odd_columns(rows[a]) < odd_columns(rows[b]);
            });
            for (const auto r : odd_in) {
                if (r == pivot) continue;
                add(rows[r], rows[pivot]);
                check(rows[r]);
            }
            rows[pivot] = std::move(rows.back());
            rows.pop_back();
            std::erase_if(rows, [](const auto& row) { return row.slack >= 1; });
        }
    }

    std::size_t odd_columns(const ParityRow& row) const {
        std::size_t count = 0;
        for (std::size_t w = 0; w < column_words_; ++w)
            count += static_cast<std::size_t>(std::popcount(row.bits[w]));
        return count;
    }

    static void add(ParityRow& row, const ParityRow& other) {
        for (std::size_t w = 0; w < row.bits.size(); ++w) row.bits[w] ^= other.bits[w];
        row.slack += other.slack;
        row.odd ^= other.odd;
    }

    // Remembers a row that gives a violated cut.
    void check(const ParityRow& row) {
        if (!row.odd) return;
        double left = row.slack;
        for_each_bit(row.bits, 0, column_words_, [&](std::size_t c) {
            left += columns_[c].value;
            return left < 1;
        });
        const double violation = (1 - left) / 2;
        if (violation < least_violation) return;
        const auto sum = row.bits.begin() + static_cast<std::ptrdiff_t>(column_words_);
        Bits members(sum, row.bits.end());
        if (known_.insert(members).second) found_.push_back({violation, std::move(members)});
    }

    struct Found {
        double violation;
        Bits members; // the inequalities
    };

    // The most violated ones, as far as they are selected.
    std::vector<FoundHalfCut<W>> chosen(std::size_t limit) {
        std::sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
            if (a.violation != b.violation) return a.violation > b.violation;
            return a.members < b.members;
        });
        if (found_.size() > choice_of * limit) found_.resize(choice_of * limit);
        std::vector<FoundHalfCut<W>> cuts;
        std::vector<ViolatedRow> rows;
        for (const auto& found : found_) {
            if (control_.poll()) break;
            cuts.push_back(cut_of(found));
            rows.push_back(row_of(cuts.back()));
        }
        std::vector<FoundHalfCut<W>> taken;
        for (const auto at : select_rows(rows, columns_.size(), most_alike, limit))
            taken.push_back(cuts[at]);
        return taken;
    }

    FoundHalfCut<W> cut_of(const Found& found) const {
        FoundHalfCut<W> cut;
        cut.violation = found.violation;
        for_each_bit(found.members, 0, found.members.size(), [&](std::size_t member) {
            if (member < n_)
                cut.choices.insert(member);
            else
                cut.clusters.push_back(static_cast<std::uint32_t>(member - n_));
            return true;
        });
        return cut;
    }

    ViolatedRow row_of(const FoundHalfCut<W>& cut) const {
        HalfCut<W> whole{{}, cut.choices};
        for (const auto r : cut.clusters) whole.clusters.push_back(clusters_[r]);
        ViolatedRow row{cut.violation, {}};
        for (std::size_t c = 0; c < columns_.size(); ++c)
            if (const auto value = whole.coefficient(columns_[c].variable, columns_[c].parents))
                row.coefficients.push_back(
                    {static_cast<std::uint32_t>(c), static_cast<double>(value)});
        return row;
    }

    std::size_t n_;
    const std::vector<Cluster<W>>& clusters_;
    Control& control_;
    std::vector<Fraction<W>> columns_; // of the point, largest value first
    std::size_t column_words_ = 0;
    std::vector<ParityRow> rows_;
    std::set<Bits> known_;
    std::vector<Found> found_;
};

} // namespace

template <std::size_t W>
std::vector<FoundHalfCut<W>>
violated_half_cuts(const Problem<W>& problem, std::span<const double> x,
                   const std::vector<Cluster<W>>& clusters, std::size_t limit, Control& control) {
    return HalfCutSeparator<W>(problem, x, clusters, control).run(limit);
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template std::vector<FoundHalfCut<W>> violated_half_cuts(                                      \
        const Problem<W>&, std::span<const double>, const std::vector<Cluster<W>>&, std::size_t,   \
        Control&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
