#include "enumeration/levelled_set.h"

#include "enumeration/fold_weights.h"
#include "enumeration/levels.h"
#include "enumeration/live_set.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace crediblenet {

namespace {

using Kind = Circuit::Kind;

template <class Count> class LevelledSet final : public LiveSet {
  public:
    LevelledSet(std::shared_ptr<const LiveCircuit> live, std::span<const std::int64_t> offsets,
                std::size_t longest, Control& control)
        : LiveSet(std::move(live), offsets, longest), held_(control, "the compiled set") {
        for (std::size_t i = 0; i + 1 < offsets_.size(); ++i)
            variable_.insert(variable_.end(),
                             static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]),
                             static_cast<std::uint32_t>(i));
    }

    // Lists the levels of every node; false when there are more than `most` in all.
    bool count_all(std::size_t most, Control& control) {
        levels_.reserve(live_.size());
        Watch watch(control, "counting was stopped");
        Levels<Count> levels;
        for (CircuitNode node = 0; node < live_.size(); ++node) {
            levels.clear();
            if (!gather(node, most - n_entries_, levels, watch)) return false;
            join_equal(levels, watch);
            n_entries_ += levels.size();
            if (n_entries_ > most) return false;
            held_.add(levels.size() * sizeof(Level<Count>) + sizeof(levels_[0]));
            levels_.push_back(stored(levels));
            watch(levels.size() + 1);
        }
        return true;
    }

    bool has_levels() const override { return true; }

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

    Counted count(Cost max_cost, Control&) const override {
        Counted counted;
        for (const auto& level : root_levels()) {
            if (level.cost > max_cost) break;
            counted.networks += to_big(level.networks);
            counted.greatest = level.cost;
        }
        return counted;
    }

    // Levels are no help: lists and rests that meet are far fewer.
    std::vector<double> candidate_log_weights(Cost max_cost, double unit,
                                              Control& control) const override {
        if (live_.size() == 0)
            return std::vector<double>(n_rows(), -std::numeric_limits<double>::infinity());
        double networks = 0;
        for (const auto& level : root_levels()) networks += to_double(level.networks);
        check_weighable(networks);
        const Fold<double> fold(live_, longest_, control);
        return fold_log_weights(fold, n_rows(), max_cost, unit, control);
    }

    void list(const BigUint& start, const Visitor& visit) const override {
        std::vector<std::uint32_t> rows(n_variables());
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

    std::size_t n_entries() const override { return n_entries_; }

  private:
    // A node whose networks of one cost are to be listed, then the next task.
    struct Task {
        CircuitNode node;
        Cost cost;
        const Task* next;
        BigUint networks; // of this task and all after it together
    };

    // False when there are more than `most`.
    bool gather(CircuitNode node, std::size_t most, Levels<Count>& into, Watch& watch) const {
        const Cost limit = live_.limit[node];
        if (live_.kind(node) == Kind::leaf) {
            into.push_back({live_.least[node], Count(1)});
            return true;
        }
        const auto children = live_.children(node);
        if (live_.kind(node) == Kind::choice) {
            for (auto child : children)
                for (const auto& level : levels(child)) {
                    if (level.cost > limit) break;
                    into.push_back(level);
                }
            return true;
        }
        auto left = levels(children[0]), right = levels(children[1]);
        if (left.size() > right.size()) std::swap(left, right); // few long runs: see join_equal
        std::size_t crowded = 1 << 20; // then equal costs are joined before more come
        for (const auto& a : left) {
            if (a.cost + right.front().cost > limit) break;
            const auto before = into.size();
            for (const auto& b : right) {
                if (a.cost + b.cost > limit) break;
                into.push_back({a.cost + b.cost, a.networks * b.networks});
            }
            watch(into.size() - before);
            if (into.size() < crowded) continue;
            join_equal(into, watch);
            if (into.size() > most) return false;
            crowded = std::max(crowded, 2 * into.size());
            watch.fits(crowded * sizeof(Level<Count>));
        }
        return true;
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
        const auto emit_pair = [&](const Level<Count>* first, const Level<Count>* second) {
            if (first == nullptr || second == nullptr) return true;
            const Task right{children[1], second->cost, next,
                             together(second->networks, next, skip)};
            const Task left{children[0], first->cost, &right,
                            together(first->networks, &right, skip)};
            return emit(&left, skip, cost, rows, visit);
        };
        // By the cost of the left side; the side with fewer costs is gone through, since the
        // other may have tens of thousands, and this is done at every product of a network.
        const auto left = levels(children[0]), right = levels(children[1]);
        if (left.size() <= right.size()) {
            for (const auto& level : left)
                if (!emit_pair(&level, level_at(children[1], tasks->cost - level.cost)))
                    return false;
        } else {
            for (auto level = right.rbegin(); level != right.rend(); ++level)
                if (!emit_pair(level_at(children[0], tasks->cost - level->cost), &*level))
                    return false;
        }
        return true;
    }

    // Needed only while something is left to skip.
    static BigUint together(const Count& networks, const Task* next, const BigUint& skip) {
        if (skip.is_zero()) return {};
        return next == nullptr ? to_big(networks) : to_big(networks) * next->networks;
    }

    // Nodes share large blocks: one vector would have to be copied when it grows, and need
    // three times the memory then; millions of small ones take seconds to be freed.
    std::span<const Level<Count>> stored(Levels<Count>& levels) {
        constexpr std::size_t block = 1 << 16;
        if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < levels.size()) {
            blocks_.emplace_back();
            blocks_.back().reserve(std::max(block, levels.size()));
        }
        auto& last = blocks_.back();
        const auto first = last.size();
        last.insert(last.end(), std::make_move_iterator(levels.begin()),
                    std::make_move_iterator(levels.end()));
        return std::span<const Level<Count>>(last).subspan(first);
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

    std::vector<std::uint32_t> variable_; // of each row
    std::vector<Levels<Count>> blocks_;
    std::vector<std::span<const Level<Count>>> levels_; // of each node
    std::size_t n_entries_ = 0;
    Held held_;
};

} // namespace

std::unique_ptr<CompiledSet> levelled_set(std::shared_ptr<const LiveCircuit> live,
                                          std::span<const std::int64_t> offsets,
                                          const CountingLimits& limits, Control& control) {
    return in_narrowest([&]<class Count>() -> std::unique_ptr<CompiledSet> {
        auto set = std::make_unique<LevelledSet<Count>>(live, offsets, limits.longest, control);
        if (!set->count_all(limits.most_levels, control)) return nullptr;
        return set;
    });
}

std::unique_ptr<CompiledSet> LiveSet::levelled_within(Cost max_cost, std::size_t most_levels,
                                                      Control& control) const {
    return levelled_set(std::make_shared<LiveCircuit>(trimmed(live_, max_cost)), offsets_,
                        {most_levels, longest_}, control);
}

} // namespace crediblenet
