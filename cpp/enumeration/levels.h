// The levels of a set of networks: its distinct costs, least first, with how many cost that.
#pragma once

#include "big_uint.h"
#include "control.h"
#include "types.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace crediblenet {

using Wide = unsigned __int128;

// A machine integer ran over: count again in a wider one.
struct Overflow {};

// An unsigned machine integer that throws Overflow instead of wrapping around.
template <class Word> class Checked {
  public:
    explicit Checked(Word value) : value_(value) {}

    Checked& operator+=(const Checked& other) {
        if (__builtin_add_overflow(value_, other.value_, &value_)) throw Overflow{};
        return *this;
    }
    friend Checked operator*(const Checked& a, const Checked& b) {
        Checked product(0);
        if (__builtin_mul_overflow(a.value_, b.value_, &product.value_)) throw Overflow{};
        return product;
    }
    [[nodiscard]] Word value() const { return value_; }

  private:
    Word value_;
};

template <class Word> double to_double(const Checked<Word>& count) {
    return static_cast<double>(count.value());
}
inline double to_double(double count) { return count; }
inline double to_double(const BigUint& count) { return BigUint::ratio(count, BigUint(1)); }

template <class Word> BigUint to_big(const Checked<Word>& count) {
    std::vector<std::uint32_t> limbs;
    for (Word left = count.value(); left != 0; left >>= 32)
        limbs.push_back(static_cast<std::uint32_t>(left));
    return BigUint::from_limbs(std::move(limbs));
}
inline const BigUint& to_big(const BigUint& count) { return count; }

// Calls `make` with the narrowest numbers in which all counts fit: no part of a count is
// greater than the whole, so these are soon found.
template <class Make> auto in_narrowest(Make&& make) {
    try {
        return make.template operator()<Checked<std::uint64_t>>();
    } catch (const Overflow&) {}
    try {
        return make.template operator()<Checked<Wide>>();
    } catch (const Overflow&) {}
    return make.template operator()<BigUint>();
}

// `Count` is how many networks there are, or, as a double, what they weigh together.
template <class Count> struct Level {
    Cost cost;
    Count networks;
};
template <class Count> using Levels = std::vector<Level<Count>>;

// What a list takes; of numbers of any size, all but their digits.
template <class Count> std::size_t bytes_of(const Levels<Count>& levels) {
    return levels.capacity() * sizeof(Level<Count>);
}

// Memory that is announced to a control for as long as it is held.
class Held {
  public:
    Held(Control& control, const char* what, std::size_t bytes = 0)
        : control_(control), what_(what) {
        add(bytes);
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { control_.release(bytes_); }

    void add(std::size_t bytes) {
        control_.reserve(bytes, what_); // throws when there is not so much
        bytes_ += bytes;
    }
    void drop(std::size_t bytes) {
        control_.release(bytes);
        bytes_ -= bytes;
    }
    // As much as that, whatever it was before.
    void change_to(std::size_t bytes) {
        if (bytes > bytes_)
            add(bytes - bytes_);
        else
            drop(bytes_ - bytes);
    }

  private:
    Control& control_;
    const char* what_;
    std::size_t bytes_ = 0;
};

// Looks at the control after so much work, however little of a node that is.
class Watch {
  public:
    Watch(Control& control, const char* what) : control_(control), what_(what) {}

    void operator()(std::size_t work) {
        constexpr std::size_t seldom = 1 << 18;
        unwatched_ += work;
        if (unwatched_ < seldom) return;
        unwatched_ = 0;
        if (control_.poll()) throw Stopped(control_.reason(), what_);
    }

    // Looks whether there is so much memory, for what is held for a moment only.
    void fits(std::size_t bytes) {
        constexpr std::size_t little = 1 << 20;
        if (bytes < little) return;
        control_.reserve(bytes, what_); // throws when there is not so much
        control_.release(bytes);
    }

    [[nodiscard]] bool has_room(std::size_t bytes) const { return control_.fits(bytes); }

    // Announces memory for as long as what it returns is there.
    [[nodiscard]] Held hold(std::size_t bytes) { return {control_, what_, bytes}; }

  private:
    Control& control_;
    const char* what_;
    std::size_t unwatched_ = 0;
};

// Adds a level to a list in order of cost.
template <class Count> void append(Levels<Count>& levels, Level<Count>&& level, std::size_t first) {
    if (levels.size() > first && levels.back().cost == level.cost)
        levels.back().networks += level.networks;
    else
        levels.push_back(std::move(level));
}

// Merges two neighbouring runs after the other, and joins equal costs, until there is one.
// `ends` are those of the runs; `spare` is as long as all of them.
template <class Count>
void merge_runs(Levels<Count>& levels, std::vector<std::size_t> ends, Levels<Count>& spare,
                Watch& watch) {
    std::vector<std::size_t> merged_ends;
    while (ends.size() > 1) {
        spare.clear();
        merged_ends.clear();
        std::size_t begin = 0;
        for (std::size_t run = 0; run < ends.size(); run += 2) {
            const auto first = spare.size(), middle = ends[run];
            const auto end = run + 1 < ends.size() ? ends[run + 1] : middle;
            for (auto left = begin, right = middle; left < middle || right < end;) {
                const bool from_left =
                    right == end || (left < middle && levels[left].cost <= levels[right].cost);
                append(spare, std::move(levels[from_left ? left++ : right++]), first);
            }
            watch(end - begin);
            begin = end;
            merged_ends.push_back(spare.size());
        }
        levels.swap(spare);
        ends.swap(merged_ends);
    }
}

// Sorts by cost and joins equal costs. Long lists take long, so that is watched, too. They are
// mostly made of some that are in order, one after the other, and these are merged if there is
// memory for both copies of what is not announced yet.
template <class Count> void join_equal(Levels<Count>& levels, Watch& watch) {
    constexpr std::size_t shortest_run = 4; // on the average; sorting is faster else
    std::vector<std::size_t> ends;
    for (std::size_t at = 1; at < levels.size(); ++at)
        if (levels[at].cost < levels[at - 1].cost) ends.push_back(at);
    watch(levels.size());
    if (!ends.empty()) {
        ends.push_back(levels.size());
        if (shortest_run * ends.size() <= levels.size() &&
            watch.has_room(2 * levels.size() * sizeof(Level<Count>))) {
            Levels<Count> spare;
            spare.reserve(levels.size());
            merge_runs(levels, std::move(ends), spare, watch);
            return;
        }
        std::sort(levels.begin(), levels.end(), [&](const auto& a, const auto& b) {
            watch(1);
            return a.cost < b.cost;
        });
    }
    std::size_t kept = 0;
    for (std::size_t at = 0; at < levels.size(); ++at)
        if (kept > 0 && levels[kept - 1].cost == levels[at].cost) {
            levels[kept - 1].networks += levels[at].networks;
        } else {
            if (kept != at) levels[kept] = std::move(levels[at]);
            ++kept;
        }
    levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(kept), levels.end());
}

// Adds the sums of a level of each list that cost at most `most`, in no order.
// False, and nothing is added, when there are more than `most_sums` of them.
template <class Count>
bool add_sums(const Levels<Count>& left, const Levels<Count>& right, Cost most,
              std::size_t most_sums, Levels<Count>& sums, Watch& watch) {
    // Few long runs are put in order faster than many short ones.
    if (left.size() > right.size()) return add_sums(right, left, most, most_sums, sums, watch);
    std::size_t count = 0, end = right.size();
    for (const auto& a : left) {
        while (end > 0 && a.cost + right[end - 1].cost > most) --end;
        count += end;
        if (end == 0) break;
        if (count > most_sums) return false;
    }
    watch.fits(count * sizeof(Level<Count>));
    sums.reserve(sums.size() + count);
    end = right.size();
    for (const auto& a : left) {
        while (end > 0 && a.cost + right[end - 1].cost > most) --end;
        if (end == 0) break;
        for (std::size_t at = 0; at < end; ++at)
            sums.push_back({a.cost + right[at].cost, a.networks * right[at].networks});
        watch(end);
    }
    return true;
}

} // namespace crediblenet
