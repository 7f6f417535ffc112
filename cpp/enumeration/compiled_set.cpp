#include "enumeration/compiled_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <unordered_map>

namespace crediblenet {

namespace {

constexpr Cost never = std::numeric_limits<Cost>::max() / 4;

using Level = CompiledSet::Level;

Count checked_add(Count a, Count b) {
    if (a + b < a) throw std::overflow_error("more than 2^128 networks");
    return a + b;
}
Count checked_multiply(Count a, Count b) {
    if (a != 0 && b > static_cast<Count>(-1) / a) throw std::overflow_error("more than 2^128 networks");
    return a * b;
}

// Sorts by cost and joins equal costs.
void normalize(std::vector<Level>& levels) {
    std::sort(levels.begin(), levels.end(),
              [](const Level& a, const Level& b) { return a.cost < b.cost; });
    std::size_t kept = 0;
    for (const auto& level : levels)
        if (kept > 0 && levels[kept - 1].cost == level.cost)
            levels[kept - 1].networks = checked_add(levels[kept - 1].networks, level.networks);
        else
            levels[kept++] = level;
    levels.resize(kept);
}

} // namespace

CompiledSet::CompiledSet(const Circuit& circuit, CircuitNode root, std::span<const Cost> row_costs,
                         std::size_t n_variables, Cost max_cost, Control& control)
    : n_variables_(n_variables), n_rows_(row_costs.size()) {
    // 1. Least cost of every node below the root.
    std::vector<Cost> least(root + 1, never);
    std::vector<char> reached(root + 1, 0);
    reached[root] = 1;
    for (CircuitNode node = root + 1; node-- > 0;)
        if (reached[node] && circuit.kind(node) != Kind::leaf)
            for (auto child : circuit.children(node)) reached[child] = 1;
    for (CircuitNode node = 0; node <= root; ++node) {
        if (!reached[node]) continue;
        switch (circuit.kind(node)) {
        case Kind::leaf: least[node] = row_costs[circuit.row(node)]; break;
        case Kind::choice:
            for (auto child : circuit.children(node)) least[node] = std::min(least[node], least[child]);
            break;
        case Kind::product:
            least[node] = 0;
            for (auto child : circuit.children(node)) least[node] += least[child];
        }
    }
    // 2. What each node may cost in a network of the set.
    std::vector<Cost> limit(root + 1, -never);
    if (least[root] <= max_cost) limit[root] = max_cost;
    for (CircuitNode node = root + 1; node-- > 0;) {
        if (limit[node] < least[node] || circuit.kind(node) == Kind::leaf) continue;
        for (auto child : circuit.children(node)) {
            const Cost room = circuit.kind(node) == Kind::choice
                                  ? limit[node]
                                  : limit[node] - (least[node] - least[child]);
            limit[child] = std::max(limit[child], room);
        }
    }
    // 3. The live part, with products in pairs that share their tails.
    std::vector<CircuitNode> number(root + 1, 0);
    std::unordered_map<std::uint64_t, CircuitNode> pairs;
    auto add = [&](Kind kind, std::span<const CircuitNode> children, Cost node_limit) {
        const auto made = static_cast<CircuitNode>(kind_.size());
        kind_.push_back(kind);
        first_.push_back(children_.size());
        n_children_.push_back(static_cast<std::uint32_t>(children.size()));
        children_.insert(children_.end(), children.begin(), children.end());
        limit_.push_back(node_limit);
        return made;
    };
    std::vector<Cost> new_least;
    for (CircuitNode node = 0; node <= root; ++node) {
        if (limit[node] < least[node]) continue;
        std::vector<CircuitNode> children;
        if (circuit.kind(node) == Kind::leaf) {
            number[node] = add(Kind::leaf, {}, limit[node]);
            first_.back() = circuit.row(node);
            new_least.push_back(least[node]);
        } else if (circuit.kind(node) == Kind::choice) {
            for (auto child : circuit.children(node))
                if (least[child] <= limit[node]) children.push_back(number[child]);
            number[node] = add(Kind::choice, children, limit[node]);
            new_least.push_back(least[node]);
        } else {
            const auto factors = circuit.children(node);
            CircuitNode tail = number[factors.back()];
            for (std::size_t f = factors.size() - 1; f-- > 0;) {
                const auto head = number[factors[f]];
                const Cost pair_least = new_least[head] + new_least[tail];
                const Cost room = limit[node] - (least[node] - pair_least);
                const auto key = (std::uint64_t{head} << 32) | tail;
                const auto [it, fresh] = pairs.try_emplace(key, 0);
                if (fresh) {
                    const CircuitNode both[] = {head, tail};
                    it->second = add(Kind::product, both, room);
                    new_least.push_back(pair_least);
                } else {
                    limit_[it->second] = std::max(limit_[it->second], room);
                }
                tail = it->second;
            }
            number[node] = tail;
        }
        if ((node & 0xfff) == 0 && control.poll())
            throw Stopped(control.reason(), "counting was stopped");
    }
    if (kind_.empty()) return;
    if (number[root] != kind_.size() - 1) throw std::logic_error("the root must be the last node");
    // Sharing a pair may have raised its limit after its children were made.
    for (CircuitNode node = static_cast<CircuitNode>(kind_.size()); node-- > 0;) {
        if (kind_[node] != Kind::product) continue;
        const auto* pair = &children_[first_[node]];
        for (int side = 0; side < 2; ++side)
            limit_[pair[side]] = std::max(limit_[pair[side]], limit_[node] - new_least[pair[1 - side]]);
    }
    // 4. Levels, children first.
    begin_.push_back(0);
    std::vector<Level> levels;
    for (CircuitNode node = 0; node < kind_.size(); ++node) {
        levels.clear();
        const Cost most = limit_[node];
        if (kind_[node] == Kind::leaf) {
            levels.push_back({row_costs[first_[node]], 1});
        } else if (kind_[node] == Kind::choice) {
            for (std::uint32_t c = 0; c < n_children_[node]; ++c)
                for (const auto& level : list_of(children_[first_[node] + c])) {
                    if (level.cost > most) break;
                    levels.push_back(level);
                }
            normalize(levels);
        } else {
            const auto left = list_of(children_[first_[node]]);
            const auto right = list_of(children_[first_[node] + 1]);
            for (const auto& a : left) {
                if (a.cost + right.front().cost > most) break;
                for (const auto& b : right) {
                    if (a.cost + b.cost > most) break;
                    levels.push_back({a.cost + b.cost, checked_multiply(a.networks, b.networks)});
                }
            }
            normalize(levels);
        }
        entries_.insert(entries_.end(), levels.begin(), levels.end());
        begin_.push_back(entries_.size());
        if ((node & 0xff) == 0 && control.poll())
            throw Stopped(control.reason(), "counting was stopped");
    }
}

std::span<const Level> CompiledSet::levels() const {
    if (kind_.empty()) return {};
    return list_of(static_cast<CircuitNode>(kind_.size() - 1));
}

std::vector<double> CompiledSet::candidate_log_weights(Cost max_cost, double unit) const {
    std::vector<double> weight(n_rows_, 0.0);
    if (!kind_.empty()) {
        const Cost least = levels().front().cost;
        // outside[node]: cost of the rest of the network -> number of rests.
        struct Rest {
            Cost cost;
            double networks;
        };
        auto join = [](std::vector<Rest>& rests) {
            std::sort(rests.begin(), rests.end(),
                      [](const Rest& a, const Rest& b) { return a.cost < b.cost; });
            std::size_t kept = 0;
            for (const auto& rest : rests)
                if (kept > 0 && rests[kept - 1].cost == rest.cost)
                    rests[kept - 1].networks += rest.networks;
                else
                    rests[kept++] = rest;
            rests.resize(kept);
        };
        std::vector<std::vector<Rest>> outside(kind_.size());
        outside.back().push_back({0, 1.0});
        for (auto node = static_cast<CircuitNode>(kind_.size()); node-- > 0;) {
            auto rests = std::move(outside[node]);
            join(rests);
            if (kind_[node] == Kind::leaf) {
                const Cost own = list_of(node).front().cost;
                double sum = 0;
                for (const auto& rest : rests)
                    if (rest.cost + own <= max_cost)
                        sum += rest.networks *
                               std::exp(-static_cast<double>(rest.cost + own - least) * unit);
                weight[first_[node]] += sum;
            } else if (kind_[node] == Kind::choice) {
                for (std::uint32_t c = 0; c < n_children_[node]; ++c) {
                    const auto child = children_[first_[node] + c];
                    const Cost own = list_of(child).front().cost;
                    for (const auto& rest : rests) {
                        if (rest.cost + own > max_cost) break;
                        outside[child].push_back(rest);
                    }
                }
            } else {
                for (int side = 0; side < 2; ++side) {
                    const auto child = children_[first_[node] + static_cast<std::size_t>(side)];
                    const auto other = list_of(children_[first_[node] + static_cast<std::size_t>(1 - side)]);
                    const Cost own = list_of(child).front().cost;
                    std::vector<Rest> more;
                    for (const auto& rest : rests) {
                        if (rest.cost + own + other.front().cost > max_cost) break;
                        for (const auto& level : other) {
                            if (rest.cost + own + level.cost > max_cost) break;
                            more.push_back({rest.cost + level.cost,
                                            rest.networks * static_cast<double>(level.networks)});
                        }
                    }
                    join(more);
                    outside[child].insert(outside[child].end(), more.begin(), more.end());
                }
            }
        }
    }
    for (auto& w : weight) w = w > 0 ? std::log(w) : -std::numeric_limits<double>::infinity();
    return weight;
}

Count CompiledSet::count_at(CircuitNode node, Cost cost) const {
    const auto list = list_of(node);
    const auto it = std::lower_bound(list.begin(), list.end(), cost,
                                     [](const Level& level, Cost c) { return level.cost < c; });
    return it != list.end() && it->cost == cost ? it->networks : 0;
}

struct CompiledSet::Task {
    CircuitNode node;
    Cost cost;
    Count networks; // of this task and all below it
    const Task* next;
};

// Lists the networks that the pending tasks stand for; `below` is their number.
// Whole branches are passed over while there is something to skip.
bool CompiledSet::emit(const Task* tasks, Count below, Count& skip, Cost cost,
                       std::vector<std::uint32_t>& rows, const Visitor& visit) const {
    if (skip >= below) {
        skip -= below;
        return true;
    }
    if (tasks == nullptr) return visit(cost, rows);
    const auto [node, own, ignored, next] = *tasks;
    const Count rest = next == nullptr ? 1 : next->networks;
    switch (kind_[node]) {
    case Kind::leaf:
        rows.push_back(static_cast<std::uint32_t>(first_[node]));
        {
            const bool more = emit(next, rest, skip, cost, rows, visit);
            rows.pop_back();
            return more;
        }
    case Kind::choice:
        for (std::uint32_t c = 0; c < n_children_[node]; ++c) {
            const auto child = children_[first_[node] + c];
            const Count count = count_at(child, own);
            if (count == 0) continue;
            const Task task{child, own, count * rest, next};
            if (!emit(&task, task.networks, skip, cost, rows, visit)) return false;
        }
        return true;
    case Kind::product: {
        const auto left = children_[first_[node]], right = children_[first_[node] + 1];
        for (const auto& level : list_of(left)) {
            if (level.cost > own) break;
            const Count count = count_at(right, own - level.cost);
            if (count == 0) continue;
            const Task second{right, own - level.cost, count * rest, next};
            const Task first{left, level.cost, level.networks * second.networks, &second};
            if (!emit(&first, first.networks, skip, cost, rows, visit)) return false;
        }
        return true;
    }
    }
    return true;
}

void CompiledSet::list(Count start, const Visitor& visit) const {
    std::vector<std::uint32_t> rows;
    rows.reserve(n_variables_);
    for (const auto& level : levels()) {
        if (start >= level.networks) {
            start -= level.networks;
            continue;
        }
        const Task task{static_cast<CircuitNode>(kind_.size() - 1), level.cost, level.networks, nullptr};
        if (!emit(&task, level.networks, start, level.cost, rows, visit)) return;
    }
}

std::vector<std::uint32_t> CompiledSet::network(Count rank) const {
    std::vector<std::uint32_t> found;
    list(rank, [&](Cost, std::span<const std::uint32_t> rows) {
        found.assign(rows.begin(), rows.end());
        return false;
    });
    if (found.empty()) throw std::out_of_range("no network of that rank");
    std::sort(found.begin(), found.end()); // rows are grouped by variable
    return found;
}

} // namespace crediblenet
