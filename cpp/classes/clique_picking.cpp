#include "classes/clique_picking.h"

#include "classes/chordal.h"

#include <algorithm>
#include <limits>

namespace crediblenet {

template <std::size_t W>
CliquePicking<W>::CliquePicking(std::vector<NodeSet<W>> adjacency)
    : adjacency_(std::move(adjacency)), factorial_(factorials(adjacency_.size())), count_(1) {
    if (adjacency_.size() > 1) count_ = solve(NodeSet<W>::first(adjacency_.size())).count;
}

template <std::size_t W> bool CliquePicking<W>::is_tree(const NodeSet<W>& nodes) const {
    std::size_t ends = 0;
    nodes.for_each([&](std::size_t node) { ends += (adjacency_[node] & nodes).size(); });
    return ends == 2 * (nodes.size() - 1);
}

template <std::size_t W> PrefixOrders CliquePicking<W>::prefix_orders(const Pick& pick) const {
    std::vector<std::size_t> sizes;
    for (const auto& set : pick.nested) sizes.push_back(set.size());
    return {std::move(sizes), factorial_};
}

template <std::size_t W>
const typename CliquePicking<W>::Problem& CliquePicking<W>::solve(const NodeSet<W>& nodes) {
    if (const auto known = problems_.find(nodes); known != problems_.end()) return known->second;
    Problem problem;
    if (is_tree(nodes)) {
        // An AMO of a tree has one source and points away from it everywhere.
        problem.count = nodes.size();
        return problems_.emplace(nodes, std::move(problem)).first->second;
    }
    const auto tree = clique_tree<W>(adjacency_, nodes);
    for (const auto& entry : tree) {
        Pick pick{entry.clique, {entry.clique}, {}, {}};
        for (auto below = &entry; below != &tree[0]; below = &tree[below->parent]) {
            const auto& separator = below->separator;
            if (separator != pick.nested.back() && separator.subset_of(entry.clique))
                pick.nested.push_back(separator);
        }
        std::reverse(pick.nested.begin(), pick.nested.end());
        pick.orders = prefix_orders(pick).count();
        pick.weight = pick.orders;
        for_each_part<W>(adjacency_, nodes, entry.clique,
                         [&](const NodeSet<W>& part, const NodeSet<W>&) {
                             if (part.size() > 1) pick.weight *= solve(part).count;
                         });
        problem.count += pick.weight;
        problem.picks.push_back(std::move(pick));
    }
    return problems_.emplace(nodes, std::move(problem)).first->second;
}

// Top down: outside[H] is the number of ways to orient everything outside H in AMOs of G
// in which H arises as a part, so that the AMOs with a -> b are the sum over the problems H
// and the picks K of H that orient the edge: outside[H] times the orientations of H there.
template <std::size_t W> std::vector<BigUint> CliquePicking<W>::edge_counts() const {
    const auto n = adjacency_.size();
    std::vector<BigUint> counts(n * n);
    if (n < 2) return counts;
    // A part is smaller than the problem it comes from, so problems by falling size.
    std::vector<NodeSet<W>> order;
    for (const auto& [nodes, problem] : problems_) order.push_back(nodes);
    std::sort(order.begin(), order.end(), [](const NodeSet<W>& a, const NodeSet<W>& b) {
        return a.size() != b.size() ? a.size() > b.size() : a < b;
    });
    Counts outsides;
    outsides[order.front()] = 1;
    for (const auto& nodes : order) {
        const auto outside = outsides[nodes];
        const auto& problem = problems_.at(nodes);
        if (problem.picks.empty()) add_tree_edges(nodes, outside, counts);
        for (const auto& pick : problem.picks)
            add_pick_edges(nodes, pick, outside, counts, outsides);
    }
    for (std::size_t a = 0; a < n; ++a) // so far with a < b only
        adjacency_[a].for_each([&](std::size_t b) {
            if (a < b) counts[b * n + a] = count_ - counts[a * n + b];
        });
    return counts;
}

// In a tree a -> b iff the source is on the side of a when the edge is cut.
template <std::size_t W>
void CliquePicking<W>::add_tree_edges(const NodeSet<W>& nodes, const BigUint& outside,
                                      std::vector<BigUint>& counts) const {
    const auto n = adjacency_.size();
    nodes.for_each([&](std::size_t a) {
        (adjacency_[a] & nodes).for_each([&](std::size_t b) {
            if (b < a) return;
            auto others = nodes;
            others.erase(b);
            const auto side = reach<W>(adjacency_, others, a).component.size();
            counts[a * n + b] += outside * BigUint(side);
        });
    });
}

template <std::size_t W>
void CliquePicking<W>::add_pick_edges(const NodeSet<W>& nodes, const Pick& pick,
                                      const BigUint& outside, std::vector<BigUint>& counts,
                                      Counts& outsides) const {
    const auto n = adjacency_.size();
    std::vector<NodeSet<W>> parts; // those with a choice of orientation
    // Arcs into a part are the same in all AMOs of this pick.
    const auto here = outside * pick.weight;
    for_each_part<W>(adjacency_, nodes, pick.clique,
                     [&](const NodeSet<W>& part, const NodeSet<W>& parents) {
                         if (part.size() > 1) parts.push_back(part);
                         parents.for_each([&](std::size_t a) {
                             part.for_each([&](std::size_t b) {
                                 if (a < b) counts[a * n + b] += here;
                             });
                         });
                     });
    // Products of the counts of all parts but one, from products of those before and after.
    std::vector<BigUint> after(parts.size() + 1, 1);
    for (std::size_t i = parts.size(); i-- > 0;)
        after[i] = after[i + 1] * problems_.at(parts[i]).count;
    auto before = outside * pick.orders;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        outsides[parts[i]] += before * after[i + 1];
        before *= problems_.at(parts[i]).count;
    }
    // Inside the clique only the layers of the nested prefixes matter.
    const auto orders = prefix_orders(pick);
    const auto around = outside * after[0];
    for (std::size_t i = 0; i < pick.nested.size(); ++i) {
        const auto layer_i = i == 0 ? pick.nested[0] : pick.nested[i] - pick.nested[i - 1];
        for (std::size_t j = i; j < pick.nested.size(); ++j) {
            const auto layer_j = j == 0 ? pick.nested[0] : pick.nested[j] - pick.nested[j - 1];
            const auto forward = around * orders.count_before(i, j);
            const auto backward = around * pick.orders - forward;
            layer_i.for_each([&](std::size_t a) {
                layer_j.for_each([&](std::size_t b) {
                    if (a < b) counts[a * n + b] += forward;
                    if (b < a && i != j) counts[b * n + a] += backward;
                });
            });
        }
    }
}

template <std::size_t W>
void CliquePicking<W>::sample(std::mt19937_64& random, std::vector<NodeSet<W>>& parents) const {
    std::vector<NodeSet<W>> open{NodeSet<W>::first(adjacency_.size())};
    while (!open.empty()) {
        const auto nodes = open.back();
        open.pop_back();
        if (nodes.size() > 1) sample_pick(nodes, random, parents, open);
    }
}

// Draws the good clique, its order, and leaves the parts in `open`.
template <std::size_t W>
void CliquePicking<W>::sample_pick(const NodeSet<W>& nodes, std::mt19937_64& random,
                                   std::vector<NodeSet<W>>& parents,
                                   std::vector<NodeSet<W>>& open) const {
    const auto& problem = problems_.at(nodes);
    NodeSet<W> clique;
    if (problem.picks.empty()) { // a tree: draw the source
        auto skip = uniform_below(random, nodes.size());
        nodes.for_each([&](std::size_t node) {
            if (skip-- == 0) clique.insert(node);
        });
    } else {
        auto index = uniform_below(random, problem.count);
        auto pick = problem.picks.begin();
        for (; index >= pick->weight; ++pick) index -= pick->weight;
        clique = pick->clique;
        std::vector<std::size_t> order;
        clique.for_each([&](std::size_t node) { order.push_back(node); });
        // Rejection is exact, and at least a third of all orders is allowed: the share of
        // those with a forbidden prefix is at most Σ_l 1/binomial(k, l), 0 < l < k, which
        // is largest, 2/3, at k = 3 and 4.
        for (bool allowed = false; !allowed;) {
            for (std::size_t i = order.size(); i > 1; --i)
                std::swap(order[i - 1], order[uniform_below(random, i)]);
            allowed = true;
            for (std::size_t i = 0; i + 1 < pick->nested.size() && allowed; ++i) {
                const auto& prefix = pick->nested[i];
                allowed = !std::all_of(order.begin(),
                                       order.begin() + static_cast<std::ptrdiff_t>(prefix.size()),
                                       [&](std::size_t node) { return prefix.contains(node); });
            }
        }
        NodeSet<W> earlier;
        for (auto node : order) {
            parents[node] |= earlier;
            earlier.insert(node);
        }
    }
    for_each_part<W>(adjacency_, nodes, clique,
                     [&](const NodeSet<W>& part, const NodeSet<W>& arcs) {
                         part.for_each([&](std::size_t node) { parents[node] |= arcs; });
                         open.push_back(part);
                     });
}

template <std::size_t W> std::size_t CliquePicking<W>::memory() const {
    auto bytes = sizeof(*this) + adjacency_.size() * (sizeof(NodeSet<W>) + sizeof(BigUint));
    for (const auto& [nodes, problem] : problems_) {
        bytes += sizeof(nodes) + sizeof(problem);
        for (const auto& pick : problem.picks)
            bytes += sizeof(pick) + pick.nested.size() * sizeof(NodeSet<W>) +
                     pick.weight.bit_length() / 4; // of which `orders` is a factor
    }
    return bytes;
}

std::size_t uniform_below(std::mt19937_64& random, std::size_t bound) {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    const auto fair = most - most % bound; // a multiple of the bound
    auto draw = random();
    while (draw >= fair) draw = random();
    return draw % bound;
}

BigUint uniform_below(std::mt19937_64& random, const BigUint& bound) {
    const auto bits = bound.bit_length();
    while (true) {
        std::vector<std::uint32_t> limbs(bound.limbs().size());
        for (auto& limb : limbs) limb = static_cast<std::uint32_t>(random());
        if (bits % 32 != 0) limbs.back() &= (std::uint32_t{1} << (bits % 32)) - 1;
        auto draw = BigUint::from_limbs(std::move(limbs));
        if (draw < bound) return draw;
    }
}

#define CREDIBLENET_INSTANTIATE(W) template class CliquePicking<W>;
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
