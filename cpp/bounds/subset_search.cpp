#include "bounds/subset_search.h"

#include "number_index.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

namespace crediblenet {

namespace {

// Placing a variable after one subset, and then all that can be placed at
// their least cost, leads to another subset.
struct Step {
    std::uint32_t to;
    Cost cost;
};

template <std::size_t W> struct Visited {
    NodeSet<W> subset;
    Cost forward = infeasible;      // the least cost of a path that leads here
    Cost bound = 0;                 // h
    Cost backward = infeasible;     // the least cost of a path from here to the whole block
    std::size_t begin = 0, end = 0; // of its steps
};

// The subsets that were visited, found by their content.
template <std::size_t W> class SubsetGraph {
  public:
    std::vector<Visited<W>> nodes;
    std::vector<Step> steps;

    static constexpr auto none = NumberIndex::none;

    void clear() {
        nodes.clear();
        steps.clear();
        index_.clear();
    }

    [[nodiscard]] std::uint32_t find(const NodeSet<W>& subset) const {
        return index_.find(subset.hash(), [&](auto node) { return nodes[node].subset == subset; });
    }

    // Adds a new subset and returns its number.
    std::uint32_t add(const NodeSet<W>& subset, Cost bound) {
        const auto number = static_cast<std::uint32_t>(nodes.size());
        index_.add(subset.hash(), number);
        nodes.push_back({subset, infeasible, bound, infeasible, 0, 0});
        return number;
    }

    [[nodiscard]] std::size_t memory() const {
        return nodes.capacity() * sizeof(Visited<W>) + steps.capacity() * sizeof(Step) +
               index_.memory();
    }

  private:
    NumberIndex index_;
};

template <std::size_t W> class SubsetSearch {
  public:
    SubsetSearch(const Problem<W>& problem, const NodeSet<W>& block,
                 const std::vector<Multiplier<W>>& multipliers, std::uint64_t max_work,
                 Control& control)
        : block_(block), max_work_(max_work), control_(control), candidates_(problem.n_variables()),
          best_for_(problem.n_variables()), base_(problem.n_variables()),
          gain_(problem.n_variables()) {
        block_.for_each([&](std::size_t v) {
            for (auto candidate : problem.candidates[v]) {
                candidate.parents &= block_;
                candidates_[v].push_back(candidate);
            }
            if (candidates_[v].empty())
                throw std::invalid_argument("a variable of the block has no candidate");
            candidates_[v].front().parents.for_each([&](std::size_t p) { best_for_[p].insert(v); });
        });
        for (auto multiplier : multipliers) {
            multiplier.members &= block_;
            if (multiplier.value > 0 && multiplier.k < multiplier.members.size())
                multipliers_.push_back(multiplier);
        }
        block_.for_each([&](std::size_t v) { base_[v] = least_reduced(v); });
    }

    ~SubsetSearch() { control_.release(reserved_); }
    SubsetSearch(const SubsetSearch&) = delete;
    SubsetSearch& operator=(const SubsetSearch&) = delete;

    // Finds the optimum if it is at most `limit`. False: too much work or memory.
    bool run(Cost limit) {
        if (!explore(free_, {}, limit)) return false;
        for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
            auto& node = free_.nodes[*it];
            if (node.subset == block_) node.backward = 0;
            for (auto e = node.begin; e < node.end; ++e)
                node.backward = std::min(
                    node.backward, free_.steps[e].cost + free_.nodes[free_.steps[e].to].backward);
        }
        return true;
    }

    [[nodiscard]] std::optional<Cost> optimum() const {
        const auto whole = free_.find(block_);
        if (whole == free_.none) return std::nullopt;
        return free_.nodes[whole].forward;
    }

    // After run(limit): the rows of candidates in a network that costs at most
    // `limit`. None: too much work or memory.
    std::optional<std::vector<std::uint32_t>> rows(Cost limit) {
        std::vector<std::uint32_t> rows;
        for (auto v : members_of(block_)) {
            auto open = candidates_[v]; // not yet known to be in such a network
            collect(free_, v, limit, open, rows);
            if (open.empty()) continue;
            if (!explore(held_, NodeSet<W>::single(v), limit)) return std::nullopt;
            collect(held_, v, limit, open, rows);
        }
        std::sort(rows.begin(), rows.end());
        return rows;
    }

    [[nodiscard]] std::uint64_t work() const { return work_; }

  private:
    static std::vector<std::size_t> members_of(const NodeSet<W>& set) {
        std::vector<std::size_t> members;
        set.for_each([&](std::size_t v) { members.push_back(v); });
        return members;
    }

    Cost least_reduced(std::size_t v) const {
        Cost least = infeasible;
        for (const auto& candidate : candidates_[v]) {
            Cost reduced = candidate.cost;
            for (const auto& multiplier : multipliers_)
                if (multiplier.counts(v, candidate.parents)) reduced -= multiplier.value;
            least = std::min(least, reduced);
        }
        return least;
    }

    Cost rest_bound(const NodeSet<W>& subset) const {
        Cost bound = 0;
        (block_ - subset).for_each([&](std::size_t v) { bound += base_[v]; });
        for (const auto& multiplier : multipliers_) {
            const auto placed = (multiplier.members & subset).size();
            if (placed < multiplier.k)
                bound += static_cast<Cost>(multiplier.k - placed) * multiplier.value;
        }
        return bound;
    }

    // Adds v, and every variable that can then have its best parent set, save
    // `held`, to a subset in which there was none such; returns what those others cost.
    Cost place(std::size_t v, NodeSet<W>& subset, const NodeSet<W>& held) const {
        subset.insert(v);
        Cost cost = 0;
        auto waiting = best_for_[v] - subset - held;
        while (!waiting.empty()) {
            const auto u = waiting.lowest();
            waiting.erase(u);
            if (!candidates_[u].front().parents.subset_of(subset)) continue;
            subset.insert(u);
            cost += candidates_[u].front().cost;
            waiting |= best_for_[u] - subset - held;
        }
        return cost;
    }

    // The same for the empty subset.
    Cost place_first(NodeSet<W>& subset, const NodeSet<W>& held) const {
        Cost cost = 0;
        (block_ - held).for_each([&](std::size_t v) {
            if (subset.contains(v) || !candidates_[v].front().parents.empty()) return;
            cost += candidates_[v].front().cost + place(v, subset, held);
        });
        return cost;
    }

    // Visits the subsets that are part of a network within the limit, as far as
    // the bound can tell, without placing `held`. False: too much work or memory.
    bool explore(SubsetGraph<W>& graph, const NodeSet<W>& held, Cost limit) {
        graph.clear();
        std::vector<std::vector<std::uint32_t>> by_size(block_.size() + 1);
        // A step that costs `cost` and ends in `subset`.
        const auto step_to = [&](const NodeSet<W>& subset, Cost so_far,
                                 Cost cost) -> std::optional<Step> {
            auto to = graph.find(subset);
            const bool is_new = to == graph.none;
            const Cost bound = is_new ? rest_bound(subset) : graph.nodes[to].bound;
            if (so_far + cost + bound > limit) return std::nullopt;
            // Whoever is held, what follows costs no less than when nobody is.
            if (!held.empty() && so_far + cost + to_the_end(subset, held) > limit)
                return std::nullopt;
            if (is_new) {
                to = graph.add(subset, bound);
                by_size[subset.size()].push_back(to);
            }
            graph.nodes[to].forward = std::min(graph.nodes[to].forward, so_far + cost);
            return Step{to, cost};
        };
        NodeSet<W> first;
        const Cost free = place_first(first, held);
        step_to(first, 0, free);
        order_.clear();
        for (const auto& sets : by_size) // those found on the way are larger
            for (const auto number : sets) {
                if (order_.size() % 256 == 0 && !fits()) return false;
                order_.push_back(number);
                const auto node = graph.nodes[number];
                graph.nodes[number].begin = graph.steps.size();
                const auto outside = block_ - node.subset;
                work_ += outside.size();
                if (work_ > max_work_) return false;
                find_gains(node.subset, outside);
                (outside - held).for_each([&](std::size_t v) {
                    const Cost most = limit - node.forward - (node.bound - gain_[v]);
                    const Cost cost = best(candidates_[v], node.subset, most);
                    if (cost > most) return;
                    auto larger = node.subset;
                    const Cost others = place(v, larger, held);
                    if (const auto step = step_to(larger, node.forward, cost + others))
                        graph.steps.push_back(*step);
                });
                graph.nodes[number].end = graph.steps.size();
            }
        return true;
    }

    // What h falls by when a variable is placed.
    void find_gains(const NodeSet<W>& subset, const NodeSet<W>& outside) {
        outside.for_each([&](std::size_t v) { gain_[v] = base_[v]; });
        for (const auto& multiplier : multipliers_)
            if ((multiplier.members & subset).size() < multiplier.k)
                (multiplier.members & outside).for_each([&](std::size_t v) {
                    gain_[v] += multiplier.value;
                });
    }

    // The least cost of a parent set inside the subset, if that is at most `most`.
    static Cost best(const std::vector<Candidate<W>>& candidates, const NodeSet<W>& subset,
                     Cost most) {
        for (const auto& candidate : candidates) { // least cost first
            if (candidate.cost > most) break;
            if (candidate.parents.subset_of(subset)) return candidate.cost;
        }
        return infeasible;
    }

    // Finds candidates of v that a network within the limit uses: they are placed
    // after a subset of the graph, and what follows is the cheapest there is.
    void collect(const SubsetGraph<W>& graph, std::size_t v, Cost limit,
                 std::vector<Candidate<W>>& open, std::vector<std::uint32_t>& rows) const {
        for (const auto& node : graph.nodes) {
            if (open.empty()) return;
            if (node.subset.contains(v)) continue;
            auto after = node.subset;
            const Cost cost = place(v, after, {});
            take(open, node.subset, limit - node.forward - cost - completion(after), rows);
        }
    }

    // The least cost of what is outside a subset in which nobody can be placed
    // for free, except perhaps the one that is held.
    Cost to_the_end(NodeSet<W> subset, const NodeSet<W>& held) const {
        Cost cost = 0;
        held.for_each([&](std::size_t v) {
            const auto& best = candidates_[v].front();
            if (best.parents.subset_of(subset)) cost = best.cost + place(v, subset, {});
        });
        return cost + completion(subset);
    }

    Cost completion(const NodeSet<W>& subset) const {
        const auto number = free_.find(subset);
        return number == free_.none ? infeasible : free_.nodes[number].backward;
    }

    // Moves the candidates that fit from `open` to `rows`.
    static void take(std::vector<Candidate<W>>& open, const NodeSet<W>& subset, Cost room,
                     std::vector<std::uint32_t>& rows) {
        std::size_t kept = 0, c = 0;
        for (; c < open.size() && open[c].cost <= room; ++c) {
            if (open[c].parents.subset_of(subset))
                rows.push_back(open[c].row);
            else
                open[kept++] = open[c];
        }
        if (kept < c)
            open.erase(open.begin() + static_cast<std::ptrdiff_t>(kept),
                       open.begin() + static_cast<std::ptrdiff_t>(c));
    }

    // Whether there is memory to go on. Throws when the run is stopped.
    bool fits() {
        if (control_.poll()) throw Stopped(control_.reason(), "the subset search was stopped");
        const auto bytes = free_.memory() + held_.memory();
        if (bytes <= reserved_) return true;
        if (!control_.fits(bytes - reserved_)) return false;
        control_.reserve(bytes - reserved_, "the subset search");
        reserved_ = bytes;
        return true;
    }

    NodeSet<W> block_;
    std::uint64_t max_work_;
    Control& control_;
    std::vector<std::vector<Candidate<W>>> candidates_;
    std::vector<Multiplier<W>> multipliers_;
    std::vector<NodeSet<W>> best_for_; // whose best parent set a variable is in
    std::vector<Cost> base_;           // u
    std::vector<Cost> gain_;
    SubsetGraph<W> free_;              // no variable is held
    SubsetGraph<W> held_;              // one is
    std::vector<std::uint32_t> order_; // of the last exploration, smaller subsets first
    std::uint64_t work_ = 0;
    std::size_t reserved_ = 0; // bytes announced to the control
};

} // namespace

template <std::size_t W>
SubsetSearchResult subset_search(const Problem<W>& problem, const NodeSet<W>& block,
                                 const std::vector<Multiplier<W>>& multipliers, Cost limit,
                                 Cost slack, std::uint64_t max_work, Control& control) {
    SubsetSearch<W> search(problem, block, multipliers, max_work, control);
    SubsetSearchResult result;
    const auto run = [&] {
        // The optimum first: looking for it alone takes less work.
        if (!search.run(limit)) return false;
        const Cost most = search.optimum().value_or(limit) + slack;
        if (!search.run(most)) return false;
        result.program.optimum = search.optimum();
        auto rows = search.rows(most);
        if (!rows) return false;
        result.program.rows = std::move(*rows);
        return true;
    };
    result.finished = run();
    result.work = search.work();
    return result;
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template SubsetSearchResult subset_search(const Problem<W>&, const NodeSet<W>&,                \
                                              const std::vector<Multiplier<W>>&, Cost, Cost,       \
                                              std::uint64_t, Control&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
