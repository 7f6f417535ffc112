#include "bounds/order_search.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

namespace crediblenet {

namespace {

template <std::size_t W> class OrderSearch {
  public:
    explicit OrderSearch(const Problem<W>& problem)
        : problem_(problem), n_(problem.n_variables()) {}

    OrderSearchResult run(unsigned restarts, std::uint64_t seed, std::span<const double> x,
                          Control& control) {
        std::mt19937_64 random(seed);
        std::vector<std::size_t> order = fitting_order(x), best_order;
        Cost best = no_candidate;
        for (unsigned round = 0; round < restarts; ++round) {
            if (round > 0 && best < no_candidate && round % 3 != 0) {
                // Perturb the best order: most improvements lie near it.
                order = best_order;
                for (std::size_t swaps = 0; swaps < 2 + n_ / 8; ++swaps)
                    std::swap(order[below(random, n_)], order[below(random, n_)]);
            } else if (round > 0) {
                for (std::size_t i = n_; i > 1; --i)
                    std::swap(order[i - 1], order[below(random, i)]);
            }
            const Cost cost = climb(order, control);
            if (cost < best) {
                best = cost;
                best_order = order;
            }
            if (work_ > most_work || control.poll()) break;
        }
        OrderSearchResult result;
        if (best >= no_candidate)
            throw std::invalid_argument("no order admits a candidate for every variable");
        result.rows.resize(n_);
        NodeSet<W> before;
        for (auto i : best_order) {
            const auto& candidate = problem_.candidates[i][choice(i, before)];
            result.cost += candidate.cost;
            result.rows[i] = candidate.row;
            before.insert(i);
        }
        return result;
    }

  private:
    // Larger than any cost on the grid (2^53 at most, see decision 0002), small
    // enough to be added up for all variables.
    static constexpr Cost no_candidate = Cost{1} << 53;

    // Looking at so many candidates ends the restarts: about a quarter of a second.
    static constexpr std::uint64_t most_work = 100'000'000;

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

    // The first (cheapest) candidate of i whose parents all come before it.
    std::size_t choice(std::size_t i, const NodeSet<W>& before) const {
        const auto& list = problem_.candidates[i];
        std::size_t c = 0;
        while (c < list.size() && !list[c].parents.subset_of(before)) ++c;
        work_ += c + 1;
        return c;
    }
    Cost cost(std::size_t i, const NodeSet<W>& before) const {
        const auto c = choice(i, before);
        return c < problem_.candidates[i].size() ? problem_.candidates[i][c].cost : no_candidate;
    }

    // First-improvement insertion moves until none helps. Moving variable v
    // past a neighbour changes only the two of them, so all positions of v are
    // tried by a sequence of adjacent swaps.
    Cost climb(std::vector<std::size_t>& order, Control& control) {
        std::vector<Cost> at(n_);
        auto evaluate = [&] {
            NodeSet<W> before;
            Cost total = 0;
            for (auto i : order) {
                total += at[i] = cost(i, before);
                before.insert(i);
            }
            return total;
        };
        Cost total = evaluate();
        for (bool improved = true; improved && !control.poll();) {
            improved = false;
            for (std::size_t start = 0; start < n_ && !control.poll(); ++start) {
                const auto v = order[start];
                Cost best_change = 0;
                std::size_t best_position = start;
                NodeSet<W> before; // what precedes v
                for (std::size_t p = 0; p < start; ++p) before.insert(order[p]);
                Cost change = 0;
                auto prefix = before;
                for (std::size_t p = start; p-- > 0;) { // v moves left past u
                    const auto u = order[p];
                    prefix.erase(u);
                    auto with_v = prefix;
                    with_v.insert(v);
                    change += cost(u, with_v) - at[u];
                    const Cost candidate = change + cost(v, prefix) - at[v];
                    if (candidate < best_change) {
                        best_change = candidate;
                        best_position = p;
                    }
                }
                change = 0;
                prefix = before;
                for (std::size_t p = start + 1; p < n_; ++p) { // v moves right past u
                    const auto u = order[p];
                    change += cost(u, prefix) - at[u];
                    prefix.insert(u);
                    const Cost candidate = change + cost(v, prefix) - at[v];
                    if (candidate < best_change) {
                        best_change = candidate;
                        best_position = p;
                    }
                }
                if (best_change >= 0) continue;
                order.erase(order.begin() + static_cast<std::ptrdiff_t>(start));
                order.insert(order.begin() + static_cast<std::ptrdiff_t>(best_position), v);
                total = evaluate();
                improved = true;
            }
        }
        return total;
    }

    const Problem<W>& problem_;
    std::size_t n_;
    mutable std::uint64_t work_ = 0; // candidates looked at
};

} // namespace

template <std::size_t W>
OrderSearchResult order_search(const Problem<W>& problem, unsigned restarts, std::uint64_t seed,
                               std::span<const double> x, Control& control) {
    return OrderSearch<W>(problem).run(restarts, seed, x, control);
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template OrderSearchResult order_search(const Problem<W>&, unsigned, std::uint64_t,            \
                                            std::span<const double>, Control&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
