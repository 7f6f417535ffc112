// BIC, AIC and qNML: g(S) = -Σ n ln n + penalty(r_S).
#include "scores/by_states.h"
#include "scores/discrete_score.h"
#include "scores/discrete_scores.h"

#include <algorithm>
#include <cmath>

namespace crediblenet {

namespace {

class EntropyScore final : public DiscreteScore {
  public:
    EntropyScore(DiscreteKind kind, const DiscreteTable& table)
        : DiscreteScore(table, make_traits(kind, table), n_log_n(table.total)),
          sum_(n_log_n, bits(), table.total), kind_(kind) {}

    [[nodiscard]] std::unique_ptr<Evaluator> evaluator(Control& control) const override;
    [[nodiscard]] const CountFunction& count_function() const { return sum_; }
    [[nodiscard]] double largest_penalty(std::size_t members) const override {
        auto factors = table().arity;
        std::sort(factors.rbegin(), factors.rend());
        double product = traits().penalty;
        for (std::size_t k = 0; k < std::min(members, factors.size()); ++k) product *= factors[k];
        return product;
    }
    [[nodiscard]] Cost penalty(long double states) const {
        return to_grid(kind_ == DiscreteKind::qnml
                           ? log_multinomial_regret(table().total, states)
                           : static_cast<long double>(traits().penalty) * states);
    }

  private:
    static ScoreTraits make_traits(DiscreteKind kind, const DiscreteTable& table) {
        ScoreTraits traits;
        if (kind == DiscreteKind::qnml) return traits;
        traits.penalized_entropy = true;
        traits.rows = static_cast<double>(table.total);
        traits.bic = kind == DiscreteKind::bic;
        traits.penalty =
            kind == DiscreteKind::aic ? 1.0 : std::log(static_cast<double>(table.total)) / 2;
        return traits;
    }

    CountFunction sum_;
    DiscreteKind kind_;
};

class EntropyEvaluator final : public DiscreteEvaluator {
  public:
    EntropyEvaluator(const EntropyScore& score, Control& control)
        : DiscreteEvaluator(score.table(), control), score_(score) {}

    [[nodiscard]] double remaining_entropy(Node variable) override {
        const auto together = score_.count_function().sum(count_with(variable));
        const auto given = score_.count_function().sum(count_prefix());
        return std::ldexp(static_cast<double>(given - together), -score_.bits());
    }
    [[nodiscard]] Cost cost(Node, std::span<const Cost> family,
                            std::span<const Cost> parents) override {
        return family[0] >= unreachable_cost ? unreachable_cost : family[0] - parents[0];
    }

  protected:
    void digest(std::span<Cost> terms) override {
        const auto weight = penalty();
        terms[0] = weight >= unreachable_cost
                       ? unreachable_cost
                       : weight - score_.to_grid(score_.count_function().sum(cells()));
    }

    void digest_bits(CellBits& bits, Node last, std::span<Cost> terms) override {
        const auto& f = score_.count_function();
        Fixed sum = f.sum(cells());
        bits.for_each_count(last, [&](std::uint32_t n) { sum += f(n); });
        const auto weight = penalty();
        terms[0] = weight >= unreachable_cost ? unreachable_cost : weight - score_.to_grid(sum);
    }

  private:
    // Remembered, because the regret takes O(N) to compute.
    Cost penalty() {
        return penalties_.get(states(), [&](auto states) { return score_.penalty(states); });
    }

    const EntropyScore& score_;
    ByStates<Cost> penalties_;
};

std::unique_ptr<Evaluator> EntropyScore::evaluator(Control& control) const {
    return std::make_unique<EntropyEvaluator>(*this, control);
}

} // namespace

std::unique_ptr<Score> make_entropy_score(DiscreteKind kind, const DiscreteTable& table) {
    return std::make_unique<EntropyScore>(kind, table);
}

} // namespace crediblenet
