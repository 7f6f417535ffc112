// The engine against exhaustive search on random tables: which candidates the
// subset program and the search over subsets keep, which networks the compiler finds, how they are
// counted, listed and weighed, at every width of node sets.
#include "bounds/clusters.h"
#include "bounds/neighbourhoods.h"
#include "bounds/order_search.h"
#include "bounds/problem.h"
#include "bounds/subset_program.h"
#include "bounds/subset_search.h"
#include "check.h"
#include "enumeration/compiled_set.h"
#include "enumeration/compiler.h"
#include "enumeration/dual_ascent.h"
#include "enumeration/layered_compiler.h"
#include "enumeration/live_circuit.h"
#include "random_problems.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace crediblenet;

namespace {

constexpr CountingLimits limits{1 << 20, 100};

std::size_t searches = 0, optima_found = 0; // of the local search, in all instances
std::size_t starts = 0, optima_reached = 0; // of the search of neighbourhoods

// From every network, hot and cold, with a relaxed solution and without.
template <std::size_t W>
void check_neighbourhoods(const Problem<W>& problem, const std::map<Rows, Cost>& every,
                          Cost optimum, std::size_t n_rows, std::mt19937& random) {
    Control control;
    for (const auto& [rows, cost] : every) {
        if (random() % 8 != 0) continue;
        std::vector<double> x;
        if (random() % 2 == 0) x.assign(n_rows, 0.5);
        const NeighbourhoodOptions options{1'000, static_cast<Cost>(random() % 3), random()};
        const auto found = search_neighbourhoods(problem, rows, x, options, control);
        CHECK(found.cost <= cost && every.at(found.rows) == found.cost);
        const auto again = search_neighbourhoods(problem, rows, x, options, control);
        CHECK(again.rows == found.rows);
        ++starts;
        optima_reached += found.cost == optimum ? 1 : 0;
    }
    // Choices that are no network are refused.
    Rows first;
    std::vector<NodeSet<W>> parents;
    for (const auto& list : problem.candidates) {
        first.push_back(list.front().row);
        parents.push_back(list.front().parents);
    }
    const auto is_refused = [&](const Rows& rows) {
        try {
            search_neighbourhoods(problem, rows, {}, {}, control);
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    CHECK(is_refused(first) == !acyclic(parents));
    first.back() = static_cast<std::uint32_t>(n_rows);
    CHECK(is_refused(first));
    first.pop_back();
    CHECK(is_refused(first));
}

template <std::size_t W> void check_instance(std::mt19937& random) {
    Instance instance;
    const auto n = 2 + random() % 4;
    const auto problem = random_problem<W>(n, random, instance);
    const auto every = all_networks(problem);
    Control control;
    const Cost slack = static_cast<Cost>(random() % 8);
    const auto block = subset_program(problem, NodeSet<W>::first(n), slack, control);
    CHECK(block.optimum.has_value() == !every.empty());
    // Any multipliers will do for the search over subsets.
    std::vector<Multiplier<W>> multipliers;
    for (std::uint32_t k = 1; k < 3; ++k)
        multipliers.push_back(
            {NodeSet<W>::first(2 + random() % n), k, static_cast<Cost>(random() % 5)});
    const auto searched =
        subset_search(problem, NodeSet<W>::first(n), multipliers, 1000, slack, 1'000'000, control);
    CHECK(searched.finished && searched.program.optimum == block.optimum);
    CHECK(searched.program.rows == block.rows);
    CHECK(!subset_search(problem, NodeSet<W>::first(n), multipliers, 1000, slack, 0, control)
               .finished);
    CHECK(control.memory() == 0);
    if (every.empty()) return;

    Cost optimum = every.begin()->second;
    for (const auto& [rows, cost] : every) optimum = std::min(optimum, cost);
    CHECK(*block.optimum == optimum);
    const auto found = order_search(problem, 20, 1, {}, control);
    CHECK(found.cost >= optimum && every.at(found.rows) == found.cost);
    ++searches;
    optima_found += found.cost == optimum ? 1 : 0;
    for (const auto& [rows, cost] : every) {
        // The order that fits a network admits it, so that what is found is no worse.
        std::vector<double> x(instance.costs.size(), 0.0);
        for (auto row : rows) x[row] = 1.0;
        const auto guided = order_search(problem, 1, 1, x, control);
        CHECK(guided.cost <= cost && every.at(guided.rows) == guided.cost);
    }

    check_neighbourhoods(problem, every, optimum, instance.costs.size(), random);

    std::map<Rows, Cost> wanted;
    std::map<Cost, std::uint64_t> counts;
    std::set<std::uint32_t> used;
    std::vector<double> weights(instance.costs.size(), 0.0);
    for (const auto& [rows, cost] : every) {
        if (cost > optimum + slack) continue;
        wanted[rows] = cost;
        ++counts[cost];
        for (auto row : rows) {
            used.insert(row);
            weights[row] += std::exp(-static_cast<double>(cost - optimum));
        }
    }
    CHECK(std::ranges::equal(block.rows, used));

    Circuit circuit;
    CompilerStatistics statistics;
    // Whatever guides the bounds, no network is lost.
    CompilerOptions options;
    options.probing = random() % 2 == 0;
    options.ascending = random() % 4 != 0;
    options.share = 0.25;
    std::vector<Multiplier<W>> guides;
    for (auto count = random() % 6; count > 0; --count) {
        NodeSet<W> members;
        members.word[0] = random() % (2u << n); // perhaps with a variable that there is not
        guides.push_back({members, static_cast<std::uint32_t>(random() % 4),
                          static_cast<Cost>(random() % 20) - 2});
    }
    const auto root =
        compile(problem, guides, optimum + slack, options, circuit, control, statistics);
    CHECK(std::abs(control.pending - 0.25) < 1e-12); // all of its share is done
    CHECK(root && statistics.complete && !statistics.limited);
    CHECK(least_cost(circuit, *root, instance.costs) == optimum);
    Circuit other;
    const auto copy = other.absorb(circuit, *root);
    const auto set = CompiledSet::make(other, copy, instance.offsets, instance.costs,
                                       optimum + slack, limits, control);
    const auto again = CompiledSet::make(set->flat(), instance.offsets, instance.costs,
                                         optimum + slack, limits, control);
    std::vector<std::vector<Rows>> orders;
    for (const auto* compiled : {set.get(), again.get()}) {
        const auto costs = compiled->level_costs();
        const auto networks = compiled->level_counts();
        CHECK(costs.size() == counts.size() && networks.size() == counts.size());
        std::size_t level = 0;
        for (const auto& [cost, count] : counts) {
            CHECK(costs[level] == cost && networks[level] == BigUint(count));
            ++level;
        }
        // Listed in order of cost, none twice, from any rank.
        std::vector<Rows> listed;
        Cost before = costs.front();
        compiled->list(BigUint(0), [&](Cost cost, std::span<const std::uint32_t> rows) {
            listed.emplace_back(rows.begin(), rows.end());
            CHECK(cost >= before && wanted.at(listed.back()) == cost);
            before = cost;
            return true;
        });
        CHECK(listed.size() == wanted.size());
        CHECK(std::set<Rows>(listed.begin(), listed.end()).size() == wanted.size());
        orders.push_back(listed);
        const auto start = random() % listed.size();
        compiled->list(BigUint(start), [&](Cost, std::span<const std::uint32_t> rows) {
            CHECK(std::ranges::equal(rows, listed[start]));
            return false;
        });
        const auto logs = compiled->candidate_log_weights(optimum + slack, 1.0, control);
        for (std::size_t row = 0; row < weights.size(); ++row)
            CHECK(weights[row] == 0 ? std::isinf(logs[row])
                                    : std::abs(logs[row] - std::log(weights[row])) < 1e-9);
    }
    CHECK(orders[0] == orders[1]); // ties too: ranks and draws survive saving

    // However few levels are kept, and whatever part is asked for, the answers are the same.
    for (std::size_t longest : {0, 1, 2, 5, 1000}) {
        const auto folded = CompiledSet::make(other, copy, instance.offsets, instance.costs,
                                              optimum + slack, {0, longest}, control);
        CHECK(!folded->has_levels());
        for (const Cost most : {optimum - 1, optimum, optimum + slack / 2, optimum + slack}) {
            const auto expected = set->count(most, control);
            const auto folded_count = folded->count(most, control);
            CHECK(folded_count.networks == expected.networks);
            if (most < optimum) continue;
            CHECK(folded_count.greatest == expected.greatest);
            const auto part = folded->levelled_within(most, 1 << 20, control);
            CHECK(part->has_levels() && part->count(most, control).networks == expected.networks);
            std::vector<double> sums(weights.size(), 0.0);
            for (const auto& [rows, cost] : wanted)
                if (cost <= most)
                    for (const auto row : rows)
                        sums[row] += std::exp(-0.7 * static_cast<double>(cost - optimum));
            for (const auto* one : {folded.get(), part.get()}) {
                const auto logs = one->candidate_log_weights(most, 0.7, control);
                for (std::size_t row = 0; row < logs.size(); ++row)
                    CHECK(sums[row] == 0 ? std::isinf(logs[row])
                                         : std::abs(logs[row] - std::log(sums[row])) < 1e-9);
            }
        }
    }

    // Layer by layer, the same networks are found.
    Circuit layers;
    CompilerStatistics layered;
    control.pending = 0;
    const auto top =
        compile_layers(problem, optimum + slack, 1 << 30, 0.5, layers, control, layered);
    CHECK(std::abs(control.pending - 0.5) < 1e-12); // all of its share is done
    CHECK(top && layered.complete && !layered.limited);
    const auto layered_set = CompiledSet::make(layers, *top, instance.offsets, instance.costs,
                                               optimum + slack, limits, control);
    std::size_t seen = 0;
    layered_set->list(BigUint(0), [&](Cost cost, std::span<const std::uint32_t> rows) {
        CHECK(wanted.at(Rows(rows.begin(), rows.end())) == cost);
        ++seen;
        return true;
    });
    CHECK(seen == wanted.size()); // none is missing; the counts say that none is there twice
    CHECK(layered_set->count(optimum + slack, control).networks == BigUint(wanted.size()));
    CHECK(!compile_layers(problem, optimum - 1, 1 << 30, 0, layers, control, layered));
    // Without memory for the tables it is given up, and the run goes on.
    Control tight;
    tight.set_memory_limit(1000);
    CompilerStatistics poor;
    compile_layers(problem, optimum + slack, 1 << 30, 0, layers, tight, poor);
    CHECK((poor.limited || poor.complete) && !tight.stopped());
    CompilerStatistics given_up;
    compile_layers(problem, optimum + slack, 5, 0.25, layers, control, given_up);
    CHECK(given_up.limited && !given_up.complete &&
          std::abs(control.pending - 0.5) < 1e-12); // nothing more

    // A limit on nodes is kept, and what was found by then are networks.
    Circuit partial;
    CompilerStatistics few;
    compile(problem, {}, optimum + slack, {.node_limit = 1}, partial, control, few);
    CHECK(few.nodes <= 1);
    CHECK(few.complete || few.limited);
    // So is one on dead ends, which are counted until the limit is reached.
    CompilerStatistics all, one;
    Circuit scratch;
    compile(problem, {}, optimum + slack, {}, scratch, control, all);
    compile(problem, {}, optimum + slack, {.dead_end_limit = 1}, scratch, control, one);
    CHECK(!all.limited && one.limited == (all.dead_ends > 0) && one.complete != one.limited);
}

struct Coins {
    Circuit circuit;
    CircuitNode root = 0;
    std::vector<std::int64_t> offsets{0};
    std::vector<Cost> costs;
};

// Independent variables with two candidates each: one is free, the other costs less than `most`.
Coins coins(std::size_t n, std::uint32_t most) {
    Coins made;
    std::vector<CircuitNode> factors;
    for (std::uint32_t i = 0; i < n; ++i) {
        factors.push_back(
            made.circuit.choice({made.circuit.leaf(2 * i), made.circuit.leaf(2 * i + 1)}));
        made.offsets.push_back(2 * i + 2);
        made.costs.insert(made.costs.end(), {0, i % most});
    }
    made.root = made.circuit.product(factors);
    return made;
}

// More networks than 64 bits can count, and than 128 bits can.
void check_huge_folded_counts() {
    for (const std::size_t n : {40, 90, 150}) {
        const auto [circuit, root, offsets, costs] = coins(n, 7);
        Control control;
        const auto most = static_cast<Cost>(3 * n); // all but a few networks cost less
        const auto set = CompiledSet::make(circuit, root, offsets, costs, most, limits, control);
        const auto folded =
            CompiledSet::make(circuit, root, offsets, costs, most, {0, 10}, control);
        CHECK(set->count(most, control).networks == folded->count(most, control).networks);
        const auto half = most / 2;
        CHECK(set->count(half, control).networks == folded->count(half, control).networks);
        const auto logs = set->candidate_log_weights(half, 0.1, control);
        const auto folded_logs = folded->candidate_log_weights(half, 0.1, control);
        for (std::size_t row = 0; row < logs.size(); ++row)
            CHECK(std::abs(logs[row] - folded_logs[row]) < 1e-9);
    }
}

// Averaging takes about as long as the halves that meet are together, not as they are multiplied.
void check_long_halves() {
    constexpr std::uint32_t options = 400'000;
    constexpr double unit = 1e-4;
    Circuit circuit;
    std::vector<CircuitNode> factors;
    std::vector<Cost> costs;
    for (std::uint32_t variable = 0; variable < 2; ++variable) {
        std::vector<CircuitNode> leaves;
        for (std::uint32_t option = 0; option < options; ++option) {
            leaves.push_back(circuit.leaf(variable * options + option));
            costs.push_back(option);
        }
        factors.push_back(circuit.choice(leaves));
    }
    const std::vector<std::int64_t> offsets{0, options, 2 * options};
    Control control;
    const Cost most = options - 1;
    const auto began = Control::Clock::now();
    const auto set = CompiledSet::make(circuit, circuit.product(factors), offsets, costs, most,
                                       {0, options}, control);
    CHECK(!set->has_levels());
    const std::chrono::duration<double> making = Control::Clock::now() - began;
    control.set_time_limit(1 + 20 * making.count()); // on any machine, and with sanitizers
    const auto logs = set->candidate_log_weights(most, unit, control);
    // With one choice go those of the other variable that leave the sum within the limit.
    for (std::uint32_t option = 0; option < options; option += 5000) {
        const double others = (1 - std::exp(-unit * (options - option))) / (1 - std::exp(-unit));
        CHECK(std::abs(logs[option] - (std::log(others) - unit * option)) < 1e-6);
        CHECK(std::abs(logs[options + option] - logs[option]) < 1e-6);
    }
}

// Products of many independent choices overflow any machine word.
void check_huge_counts() {
    constexpr std::size_t n = 200;
    const auto [circuit, root, offsets, costs] = coins(n, 1);
    Control control;
    const auto set = CompiledSet::make(circuit, root, offsets, costs, 0, limits, control);
    BigUint expected(1);
    for (std::size_t i = 0; i < n; ++i) expected += expected;
    CHECK(set->level_counts() == std::vector<BigUint>{expected});
    // The last network of all can be found by its rank.
    std::size_t seen = 0;
    set->list(expected - BigUint(1), [&](Cost, std::span<const std::uint32_t> rows) {
        for (std::uint32_t i = 0; i < n; ++i) CHECK(rows[i] == 2 * i + 1);
        ++seen;
        return true;
    });
    CHECK(seen == 1);
    const auto logs = set->candidate_log_weights(0, 1.0, control);
    for (auto log_weight : logs) CHECK(std::abs(log_weight - (n - 1) * std::log(2.0)) < 1e-9);
}

void check_stopping() {
    std::mt19937 random(11);
    Instance instance;
    const auto problem = random_problem<1>(5, random, instance);
    Control control;
    control.stop(StopReason::interrupted);
    Circuit circuit;
    CompilerStatistics statistics;
    compile(problem, {}, 100, {}, circuit, control, statistics);
    CHECK(!statistics.complete || statistics.nodes == 0);
    Control poor;
    poor.set_memory_limit(1000);
    bool stopped = false;
    try {
        subset_program(problem, NodeSet<1>::first(5), 0, poor);
    } catch (const Stopped& error) {
        stopped = error.reason == StopReason::memory;
    }
    CHECK(stopped);
}

} // namespace

// A variable that has lost all of its options has no network, wherever it stands, and whether the
// ascent begins with multipliers or not, and takes steps or not.
void check_variables_without_options(bool ascending) {
    Control control;
    DualAscent<1> ascent(ascending, control);
    const Multiplier<1> row{{NodeSet<1>::first(3), 2}, 5};
    for (std::size_t empty = 0; empty < 3; ++empty) {
        std::vector<OpenVariable<1>> variables;
        for (std::size_t v = 0; v < 3; ++v) {
            variables.push_back({static_cast<Node>(v), {}});
            if (v != empty) variables.back().options.push_back({{}, 1, 0});
        }
        CHECK(ascent.run(variables).bound >= no_dag);
        CHECK(ascent.run(variables, {row}).bound >= no_dag);
        variables[empty].options.push_back({{}, 1, 0});
        CHECK(ascent.run(variables).bound == 3);
        CHECK(ascent.run(variables, {row}).bound == 3);
    }
}

int main() {
    std::mt19937 random(7);
    for (const bool ascending : {true, false}) check_variables_without_options(ascending);
    at_every_width([&]<std::size_t W>() { check_instance<W>(random); });
    // They prove nothing, but find what is there.
    CHECK(100 * optima_found > 98 * searches);
    CHECK(starts > 1'000 && 100 * optima_reached > 99 * starts);
    check_huge_counts();
    check_huge_folded_counts();
    check_long_halves();
    check_stopping();
}
