// Classes from a walk through the circuit, against the canonical ones of all DAGs, for
// random score-equivalent costs.
#include "classes/canonical.h"
#include "classes/local_classes.h"
#include "enumeration/compiler.h"

#include "all_dags.h"
#include "check.h"

#include <algorithm>
#include <map>
#include <random>

using namespace crediblenet;

namespace {

constexpr std::size_t nodes = 4;

struct Instance {
    std::vector<std::int64_t> offsets{0};
    std::vector<Cost> costs;
    std::vector<std::uint64_t> parents;
    Problem<1> problem;
};

// cost_i(P) = g(P + i) - g(P) with a random g: equivalent networks cost the same.
Instance random_instance(std::mt19937& random) {
    std::vector<Cost> g(1u << nodes);
    for (auto& value : g) value = static_cast<Cost>(random() % 10);
    Instance instance;
    instance.problem.candidates.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
        auto& list = instance.problem.candidates[i];
        for (std::uint64_t set = 0; set < 1u << nodes; ++set) {
            if (set >> i & 1) continue;
            Candidate<1> candidate{{}, g[set | std::uint64_t{1} << i] - g[set], 0};
            candidate.parents.word[0] = set;
            list.push_back(candidate);
        }
        std::ranges::stable_sort(list, {}, &Candidate<1>::cost);
        for (auto& candidate : list) {
            candidate.row = static_cast<std::uint32_t>(instance.costs.size());
            instance.costs.push_back(candidate.cost);
            instance.parents.push_back(candidate.parents.word[0]);
        }
        instance.offsets.push_back(static_cast<std::int64_t>(instance.costs.size()));
    }
    return instance;
}

std::uint32_t row_of(const Instance& instance, std::size_t i, const NodeSet<1>& parents) {
    for (const auto& candidate : instance.problem.candidates[i])
        if (candidate.parents == parents) return candidate.row;
    CHECK(false);
    return 0;
}

void check_instance(std::mt19937& random, const std::vector<Graph>& every) {
    const auto instance = random_instance(random);
    std::map<std::vector<std::uint32_t>, Cost> networks;
    for (const auto& graph : every) {
        std::vector<std::uint32_t> rows;
        Cost cost = 0;
        for (std::size_t i = 0; i < nodes; ++i) {
            rows.push_back(row_of(instance, i, graph[i]));
            cost += instance.costs[rows.back()];
        }
        networks[rows] = cost;
    }
    const auto least =
        std::ranges::min_element(networks, {}, [](const auto& n) { return n.second; });
    const Cost limit = least->second + static_cast<Cost>(random() % 8);
    std::map<std::vector<std::uint32_t>, Cost> canonical;
    for (const auto& [rows, cost] : networks) {
        Graph graph;
        for (const auto row : rows) {
            graph.emplace_back();
            graph.back().word[0] = instance.parents[row];
        }
        if (cost <= limit && is_canonical(graph)) canonical[rows] = cost;
    }
    Control control;
    Circuit circuit;
    CompilerStatistics counted;
    const auto root = compile(instance.problem, {}, limit, {}, circuit, control, counted);
    CHECK(root.has_value());
    const auto set = CompiledSet::make(circuit, *root, instance.offsets, instance.costs, limit,
                                       {1 << 20, 100}, control);
    const auto flat = set->flat();
    const std::vector<Node> members{0, 1, 2, 3};
    const BlockProblem block{flat, instance.offsets, instance.costs, instance.parents.data(),
                             1,    least->first,     members};
    const auto found = local_classes(block, limit, {1u << 30, 1u << 30}, 1, control);
    CHECK(found.complete);
    CHECK(found.costs.size() == canonical.size());
    CHECK(found.leaves >= canonical.size());
    for (std::size_t c = 0; c < found.costs.size(); ++c) {
        std::vector<std::uint32_t> rows;
        for (std::size_t m = 0; m < nodes; ++m)
            rows.push_back(found.rows[found.codes[c * nodes + m]]);
        const auto it = canonical.find(rows);
        CHECK(it != canonical.end() && it->second == found.costs[c]);
        canonical.erase(it); // none twice
    }
    const auto again = local_classes(block, limit, {1u << 30, 1u << 30}, 3, control);
    CHECK(again.codes == found.codes && again.steps == found.steps);
    if (found.costs.size() > 1) {
        const auto few =
            local_classes(block, limit, {1u << 30, found.costs.size() - 1}, 1, control);
        CHECK(!few.complete && few.costs.empty());
    }
    CHECK(local_classes(block, least->second - 1, {100, 100}, 1, control).costs.empty());
}

} // namespace

int main() {
    std::mt19937 random(1);
    const auto every = all_dags(nodes);
    for (int round = 0; round < 200; ++round) check_instance(random, every);
}
