// Cluster inequalities and local cuts against all networks of random problems, and the
// incremental left sides of growing and walking clusters against plain sums.
#include "bounds/annealed_clusters.h"
#include "bounds/clusters.h"
#include "bounds/fractions.h"
#include "bounds/growing_cluster.h"
#include "bounds/local_cuts.h"
#include "bounds/walking_cluster.h"
#include "check.h"
#include "random_problems.h"

#include <bit>
#include <cmath>

using namespace crediblenet;

namespace {

std::size_t local_cuts_found = 0; // in all instances
std::size_t violated = 0,
            annealed = 0; // instances with a cluster that a point breaks, or walks find

template <std::size_t W>
double left_side(const std::vector<Fraction<W>>& list, const Cluster<W>& cluster) {
    double sum = 0;
    for (const auto& fraction : list)
        if (cluster.counts(fraction.variable, fraction.parents)) sum += fraction.value;
    return sum;
}

// A growing cluster knows its left side, and that with any variable more.
template <std::size_t W>
void check_growing(const Problem<W>& problem, std::span<const double> x, std::mt19937& random) {
    const auto n = problem.n_variables();
    const auto list = fractions(problem, x, 0.0);
    for (std::uint32_t k = 1; k <= 3; ++k) {
        GrowingCluster<W> cluster(list, n, k);
        for (int repeat = 0; repeat < 3; ++repeat) { // it is as new when it is cleared
            cluster.clear();
            CHECK(cluster.members().empty());
            for (auto size = random() % (n + 1); cluster.members().size() < size;) {
                for (std::size_t v = 0; v < n; ++v) {
                    if (cluster.members().contains(v)) continue;
                    auto larger = cluster.members();
                    larger.insert(v);
                    CHECK(std::abs(cluster.left_side_with(v) - left_side<W>(list, {larger, k})) <
                          1e-9);
                }
                const auto next = random() % n;
                if (!cluster.members().contains(next)) cluster.add(next);
                CHECK(std::abs(cluster.left_side() - left_side<W>(list, {cluster.members(), k})) <
                      1e-9);
            }
        }
    }
}

// A walking cluster knows its left side, and by how much any step raises it.
template <std::size_t W>
void check_walking(const Problem<W>& problem, std::span<const double> x, std::mt19937& random) {
    const auto n = problem.n_variables();
    const auto list = fractions(problem, x, 0.0);
    WalkingCluster<W> cluster(list, n);
    for (int repeat = 0; repeat < 3; ++repeat) { // it is as new when it is cleared
        cluster.clear();
        NodeSet<W> members;
        for (int step = 0; step < 20; ++step) {
            CHECK(cluster.members() == members);
            const double now = left_side<W>(list, {members, 1});
            CHECK(std::abs(cluster.left_side() - now) < 1e-9);
            for (std::size_t v = 0; v < n; ++v) {
                auto after = members;
                after.contains(v) ? after.erase(v) : after.insert(v);
                CHECK(std::abs(cluster.rise(v) - (left_side<W>(list, {after, 1}) - now)) < 1e-9);
            }
            const auto next = random() % n;
            members.contains(next) ? members.erase(next) : members.insert(next);
            cluster.flip(next);
        }
    }
}

// Clusters that are found hold for every network, and are violated as much as they say.
template <std::size_t W>
void check_found(const std::vector<FoundCluster<W>>& found, const Problem<W>& problem,
                 const std::map<Rows, Cost>& every, const Instance& instance,
                 std::span<const double> x) {
    const auto list = fractions(problem, x, 0.0);
    for (const auto& cluster : found) {
        const auto reduced = reduced_costs<W>(problem, {{cluster, 1}}, instance.costs.size());
        for (const auto& [network, cost] : every) {
            Cost count = 0; // of the candidates that one unit less marks
            for (auto row : network) count += instance.costs[row] - reduced[row];
            CHECK(count >= static_cast<Cost>(cluster.k));
        }
        const double missing = cluster.k - left_side<W>(list, cluster);
        CHECK(std::abs(missing - cluster.violation) < 1e-6 && cluster.violation > 1e-4);
    }
}

// Walks find a violated cluster nearly wherever one of all sets of variables is violated, and the
// same ones with the same seed.
template <std::size_t W>
void check_annealed(const Problem<W>& problem, const std::map<Rows, Cost>& every,
                    const Instance& instance, std::vector<double> x) {
    const auto n = problem.n_variables();
    for (const auto& candidates : problem.candidates) { // as in a relaxation
        double sum = 0;
        for (const auto& candidate : candidates) sum += x[candidate.row] += 1e-3;
        for (const auto& candidate : candidates) x[candidate.row] /= sum;
    }
    Control control;
    const auto found = annealed_clusters<W>(problem, x, n, 1, 1e-4, 0.9, 20, control);
    check_found<W>(found, problem, every, instance, x);
    const auto again = annealed_clusters<W>(problem, x, n, 1, 1e-4, 0.9, 20, control);
    CHECK(std::equal(found.begin(), found.end(), again.begin(), again.end(),
                     [](const auto& a, const auto& b) { return a.members == b.members; }));
    const auto list = fractions<W>(problem, x, 0.0);
    double most = 0;
    for (std::uint32_t set = 1; set < (1u << n); ++set) {
        NodeSet<W> members;
        for (std::size_t v = 0; v < n; ++v)
            if (set >> v & 1u) members.insert(v);
        most = std::max(most, 1 - left_side<W>(list, {members, 1}));
    }
    CHECK(found.empty() || found.front().violation <= most + 1e-6);
    violated += most > 1e-3;
    annealed += most > 1e-3 && !found.empty();
}

// Local cuts with any weights hold for every network; those that are found are at least as far from
// the point as they say and cannot be made stronger, and points that are averages of networks break
// none.
template <std::size_t W>
std::size_t check_local_cuts(const Problem<W>& problem, const std::map<Rows, Cost>& every,
                             std::mt19937 random) {
    const auto n = problem.n_variables();
    std::size_t rows = 0;
    for (const auto& list : problem.candidates) rows += list.size();
    const auto left_side = [&](const LocalCut<W>& cut, const std::vector<double>& x) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (const auto& option : problem.candidates[i])
                sum += x[option.row] * static_cast<double>(cut.coefficient(i, option.parents));
        return sum;
    };
    const auto point_of = [&](const Rows& network) {
        std::vector<double> x(rows);
        for (auto row : network) x[row] = 1;
        return x;
    };
    const auto check = [&](const LocalCut<W>& cut) {
        for (const auto& [network, cost] : every)
            CHECK(left_side(cut, point_of(network)) >= static_cast<double>(cut.right_side()));
    };
    std::vector<double> x(rows), average(rows);
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (const auto& option : problem.candidates[i])
            sum += x[option.row] = static_cast<double>(random() % 4) + 0.01;
        for (const auto& option : problem.candidates[i]) x[option.row] /= sum;
    }
    Control control;
    const auto found = violated_local_cuts<W>(problem, x, 2 + random() % 4, 20, control);
    for (const auto& [cut, distance] : found) {
        check(cut);
        double square = 0;
        cut.members.for_each([&](std::size_t i) {
            for (const auto& option : problem.candidates[i]) {
                const auto coefficient = cut.coefficient(i, option.parents);
                square += static_cast<double>(coefficient * coefficient);
                if (coefficient == 0) continue;
                // It is lifted: no candidate could count for less.
                auto lower = cut;
                lower.weights.push_back({static_cast<Node>(i), option.parents & cut.members,
                                         static_cast<std::uint32_t>(coefficient - 1)});
                CHECK(lower.right_side() < cut.right_side());
            }
        });
        const double missing = static_cast<double>(cut.right_side()) - left_side(cut, x);
        CHECK(distance > 0 && missing / std::sqrt(square) > distance - 1e-6);
    }
    double shares = 0;
    for (const auto& [network, cost] : every) {
        const double share = 1 + static_cast<double>(random() % 3);
        for (auto row : network) average[row] += share;
        shares += share;
    }
    for (auto& value : average) value /= shares;
    CHECK(violated_local_cuts<W>(problem, average, 5, 20, control).empty());
    for (int repeat = 0; repeat < 5; ++repeat) {
        LocalCut<W> cut;
        for (std::size_t i = 0; i < n; ++i)
            if (random() % 3 != 0) cut.members.insert(i);
        cut.members.for_each([&](std::size_t i) {
            const auto weigh = [&](const NodeSet<W>& parents) {
                cut.weights.push_back({static_cast<Node>(i), parents & cut.members,
                                       static_cast<std::uint32_t>(random() % 10)});
            };
            weigh({});
            for (const auto& option : problem.candidates[i])
                if (random() % 2 == 0) weigh(option.parents);
            const LocalCoefficients<W> coefficient(cut, i);
            for (const auto& option : problem.candidates[i])
                CHECK(coefficient(option.parents) == cut.coefficient(i, option.parents));
        });
        check(cut);
    }
    return found.size();
}

template <std::size_t W> void check_instance(std::mt19937& random) {
    Instance instance;
    const auto problem = random_problem<W>(2 + random() % 4, random, instance);
    const auto every = all_networks(problem);
    std::vector<double> x(instance.costs.size());
    for (auto& value : x) value = static_cast<double>(random() % 100) / 100;
    check_growing<W>(problem, x, random);
    check_walking<W>(problem, x, random);
    if (every.empty()) return;
    Control control;
    check_found<W>(violated_clusters<W>(problem, x, 3, 1e-4, 0.9, 20, control), problem, every,
                   instance, x);
    check_annealed<W>(problem, every, instance, x);
    local_cuts_found += check_local_cuts(problem, every, random);
}

} // namespace

int main() {
    std::mt19937 random(7);
    at_every_width([&]<std::size_t W>() { check_instance<W>(random); });
    CHECK(local_cuts_found > 100);
    CHECK(violated > 100 && annealed > violated - violated / 20);
}
