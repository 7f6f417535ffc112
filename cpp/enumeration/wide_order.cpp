#include "enumeration/wide_order.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace crediblenet {

namespace {

template <std::size_t W> class Widening {
  public:
    Widening(const Problem<W>& problem, std::span<const std::uint32_t> order,
             std::span<const double> weights)
        : order_(order.begin(), order.end()), options_(order.size()),
          possible_(problem.possible_parents()), share_(order.size()) {
        for (std::size_t v = 0; v < options_.size(); ++v)
            for (const auto& candidate : problem.candidates[v])
                options_[v].push_back({candidate.parents, weights[candidate.row]});
        measure(0, order_.size(), {});
    }

    std::vector<std::uint32_t> run(const WideningOptions& options, Control& control) {
        std::mt19937_64 random(options.seed);
        climb(control);
        auto widest = order_;
        auto most = width();
        while (looked_at_ < options.work && !control.poll()) {
            change(random);
            climb(control);
            if (width() > most) {
                most = width();
                widest = order_;
            } else {
                order_ = widest;
                measure(0, order_.size(), {});
            }
        }
        return widest;
    }

  private:
    struct Option {
        NodeSet<W> parents;
        double weight;
    };
    struct Move {
        double gain;
        std::size_t place;
    };

    // Of a variable that has no candidate in the order; much less than any logarithm, so that an
    // order with fewer such variables is wider.
    static constexpr double no_option = -1e5;
    // Smaller gains may be rounding errors, and could go round in circles.
    static constexpr double least_gain = 1e-6;
    static constexpr unsigned moves_per_change = 3;

    // The logarithm of the sum of the weights of a variable's candidates.
    double share(std::size_t v, const NodeSet<W>& before) {
        double sum = 0;
        for (const auto& option : options_[v])
            if (option.parents.subset_of(before)) sum += option.weight;
        looked_at_ += options_[v].size();
        return sum > 0 ? std::log(sum) : no_option;
    }

    [[nodiscard]] double width() const {
        double sum = 0;
        for (const double share : share_) sum += share;
        return sum;
    }

    // The shares of the variables in some places, given who is before the first of them.
    void measure(std::size_t first, std::size_t last, NodeSet<W> before) {
        for (auto p = first; p < last; ++p) {
            share_[order_[p]] = share(order_[p], before);
            before.insert(order_[p]);
        }
    }

    void climb(Control& control) {
        for (bool improved = true; improved;) {
            improved = false;
            NodeSet<W> before; // of the variable that is moved
            for (std::size_t start = 0; start < order_.size(); ++start) {
                if (control.poll()) return;
                ++looked_at_; // so that variables without a candidate take an end, too
                Move best{least_gain, start};
                try_earlier(start, before, best);
                try_later(start, before, best);
                if (best.place != start) {
                    improved = true;
                    const auto first = std::min(start, best.place);
                    for (auto p = first; p < start; ++p) before.erase(order_[p]);
                    move(start, best.place);
                    measure(first, std::max(start, best.place) + 1, before);
                    for (auto p = first; p < start; ++p) before.insert(order_[p]);
                }
                before.insert(order_[start]);
            }
        }
    }

    void move(std::size_t from, std::size_t to) {
        const auto at = [&](std::size_t p) {
            return order_.begin() + static_cast<std::ptrdiff_t>(p);
        };
        if (from < to)
            std::rotate(at(from), at(from + 1), at(to + 1));
        else
            std::rotate(at(to), at(from), at(from + 1));
    }

    // On its way the variable passes its neighbours one by one. Only where somebody comes to have
    // another possible parent before it can the width have grown.
    void try_earlier(std::size_t start, NodeSet<W> before, Move& best) {
        const auto v = order_[start];
        double others = 0;
        for (auto p = start; p-- > 0;) {
            const auto u = order_[p];
            before.erase(u);
            if (!possible_[u].contains(v)) continue;
            auto with_v = before;
            with_v.insert(v);
            others += share(u, with_v) - share_[u];
            consider(v, p, others, before, best);
        }
    }

    void try_later(std::size_t start, NodeSet<W> before, Move& best) {
        const auto v = order_[start];
        double others = 0;
        for (auto p = start + 1; p < order_.size(); ++p) {
            const auto u = order_[p];
            if (possible_[u].contains(v)) others += share(u, before) - share_[u];
            before.insert(u);
            if (possible_[v].contains(u)) consider(v, p, others, before, best);
        }
    }

    void consider(std::size_t v, std::size_t place, double others, const NodeSet<W>& before,
                  Move& best) {
        const double gain = others + share(v, before) - share_[v];
        if (gain > best.gain) best = {gain, place};
    }

    void change(std::mt19937_64& random) {
        for (unsigned moves = 0; moves < moves_per_change; ++moves) {
            const auto from = random() % order_.size();
            move(from, random() % order_.size());
        }
        measure(0, order_.size(), {});
    }

    std::vector<std::uint32_t> order_;
    std::vector<std::vector<Option>> options_; // of each variable
    std::vector<NodeSet<W>> possible_;         // parents of each variable
    std::vector<double> share_;                // of each variable in the width's logarithm
    std::uint64_t looked_at_ = 0;              // candidates
};

bool is_permutation_of_all(std::span<const std::uint32_t> order, std::size_t n) {
    std::vector<bool> seen(n);
    for (const auto v : order) {
        if (v >= n || seen[v]) return false;
        seen[v] = true;
    }
    return order.size() == n;
}

} // namespace

template <std::size_t W>
std::vector<std::uint32_t>
wide_order(const Problem<W>& problem, std::span<const std::uint32_t> order,
           std::span<const double> weights, const WideningOptions& options, Control& control) {
    if (!is_permutation_of_all(order, problem.n_variables()))
        throw std::invalid_argument("the order must have every variable once");
    if (!std::all_of(weights.begin(), weights.end(),
                     [](double weight) { return weight >= 0 && std::isfinite(weight); }))
        throw std::invalid_argument("weights must be finite and not negative");
    return Widening<W>(problem, order, weights).run(options, control);
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template std::vector<std::uint32_t> wide_order(                                                \
        const Problem<W>&, std::span<const std::uint32_t>, std::span<const double>,                \
        const WideningOptions&, Control&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
