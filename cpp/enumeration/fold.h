// Counting from both ends: lists of levels where they are short, rests where they are long.
//
// The levels of a node near the leaves are few, and near the root they may be more than fit
// into memory. Of what a network has besides a node, its rests, the opposite is true: the
// root has one. So levels are kept for the choices that have at most `longest` of them; above
// these the rests are carried down until they meet a list, where each rest counts what the
// list has within the remaining cost (Horowitz and Sahni 1974, "meet in the middle"). Nothing
// is rounded. Products keep no list: nearly all are used once.
#pragma once

#include "enumeration/levels.h"
#include "enumeration/live_circuit.h"

#include <optional>
#include <span>
#include <vector>

namespace crediblenet {

// How a child of a node is made up: some nodes with lists, and at most one without.
struct Makeup {
    Cost least = 0;
    std::vector<CircuitNode> listed;
    std::optional<CircuitNode> open;
};

// There are so many more rests than levels in lists that longer lists would take less time.
struct Unbalanced {};

template <class Count> class Fold {
  public:
    Fold(const LiveCircuit& circuit, std::size_t longest, Control& control)
        : live(circuit), levels(circuit.size()), held_(control, "the compiled set") {
        Watch watch(control, "counting was stopped");
        for (CircuitNode node = 0; node < live.size(); ++node)
            if (live.kind(node) == Circuit::Kind::leaf)
                keep(node, {{live.least[node], Count(1)}});
            else if (live.kind(node) == Circuit::Kind::choice)
                list(node, longest, watch);
        close_all_but_one(static_cast<CircuitNode>(live.size() - 1), watch);
    }
    // The same lists in other numbers.
    template <class Other, class Convert>
    Fold(const Fold<Other>& other, Control& control, Convert&& convert)
        : live(other.live), levels(live.size()), held_(control, "averaging") {
        for (CircuitNode node = 0; node < live.size(); ++node) {
            Levels<Count> converted;
            converted.reserve(other.levels[node].size());
            for (const auto& level : other.levels[node])
                converted.push_back({level.cost, convert(node, level)});
            keep(node, std::move(converted));
        }
    }

    // A choice without a list.
    [[nodiscard]] bool is_open(CircuitNode node) const {
        return levels[node].empty() && live.kind(node) == Circuit::Kind::choice;
    }

    [[nodiscard]] Makeup makeup(CircuitNode child) const {
        Makeup made{live.least[child], {}, {}};
        for_each_factor(child, [&](CircuitNode factor) {
            if (is_open(factor))
                made.open = factor;
            else
                made.listed.push_back(factor);
        });
        // Short lists first: then the products stay short longest. The order is a fixed one.
        std::ranges::sort(made.listed, [&](CircuitNode a, CircuitNode b) {
            return std::pair(levels[a].size(), a) < std::pair(levels[b].size(), b);
        });
        return made;
    }

    // The children of a choice; a root that is a product is its own only child.
    [[nodiscard]] std::span<const CircuitNode> options(const CircuitNode& node) const {
        if (live.kind(node) == Circuit::Kind::choice) return live.children(node);
        return {&node, 1};
    }

    // The levels of a product of nodes with lists, within `slack` of its least cost; sorted
    // unless there are too many sums to be made, then none.
    [[nodiscard]] std::optional<Levels<Count>>
    product(std::span<const CircuitNode> factors, Cost slack, Watch& watch,
            std::size_t most_sums = std::numeric_limits<std::size_t>::max()) const {
        Levels<Count> made{{0, Count(1)}}, sums;
        Held held = watch.hold(0);
        Cost least = 0;
        for (const auto factor : factors) {
            least += live.least[factor];
            sums.clear();
            if (!add_sums(levels[factor], made, least + slack, most_sums, sums, watch))
                return std::nullopt;
            held.change_to(bytes_of(made) + bytes_of(sums));
            join_equal(sums, watch);
            made.swap(sums);
        }
        return made;
    }

    // Carries the rests of networks within `max_cost` down to the lists. For each child of a
    // node without a list:
    //   shift(node, child) is what a rest is multiplied with on the way,
    //   meet(rests, list): what the rests of one child meet, both in order of cost,
    //   leave(node, rests): the node's own rests are needed no more.
    // Throws Unbalanced when there are more than `most_rests` in all.
    template <class Shift, class Meet, class Leave>
    void descend(Cost max_cost, Control& control, Shift&& shift, Meet&& meet, Leave&& leave,
                 std::size_t most_rests = std::numeric_limits<std::size_t>::max()) const {
        Held held(control, "counting");
        Watch watch(control, "counting was stopped");
        std::vector<Levels<Count>> rests(live.size());
        const auto root = static_cast<CircuitNode>(live.size() - 1);
        rests[root].push_back({0, Count(1)});
        std::size_t carried = 0; // rests so far
        const auto add = [&](CircuitNode node, const Levels<Count>& more) {
            carried += more.size();
            if (carried > most_rests) throw Unbalanced{};
            auto& known = rests[node];
            const auto before = bytes_of(known);
            if (known.size() + more.size() > known.capacity()) {
                const auto capacity = std::max(known.size() + more.size(), 2 * known.capacity());
                held.add(capacity * sizeof(Level<Count>)); // both are there for a moment
                known.reserve(capacity);
                held.drop(before);
            }
            known.insert(known.end(), more.begin(), more.end());
        };
        for (auto node = static_cast<CircuitNode>(root + 1); node-- > 0;) {
            if (rests[node].empty()) continue;
            auto own = std::move(rests[node]);
            const auto bytes = node == root ? 0 : bytes_of(own);
            join_equal(own, watch);
            watch(own.size());
            if (!levels[node].empty()) {
                meet(own, levels[node]);
            } else {
                for (const auto& child : options(node)) {
                    if (own.front().cost + live.least[child] > max_cost) continue;
                    pass(own, makeup(child), max_cost, shift(node, child), add, meet, watch);
                }
                leave(node, std::move(own));
            }
            held.drop(bytes);
        }
    }

    // Two halves of some nodes, the second with the longer lists.
    [[nodiscard]] std::pair<std::span<const CircuitNode>, std::span<const CircuitNode>>
    halves(const Makeup& made, std::size_t rests) const {
        // The rests go with the first half; as long as that is the smaller one, it grows.
        const std::span<const CircuitNode> listed(made.listed);
        double first = static_cast<double>(rests), second = 1;
        std::size_t cut = 0, end = listed.size();
        while (cut < end)
            if (first < second)
                first *= static_cast<double>(levels[listed[cut++]].size());
            else
                second *= static_cast<double>(levels[listed[--end]].size());
        return {listed.first(cut), listed.subspan(cut)};
    }

    [[nodiscard]] std::size_t n_entries() const { return n_entries_; }

    const LiveCircuit& live;
    std::vector<Levels<Count>> levels; // of leaves and of choices that are not open

  private:
    template <class Add, class Meet>
    void pass(const Levels<Count>& own, const Makeup& made, Cost max_cost, const Count& shift,
              Add&& add, Meet&& meet, Watch& watch) const {
        const Cost slack = max_cost - own.front().cost - made.least;
        const auto [first, second] = made.open
                                         ? std::pair(std::span<const CircuitNode>(made.listed),
                                                     std::span<const CircuitNode>())
                                         : halves(made, own.size());
        auto with = *product(first, slack, watch);
        Held held = watch.hold(bytes_of(with));
        for (auto& level : with) level.networks = level.networks * shift;
        Cost after = made.open ? live.least[*made.open] : 0;
        for (const auto node : second) after += live.least[node];
        Levels<Count> further;
        add_sums(with, own, max_cost - after, std::numeric_limits<std::size_t>::max(), further,
                 watch);
        with = {};
        held.change_to(bytes_of(further));
        join_equal(further, watch);
        if (made.open) {
            add(*made.open, further);
        } else {
            const auto others = *product(second, slack, watch);
            held.add(bytes_of(others));
            meet(further, others);
        }
    }

    // A node that is no product is its own only factor.
    template <class Visit> void for_each_factor(CircuitNode child, Visit&& visit) const {
        std::vector<CircuitNode> pending{child};
        while (!pending.empty()) {
            const auto node = pending.back();
            pending.pop_back();
            if (live.kind(node) == Circuit::Kind::product) {
                const auto both = live.children(node);
                pending.insert(pending.end(), both.begin(), both.end());
            } else {
                visit(node);
            }
        }
    }

    void keep(CircuitNode node, Levels<Count>&& list) {
        held_.add(list.size() * sizeof(Level<Count>) + sizeof(list));
        n_entries_ += list.size();
        levels[node] = std::move(list);
    }

    // Lists a choice whose children have lists, unless that gets too long.
    void list(CircuitNode node, std::size_t longest, Watch& watch) {
        const auto most_sums =
            longest > (std::size_t{1} << 60) ? longest : sums_per_level * longest;
        for (const auto child : live.children(node)) close_all_but_one(child, watch);
        Levels<Count> all;
        Held held = watch.hold(0);
        for (const auto child : live.children(node)) {
            const auto made = makeup(child);
            if (made.open) return;
            auto own = product(made.listed, live.limit[node] - made.least, watch, most_sums);
            if (!own || all.size() + own->size() > most_sums) return;
            held.change_to(bytes_of(all) + 2 * bytes_of(*own)); // it is there twice for a moment
            all.insert(all.end(), std::make_move_iterator(own->begin()),
                       std::make_move_iterator(own->end()));
        }
        join_equal(all, watch);
        if (all.size() > longest) return;
        all.shrink_to_fit();
        keep(node, std::move(all));
    }

    // Rests can be carried to one factor only: the others of a product get lists, however
    // long. The last node stays open; as it comes latest, it is likely to have most below it.
    void close_all_but_one(CircuitNode child, Watch& watch) {
        if (live.kind(child) != Circuit::Kind::product) return;
        std::vector<CircuitNode> open;
        for_each_factor(child, [&](CircuitNode factor) {
            if (is_open(factor)) open.push_back(factor);
        });
        std::ranges::sort(open);
        for (std::size_t at = 0; at + 1 < open.size(); ++at) close(open[at], watch);
    }

    void close(CircuitNode node, Watch& watch) {
        std::vector<CircuitNode> below{node}, pending{node};
        std::vector<char> seen(node + 1, 0);
        while (!pending.empty()) {
            const auto children = live.children(pending.back());
            pending.pop_back();
            for (const auto child : children) {
                if (seen[child] || (live.kind(child) != Circuit::Kind::product && !is_open(child)))
                    continue;
                seen[child] = 1;
                pending.push_back(child);
                if (is_open(child)) below.push_back(child);
            }
        }
        std::ranges::sort(below);
        for (const auto open : below) list(open, std::numeric_limits<std::size_t>::max(), watch);
    }

    // A list may be so much longer before equal costs are joined.
    static constexpr std::size_t sums_per_level = 8;

    Held held_;
    std::size_t n_entries_ = 0;
};

} // namespace crediblenet
