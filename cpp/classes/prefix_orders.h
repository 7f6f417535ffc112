// Orders of a set in which none of some nested subsets is a prefix.
#pragma once

#include "big_uint.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace crediblenet {

// The factorials 0!, 1!, ..., n!.
inline std::vector<BigUint> factorials(std::size_t n) {
    std::vector<BigUint> result{1};
    for (std::size_t k = 1; k <= n; ++k) result.push_back(result.back() * BigUint(k));
    return result;
}

// Let S_0 ⊂ S_1 ⊂ ... ⊂ S_r be nested; counts the orders of S_r of which none of the
// others is a prefix. An order of S_m that has a forbidden prefix has a smallest one, S_t:
// an allowed order of S_t, then any order of the rest. So, with l the sizes,
//     allowed_m = l_m! − Σ_{t<m} allowed_t · (l_m − l_t)!.
class PrefixOrders {
  public:
    // `sizes` ascending, not empty; `factorial` at least up to the last one.
    PrefixOrders(std::vector<std::size_t> sizes, const std::vector<BigUint>& factorial)
        : sizes_(std::move(sizes)), factorial_(factorial) {
        for (std::size_t m = 0; m < sizes_.size(); ++m) {
            auto count = factorial_[sizes_[m]];
            for (std::size_t t = 0; t < m; ++t) count -= allowed_[t] * rest(m, t);
            allowed_.push_back(std::move(count));
        }
    }

    [[nodiscard]] const BigUint& count() const { return allowed_.back(); }

    // The allowed orders in which a comes before b, where a is in S_i but not in S_{i-1},
    // b in S_j but not in S_{j-1}, and i <= j. The same recurrence, restricted: a smallest
    // forbidden prefix S_t with neither leaves half of the orders of the rest, one with a
    // alone leaves all, and in one with both the order is already decided.
    [[nodiscard]] BigUint count_before(std::size_t i, std::size_t j) const {
        if (i == j) return count().half(); // exchanging a and b changes no prefix set
        std::vector<BigUint> before(sizes_.size());
        for (std::size_t m = j; m < sizes_.size(); ++m) {
            before[m] = factorial_[sizes_[m]].half();
            for (std::size_t t = 0; t < m; ++t)
                if (t < i)
                    before[m] -= allowed_[t] * rest(m, t).half();
                else
                    before[m] -= (t < j ? allowed_[t] : before[t]) * rest(m, t);
        }
        return before.back();
    }

  private:
    [[nodiscard]] const BigUint& rest(std::size_t m, std::size_t t) const {
        return factorial_[sizes_[m] - sizes_[t]];
    }

    std::vector<std::size_t> sizes_;
    const std::vector<BigUint>& factorial_;
    std::vector<BigUint> allowed_;
};

} // namespace crediblenet
