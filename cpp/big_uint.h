// Exact counts of any size. Only what counting needs: sums, differences, products,
// halves, comparison, and ratios as doubles.
#pragma once

#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace crediblenet {

class BigUint {
  public:
    BigUint() = default;
    BigUint(std::uint64_t value) { // NOLINT: a number is a number
        for (; value != 0; value >>= 32) limbs_.push_back(static_cast<std::uint32_t>(value));
    }

    // Limbs of 32 bits, least significant first, the last one not zero.
    [[nodiscard]] const std::vector<std::uint32_t>& limbs() const { return limbs_; }
    static BigUint from_limbs(std::vector<std::uint32_t> limbs) {
        BigUint number;
        number.limbs_ = std::move(limbs);
        number.trim();
        return number;
    }

    [[nodiscard]] bool is_zero() const { return limbs_.empty(); }
    [[nodiscard]] std::size_t bit_length() const {
        if (limbs_.empty()) return 0;
        return 32 * (limbs_.size() - 1) + static_cast<std::size_t>(std::bit_width(limbs_.back()));
    }
    [[nodiscard]] bool fits_uint64() const { return limbs_.size() <= 2; }
    // The number modulo 2^64: itself if it fits.
    [[nodiscard]] std::uint64_t low_bits() const {
        std::uint64_t value = 0;
        if (limbs_.size() > 1) value = std::uint64_t{limbs_[1]} << 32;
        if (!limbs_.empty()) value |= limbs_[0];
        return value;
    }

    BigUint& operator+=(const BigUint& other) {
        if (limbs_.size() < other.limbs_.size()) limbs_.resize(other.limbs_.size());
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < limbs_.size(); ++i) {
            if (i >= other.limbs_.size() && carry == 0) break;
            carry += std::uint64_t{limbs_[i]} + (i < other.limbs_.size() ? other.limbs_[i] : 0u);
            limbs_[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        if (carry != 0) limbs_.push_back(static_cast<std::uint32_t>(carry));
        return *this;
    }
    // `other` must not be larger.
    BigUint& operator-=(const BigUint& other) {
        std::uint64_t borrow = 0;
        for (std::size_t i = 0; i < limbs_.size(); ++i) {
            if (i >= other.limbs_.size() && borrow == 0) break;
            const auto less = borrow + (i < other.limbs_.size() ? other.limbs_[i] : 0u);
            borrow = limbs_[i] < less ? 1 : 0;
            limbs_[i] = static_cast<std::uint32_t>((borrow << 32) + limbs_[i] - less);
        }
        trim();
        return *this;
    }
    BigUint& operator*=(const BigUint& other) {
        *this = *this * other;
        return *this;
    }
    friend BigUint operator+(BigUint a, const BigUint& b) { return std::move(a += b); }
    friend BigUint operator-(BigUint a, const BigUint& b) { return std::move(a -= b); }
    friend BigUint operator*(const BigUint& a, const BigUint& b) {
        BigUint product;
        if (a.is_zero() || b.is_zero()) return product;
        product.limbs_.resize(a.limbs_.size() + b.limbs_.size());
        for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
            std::uint64_t carry = 0;
            for (std::size_t j = 0; j < b.limbs_.size(); ++j) {
                carry += std::uint64_t{a.limbs_[i]} * b.limbs_[j] + product.limbs_[i + j];
                product.limbs_[i + j] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
            product.limbs_[i + b.limbs_.size()] = static_cast<std::uint32_t>(carry);
        }
        product.trim();
        return product;
    }
    // The number divided by two, which must be exact.
    [[nodiscard]] BigUint half() const {
        auto result = *this;
        for (std::size_t i = 0; i < limbs_.size(); ++i) {
            result.limbs_[i] >>= 1;
            if (i + 1 < limbs_.size()) result.limbs_[i] |= limbs_[i + 1] << 31;
        }
        result.trim();
        return result;
    }

    friend bool operator==(const BigUint&, const BigUint&) = default;
    friend std::strong_ordering operator<=>(const BigUint& a, const BigUint& b) {
        if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() <=> b.limbs_.size();
        for (std::size_t i = a.limbs_.size(); i-- > 0;)
            if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] <=> b.limbs_[i];
        return std::strong_ordering::equal;
    }

    // a / b to nearly full precision, however large both are; b must not be zero.
    static double ratio(const BigUint& a, const BigUint& b) {
        const auto [fraction_a, exponent_a] = a.scaled();
        const auto [fraction_b, exponent_b] = b.scaled();
        return std::ldexp(fraction_a / fraction_b, exponent_a - exponent_b);
    }

  private:
    struct Scaled {
        double fraction;
        int exponent;
    };
    // The leading bits (at least 64, if there are so many) and the weight of the last one.
    [[nodiscard]] Scaled scaled() const {
        double fraction = 0;
        const auto first = limbs_.size() > 3 ? limbs_.size() - 3 : 0;
        for (std::size_t i = limbs_.size(); i-- > first;) fraction = fraction * 0x1p32 + limbs_[i];
        return {fraction, static_cast<int>(32 * first)};
    }
    void trim() {
        while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
    }

    std::vector<std::uint32_t> limbs_;
};

} // namespace crediblenet
