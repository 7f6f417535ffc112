#include "enumeration/fold_weights.h"

#include <cmath>

namespace crediblenet {

namespace {

using Weights = Levels<double>;

// The place of a cost in a list, which has it; the search begins at `from`, which is not
// behind it. Costs that are asked for in ascending order are mostly near each other.
std::size_t place(const Weights& list, Cost cost, std::size_t from) {
    std::size_t step = 1, low = from;
    while (low + step < list.size() && list[low + step].cost <= cost) {
        low += step;
        step *= 2;
    }
    const auto end = std::min(list.size(), low + step);
    const auto it = std::lower_bound(list.begin() + static_cast<std::ptrdiff_t>(low),
                                     list.begin() + static_cast<std::ptrdiff_t>(end), cost,
                                     [](const auto& level, Cost c) { return level.cost < c; });
    return static_cast<std::size_t>(it - list.begin());
}

// How many levels of a list cost at most so much, of the first `end`; found soon where that is
// little less.
std::size_t fitting(const Weights& list, Cost most, std::size_t end) {
    std::size_t low = end, step = 1;
    while (low > 0 && list[low - 1].cost > most) {
        end = low - 1;
        low = low > step ? low - step : 0;
        step *= 2;
    }
    const auto begin = list.begin();
    const auto it = std::upper_bound(
        begin + static_cast<std::ptrdiff_t>(low), begin + static_cast<std::ptrdiff_t>(end), most,
        [](Cost cost, const auto& level) { return cost < level.cost; });
    return static_cast<std::size_t>(it - begin);
}

// sums[at]: what the first `at` levels weigh together.
std::vector<double> running(const Weights& list) {
    std::vector<double> sums{0};
    sums.reserve(list.size() + 1);
    for (const auto& level : list) sums.push_back(sums.back() + level.networks);
    return sums;
}

// The derivative of the weight of all networks by the weight of each level of each list,
// passed from the root down: where the lists meet the rests, then from list to list.
class FoldWeights {
  public:
    FoldWeights(const Fold<double>& fold, Cost max_cost, double unit, Control& control)
        : fold_(fold), live_(fold.live), max_cost_(max_cost), unit_(unit), control_(control),
          held_(control, "averaging"), watch_(control, "averaging was stopped"),
          rests_(live_.size()), inside_(live_.size()), outside_(live_.size()) {
        for (CircuitNode node = 0; node < live_.size(); ++node) {
            held_.add(fold.levels[node].size() * sizeof(double));
            outside_[node].resize(fold.levels[node].size());
        }
    }

    std::vector<double> of_rows(std::size_t n_rows) {
        const auto root = static_cast<CircuitNode>(live_.size() - 1);
        if (!fold_.levels[root].empty()) {
            const auto& list = fold_.levels[root];
            for (std::size_t at = 0; at < list.size() && list[at].cost <= max_cost_; ++at)
                outside_[root][at] = 1;
        } else {
            fold_.descend(
                max_cost_, control_,
                [&](CircuitNode node, CircuitNode child) { return shift(node, child); },
                [](const Weights&, const Weights&) {},
                [&](CircuitNode node, Weights&& rests) {
                    held_.add(rests.size() * (sizeof(Level<double>) + sizeof(double)));
                    rests_[node] = std::move(rests);
                });
            for (CircuitNode node = 0; node <= root; ++node)
                if (!rests_[node].empty()) follow(node);
        }
        std::vector<double> rows(n_rows, 0.0);
        for (auto node = static_cast<CircuitNode>(root + 1); node-- > 0;) {
            if (live_.kind(node) == Circuit::Kind::leaf)
                rows[live_.nodes.first[node]] += outside_[node].front();
            else if (!fold_.levels[node].empty())
                pass_on(node);
            outside_[node] = {};
        }
        return rows;
    }

  private:
    [[nodiscard]] double shift(CircuitNode node, CircuitNode child) const {
        return std::exp(-static_cast<double>(live_.least[child] - live_.least[node]) * unit_);
    }

    // A node without a list, after those below it: what its networks weigh beside each rest,
    // and what each level of the lists beside it is worth.
    void follow(CircuitNode node) {
        const auto& rests = rests_[node];
        auto& inside = inside_[node];
        inside.assign(rests.size(), 0.0);
        for (const auto& child : fold_.options(node)) {
            if (rests.front().cost + live_.least[child] > max_cost_) continue;
            const auto made = fold_.makeup(child);
            const Cost slack = max_cost_ - rests.front().cost - made.least;
            if (made.open)
                beside_open(rests, inside, made, slack, shift(node, child));
            else
                beside_lists(rests, inside, made, slack, shift(node, child));
        }
    }

    void beside_open(const Weights& rests, std::vector<double>& inside, const Makeup& made,
                     Cost slack, double factor) {
        const auto list = *fold_.product(made.listed, slack, watch_);
        const auto& below = rests_[*made.open];
        const auto& weights = inside_[*made.open];
        std::vector<double> worth(list.size(), 0.0);
        const Cost most = max_cost_ - live_.least[*made.open];
        for (std::size_t at = 0; at < list.size(); ++at) {
            std::size_t found = 0;
            for (std::size_t r = 0; r < rests.size(); ++r) {
                const Cost cost = rests[r].cost + list[at].cost;
                if (cost > most) break;
                found = place(below, cost, found);
                inside[r] += factor * list[at].networks * weights[found];
                worth[at] += factor * rests[r].networks * weights[found];
            }
            watch_(rests.size());
        }
        share(made.listed, slack, worth);
    }

    void beside_lists(const Weights& rests, std::vector<double>& inside, const Makeup& made,
                      Cost slack, double factor) {
        const auto [first, second] = fold_.halves(made, rests.size());
        const auto near = *fold_.product(first, slack, watch_),
                   far = *fold_.product(second, slack, watch_);
        const auto far_sums = running(far);
        std::vector<double> near_worth(near.size(), 0.0), far_worth(far.size(), 0.0);
        auto first_end = far.size(); // of those that fit beside the first rest
        for (std::size_t at = 0; at < near.size() && first_end > 0; ++at) {
            auto end = first_end;
            for (std::size_t r = 0; r < rests.size(); ++r) {
                end = fitting(far, max_cost_ - rests[r].cost - near[at].cost, end);
                if (r == 0) first_end = end;
                if (end == 0) break;
                inside[r] += factor * near[at].networks * far_sums[end];
                near_worth[at] += factor * rests[r].networks * far_sums[end];
                // Those up to here gain this rest, and those behind do not.
                far_worth[end - 1] += factor * rests[r].networks * near[at].networks;
            }
            watch_(rests.size());
        }
        for (auto at = far.size(); at-- > 1;) far_worth[at - 1] += far_worth[at];
        share(first, slack, near_worth);
        share(second, slack, far_worth);
    }

    // A node with a list passes on what its levels are worth.
    void pass_on(CircuitNode node) {
        const auto& list = fold_.levels[node];
        const auto& worth = outside_[node];
        auto last = worth.size();
        while (last > 0 && worth[last - 1] == 0) --last;
        if (last == 0) return;
        const Cost most = list[last - 1].cost;
        std::vector<double> own;
        for (const auto child : live_.children(node)) {
            if (live_.least[child] > most) continue;
            const auto made = fold_.makeup(child);
            const Cost slack = most - made.least;
            const auto levels = *fold_.product(made.listed, slack, watch_);
            const double factor = shift(node, child);
            own.assign(levels.size(), 0.0);
            std::size_t found = 0;
            for (std::size_t at = 0; at < levels.size(); ++at) {
                found = place(list, levels[at].cost, found);
                own[at] = factor * worth[found];
            }
            share(made.listed, slack, own);
        }
    }

    // Shares what the levels of a product are worth among its factors.
    void share(std::span<const CircuitNode> factors, Cost slack, std::vector<double>& worth) {
        if (factors.empty()) return;
        std::vector<Weights> prefixes{{{0, 1.0}}};
        std::vector<Cost> limits{slack};
        for (const auto factor : factors.first(factors.size() - 1)) {
            limits.push_back(limits.back() + live_.least[factor]);
            Weights sums;
            add_sums(fold_.levels[factor], prefixes.back(), limits.back(),
                     std::numeric_limits<std::size_t>::max(), sums, watch_);
            join_equal(sums, watch_);
            prefixes.push_back(std::move(sums));
        }
        Weights whole = *fold_.product(factors, slack, watch_);
        for (auto f = factors.size(); f-- > 0;) {
            const auto& list = fold_.levels[factors[f]];
            auto& own = outside_[factors[f]];
            const auto& before = prefixes[f];
            const Cost most = limits[f] + live_.least[factors[f]];
            std::vector<double> earlier(before.size(), 0.0);
            // The longer list is the inner one, whose sums are found one after the other.
            const bool inner_is_list = list.size() > before.size();
            const auto& outer = inner_is_list ? before : list;
            const auto& inner = inner_is_list ? list : before;
            auto& outer_worth = inner_is_list ? earlier : own;
            auto& inner_worth = inner_is_list ? own : earlier;
            for (std::size_t o = 0; o < outer.size(); ++o) {
                std::size_t found = 0, i = 0;
                double gained = 0;
                for (; i < inner.size(); ++i) {
                    const Cost cost = outer[o].cost + inner[i].cost;
                    if (cost > most) break;
                    found = place(whole, cost, found);
                    gained += inner[i].networks * worth[found];
                    inner_worth[i] += outer[o].networks * worth[found];
                }
                if (i == 0) break;
                outer_worth[o] += gained;
                watch_(i);
            }
            worth = std::move(earlier);
            whole = std::move(prefixes[f]);
        }
    }

    const Fold<double>& fold_;
    const LiveCircuit& live_;
    Cost max_cost_;
    double unit_;
    Control& control_;
    Held held_;
    Watch watch_;
    std::vector<Weights> rests_;               // of nodes without a list
    std::vector<std::vector<double>> inside_;  // weight of the node's networks beside each rest
    std::vector<std::vector<double>> outside_; // what a level of a list is worth
};

} // namespace

std::vector<double> fold_weights(const Fold<double>& fold, std::size_t n_rows, Cost max_cost,
                                 double unit, Control& control) {
    return FoldWeights(fold, max_cost, unit, control).of_rows(n_rows);
}

} // namespace crediblenet
