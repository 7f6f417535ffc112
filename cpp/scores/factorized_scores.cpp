// K2 and fNML: Σ f(n) over the cells of the family + Σ h(n; r_i) over those of Π.
//
// K2: f(n) = -ln n!, h(n; r) = ln Γ(r + n) - ln Γ(r).
// fNML: f(n) = -n ln n, h(n; r) = n ln n + ln C(n, r).
#include "scores/discrete_score.h"
#include "scores/discrete_scores.h"

#include <algorithm>
#include <cmath>

namespace crediblenet {

namespace {

class FactorizedScore final : public DiscreteScore {
  public:
    FactorizedScore(DiscreteKind kind, const DiscreteTable& table)
        : DiscreteScore(table, make_traits(table), largest_sum(table)),
          arities_(distinct_arities(table)) {
        const bool k2 = kind == DiscreteKind::k2;
        of_family_.emplace_back(
            k2 ? CountFunction::Function([](std::uint64_t n) { return -log_rising(1, n); })
               : [](std::uint64_t n) { return -n_log_n(n); },
            bits(), table.total);
        for (const auto r : arities_)
            of_parents_.emplace_back(
                k2 ? CountFunction::Function([r](std::uint64_t n) { return log_rising(r, n); })
                   : [r](std::uint64_t n) { return n_log_n(n) + log_multinomial_regret(n, r); },
                bits(), table.total);
    }

    [[nodiscard]] std::unique_ptr<Evaluator> evaluator(Control& control) const override;
    [[nodiscard]] const CountFunction& of_family() const { return of_family_[0]; }
    [[nodiscard]] const std::vector<CountFunction>& of_parents() const { return of_parents_; }
    // Where among the terms of Π the one for a child of this arity is.
    [[nodiscard]] std::size_t term(std::uint32_t arity) const {
        return 2 +
               static_cast<std::size_t>(std::lower_bound(arities_.begin(), arities_.end(), arity) -
                                        arities_.begin());
    }

  private:
    static std::vector<std::uint32_t> distinct_arities(const DiscreteTable& table) {
        auto arities = table.arity;
        std::sort(arities.begin(), arities.end());
        arities.erase(std::unique(arities.begin(), arities.end()), arities.end());
        return arities;
    }
    static ScoreTraits make_traits(const DiscreteTable& table) {
        return {.terms = 2 + distinct_arities(table).size(),
                .equivalent = false,
                .configurations_cost = true};
    }
    // ln Γ(r + n) - ln Γ(r) <= n ln(r + n), and C(n, r) <= r^n.
    static long double largest_sum(const DiscreteTable& table) {
        const auto most = *std::max_element(table.arity.begin(), table.arity.end());
        const auto n = static_cast<long double>(table.total);
        return 2 * n * std::log(n + static_cast<long double>(most) + 1);
    }

    std::vector<std::uint32_t> arities_;
    std::vector<CountFunction> of_family_, of_parents_;
};

class FactorizedEvaluator final : public DiscreteEvaluator {
  public:
    FactorizedEvaluator(const FactorizedScore& score, Control& control)
        : DiscreteEvaluator(score.table(), control), score_(score) {}

    [[nodiscard]] Cost cost(Node child, std::span<const Cost> family,
                            std::span<const Cost> parents) override {
        return family[0] + parents[score_.term(score_.arity(child))];
    }

  protected:
    void digest(std::span<Cost> terms) override {
        terms[0] = score_.to_grid(score_.of_family().sum(cells()));
        terms[1] = occupied_cells();
        for (std::size_t k = 0; k < score_.of_parents().size(); ++k)
            terms[2 + k] = score_.to_grid(score_.of_parents()[k].sum(cells()));
    }

  private:
    const FactorizedScore& score_;
};

std::unique_ptr<Evaluator> FactorizedScore::evaluator(Control& control) const {
    return std::make_unique<FactorizedEvaluator>(*this, control);
}

} // namespace

std::unique_ptr<Score> make_factorized_score(DiscreteKind kind, const DiscreteTable& table) {
    return std::make_unique<FactorizedScore>(kind, table);
}

} // namespace crediblenet
