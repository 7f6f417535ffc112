// Counting, orienting, drawing and listing AMOs against brute force over all orientations.
#include "classes/chordal.h"
#include "classes/class_counter.h"
#include "classes/clique_picking.h"
#include "classes/members.h"

#include "all_dags.h"
#include "check.h"

#include <cmath>
#include <map>
#include <set>

using namespace crediblenet;

namespace {

bool is_moral(const Graph& parents, const Graph& adjacency) {
    for (const auto& set : parents) {
        bool clique = true;
        set.for_each([&](std::size_t a) {
            auto others = set;
            others.erase(a);
            clique = clique && others.subset_of(adjacency[a]);
        });
        if (!clique) return false;
    }
    return true;
}

// All AMOs by trying both directions of every edge.
std::set<Graph> all_orientations(const Graph& adjacency) {
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    for (std::size_t a = 0; a < adjacency.size(); ++a)
        adjacency[a].for_each([&](std::size_t b) {
            if (a < b) edges.push_back({a, b});
        });
    std::set<Graph> found;
    Graph parents(adjacency.size());
    auto orient = [&](auto&& self, std::size_t edge) -> void {
        if (!is_moral(parents, adjacency)) return;
        if (edge == edges.size()) {
            if (is_acyclic<1>(parents)) found.insert(parents);
            return;
        }
        const auto [a, b] = edges[edge];
        parents[b].insert(a);
        self(self, edge + 1);
        parents[b].erase(a);
        parents[a].insert(b);
        self(self, edge + 1);
        parents[a].erase(b);
    };
    orient(orient, 0);
    return found;
}

bool is_connected_chordal(const Graph& adjacency) {
    const auto all = NodeSet<1>::first(adjacency.size());
    if (reach<1>(adjacency, all, 0).component != all) return false;
    // Remove simplicial nodes as long as there are any.
    auto rest = all;
    for (bool moved = true; moved;) {
        moved = false;
        rest.for_each([&](std::size_t node) {
            const auto around = adjacency[node] & rest;
            bool clique = true;
            around.for_each([&](std::size_t a) {
                auto others = around;
                others.erase(a);
                clique = clique && others.subset_of(adjacency[a]);
            });
            if (!clique) return;
            rest.erase(node);
            moved = true;
        });
    }
    return rest.empty();
}

void compare(const Graph& adjacency) {
    const auto expected = all_orientations(adjacency);
    const auto n = adjacency.size();
    const CliquePicking<1> counted(adjacency);
    CHECK(counted.count() == BigUint(expected.size()));
    const auto edges = counted.edge_counts();
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b) {
            std::size_t with = 0;
            for (const auto& parents : expected) with += parents[b].contains(a);
            CHECK(edges[a * n + b] == BigUint(with));
        }
    std::set<Graph> listed;
    MemberLister<1> members({Graph(n), adjacency});
    while (members.next()) CHECK(listed.insert(members.parents()).second);
    CHECK(listed == expected);
    std::mt19937_64 random(n);
    for (int draw = 0; draw < 3; ++draw) {
        Graph parents(n);
        counted.sample(random, parents);
        CHECK(expected.contains(parents));
    }
}

void every_small_graph(std::size_t n, std::size_t expected_graphs) {
    std::size_t graphs = 0;
    for (std::uint64_t code = 0; code < std::uint64_t{1} << (n * (n - 1) / 2); ++code) {
        Graph adjacency(n);
        std::size_t bit = 0;
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b < a; ++b)
                if (code >> bit++ & 1) {
                    adjacency[a].insert(b);
                    adjacency[b].insert(a);
                }
        if (!is_connected_chordal(adjacency)) continue;
        ++graphs;
        compare(adjacency);
    }
    CHECK(graphs == expected_graphs);
}

// Each new node is joined to a random part of an earlier node and that node's own earlier
// neighbours, which is a clique, so the graph is chordal and connected.
template <std::size_t W>
std::vector<NodeSet<W>> random_chordal(std::size_t n, double keep, std::mt19937_64& random) {
    std::vector<NodeSet<W>> adjacency(n), earlier(n);
    for (std::size_t node = 1; node < n; ++node) {
        const auto anchor = uniform_below(random, node);
        earlier[node].insert(anchor);
        earlier[anchor].for_each([&](std::size_t other) {
            if (static_cast<double>(random() >> 11) * 0x1p-53 < keep) earlier[node].insert(other);
        });
        earlier[node].for_each([&](std::size_t other) {
            adjacency[node].insert(other);
            adjacency[other].insert(node);
        });
    }
    return adjacency;
}

// Another way to count: by the source, not by the clique that comes first.
template <std::size_t W>
BigUint count_by_source(const std::vector<NodeSet<W>>& adjacency, const NodeSet<W>& nodes,
                        std::map<NodeSet<W>, BigUint>& known) {
    if (nodes.size() == 1) return 1;
    if (const auto found = known.find(nodes); found != known.end()) return found->second;
    BigUint count;
    nodes.for_each([&](std::size_t source) {
        BigUint product = 1;
        for_each_part<W>(adjacency, nodes, NodeSet<W>::single(source),
                         [&](const NodeSet<W>& part, const NodeSet<W>&) {
                             product *= count_by_source(adjacency, part, known);
                         });
        count += product;
    });
    return known[nodes] = count;
}

template <std::size_t W> void large_graph(std::size_t n, double keep) {
    std::mt19937_64 random(n);
    const auto adjacency = random_chordal<W>(n, keep, random);
    const CliquePicking<W> counted(adjacency);
    std::map<NodeSet<W>, BigUint> known;
    CHECK(counted.count() == count_by_source(adjacency, NodeSet<W>::first(n), known));
    const auto edges = counted.edge_counts();
    for (std::size_t a = 0; a < n; ++a)
        adjacency[a].for_each([&](std::size_t b) {
            CHECK(edges[a * n + b] + edges[b * n + a] == counted.count());
            CHECK(!edges[a * n + b].is_zero());
        });
    // A drawn member has a -> b as often as it should: five standard deviations.
    constexpr std::size_t draws = 400;
    std::vector<std::size_t> seen(n * n);
    for (std::size_t draw = 0; draw < draws; ++draw) {
        std::vector<NodeSet<W>> parents(n);
        counted.sample(random, parents);
        CHECK(is_acyclic<W>(parents));
        CHECK((cpdag(parents) == Cpdag<W>{std::vector<NodeSet<W>>(n), adjacency}));
        for (std::size_t b = 0; b < n; ++b)
            parents[b].for_each([&](std::size_t a) { ++seen[a * n + b]; });
    }
    for (std::size_t a = 0; a < n; ++a)
        adjacency[a].for_each([&](std::size_t b) {
            const auto share = BigUint::ratio(edges[a * n + b], counted.count());
            const auto sigma = std::sqrt(share * (1 - share) * draws);
            CHECK(std::abs(static_cast<double>(seen[a * n + b]) - share * draws) <= 5 * sigma + 1);
        });
}

// Two triangles with a common edge, and a tail: every AMO equally often.
void uniform_draws() {
    Graph adjacency(5);
    for (auto [a, b] : {std::pair{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {3, 4}}) {
        adjacency[static_cast<std::size_t>(a)].insert(static_cast<std::size_t>(b));
        adjacency[static_cast<std::size_t>(b)].insert(static_cast<std::size_t>(a));
    }
    const auto expected = all_orientations(adjacency);
    const CliquePicking<1> counted(adjacency);
    std::map<Graph, double> seen;
    std::mt19937_64 random(7);
    constexpr double each = 2000;
    for (std::size_t draw = 0; draw < expected.size() * std::size_t{2000}; ++draw) {
        Graph parents(5);
        counted.sample(random, parents);
        seen[parents] += 1;
    }
    CHECK(seen.size() == expected.size());
    for (const auto& [parents, times] : seen) CHECK(std::abs(times - each) < 5 * std::sqrt(each));
}

void known_counts() {
    // A path, a star, a clique: n, n, n!.
    std::vector<NodeSet<2>> path(100), star(100), clique(25);
    for (std::size_t i = 1; i < 100; ++i) {
        path[i].insert(i - 1);
        path[i - 1].insert(i);
        star[0].insert(i);
        star[i].insert(0);
    }
    for (std::size_t i = 0; i < 25; ++i) clique[i] = NodeSet<2>::first(25) - NodeSet<2>::single(i);
    CHECK(CliquePicking<2>(path).count() == BigUint(100));
    CHECK(CliquePicking<2>(star).count() == BigUint(100));
    CHECK(CliquePicking<2>(clique).count() == factorials(25)[25]);
    ClassCounter counter;
    CHECK(counter.size<2>(clique) == factorials(25)[25]);
    CHECK(counter.size<2>(path) == BigUint(100));
    CHECK(counter.size<2>(std::vector<NodeSet<2>>(70)) == BigUint(1));
}

} // namespace

int main() {
    // Connected labelled chordal graphs: 1, 1, 4, 35, 541, 13302 (OEIS A048192).
    const std::size_t graphs[] = {1, 1, 4, 35, 541, 13302};
    for (std::size_t n = 1; n <= 6; ++n) every_small_graph(n, graphs[n - 1]);
    std::mt19937_64 random(1);
    for (int round = 0; round < 150; ++round)
        compare(random_chordal<1>(7 + static_cast<std::size_t>(round) % 3, 0.6, random));
    large_graph<1>(20, 0.7);
    large_graph<1>(40, 0.5);
    large_graph<2>(70, 0.4);
    if constexpr (is_built<4>) large_graph<4>(130, 0.3);
    uniform_draws();
    known_counts();
}
