// NodeSet at every width against std::set, on random sets that cross words.
#include "types.h"

#include "check.h"

#include <random>
#include <set>
#include <vector>

using namespace crediblenet;

namespace {

std::set<std::size_t> random_members(std::mt19937_64& random, std::size_t capacity) {
    std::set<std::size_t> members;
    const auto count = random() % 20;
    for (std::size_t i = 0; i < count; ++i) members.insert(random() % capacity);
    return members;
}

template <std::size_t W> NodeSet<W> node_set(const std::set<std::size_t>& members) {
    NodeSet<W> set;
    for (auto member : members) set.insert(member);
    return set;
}

template <std::size_t W> std::set<std::size_t> members_of(const NodeSet<W>& set) {
    std::set<std::size_t> members;
    set.for_each([&](std::size_t node) { members.insert(node); });
    return members;
}

template <std::size_t W> void compare_with_std_set() {
    std::mt19937_64 random(W);
    for (int round = 0; round < 2000; ++round) {
        const auto a = random_members(random, 64 * W), b = random_members(random, 64 * W);
        const auto x = node_set<W>(a), y = node_set<W>(b);
        CHECK(members_of(x) == a);
        CHECK(x.size() == a.size());
        CHECK(x.empty() == a.empty());
        if (!a.empty()) CHECK(x.lowest() == *a.begin());

        std::set<std::size_t> both, either = a, only_a = a;
        for (auto member : b) {
            if (a.contains(member)) both.insert(member);
            either.insert(member);
            only_a.erase(member);
        }
        CHECK(members_of(x & y) == both);
        CHECK(members_of(x | y) == either);
        CHECK(members_of(x - y) == only_a);
        CHECK(x.intersects(y) == !both.empty());
        CHECK(x.subset_of(y) == only_a.empty());
        CHECK((x == y) == (a == b));
        CHECK(x != y || x.hash() == y.hash());

        // The order in which every proper subset comes first.
        CHECK(((x & y) <=> x) <= 0);
        CHECK(((x | y) <=> x) >= 0);

        const auto node = random() % (64 * W);
        std::size_t smaller = 0;
        for (auto member : a) smaller += member < node;
        CHECK(x.rank(node) == smaller);
        CHECK(x.contains(node) == a.contains(node));
        auto without = x;
        without.erase(node);
        CHECK(members_of(without).contains(node) == false);
    }
    for (std::size_t count = 0; count <= 64 * W; ++count)
        CHECK(NodeSet<W>::first(count).size() == count);
    CHECK(members_of(NodeSet<W>::single(64 * W - 1)) == std::set<std::size_t>{64 * W - 1});
}

std::size_t width_for(std::size_t nodes) {
    return with_width(nodes, [](auto width) -> std::size_t { return width; });
}

} // namespace

int main() {
    compare_with_std_set<1>();
    compare_with_std_set<2>();
    compare_with_std_set<4>();
    compare_with_std_set<8>();
    CHECK(width_for(1) == 1 && width_for(64) == 1);
    CHECK(!is_built<2> || (width_for(65) == 2 && width_for(128) == 2));
    CHECK(!is_built<4> || (width_for(129) == 4 && width_for(256) == 4));
    CHECK(!is_built<8> || (width_for(257) == 8 && width_for(512) == 8));
    CHECK_THROWS(width_for(max_nodes + 1), std::invalid_argument);
}
