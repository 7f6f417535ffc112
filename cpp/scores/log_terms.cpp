#include "scores/log_terms.h"

#include <algorithm>
#include <cmath>

namespace crediblenet {

Fixed to_fixed(long double value, int bits) { return std::llround(std::ldexp(value, bits)); }

long double n_log_n(std::uint64_t n) {
    const auto x = static_cast<long double>(n);
    return n == 0 ? 0 : x * std::log(x);
}

long double log_rising(long double a, std::uint64_t n) {
    // Γ(a + n) / Γ(a) = a (a + 1) ... (a + n - 1): factor by factor until the rest is few
    // or large enough for Stirling's series.
    long double sum = 0;
    while (n > 0 && (a < 32 || n <= 4)) {
        sum += std::log(a);
        a += 1;
        --n;
    }
    if (n == 0) return sum;
    // The large parts of the two series are taken together, so that nothing cancels:
    // (a - 1/2) ln((a + n) / a) + n ln(a + n) - n + s(a + n) - s(a).
    auto s = [](long double x) {
        const auto y = 1 / (x * x);
        return (1.0L / 12 - y * (1.0L / 360 - y * (1.0L / 1260 - y / 1680))) / x;
    };
    const auto m = static_cast<long double>(n);
    return sum + (a - 0.5L) * std::log1p(m / a) + m * std::log(a + m) - m + s(a + m) - s(a);
}

// C(n, r) = Σ_k n(n-1)...(n-k+1) (r-1) r (r+1)...(r+k-2) / (n^k k!), k = 0, ..., n
// (Mononen & Myllymäki, "Computing the multinomial stochastic complexity in sub-linear
// time", PGM 2008). All terms are positive, so the sum is as exact as its terms for any r.
long double log_multinomial_regret(std::uint64_t n, long double r) {
    if (n == 0 || r <= 1) return 0;
    const auto rows = static_cast<long double>(n);
    // Terms grow while (n-k)(r-1+k) > n(k+1); scale by the running maximum to stay finite.
    long double sum = 1, term = 1, log_scale = 0;
    for (std::uint64_t k = 0; k < n; ++k) {
        const auto j = static_cast<long double>(k);
        const auto ratio = (rows - j) / rows * ((r - 1 + j) / (j + 1));
        term *= ratio;
        sum += term;
        if (ratio < 1 && term < sum * 1e-22L) break;
        if (sum > 1e200L) {
            log_scale += std::log(sum);
            term /= sum;
            sum = 1;
        }
    }
    return log_scale + std::log(sum);
}

namespace {

constexpr std::uint32_t table_size = 1 << 14; // beyond that, counts are rare

template <class F> Fixed sum_over(const CellCounts& cells, F&& f) {
    Fixed total = cells.ones == 0 ? 0 : static_cast<Fixed>(cells.ones) * f(1);
    for (const auto n : cells.dense) total += f(n);
    for (std::size_t k = 0; k < cells.single.size(); ++k)
        if (cells.single[k] != 0)
            total += static_cast<Fixed>(cells.single[k]) * f(cells.single_weight[k]);
    return total;
}

} // namespace

CountFunction::CountFunction(Function f, int bits, std::uint64_t largest)
    : f_(std::move(f)), bits_(bits) {
    table_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(largest + 1, table_size)));
    for (std::size_t n = 1; n < table_.size(); ++n) table_[n] = to_fixed(f_(n), bits);
}

Fixed CountFunction::sum(const CellCounts& cells) const { return sum_over(cells, *this); }

bool RisingTable::extend(std::uint32_t n) {
    if (n >= table_size) return false;
    while (table_.size() <= n) {
        last_ += std::log(a_ + static_cast<long double>(table_.size() - 1));
        table_.push_back(to_fixed(last_, bits_));
    }
    return true;
}

Fixed RisingTable::sum(const CellCounts& cells) { return sum_over(cells, *this); }

} // namespace crediblenet
