// Lists that grow in pieces.
#include "scores/piecewise.h"

#include "check.h"

#include <array>
#include <numeric>

using namespace crediblenet;

namespace {

using Wide = std::array<std::size_t, 100>;

std::vector<std::size_t> firsts(const Piecewise<Wide>& list) {
    std::vector<std::size_t> found;
    list.for_each([&](const Wide& value) { found.push_back(value[0]); });
    return found;
}

void test_elements_stay_where_they_are() {
    Piecewise<Wide> list;
    CHECK(list.empty());
    std::vector<const Wide*> places;
    const auto count = 3 * list.piece_size + 1;
    for (std::size_t k = 0; k < count; ++k) {
        if (k == list.piece_size) // the first piece is full
            list.for_each([&](const Wide& value) { places.push_back(&value); });
        list.push_back({k});
    }
    Piecewise<Wide> longer;
    longer.push_back({count});
    list.shrink(); // may move the last piece
    list.append(std::move(longer));
    CHECK(list.size() == count + 1 && longer.empty());
    CHECK(list.bytes() == (count + 1) * sizeof(Wide));
    std::vector<std::size_t> expected(count + 1);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    CHECK(firsts(list) == expected);
    std::size_t k = 0;
    list.for_each([&](const Wide& value) {
        if (k < places.size()) CHECK(places[k] == &value);
        ++k;
    });
}

void test_empty_lists_are_joined() {
    Piecewise<Wide> list, other;
    list.shrink();
    list.append(std::move(other));
    CHECK(list.empty() && firsts(list).empty());
    other.push_back({7});
    list.append(std::move(other));
    list.push_back({8});
    CHECK((firsts(list) == std::vector<std::size_t>{7, 8}));
}

} // namespace

int main() {
    test_elements_stay_where_they_are();
    test_empty_lists_are_joined();
}
