// NumberIndex against a list of items, with good hashes, with equal ones, and those of NodeSets.
#include "number_index.h"

#include "check.h"
#include "types.h"

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace crediblenet;

namespace {

std::uint32_t find(const NumberIndex& index, std::uint64_t hash, std::uint32_t number) {
    return index.find(hash, [&](std::uint32_t other) { return other == number; });
}

// Every number added so far is found, and none of those that were not added.
template <class Hash> void compare_with_list(NumberIndex& index, std::uint32_t most, Hash&& hash) {
    for (std::uint32_t count = 0; count < most; ++count) {
        CHECK(find(index, hash(count), count) == NumberIndex::none);
        index.add(hash(count), count);
        CHECK(find(index, hash(count), count) == count);
        // Whenever the table has grown, and now and then.
        if ((count & (count + 1)) != 0 && count % 100 != 0) continue;
        for (std::uint32_t number = 0; number < most; ++number)
            CHECK(find(index, hash(number), number) ==
                  (number <= count ? number : NumberIndex::none));
    }
}

std::uint64_t scattered(std::uint32_t number) {
    NodeSet<1> set;
    set.word[0] = number;
    return set.hash();
}

void nothing_is_found_in_an_empty_index() {
    const NumberIndex index;
    CHECK(find(index, 0, 0) == NumberIndex::none);
    CHECK(index.memory() == 0);
}

// The probing goes over the end of the table, too: hashes whose lower bits are all ones.
void hashes_may_be_equal() {
    NumberIndex same, same_lower_half;
    compare_with_list(same, 300, [](std::uint32_t) { return ~std::uint64_t{0}; });
    compare_with_list(same_lower_half, 300, [](std::uint32_t number) {
        return (std::uint64_t{number} << 32) | 0xffffffffu;
    });
}

void a_cleared_index_is_as_new_but_keeps_its_memory() {
    NumberIndex index;
    compare_with_list(index, 1000, scattered);
    const auto memory = index.memory();
    CHECK(memory > 0);
    index.clear();
    CHECK(find(index, scattered(7), 7) == NumberIndex::none);
    CHECK(index.memory() == memory);
    compare_with_list(index, 1000, scattered);
    CHECK(index.memory() == memory); // it was counted from zero again
}

// An item is seldom compared with others: sets of variables, whichever of them differ, do not
// look alike to the index.
template <std::size_t W> void few_comparisons() {
    constexpr std::size_t bits = 12, count = std::size_t{1} << bits;
    for (std::size_t first = 0; first + bits <= 64 * W; first += 4) {
        std::vector<NodeSet<W>> sets(count);
        NumberIndex index;
        for (std::size_t s = 0; s < count; ++s) {
            for (std::size_t b = 0; b < bits; ++b)
                if ((s >> b & 1) != 0) sets[s].insert(first + b);
            index.add(sets[s].hash(), static_cast<std::uint32_t>(s));
        }
        std::size_t comparisons = 0;
        for (std::size_t s = 0; s < count; ++s)
            CHECK(index.find(sets[s].hash(), [&](std::uint32_t other) {
                ++comparisons;
                return sets[other] == sets[s];
            }) == s);
        CHECK(comparisons < count + count / 100);
    }
}

} // namespace

int main() {
    nothing_is_found_in_an_empty_index();
    NumberIndex index;
    compare_with_list(index, 3000, scattered);
    hashes_may_be_equal();
    a_cleared_index_is_as_new_but_keeps_its_memory();
    few_comparisons<1>();
    few_comparisons<2>();
    few_comparisons<8>();
}
