#include "enumeration/live_circuit.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_map>

namespace crediblenet {

namespace {

using Kind = Circuit::Kind;

void poll(std::size_t node, Control& control) {
    if ((node & 0xfff) == 0 && control.poll())
        throw Stopped(control.reason(), "counting was stopped");
}

// The least cost of every node that the root reaches; `never` for the others.
std::vector<Cost> least_costs(const Circuit& circuit, CircuitNode root,
                              std::span<const Cost> row_costs) {
    std::vector<char> reached(root + 1, 0);
    reached[root] = 1;
    for (CircuitNode node = root + 1; node-- > 0;)
        if (reached[node] && circuit.kind(node) != Kind::leaf)
            for (auto child : circuit.children(node)) reached[child] = 1;
    std::vector<Cost> least(root + 1, never);
    for (CircuitNode node = 0; node <= root; ++node) {
        if (!reached[node]) continue;
        if (circuit.kind(node) == Kind::leaf) {
            least[node] = row_costs[circuit.row(node)];
        } else if (circuit.kind(node) == Kind::choice) {
            for (auto child : circuit.children(node))
                least[node] = std::min(least[node], least[child]);
        } else {
            least[node] = 0;
            for (auto child : circuit.children(node)) least[node] += least[child];
        }
    }
    return least;
}

// What each node may cost in a network within the limit.
std::vector<Cost> limits(const Circuit& circuit, CircuitNode root, const std::vector<Cost>& least,
                         Cost max_cost) {
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
    return limit;
}

class Builder {
  public:
    CircuitNode add(Kind kind, std::span<const CircuitNode> children, Cost least, Cost limit) {
        const auto made = static_cast<CircuitNode>(live.size());
        live.nodes.kind.push_back(static_cast<std::uint8_t>(kind));
        live.nodes.first.push_back(live.nodes.children.size());
        live.nodes.n_children.push_back(static_cast<std::uint32_t>(children.size()));
        live.nodes.children.insert(live.nodes.children.end(), children.begin(), children.end());
        live.least.push_back(least);
        live.limit.push_back(limit);
        return made;
    }

    CircuitNode leaf(std::uint32_t row, Cost cost, Cost limit) {
        const auto made = add(Kind::leaf, {}, cost, limit);
        live.nodes.first.back() = row;
        return made;
    }

    // Pairs are shared: products have long common tails.
    CircuitNode pair(CircuitNode head, CircuitNode tail, Cost room) {
        const auto key = (std::uint64_t{head} << 32) | tail;
        const auto [it, fresh] = pairs_.try_emplace(key, 0);
        if (fresh) {
            const CircuitNode both[] = {head, tail};
            it->second = add(Kind::product, both, live.least[head] + live.least[tail], room);
        } else {
            live.limit[it->second] = std::max(live.limit[it->second], room);
        }
        return it->second;
    }

    // Bytes held, about.
    [[nodiscard]] std::size_t memory() const {
        return 29 * live.nodes.kind.capacity() + 4 * live.nodes.children.capacity() +
               48 * pairs_.size();
    }

    LiveCircuit live;

  private:
    std::unordered_map<std::uint64_t, CircuitNode> pairs_;
};

// Passes the limits of nodes on to their children.
void lower_limits(LiveCircuit& live) {
    for (auto node = static_cast<CircuitNode>(live.size()); node-- > 0;) {
        if (live.kind(node) == Kind::leaf) continue;
        for (auto child : live.children(node)) {
            const Cost room = live.kind(node) == Kind::choice
                                  ? live.limit[node]
                                  : live.limit[node] - (live.least[node] - live.least[child]);
            live.limit[child] = std::max(live.limit[child], room);
        }
    }
}

} // namespace

Cost least_cost(const Circuit& circuit, CircuitNode root, std::span<const Cost> row_costs) {
    return least_costs(circuit, root, row_costs)[root];
}

LiveCircuit live_circuit(const Circuit& circuit, CircuitNode root, std::span<const Cost> row_costs,
                         Cost max_cost, Control& control) {
    const auto least = least_costs(circuit, root, row_costs);
    const auto limit = limits(circuit, root, least, max_cost);
    Builder builder;
    std::vector<CircuitNode> number(root + 1, 0);
    for (CircuitNode node = 0; node <= root; ++node) {
        poll(node, control);
        if ((node & 0xfff) == 0 && !control.fits(builder.memory()))
            throw Stopped(StopReason::memory, "counting needs more memory than the limit allows");
        if (limit[node] < least[node]) continue;
        if (circuit.kind(node) == Kind::leaf) {
            number[node] = builder.leaf(circuit.row(node), least[node], limit[node]);
        } else if (circuit.kind(node) == Kind::choice) {
            std::vector<CircuitNode> children;
            for (auto child : circuit.children(node))
                if (least[child] <= limit[node]) children.push_back(number[child]);
            number[node] = builder.add(Kind::choice, children, least[node], limit[node]);
        } else {
            const auto factors = circuit.children(node);
            auto tail = number[factors.back()];
            for (std::size_t f = factors.size() - 1; f-- > 0;) {
                const auto head = number[factors[f]];
                const Cost both = builder.live.least[head] + builder.live.least[tail];
                tail = builder.pair(head, tail, limit[node] - (least[node] - both));
            }
            number[node] = tail;
        }
    }
    auto live = std::move(builder.live);
    if (live.size() == 0) return live;
    // A product whose last pair was made earlier is not the last node: say it
    // again, as a choice of one.
    if (number[root] != live.size() - 1) {
        Builder again;
        again.live = std::move(live);
        const CircuitNode only[] = {number[root]};
        again.add(Kind::choice, only, least[root], limit[root]);
        live = std::move(again.live);
    }
    // Sharing a pair may have raised its limit after those of its children.
    lower_limits(live);
    return live;
}

LiveCircuit checked_live_circuit(const FlatCircuit& flat, std::span<const std::int64_t> offsets,
                                 std::span<const Cost> row_costs, Cost max_cost, Control& control) {
    const auto n = flat.kind.size();
    if (n == 0 || flat.first.size() != n || flat.n_children.size() != n ||
        n >= std::numeric_limits<CircuitNode>::max())
        throw std::invalid_argument("the arrays of a compiled set do not match each other");
    using Variables = NodeSet<max_nodes / 64>;
    std::vector<Variables> scope(n);
    LiveCircuit live{flat, std::vector<Cost>(n, never), std::vector<Cost>(n, -never)};
    for (CircuitNode node = 0; node < n; ++node) {
        poll(node, control);
        if (flat.kind[node] > static_cast<std::uint8_t>(Kind::product))
            throw std::invalid_argument("a compiled set has a node of unknown kind");
        if (live.kind(node) == Kind::leaf) {
            if (flat.first[node] >= static_cast<std::uint64_t>(offsets.back()))
                throw std::invalid_argument("a compiled set names an unknown candidate");
            const auto it = std::upper_bound(offsets.begin(), offsets.end(),
                                             static_cast<std::int64_t>(flat.first[node]));
            scope[node].insert(static_cast<std::size_t>(it - offsets.begin()) - 1);
            live.least[node] = row_costs[flat.first[node]];
            continue;
        }
        const bool choice = live.kind(node) == Kind::choice;
        const auto n_children = flat.n_children[node];
        if ((choice ? n_children == 0 : n_children != 2) ||
            flat.first[node] > flat.children.size() ||
            flat.children.size() - flat.first[node] < n_children)
            throw std::invalid_argument("a compiled set has a node without its children");
        if (!choice) live.least[node] = 0;
        for (std::size_t c = 0; c < n_children; ++c) {
            const auto child = live.children(node)[c];
            if (child >= node) throw std::invalid_argument("a compiled set is not in order");
            if (choice ? c > 0 && scope[child] != scope[node]
                       : scope[child].intersects(scope[node]))
                throw std::invalid_argument("a compiled set mixes up its variables");
            scope[node] |= scope[child];
            live.least[node] = choice ? std::min(live.least[node], live.least[child])
                                      : live.least[node] + live.least[child];
        }
    }
    if (scope.back() != Variables::first(offsets.size() - 1))
        throw std::invalid_argument("a compiled set does not cover all variables");
    live.limit.back() = max_cost;
    lower_limits(live);
    // Counting relies on it that each node is in a network within the limit.
    for (CircuitNode node = 0; node < n; ++node)
        if (live.limit[node] < live.least[node])
            throw std::invalid_argument("a compiled set has nodes that no network within its "
                                        "limit uses");
    return live;
}

LiveCircuit trimmed(const LiveCircuit& live, Cost max_cost) {
    std::vector<Cost> limits(live.size(), -never);
    if (live.size() > 0) limits.back() = std::min(max_cost, live.limit.back());
    Builder builder;
    std::vector<CircuitNode> number(live.size(), 0), children;
    for (auto node = static_cast<CircuitNode>(live.size()); node-- > 0;) {
        if (limits[node] < live.least[node] || live.kind(node) == Kind::leaf) continue;
        for (auto child : live.children(node)) {
            const Cost room = live.kind(node) == Kind::choice
                                  ? limits[node]
                                  : limits[node] - (live.least[node] - live.least[child]);
            limits[child] = std::max(limits[child], room);
        }
    }
    for (CircuitNode node = 0; node < live.size(); ++node) {
        const Cost limit = limits[node];
        if (limit < live.least[node]) continue;
        if (live.kind(node) == Kind::leaf) {
            const auto row = static_cast<std::uint32_t>(live.nodes.first[node]);
            number[node] = builder.leaf(row, live.least[node], limit);
            continue;
        }
        children.clear();
        for (auto child : live.children(node))
            if (live.kind(node) == Kind::product || live.least[child] <= limit)
                children.push_back(number[child]);
        number[node] = builder.add(live.kind(node), children, live.least[node], limit);
    }
    return std::move(builder.live);
}

} // namespace crediblenet
