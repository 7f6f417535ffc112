// The quantities that every stage shares: a set of variables, and a cost.
//
// A node set has a fixed width in 64-bit words that is a template parameter
// (1, 2, 4 or 8 words: 64 to 512 variables), chosen at run time by the number
// of variables with `with_width`. No code may assume that a set fits one word. With a smaller
// CREDIBLENET_MOST_WORDS there are fewer widths: for comparison, and where building must be quick.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace crediblenet {

// A variable, by its column number.
using Node = std::uint16_t;

// A cost (negated log score) in units of the table's grid: see decision 0002.
// Sums of costs are exact, so nothing depends on the order of summation.
using Cost = std::int64_t;

// The widest node set that is compiled in.
#ifndef CREDIBLENET_MOST_WORDS
#define CREDIBLENET_MOST_WORDS 8
#endif
inline constexpr std::size_t max_nodes = 64 * CREDIBLENET_MOST_WORDS;

// Whether `with_width` may choose a width.
template <std::size_t W> inline constexpr bool is_built = 64 * W <= max_nodes;

template <std::size_t W> struct NodeSet {
    static constexpr std::size_t words = W;
    static constexpr std::size_t capacity = 64 * W;

    std::array<std::uint64_t, W> word{};

    constexpr NodeSet() = default;

    static constexpr NodeSet single(std::size_t node) {
        NodeSet set;
        set.insert(node);
        return set;
    }

    // The nodes 0, 1, ..., count - 1.
    static constexpr NodeSet first(std::size_t count) {
        NodeSet set;
        for (std::size_t w = 0; w < W && count > 0; ++w) {
            set.word[w] = count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
            count -= count >= 64 ? 64 : count;
        }
        return set;
    }

    constexpr void insert(std::size_t node) { word[node / 64] |= std::uint64_t{1} << (node % 64); }
    constexpr void erase(std::size_t node) {
        word[node / 64] &= ~(std::uint64_t{1} << (node % 64));
    }
    [[nodiscard]] constexpr bool contains(std::size_t node) const {
        return (word[node / 64] >> (node % 64)) & 1;
    }
    [[nodiscard]] constexpr bool empty() const {
        std::uint64_t any = 0;
        for (auto w : word) any |= w;
        return any == 0;
    }
    [[nodiscard]] constexpr std::size_t size() const {
        std::size_t count = 0;
        for (auto w : word) count += static_cast<std::size_t>(std::popcount(w));
        return count;
    }
    // The lowest node; the set must not be empty.
    [[nodiscard]] constexpr std::size_t lowest() const {
        std::size_t w = 0;
        while (word[w] == 0) ++w;
        return 64 * w + static_cast<std::size_t>(std::countr_zero(word[w]));
    }
    // How many members are smaller than `node`.
    [[nodiscard]] constexpr std::size_t rank(std::size_t node) const {
        std::size_t count = 0;
        for (std::size_t w = 0; w < node / 64; ++w)
            count += static_cast<std::size_t>(std::popcount(word[w]));
        const auto below = (std::uint64_t{1} << (node % 64)) - 1;
        return count + static_cast<std::size_t>(std::popcount(word[node / 64] & below));
    }
    [[nodiscard]] constexpr bool subset_of(const NodeSet& other) const {
        std::uint64_t outside = 0;
        for (std::size_t w = 0; w < W; ++w) outside |= word[w] & ~other.word[w];
        return outside == 0;
    }
    [[nodiscard]] constexpr bool intersects(const NodeSet& other) const {
        std::uint64_t common = 0;
        for (std::size_t w = 0; w < W; ++w) common |= word[w] & other.word[w];
        return common != 0;
    }

    constexpr NodeSet& operator|=(const NodeSet& other) {
        for (std::size_t w = 0; w < W; ++w) word[w] |= other.word[w];
        return *this;
    }
    constexpr NodeSet& operator&=(const NodeSet& other) {
        for (std::size_t w = 0; w < W; ++w) word[w] &= other.word[w];
        return *this;
    }
    // Set difference.
    constexpr NodeSet& operator-=(const NodeSet& other) {
        for (std::size_t w = 0; w < W; ++w) word[w] &= ~other.word[w];
        return *this;
    }
    friend constexpr NodeSet operator|(NodeSet a, const NodeSet& b) { return a |= b; }
    friend constexpr NodeSet operator&(NodeSet a, const NodeSet& b) { return a &= b; }
    friend constexpr NodeSet operator-(NodeSet a, const NodeSet& b) { return a -= b; }
    friend constexpr bool operator==(const NodeSet&, const NodeSet&) = default;
    // Order as an integer: every proper subset of a set precedes it.
    friend constexpr std::strong_ordering operator<=>(const NodeSet& a, const NodeSet& b) {
        for (std::size_t w = W; w-- > 0;)
            if (a.word[w] != b.word[w]) return a.word[w] <=> b.word[w];
        return std::strong_ordering::equal;
    }

    // Calls f(node) for each member, lowest first.
    template <class F> constexpr void for_each(F&& f) const {
        for (std::size_t w = 0; w < W; ++w)
            for (auto rest = word[w]; rest != 0; rest &= rest - 1)
                f(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
    }

    [[nodiscard]] constexpr std::uint64_t hash() const {
        std::uint64_t h = 0x9e3779b97f4a7c15u;
        for (auto w : word) {
            h ^= w;
            h *= 0xff51afd7ed558ccdu;
            h ^= h >> 32;
        }
        return h;
    }
};

template <std::size_t W> struct NodeSetHash {
    std::size_t operator()(const NodeSet<W>& set) const { return set.hash(); }
};

// For definitions in source files: INSTANTIATE(W) for every width W that `with_width` may choose.
#if CREDIBLENET_MOST_WORDS == 1
#define CREDIBLENET_FOR_EACH_WIDTH(INSTANTIATE) INSTANTIATE(1)
#elif CREDIBLENET_MOST_WORDS == 2
#define CREDIBLENET_FOR_EACH_WIDTH(INSTANTIATE)                                                    \
    INSTANTIATE(1)                                                                                 \
    INSTANTIATE(2)
#else
#define CREDIBLENET_FOR_EACH_WIDTH(INSTANTIATE)                                                    \
    INSTANTIATE(1)                                                                                 \
    INSTANTIATE(2)                                                                                 \
    INSTANTIATE(4)                                                                                 \
    INSTANTIATE(8)
#endif

// Calls f with the narrowest width that holds `nodes` variables, as an
// std::integral_constant, so that f can be a generic lambda.
template <class F> decltype(auto) with_width(std::size_t nodes, F&& f) {
    if (nodes <= 64) return f(std::integral_constant<std::size_t, 1>{});
    if constexpr (is_built<2>)
        if (nodes <= 128) return f(std::integral_constant<std::size_t, 2>{});
    if constexpr (is_built<4>)
        if (nodes <= 256) return f(std::integral_constant<std::size_t, 4>{});
    if constexpr (is_built<8>)
        if (nodes <= 512) return f(std::integral_constant<std::size_t, 8>{});
    throw std::invalid_argument("more than " + std::to_string(max_nodes) + " variables");
}

} // namespace crediblenet
