// Candidate parent sets against the definitions, counted and added up the plain way.
#include "scores/discrete_scores.h"
#include "scores/gaussian_scores.h"
#include "scores/log_terms.h"
#include "scores/memory_estimate.h"
#include "scores/scoring.h"

#include "check.h"
#include "random_tables.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <thread>

using namespace crediblenet;

namespace {

using Parents = std::set<Node>;
using Costs = std::map<Parents, long double>; // of one variable

ScoringParams everything(std::size_t variables) {
    ScoringParams params;
    params.epsilon = HUGE_VAL;
    params.constant.assign(variables, false);
    params.required.resize(variables);
    params.forbidden.resize(variables);
    return params;
}

// The result by variable and parent set, in nats.
std::vector<Costs> by_set(const ScoringResult& result, std::size_t variables) {
    const auto words = (variables + 63) / 64;
    std::vector<Costs> costs(variables);
    for (std::size_t i = 0; i < variables; ++i)
        for (auto k = result.offsets[i]; k < result.offsets[i + 1]; ++k) {
            Parents parents;
            for (std::size_t v = 0; v < variables; ++v)
                if (result.parents[k * words + v / 64] >> (v % 64) & 1)
                    parents.insert(static_cast<Node>(v));
            const auto cost =
                std::ldexp(static_cast<long double>(result.costs[k]), -result.grid_bits);
            CHECK(costs[i].emplace(parents, cost).second); // each set once
        }
    return costs;
}

std::vector<Costs> score(DiscreteKind kind, const DiscreteTable& table, ScoringParams params,
                         double ess = 1) {
    Control control;
    const auto function = make_discrete_score(kind, table, ess);
    return by_set(score_parent_sets(*function, params, control), table.variables());
}

// The cost straight from the definition.
long double plain_cost(DiscreteKind kind, const DiscreteTable& table, Node child,
                       const Parents& parents, long double ess) {
    const std::vector<Node> order(parents.begin(), parents.end());
    auto family = order;
    family.push_back(child);
    const auto joint = count_plainly(table, family);
    const auto given = count_plainly(table, order);
    const long double r = table.arity[child];
    long double states = 1;
    for (const auto v : order) states *= table.arity[v];
    const auto rows = static_cast<long double>(table.total);

    long double fit = 0, regrets = 0;
    for (const auto& [key, n] : joint) fit -= n_log_n(n);
    for (const auto& [key, n] : given) {
        fit += n_log_n(n);
        regrets += log_multinomial_regret(n, r);
    }
    const auto dirichlet = [&](long double a) { // one hyperparameter per cell
        long double cost = 0;
        for (const auto& [key, n] : given) cost += log_rising(a * r, n);
        for (const auto& [key, n] : joint) cost -= log_rising(a, n);
        return cost;
    };
    switch (kind) {
    case DiscreteKind::bic: return fit + std::log(rows) / 2 * states * (r - 1);
    case DiscreteKind::aic: return fit + states * (r - 1);
    case DiscreteKind::qnml:
        return fit + log_multinomial_regret(table.total, states * r) -
               log_multinomial_regret(table.total, states);
    case DiscreteKind::fnml: return fit + regrets;
    case DiscreteKind::k2: return dirichlet(1);
    case DiscreteKind::bdeu: return dirichlet(ess / (states * r));
    case DiscreteKind::bds: return dirichlet(ess / (static_cast<long double>(given.size()) * r));
    }
    return 0;
}

constexpr DiscreteKind kinds[] = {DiscreteKind::bic,  DiscreteKind::aic, DiscreteKind::qnml,
                                  DiscreteKind::bdeu, DiscreteKind::bds, DiscreteKind::k2,
                                  DiscreteKind::fnml};

void test_costs() {
    for (const auto kind : kinds)
        for (unsigned seed = 0; seed < 8; ++seed) {
            const auto table = random_table(seed, 5, 2 + seed * 20, 4, seed % 3 + 1);
            const double ess = seed % 2 == 0 ? 1 : 0.3;
            const auto costs = score(kind, table, everything(5), ess);
            for (Node i = 0; i < 5; ++i) {
                CHECK(costs[i].size() == 16);
                for (const auto& [parents, cost] : costs[i])
                    CHECK(std::abs(cost - plain_cost(kind, table, i, parents, ess)) < 1e-9);
            }
        }
}

// A prefix that many sets have is laid out anew as a whole, which changes no term.
void test_many_sets_with_one_prefix() {
    Control control;
    for (const auto kind : {DiscreteKind::bic, DiscreteKind::bdeu, DiscreteKind::bds})
        for (unsigned seed = 0; seed < 6; ++seed) {
            const auto table = random_table(seed, 40, 400, 4, seed % 2 + 1);
            const auto function = make_discrete_score(kind, table, 1);
            const auto by_bits = function->evaluator(control);
            const auto by_rows = function->evaluator(control);
            std::vector<Cost> terms(function->traits().terms), expected(terms.size());
            for (Node first = 0; first < 3; ++first) {
                std::vector<Node> prefix;
                for (Node k = 0; k <= seed % 3; ++k)
                    prefix.push_back(static_cast<Node>(first + 3 * k));
                by_bits->set_prefix(prefix);
                prefix.push_back(0);
                for (Node round_b = 0; round_b < 90; ++round_b) { // three rounds: enough to pay
                    const auto b = static_cast<Node>(10 + round_b % 30);
                    prefix.back() = b;
                    by_rows->set_prefix(prefix);
                    for (Node c = b + 1; c < 40; ++c) {
                        by_bits->evaluate(b, c, terms);
                        by_rows->evaluate(c, expected);
                        CHECK(terms == expected);
                    }
                }
            }
        }
}

// What rule R1 leaves of all parent sets that the constraints allow.
Costs undominated(const Costs& all, double epsilon, const ScoringParams& params, Node child) {
    Costs allowed, left;
    for (const auto& [parents, cost] : all) {
        bool fine = parents.size() <= params.max_parents;
        for (const auto v : params.required[child]) fine = fine && parents.contains(v);
        for (const auto v : params.forbidden[child]) fine = fine && !parents.contains(v);
        if (fine) allowed.emplace(parents, cost);
    }
    for (const auto& [parents, cost] : allowed) {
        bool dominated = false;
        for (const auto& [subset, other] : allowed)
            dominated = dominated || (subset.size() < parents.size() && other + epsilon < cost &&
                                      std::includes(parents.begin(), parents.end(), subset.begin(),
                                                    subset.end()));
        if (!dominated) left.emplace(parents, cost);
    }
    return left;
}

void test_pruning() {
    for (const auto kind : kinds)
        for (unsigned seed = 0; seed < 6; ++seed) {
            const auto table = random_table(seed, 6, 3 + seed * 15, 3, seed % 2 + 1);
            const auto all = score(kind, table, everything(6));
            for (const double epsilon : {1e-6, 3.0}) {
                auto params = everything(6);
                params.epsilon = epsilon;
                if (seed % 2 == 1) {
                    params.max_parents = 3;
                    params.required[2] = {4};
                    params.forbidden[1] = {0, 5};
                }
                const RuleSwitches r1_only{true, false, false, false, false, false};
                for (const auto& rules : {RuleSwitches{}, r1_only}) {
                    params.rules = rules;
                    const auto costs = score(kind, table, params);
                    for (Node i = 0; i < 6; ++i) {
                        const auto expected = undominated(all[i], epsilon, params, i);
                        CHECK(costs[i].size() == expected.size());
                        for (const auto& [parents, cost] : costs[i])
                            CHECK(expected.contains(parents));
                    }
                }
            }
        }
}

void test_constant_variables_stand_alone() {
    auto params = everything(4);
    params.constant[1] = true;
    const auto costs = score(DiscreteKind::bic, random_table(1, 4, 50, 3), params);
    CHECK(costs[1].size() == 1);
    for (const auto& of_variable : costs)
        for (const auto& [parents, cost] : of_variable) CHECK(!parents.contains(1));
}

// Every width of a node set: one word, two, four and eight.
void test_many_variables() {
    for (const std::size_t variables : {64u, 65u, 130u, 260u}) {
        if (variables > max_nodes) break; // built with fewer widths
        const auto table = random_table(2, variables, 40, 3);
        auto params = everything(variables);
        params.epsilon = 1;
        params.max_parents = 1;
        params.threads = 2;
        const auto costs = score(DiscreteKind::bdeu, table, params);
        for (const std::size_t i : {std::size_t{0}, variables - 1})
            for (const auto& [parents, cost] : costs[i]) {
                const auto child = static_cast<Node>(i);
                const auto plain = plain_cost(DiscreteKind::bdeu, table, child, parents, 1);
                CHECK(std::abs(cost - plain) < 1e-9);
            }
        // A copy with errors is worth an arc.
        CHECK(costs[variables - 1].contains({static_cast<Node>(variables - 2)}));
    }
}

void test_threads() {
    const auto table = random_table(5, 10, 200, 3, 3);
    for (const auto kind : {DiscreteKind::bic, DiscreteKind::bdeu, DiscreteKind::k2}) {
        auto params = everything(10);
        params.epsilon = 3;
        ScoringResult results[2];
        for (const unsigned threads : {1u, 4u}) {
            Control control;
            params.threads = threads;
            const auto function = make_discrete_score(kind, table, 1);
            results[threads / 4] = score_parent_sets(*function, params, control);
            CHECK(control.visited.load() <= results[threads / 4].counted);
        }
        CHECK(results[0].costs == results[1].costs);
        CHECK(results[0].parents == results[1].parents);
        CHECK(results[0].counted == results[1].counted);
        CHECK(results[0].removed.r1 == results[1].removed.r1);
    }
}

void test_limits() {
    const auto table = random_table(7, 40, 300, 3);
    auto params = everything(40);
    params.epsilon = 3;
    params.threads = 2;
    const auto run = [&](DiscreteKind kind, Control& control) {
        const auto function = make_discrete_score(kind, table, 1);
        return score_parent_sets(*function, params, control);
    };
    const auto stopped_by = [&](DiscreteKind kind, Control& control) {
        try {
            run(kind, control);
        } catch (const Stopped& stopped) {
            return stopped.reason;
        }
        return StopReason::none;
    };
    Control poor; // foreseen for qNML, on the way for BDeu
    poor.set_memory_limit(20'000'000);
    CHECK(stopped_by(DiscreteKind::qnml, poor) == StopReason::memory);
    CHECK(stopped_by(DiscreteKind::bdeu, poor) == StopReason::memory);
    Control hurried;
    hurried.set_time_limit(0.05);
    CHECK(stopped_by(DiscreteKind::bdeu, hurried) == StopReason::time);
    Control interrupted;
    std::jthread user([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        interrupted.stop(StopReason::interrupted);
    });
    CHECK(stopped_by(DiscreteKind::bdeu, interrupted) == StopReason::interrupted);
}

// What is foreseen before anything is counted holds, and the rest is expected.
void test_memory_forecast() {
    const auto table = random_table(11, 14, 200, 3);
    for (const bool prunes : {false, true}) {
        auto params = everything(14);
        if (prunes) params.epsilon = 3;
        Control control;
        const auto function = make_discrete_score(DiscreteKind::bic, table, 1);
        score_parent_sets(*function, params, control);
        const auto forecast = control.forecast();
        const auto peak = static_cast<double>(control.memory_peak());
        CHECK(forecast.least <= peak && peak <= forecast.most);
        CHECK(forecast.least <= forecast.expected && forecast.expected <= forecast.most);
        CHECK(prunes || forecast.least > 0.7 * peak); // known nearly exactly
        CHECK(prunes || forecast.expected >= peak);
    }
    // Pairs that all survive: every larger set does. None does: nothing is left.
    CHECK((expected_alive({5}, {10}, 2, 4) == std::vector<double>{10, 10, 5}));
    CHECK((expected_alive({5}, {0}, 2, 4) == std::vector<double>{0}));
    // Half of the pairs: C(5, 3) / 8 sets of three.
    CHECK((expected_alive({5}, {5}, 2, 3) == std::vector<double>{5, 1.25}));
}

// Sums that would not fit are refused rather than wrapped around.
void test_too_many_states() {
    auto table = random_table(9, 12, 50, 2);
    for (auto& arity : table.arity) arity = 60'000; // declared, never seen
    auto params = everything(12);
    CHECK_THROWS(score(DiscreteKind::bic, table, params), Stopped);
    params.epsilon = 3;
    CHECK(score(DiscreteKind::bic, table, params)[0].size() >= 1);
}

// The determinant of some rows and columns, by elimination.
long double log_determinant(const Scatter& scatter, const std::vector<Node>& which) {
    std::vector<std::vector<long double>> m;
    for (const auto a : which) {
        auto& row = m.emplace_back();
        for (const auto b : which) row.push_back(scatter.matrix[a * scatter.variables + b]);
    }
    long double sum = 0;
    for (std::size_t k = 0; k < m.size(); ++k) {
        sum += std::log(m[k][k]);
        for (std::size_t a = k + 1; a < m.size(); ++a)
            for (std::size_t b = m.size(); b-- > k;) m[a][b] -= m[a][k] / m[k][k] * m[k][b];
    }
    return sum;
}

void test_gaussian_bic() {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    constexpr std::size_t rows = 30, variables = 4;
    std::vector<double> values;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t v = 0; v < variables; ++v)
            values.push_back(normal(random) + (v == 0 ? 0 : values.back()));
    const auto scatter = Scatter::of(values.data(), rows, variables);
    const auto function = make_gaussian_score(GaussianKind::bic_g, scatter, 1);
    Control control;
    const auto costs =
        by_set(score_parent_sets(*function, everything(variables), control), variables);
    for (Node i = 0; i < variables; ++i)
        for (const auto& [parents, cost] : costs[i]) {
            const std::vector<Node> order(parents.begin(), parents.end());
            auto family = order;
            family.push_back(i);
            const auto residual = log_determinant(scatter, family) -
                                  log_determinant(scatter, order) - std::log(30.0L);
            const auto pi = std::numbers::pi_v<long double>;
            const auto plain = 15 * (std::log(2 * pi) + residual + 1) +
                               std::log(30.0L) / 2 * static_cast<long double>(parents.size() + 2);
            CHECK(std::abs(cost - plain) < 1e-8);
        }
    for (std::size_t r = 0; r < rows; ++r)
        values[r * variables + 3] = values[r * variables] + values[r * variables + 1];
    const auto dependent = Scatter::of(values.data(), rows, variables);
    const auto singular = make_gaussian_score(GaussianKind::bic_g, dependent, 1);
    CHECK_THROWS(score_parent_sets(*singular, everything(variables), control), LinearlyDependent);
    const auto bge = make_gaussian_score(GaussianKind::bge, dependent, 1);
    CHECK(score_parent_sets(*bge, everything(variables), control).costs.size() == 32);
}

} // namespace

int main() {
    test_costs();
    test_many_sets_with_one_prefix();
    test_pruning();
    test_constant_variables_stand_alone();
    test_many_variables();
    test_threads();
    test_limits();
    test_memory_forecast();
    test_too_many_states();
    test_gaussian_bic();
}
