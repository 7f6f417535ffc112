// Classes against the definition, on every DAG with at most five nodes.
#include "classes/canonical.h"
#include "classes/class_counter.h"
#include "classes/cpdag.h"
#include "classes/keys.h"
#include "classes/members.h"
#include "classes/partly_canonical.h"

#include "all_dags.h"
#include "check.h"

#include <map>
#include <set>
#include <tuple>

using namespace crediblenet;

namespace {

using Triple = std::tuple<std::size_t, std::size_t, std::size_t>;
using Definition = std::pair<std::set<std::pair<std::size_t, std::size_t>>, std::set<Triple>>;

// Skeleton and v-structures, spelled out.
template <std::size_t W> Definition by_definition(const std::vector<NodeSet<W>>& parents) {
    Definition key;
    auto adjacent = [&](std::size_t a, std::size_t b) {
        return parents[a].contains(b) || parents[b].contains(a);
    };
    for (std::size_t c = 0; c < parents.size(); ++c)
        for (std::size_t a = 0; a < c; ++a)
            if (adjacent(a, c)) key.first.insert({a, c});
    for (std::size_t c = 0; c < parents.size(); ++c)
        for (std::size_t a = 0; a < parents.size(); ++a)
            for (std::size_t b = 0; b < a; ++b)
                if (parents[c].contains(a) && parents[c].contains(b) && !adjacent(a, b))
                    key.second.insert({b, a, c});
    return key;
}

// No choice of parent sets that the canonical member has is refused, whichever come first;
// when all are chosen, the canonical member is the only one that is left.
void check_partly_canonical(const Graph& graph) {
    const auto all = NodeSet<1>::first(graph.size());
    CHECK(may_be_canonical<1>(graph, all, all) == is_canonical(graph));
    if (!is_canonical(graph)) return;
    for (std::uint64_t code = 0; code < std::uint64_t{1} << graph.size(); ++code) {
        NodeSet<1> chosen;
        chosen.word[0] = code;
        auto partly = graph;
        (all - chosen).for_each([&](std::size_t v) { partly[v] = all; }); // must not matter
        CHECK(may_be_canonical<1>(partly, all, chosen));
    }
}

// Size, orientation counts, listing and drawing, against the list of members.
void check_members(const Cpdag<1>& graph, const std::vector<Graph>& members) {
    const auto n = graph.compelled.size();
    ClassCounter counter;
    CHECK(counter.size<1>(graph.undirected) == BigUint(members.size()));
    const auto counts = orientation_counts<1>(graph.undirected);
    std::vector<double> shares(n * n);
    counter.orientation_shares<1>(graph.undirected, shares);
    for (std::size_t a = 0; a < n; ++a)
        graph.undirected[a].for_each([&](std::size_t b) {
            std::size_t with = 0;
            for (const auto& member : members) with += member[b].contains(a);
            CHECK(counts[a * n + b] == BigUint(with));
            CHECK(shares[a * n + b] ==
                  static_cast<double>(with) / static_cast<double>(members.size()));
        });
    std::set<Graph> listed;
    MemberLister<1> lister(graph);
    while (lister.next()) CHECK(listed.insert(lister.parents()).second);
    CHECK(!lister.next());
    CHECK(listed == std::set<Graph>(members.begin(), members.end()));
    std::mt19937_64 random(members.size());
    auto drawn = graph.compelled;
    counter.sample<1>(graph.undirected, random, drawn);
    CHECK(listed.contains(drawn));
}

void every_class(std::size_t nodes, std::size_t expected_classes) {
    std::map<Definition, std::vector<Graph>> classes;
    for (const auto& graph : all_dags(nodes)) classes[by_definition(graph)].push_back(graph);
    CHECK(classes.size() == expected_classes);
    for (const auto& [key, members] : classes) {
        Graph always = members[0]; // arcs that all members share
        for (const auto& graph : members)
            for (std::size_t y = 0; y < nodes; ++y) always[y] &= graph[y];
        std::size_t canonical = 0;
        for (const auto& graph : members) {
            const auto found = cpdag(graph);
            CHECK(found.compelled == always);
            for (std::size_t y = 0; y < nodes; ++y)
                for (std::size_t x = 0; x < nodes; ++x)
                    CHECK(found.undirected[y].contains(x) ==
                          ((graph[y].contains(x) || graph[x].contains(y)) &&
                           !always[y].contains(x) && !always[x].contains(y)));
            const auto representative = canonical_member(graph);
            CHECK(is_acyclic<1>(representative));
            CHECK(by_definition(representative) == key);
            CHECK(is_canonical(representative));
            CHECK(is_canonical(graph) == (graph == representative));
            canonical += is_canonical(graph);
            check_partly_canonical(graph);
        }
        CHECK(canonical == 1);
        check_members(cpdag(members[0]), members);
    }
}

// The wide node sets must give what the narrow one gives, and more nodes must work.
template <std::size_t W> void wide(std::size_t nodes) {
    std::mt19937_64 random(nodes);
    for (int round = 0; round < 20; ++round) {
        const auto graph = random_dag<W>(nodes, 3.0 / static_cast<double>(nodes), random);
        const auto representative = canonical_member(graph);
        CHECK(is_acyclic<W>(representative));
        CHECK(by_definition(representative) == by_definition(graph));
        CHECK(cpdag(representative) == cpdag(graph));
        CHECK(is_canonical(representative));
        CHECK(is_canonical(graph) == (graph == representative));
    }
}

} // namespace

int main() {
    const std::size_t classes[] = {1, 2, 11, 185, 8782};
    for (std::size_t nodes = 1; nodes <= 5; ++nodes) every_class(nodes, classes[nodes - 1]);
    wide<1>(20);
    wide<2>(70);
    if constexpr (is_built<4>) wide<4>(130);
    if constexpr (is_built<8>) wide<8>(300);
    Graph cycle(2);
    cycle[0].insert(1);
    cycle[1].insert(0);
    CHECK(!is_acyclic<1>(cycle));
}
