#include "enumeration/compiled_set.h"

#include "enumeration/live_circuit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace crediblenet {

namespace {

using Kind = Circuit::Kind;
using Wide = unsigned __int128;

double to_double(std::uint64_t count) { return static_cast<double>(count); }
double to_double(Wide count) { return static_cast<double>(count); }
double to_double(const BigUint& count) { return BigUint::ratio(count, BigUint(1)); }

BigUint to_big(std::uint64_t count) { return BigUint(count); }
BigUint to_big(Wide count) {
    std::vector<std::uint32_t> limbs;
    for (; count != 0; count >>= 32) limbs.push_back(static_cast<std::uint32_t>(count));
    return BigUint::from_limbs(std::move(limbs));
}
const BigUint& to_big(const BigUint& count) { return count; }

template <class Count> struct Level {
    Cost cost;
    Count networks;
};

// Sorts by cost and joins equal costs.
template <class L, class Add> void join_equal(std::vector<L>& levels, Add&& add) {
    const auto by_cost = [](const L& a, const L& b) { return a.cost < b.cost; };
    if (!std::is_sorted(levels.begin(), levels.end(), by_cost))
        std::sort(levels.begin(), levels.end(), by_cost);
    std::size_t kept = 0;
    for (std::size_t at = 0; at < levels.size(); ++at)
        if (kept > 0 && levels[kept - 1].cost == levels[at].cost) {
            add(levels[kept - 1], levels[at]);
        } else {
            if (kept != at) levels[kept] = std::move(levels[at]);
            ++kept;
        }
    levels.resize(kept);
}

// The rest of a network, seen from a node: what it costs, and how many there are.
struct Rest {
    Cost cost;
    double networks; // divided by the scale of the pass
};

// Looks at the control after so much work, however little of a node that is.
class Watch {
  public:
    Watch(Control& control, const char* what) : control_(control), what_(what) {}

    void operator()(std::size_t work) {
        constexpr std::size_t seldom = 1 << 18;
        unwatched_ += work;
        if (unwatched_ < seldom) return;
        unwatched_ = 0;
        if (control_.poll()) throw Stopped(control_.reason(), what_);
    }

  private:
    Control& control_;
    const char* what_;
    std::size_t unwatched_ = 0;
};

template <class Count> class CompiledSetOf final : public CompiledSet {
  public:
    CompiledSetOf(LiveCircuit&& live, std::span<const std::int64_t> offsets,
                  std::span<const Cost> row_costs, Control& control)
        : live_(std::move(live)), n_variables_(offsets.size() - 1), n_rows_(row_costs.size()),
          control_(control) {
        for (std::size_t i = 0; i < n_variables_; ++i)
            variable_.insert(variable_.end(), static_cast<std::size_t>(offsets[i + 1] - offsets[i]),
                             static_cast<std::uint32_t>(i));
        levels_.reserve(live_.size());
        Watch watch(control, "counting was stopped");
        std::vector<Level<Count>> levels;
        for (CircuitNode node = 0; node < live_.size(); ++node) {
            levels.clear();
            gather(node, row_costs, levels, watch);
            join_equal(levels, [](auto& a, const auto& b) { a.networks += b.networks; });
            reserve(levels.size());
            levels_.emplace_back(std::make_move_iterator(levels.begin()),
                                 std::make_move_iterator(levels.end()));
            watch(levels.size() + 1);
        }
    }
    ~CompiledSetOf() override { control_.release(reserved_); }

    std::vector<Cost> level_costs() const override {
        std::vector<Cost> costs;
        for (const auto& level : root_levels()) costs.push_back(level.cost);
        return costs;
    }
    std::vector<BigUint> level_counts() const override {
        std::vector<BigUint> counts;
        for (const auto& level : root_levels()) counts.push_back(to_big(level.networks));
        return counts;
    }

    // Passes from the root to the leaves what the rest of the network may cost.
    std::vector<double> candidate_log_weights(Cost max_cost, double unit,
                                              Control& control) const override {
        std::vector<double> log_weight(n_rows_, -std::numeric_limits<double>::infinity());
        if (live_.size() == 0) return log_weight;
        const Cost least = live_.least.back();
        if (!(live_.most_networks < 1e300))
            throw std::overflow_error("more than 10^300 networks: too many to weigh");
        // Counts are scaled so that no product of them overflows a double.
        const double scale = std::max(1.0, live_.most_networks / 1e150);
        std::vector<std::vector<Rest>> outside(live_.size());
        outside.back().push_back({0, 1.0 / scale});
        const auto add = [](Rest& a, const Rest& b) { a.networks += b.networks; };
        std::vector<Rest> more;
        Watch watch(control, "averaging was stopped");
        for (auto node = static_cast<CircuitNode>(live_.size()); node-- > 0;) {
            auto rests = std::move(outside[node]);
            join_equal(rests, add);
            watch(rests.size() + 1);
            if (live_.kind(node) == Kind::leaf) {
                const auto row = live_.nodes.first[node];
                log_weight[row] = log_sum(rests, live_.least[node], least, max_cost, unit, scale);
                continue;
            }
            const auto children = live_.children(node);
            for (std::size_t c = 0; c < children.size(); ++c) {
                const auto child = children[c];
                auto& target = outside[child];
                const Cost room = max_cost - live_.least[child];
                if (live_.kind(node) == Kind::choice) {
                    for (const auto& rest : rests) {
                        if (rest.cost > room) break;
                        target.push_back(rest);
                    }
                    continue;
                }
                more.clear();
                const auto other = levels(children[1 - c]);
                for (const auto& rest : rests) {
                    if (rest.cost + other.front().cost > room) break;
                    const auto before = more.size();
                    for (const auto& level : other) {
                        if (rest.cost + level.cost > room) break;
                        more.push_back(
                            {rest.cost + level.cost, rest.networks * to_double(level.networks)});
                    }
                    watch(more.size() - before);
                }
                join_equal(more, add);
                target.insert(target.end(), more.begin(), more.end());
            }
        }
        return log_weight;
    }

    void list(const BigUint& start, const Visitor& visit) const override {
        std::vector<std::uint32_t> rows(n_variables_);
        BigUint skip = start;
        for (const auto& level : root_levels()) {
            const auto& here = to_big(level.networks);
            if (skip >= here) {
                skip -= here;
                continue;
            }
            const Task task{static_cast<CircuitNode>(live_.size() - 1), level.cost, nullptr, here};
            if (!emit(&task, skip, level.cost, rows, visit)) return;
        }
    }

    FlatCircuit flat() const override { return live_.nodes; }
    std::size_t n_variables() const override { return n_variables_; }
    std::size_t n_rows() const override { return n_rows_; }
    std::size_t n_nodes() const override { return live_.size(); }
    std::size_t n_entries() const override { return n_entries_; }

  private:
    // A node whose networks of one cost are to be listed, then the next task.
    struct Task {
        CircuitNode node;
        Cost cost;
        const Task* next;
        BigUint networks; // of this task and all after it together
    };

    void gather(CircuitNode node, std::span<const Cost> row_costs, std::vector<Level<Count>>& into,
                Watch& watch) const {
        const Cost most = live_.limit[node];
        if (live_.kind(node) == Kind::leaf) {
            into.push_back({row_costs[live_.nodes.first[node]], Count(1)});
            return;
        }
        const auto children = live_.children(node);
        if (live_.kind(node) == Kind::choice) {
            for (auto child : children)
                for (const auto& level : levels(child)) {
                    if (level.cost > most) break;
                    into.push_back(level);
                }
            return;
        }
        const auto left = levels(children[0]), right = levels(children[1]);
        std::size_t crowded = 1 << 20; // then equal costs are joined before more come
        for (const auto& a : left) {
            if (a.cost + right.front().cost > most) break;
            const auto before = into.size();
            for (const auto& b : right) {
                if (a.cost + b.cost > most) break;
                into.push_back({a.cost + b.cost, a.networks * b.networks});
            }
            watch(into.size() - before);
            if (into.size() < crowded) continue;
            join_equal(into, [](auto& x, const auto& y) { x.networks += y.networks; });
            crowded = std::max(crowded, 2 * into.size());
            const auto bytes = crowded * sizeof(Level<Count>);
            control_.reserve(bytes, "the compiled set"); // throws when there is not so much
            control_.release(bytes);
        }
    }

    static double log_sum(const std::vector<Rest>& rests, Cost own, Cost least, Cost max_cost,
                          double unit, double scale) {
        if (rests.empty() || rests.front().cost + own > max_cost)
            return -std::numeric_limits<double>::infinity();
        double sum = 0;
        for (const auto& rest : rests) {
            if (rest.cost + own > max_cost) break;
            sum += rest.networks *
                   std::exp(-static_cast<double>(rest.cost - rests.front().cost) * unit);
        }
        return std::log(sum) + std::log(scale) -
               static_cast<double>(rests.front().cost + own - least) * unit;
    }

    // Lists the networks of the pending tasks. Whole branches are passed over
    // while there is something to skip.
    bool emit(const Task* tasks, BigUint& skip, Cost cost, std::vector<std::uint32_t>& rows,
              const Visitor& visit) const {
        if (tasks == nullptr) {
            if (!skip.is_zero()) {
                skip -= BigUint(1);
                return true;
            }
            return visit(cost, rows);
        }
        if (!skip.is_zero() && skip >= tasks->networks) {
            skip -= tasks->networks;
            return true;
        }
        const auto node = tasks->node;
        const auto* next = tasks->next;
        if (live_.kind(node) == Kind::leaf) {
            const auto row = static_cast<std::uint32_t>(live_.nodes.first[node]);
            rows[variable_[row]] = row;
            return emit(next, skip, cost, rows, visit);
        }
        const auto children = live_.children(node);
        if (live_.kind(node) == Kind::choice) {
            for (auto child : children) {
                const auto* level = level_at(child, tasks->cost);
                if (level == nullptr) continue;
                const Task task{child, tasks->cost, next, together(level->networks, next, skip)};
                if (!emit(&task, skip, cost, rows, visit)) return false;
            }
            return true;
        }
        const Cost most = tasks->cost - levels(children[1]).front().cost; // costs may be negative
        for (const auto& level : levels(children[0])) {
            if (level.cost > most) break;
            const auto* rest = level_at(children[1], tasks->cost - level.cost);
            if (rest == nullptr) continue;
            const Task second{children[1], rest->cost, next, together(rest->networks, next, skip)};
            const Task first{children[0], level.cost, &second,
                             together(level.networks, &second, skip)};
            if (!emit(&first, skip, cost, rows, visit)) return false;
        }
        return true;
    }

    // Needed only while something is left to skip.
    static BigUint together(const Count& networks, const Task* next, const BigUint& skip) {
        if (skip.is_zero()) return {};
        return next == nullptr ? to_big(networks) : to_big(networks) * next->networks;
    }

    std::span<const Level<Count>> levels(CircuitNode node) const { return levels_[node]; }
    std::span<const Level<Count>> root_levels() const {
        if (live_.size() == 0) return {};
        return levels(static_cast<CircuitNode>(live_.size() - 1));
    }
    const Level<Count>* level_at(CircuitNode node, Cost cost) const {
        const auto all = levels(node);
        const auto it = std::lower_bound(all.begin(), all.end(), cost,
                                         [](const auto& level, Cost c) { return level.cost < c; });
        return it != all.end() && it->cost == cost ? &*it : nullptr;
    }

    // Announces the levels of one more node. Every node has a vector of its own: a common one
    // would have to be copied when it grows, and need three times the memory then.
    void reserve(std::size_t more) {
        const auto bytes = more * sizeof(Level<Count>) + sizeof(levels_[0]);
        control_.reserve(bytes, "the compiled set");
        reserved_ += bytes;
        n_entries_ += more;
    }

    LiveCircuit live_;
    std::size_t n_variables_, n_rows_;
    std::vector<std::uint32_t> variable_;           // of each row
    std::vector<std::vector<Level<Count>>> levels_; // of each node
    std::size_t n_entries_ = 0;
    Control& control_;
    std::size_t reserved_ = 0;
};

std::unique_ptr<CompiledSet> counted(LiveCircuit&& live, std::span<const std::int64_t> offsets,
                                     std::span<const Cost> row_costs, Control& control) {
    if (live.most_networks < 0x1p62)
        return std::make_unique<CompiledSetOf<std::uint64_t>>(std::move(live), offsets, row_costs,
                                                              control);
    if (live.most_networks < 0x1p125)
        return std::make_unique<CompiledSetOf<Wide>>(std::move(live), offsets, row_costs, control);
    return std::make_unique<CompiledSetOf<BigUint>>(std::move(live), offsets, row_costs, control);
}

} // namespace

std::unique_ptr<CompiledSet> CompiledSet::make(const Circuit& circuit, CircuitNode root,
                                               std::span<const std::int64_t> offsets,
                                               std::span<const Cost> row_costs, Cost max_cost,
                                               Control& control) {
    return counted(live_circuit(circuit, root, row_costs, max_cost, control), offsets, row_costs,
                   control);
}

std::unique_ptr<CompiledSet> CompiledSet::make(const FlatCircuit& flat,
                                               std::span<const std::int64_t> offsets,
                                               std::span<const Cost> row_costs, Cost max_cost,
                                               Control& control) {
    return counted(checked_live_circuit(flat, offsets, row_costs, max_cost, control), offsets,
                   row_costs, control);
}

} // namespace crediblenet
