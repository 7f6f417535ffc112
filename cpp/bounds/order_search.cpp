#include "bounds/order_search.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

namespace crediblenet {

namespace {

template <std::size_t W> class OrderSearch {
  public:
    explicit OrderSearch(const Problem<W>& problem)
        : problem_(problem), n_(problem.n_variables()), possible_(problem.possible_parents()),
          chosen_(n_) {}

    FoundNetwork run(unsigned restarts, std::uint64_t seed, std::span<const double> x,
                     Control& control) {
        std::mt19937_64 random(seed);
        auto order = feasible(fitting_order(x));
        auto best = climb(order, control);
        auto best_order = order;
        for (unsigned round = 1; round < restarts; ++round) {
            if (work_ > most_work || control.poll()) break;
            if (x.empty() && round % 3 == 0) {
                for (std::size_t i = n_; i > 1; --i)
                    std::swap(order[i - 1], order[below(random, i)]);
            } else {
                // Perturb the best order: most improvements lie near it.
                order = best_order;
                for (std::size_t swaps = 0; swaps < std::min(2 + n_ / 8, most_swaps); ++swaps)
                    std::swap(order[below(random, n_)], order[below(random, n_)]);
            }
            order = feasible(std::move(order));
            const auto cost = climb(order, control);
            if (cost < best) {
                best = cost;
                best_order = order;
            }
        }
        choose(best_order);
        FoundNetwork result;
        result.rows.resize(n_);
        for (std::size_t i = 0; i < n_; ++i) {
            const auto& candidate = problem_.candidates[i].at(chosen_[i]);
            result.cost += candidate.cost;
            result.rows[i] = candidate.row;
        }
        return result;
    }

  private:
    // What a variable costs that has no candidate. All costs of a network add up to less than
    // half of it, whatever their signs (2^52, see decision 0002): so no order that leaves a
    // variable without one is as good as one that does not. Small enough to be added up for
    // all variables.
    static constexpr Cost no_candidate = Cost{1} << 53;

    // With hundreds of variables, more of them leave little of what was good.
    static constexpr std::size_t most_swaps = 8;

    // Looking at so many candidates ends the restarts: about a quarter of a second.
    static constexpr std::uint64_t most_work = 100'000'000;
    // Swaps that take as long as looking at a candidate.
    static constexpr std::size_t swaps_per_work = 4;

    // std::uniform_int_distribution differs between standard libraries.
    static std::size_t below(std::mt19937_64& random, std::size_t bound) {
        return static_cast<std::size_t>(random() % bound);
    }

    // Places next, each time, the variable of whose relaxed choice most can be had.
    std::vector<std::size_t> fitting_order(std::span<const double> x) const {
        std::vector<std::size_t> order(n_);
        std::iota(order.begin(), order.end(), std::size_t{0});
        if (x.empty()) return order;
        NodeSet<W> before;
        for (std::size_t p = 0; p < n_; ++p) {
            std::size_t best = p;
            double most = -1;
            for (std::size_t q = p; q < n_; ++q) {
                double share = 0;
                for (const auto& candidate : problem_.candidates[order[q]])
                    if (candidate.parents.subset_of(before)) share += x[candidate.row];
                if (share > most) {
                    most = share;
                    best = q;
                }
            }
            before.insert(order[best]);
            std::swap(order[p], order[best]);
        }
        return order;
    }

    // The order itself if every variable has a candidate in it. Otherwise next comes, each time,
    // the first one in it that has a candidate by then. Whoever can be placed can be placed
    // later, too: if nobody can be, no order has a candidate for everyone.
    std::vector<std::size_t> feasible(std::vector<std::size_t> order) {
        NodeSet<W> before;
        for (std::size_t p = 0; p < n_; ++p) {
            auto q = p;
            while (q < n_ && !has_choice(order[q], before)) ++q;
            if (q == n_)
                throw std::invalid_argument("no order admits a candidate for every variable");
            before.insert(order[q]);
            const auto from = order.begin() + static_cast<std::ptrdiff_t>(p);
            std::rotate(from, order.begin() + static_cast<std::ptrdiff_t>(q),
                        order.begin() + static_cast<std::ptrdiff_t>(q) + 1);
        }
        return order;
    }
    bool has_choice(std::size_t i, const NodeSet<W>& before) {
        return choice(i, before) < problem_.candidates[i].size();
    }

    // The first (cheapest) candidate of i from `first` on whose parents all come before it, or
    // how many there are.
    std::size_t choice(std::size_t i, const NodeSet<W>& before, std::size_t first = 0) {
        const auto& list = problem_.candidates[i];
        auto c = first;
        while (c < list.size() && !list[c].parents.subset_of(before)) ++c;
        work_ += c - first + 1;
        return c;
    }
    Cost cost(std::size_t i, std::size_t choice) const {
        const auto& list = problem_.candidates[i];
        return choice < list.size() ? list[choice].cost : no_candidate;
    }
    bool needs(std::size_t i, std::size_t choice, std::size_t parent) const {
        const auto& list = problem_.candidates[i];
        return choice < list.size() && list[choice].parents.contains(parent);
    }

    // First-improvement insertion moves until none helps. All positions of a variable are
    // tried by a sequence of swaps with its neighbours. A swap changes only the two of them:
    // who comes to have the other before it may take a candidate with it, if there is one,
    // and who has it no longer must take another one, if it was a parent. Most swaps change
    // nothing, which is seen at once.
    Cost climb(std::vector<std::size_t>& order, Control& control) {
        choose(order);
        for (bool improved = true; improved && !control.poll();) {
            improved = false;
            NodeSet<W> before; // of the variable that is moved
            for (std::size_t start = 0; start < n_ && !control.poll(); ++start) {
                work_ += n_ / swaps_per_work;
                Move best{0, start};
                try_earlier(order, start, before, best);
                try_later(order, start, before, best);
                before.insert(order[start]);
                if (best.position == start) continue;
                const auto v = order[start];
                order.erase(order.begin() + static_cast<std::ptrdiff_t>(start));
                order.insert(order.begin() + static_cast<std::ptrdiff_t>(best.position), v);
                choose(order);
                improved = true;
                if (best.position > start) { // another variable is at `start` now
                    before.erase(v);
                    before.insert(order[start]);
                }
            }
        }
        Cost total = 0;
        for (std::size_t i = 0; i < n_; ++i) total += cost(i, chosen_[i]);
        return total;
    }

    void choose(const std::vector<std::size_t>& order) {
        NodeSet<W> before;
        for (auto i : order) {
            chosen_[i] = choice(i, before);
            before.insert(i);
        }
    }

    struct Move {
        Cost change;
        std::size_t position;
    };

    // Positions are considered only where somebody gains a parent: elsewhere the neighbouring
    // one is as good.
    void try_earlier(const std::vector<std::size_t>& order, std::size_t start, NodeSet<W> before,
                     Move& best) {
        const auto v = order[start];
        auto mine = chosen_[v];
        Cost others = 0;
        for (std::size_t p = start; p-- > 0;) {
            const auto u = order[p];
            before.erase(u);
            const bool gains = possible_[u].contains(v), loses = needs(v, mine, u);
            if (gains) {
                auto with_v = before;
                with_v.insert(v);
                others += cost(u, choice(u, with_v)) - cost(u, chosen_[u]);
            }
            if (loses) mine = choice(v, before, mine + 1);
            if (gains) consider(v, mine, others, p, best);
        }
    }

    void try_later(const std::vector<std::size_t>& order, std::size_t start, NodeSet<W> before,
                   Move& best) {
        const auto v = order[start];
        Cost others = 0;
        for (std::size_t p = start + 1; p < n_; ++p) {
            const auto u = order[p];
            if (needs(u, chosen_[u], v))
                others += cost(u, choice(u, before, chosen_[u] + 1)) - cost(u, chosen_[u]);
            before.insert(u);
            if (possible_[v].contains(u)) consider(v, choice(v, before), others, p, best);
        }
    }

    void consider(std::size_t v, std::size_t mine, Cost others, std::size_t position, Move& best) {
        const Cost change = others + cost(v, mine) - cost(v, chosen_[v]);
        if (change < best.change) best = {change, position};
    }

    const Problem<W>& problem_;
    std::size_t n_;
    std::vector<NodeSet<W>> possible_; // parents of each variable
    std::vector<std::size_t> chosen_;  // candidate of each variable
    std::uint64_t work_ = 0;           // candidates looked at
};

} // namespace

template <std::size_t W>
FoundNetwork order_search(const Problem<W>& problem, unsigned restarts, std::uint64_t seed,
                          std::span<const double> x, Control& control) {
    return OrderSearch<W>(problem).run(restarts, seed, x, control);
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template FoundNetwork order_search(const Problem<W>&, unsigned, std::uint64_t,                 \
                                       std::span<const double>, Control&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
