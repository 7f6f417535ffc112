// The same loop over sets of up to 64 variables: as a NodeSet<1>, and as a plain integer.
//
// What the searches do most: test whether a parent set lies within what is allowed, join sets,
// and go through members. Prints the nanoseconds per set of both, the least of several times.
#include "types.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

namespace {

using Set = crediblenet::NodeSet<1>;

std::uint64_t with_node_sets(const std::vector<Set>& sets, const Set& allowed) {
    std::uint64_t sum = 0;
    Set seen;
    for (const auto& set : sets) {
        if (!set.subset_of(allowed)) continue;
        (set - seen).for_each([&](std::size_t v) { sum += v; });
        seen = (seen | set) & allowed;
        sum += seen.size();
        if (set.contains(5)) seen = {};
    }
    return sum;
}

std::uint64_t with_integers(const std::vector<std::uint64_t>& sets, std::uint64_t allowed) {
    std::uint64_t sum = 0, seen = 0;
    for (const auto set : sets) {
        if ((set & ~allowed) != 0) continue;
        for (auto rest = set & ~seen; rest != 0; rest &= rest - 1)
            sum += static_cast<std::uint64_t>(std::countr_zero(rest));
        seen = (seen | set) & allowed;
        sum += static_cast<std::uint64_t>(std::popcount(seen));
        if (set >> 5 & 1) seen = 0;
    }
    return sum;
}

template <class F> double least_seconds(F&& f) {
    double least = 1e9;
    for (int repeat = 0; repeat < 21; ++repeat) {
        const auto began = std::chrono::steady_clock::now();
        f();
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
        least = std::min(least, spent.count());
    }
    return least;
}

} // namespace

int main() {
    constexpr std::size_t count = 2'000'000;
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> integers(count);
    std::vector<Set> sets(count);
    for (std::size_t k = 0; k < count; ++k) {
        integers[k] = random() & random() & random() & random();
        sets[k].word[0] = integers[k];
    }
    const std::uint64_t allowed = random() | random() | random() | random() | random();
    Set allowed_set;
    allowed_set.word[0] = allowed;
    std::uint64_t a = 0, b = 0;
    const auto wide = least_seconds([&] { a += with_node_sets(sets, allowed_set); });
    const auto raw = least_seconds([&] { b += with_integers(integers, allowed); });
    if (a != b) return 1;
    std::printf("%.4f %.4f\n", wide / count * 1e9, raw / count * 1e9);
    return 0;
}
