// Wide orders against all networks and all orders of random problems.
#include "check.h"
#include "enumeration/wide_order.h"
#include "random_problems.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

using namespace crediblenet;

namespace {

using Order = std::vector<std::uint32_t>;

std::size_t problems = 0, widest = 0, widened = 0;

// The weights of all networks that fit the order, one by one.
template <std::size_t W>
double width(const Problem<W>& problem, const std::map<Rows, Cost>& networks,
             const std::vector<double>& weights, const Order& order) {
    double sum = 0;
    for (const auto& [rows, cost] : networks) {
        double weight = 1;
        NodeSet<W> before;
        for (const auto v : order) {
            for (const auto& candidate : problem.candidates[v])
                if (candidate.row == rows[v])
                    weight *= candidate.parents.subset_of(before) ? weights[candidate.row] : 0;
            before.insert(v);
        }
        sum += weight;
    }
    return sum;
}

template <std::size_t W> void check_problem(std::mt19937& random) {
    Instance instance;
    const auto n = 2 + random() % 4;
    const auto problem = random_problem<W>(n, random, instance);
    const auto networks = all_networks(problem);
    std::vector<double> weights;
    for (const auto cost : instance.costs) weights.push_back(std::exp(-0.3 * double(cost)));

    Order order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    const WideningOptions options{2'000, random()};
    Control control;
    const auto found = wide_order(problem, order, weights, options, control);
    CHECK(wide_order(problem, order, weights, options, control) == found);
    CHECK(std::is_permutation(found.begin(), found.end(), order.begin(), order.end()));
    const auto before = width(problem, networks, weights, order);
    const auto after = width(problem, networks, weights, found);
    CHECK(after >= before * (1 - 1e-9));

    // Without changes it ends where no single variable can be moved to a better place.
    const auto climbed = wide_order(problem, order, weights, {0, 1}, control);
    const auto reached = width(problem, networks, weights, climbed);
    for (std::size_t from = 0; from < n; ++from)
        for (std::size_t to = 0; to < n; ++to) {
            auto moved = climbed;
            moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(from));
            moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(to), climbed[from]);
            CHECK(width(problem, networks, weights, moved) <= reached * (1 + 1e-5));
        }

    Control stopped;
    stopped.stop(StopReason::interrupted);
    CHECK(wide_order(problem, order, weights, options, stopped) == order);

    if (networks.empty()) return;
    double most = 0;
    auto any = order;
    std::sort(any.begin(), any.end());
    do {
        most = std::max(most, width(problem, networks, weights, any));
    } while (std::next_permutation(any.begin(), any.end()));
    ++problems;
    widened += after > before * (1 + 1e-9) ? 1 : 0;
    widest += after > most * (1 - 1e-9) ? 1 : 0;
}

void check_refusals() {
    std::mt19937 random(1);
    Instance instance;
    const auto problem = random_problem<1>(3, random, instance);
    std::vector<double> weights(instance.costs.size(), 1.0);
    Control control;
    const auto try_it = [&](const Order& order) {
        return wide_order(problem, order, weights, {100, 1}, control);
    };
    CHECK(try_it({2, 0, 1}).size() == 3);
    CHECK_THROWS(try_it({0, 1}), std::invalid_argument);
    CHECK_THROWS(try_it({0, 1, 1}), std::invalid_argument);
    CHECK_THROWS(try_it({0, 1, 3}), std::invalid_argument);
    for (const double wrong : {-1.0, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
        weights.back() = wrong;
        CHECK_THROWS(try_it({0, 1, 2}), std::invalid_argument);
    }
}

} // namespace

int main() {
    std::mt19937 random(7);
    at_every_width([&]<std::size_t W>() { check_problem<W>(random); });
    check_refusals();
    CHECK(problems > 100);
    CHECK(widened > problems / 3);
    CHECK(widest > problems * 95 / 100);
}
