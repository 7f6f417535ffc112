// The functions of a count that scores are sums of, and exact sums of them.
#pragma once

#include "scores/partition.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace crediblenet {

// A real number times 2^bits, rounded to an integer. Sums of such numbers are exact, so that
// they do not depend on the order of rows, columns or threads.
using Fixed = std::int64_t;
Fixed to_fixed(long double value, int bits);

// n ln n, and 0 for n = 0.
long double n_log_n(std::uint64_t n);

// ln Γ(a + n) - ln Γ(a), for a > 0, without the cancellation of the two.
long double log_rising(long double a, std::uint64_t n);

// ln C(n, r), the regret of the multinomial distribution with r values and n rows
// (normalized maximum likelihood). r may be any number >= 1.
long double log_multinomial_regret(std::uint64_t n, long double r);

// f(0), f(1), ... in fixed point. Small arguments, which are nearly all of them, come from
// a table; f(0) must be 0.
class CountFunction {
  public:
    using Function = std::function<long double(std::uint64_t)>;
    CountFunction(Function f, int bits, std::uint64_t largest);

    [[nodiscard]] Fixed operator()(std::uint32_t n) const {
        return n < table_.size() ? table_[n] : to_fixed(f_(n), bits_);
    }
    // The sum over all cells of a contingency table.
    [[nodiscard]] Fixed sum(const CellCounts& cells) const;

  private:
    Function f_;
    int bits_;
    std::vector<Fixed> table_;
};

// ln Γ(a + n) - ln Γ(a) in fixed point for one a, each value worked out when it is first
// asked for, from the one before it.
class RisingTable {
  public:
    RisingTable(long double a, int bits) : a_(a), bits_(bits) {}

    [[nodiscard]] Fixed operator()(std::uint32_t n) {
        if (n >= table_.size() && !extend(n)) return to_fixed(log_rising(a_, n), bits_);
        return table_[n];
    }
    // The sum over all cells of a contingency table.
    [[nodiscard]] Fixed sum(const CellCounts& cells);

  private:
    bool extend(std::uint32_t n);

    long double a_;
    int bits_;
    long double last_ = 0; // the exact value behind the last entry
    std::vector<Fixed> table_ = std::vector<Fixed>(1);
};

} // namespace crediblenet
