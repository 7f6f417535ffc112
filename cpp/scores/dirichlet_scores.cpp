// BDeu: g(S) = -Σ [ln Γ(α/r_S + n) - ln Γ(α/r_S)]. BDs: the same with α spread over the r⁺(Π)
// configurations of the parents that occur.
#include "scores/by_states.h"
#include "scores/discrete_score.h"
#include "scores/discrete_scores.h"

#include <cmath>
#include <map>

namespace crediblenet {

namespace {

// Bound on Σ |ln Γ(a + n) - ln Γ(a)| over the cells of a table, a between least and most.
long double largest_dirichlet_sum(const DiscreteTable& table, long double log_least,
                                  long double most) {
    const auto rows = static_cast<long double>(table.rows());
    const auto total = static_cast<long double>(table.total);
    return rows * std::abs(log_least) + total * (std::log(most + total + 1) + 1);
}

long double log_all_states(const DiscreteTable& table) {
    long double sum = 0;
    for (const auto r : table.arity) sum += std::log(static_cast<long double>(r));
    return sum;
}

class BdeuScore final : public DiscreteScore {
  public:
    BdeuScore(const DiscreteTable& table, double ess)
        : DiscreteScore(
              table, {.terms = 2, .configurations_cost = true},
              largest_dirichlet_sum(
                  table, std::log(static_cast<long double>(ess)) - log_all_states(table), ess)),
          ess_(ess) {}

    [[nodiscard]] std::unique_ptr<Evaluator> evaluator(Control& control) const override;
    [[nodiscard]] RisingTable rising(long double states) const { return {ess_ / states, bits()}; }

  private:
    long double ess_;
};

class BdeuEvaluator final : public DiscreteEvaluator {
  public:
    BdeuEvaluator(const BdeuScore& score, Control& control)
        : DiscreteEvaluator(score.table(), control), score_(score) {}

    [[nodiscard]] Cost cost(Node, std::span<const Cost> family,
                            std::span<const Cost> parents) override {
        return family[0] - parents[0];
    }

  protected:
    void digest(std::span<Cost> terms) override {
        auto& rising = rising_.get(states(), [&](auto states) { return score_.rising(states); });
        terms[0] = -score_.to_grid(rising.sum(cells()));
        terms[1] = occupied_cells();
    }

  private:
    const BdeuScore& score_;
    ByStates<RisingTable> rising_;
};

std::unique_ptr<Evaluator> BdeuScore::evaluator(Control& control) const {
    return std::make_unique<BdeuEvaluator>(*this, control);
}

class BdsScore final : public DiscreteScore {
  public:
    BdsScore(const DiscreteTable& table, double ess)
        : DiscreteScore(
              table, {.terms = 2, .equivalent = false, .configurations_cost = true},
              largest_dirichlet_sum(table,
                                    std::log(static_cast<long double>(ess)) -
                                        2 * std::log(static_cast<long double>(table.total) + 65536),
                                    ess)),
          ess_(ess) {}

    [[nodiscard]] std::unique_ptr<Evaluator> evaluator(Control& control) const override;
    [[nodiscard]] long double ess() const { return ess_; }

  private:
    long double ess_;
};

class BdsEvaluator final : public DiscreteEvaluator {
  public:
    BdsEvaluator(const BdsScore& score, Control& control)
        : DiscreteEvaluator(score.table(), control), score_(score) {}

    // The hyperparameter of a cell of the family depends on the parents, so the sum
    // cannot be made when the family is counted, only now.
    [[nodiscard]] Cost cost(Node child, std::span<const Cost>,
                            std::span<const Cost> parents) override {
        const auto hyperparameters = static_cast<std::uint64_t>(parents[1]) * score_.arity(child);
        return parents[0] - score_.to_grid(sum(hyperparameters));
    }

  protected:
    void digest(std::span<Cost> terms) override {
        terms[1] = occupied_cells();
        terms[0] = score_.to_grid(sum(static_cast<std::uint64_t>(terms[1])));
    }

  private:
    // The sum over the cells of the set evaluated last, α being spread over so many cells.
    [[nodiscard]] Fixed sum(std::uint64_t hyperparameters) {
        auto entry = rising_.find(hyperparameters);
        if (entry == rising_.end()) {
            if (rising_.size() > 4096) rising_.clear(); // tens of megabytes at most
            const auto a = score_.ess() / static_cast<long double>(hyperparameters);
            entry = rising_.emplace(hyperparameters, RisingTable(a, score_.bits())).first;
        }
        return entry->second.sum(cells());
    }

    const BdsScore& score_;
    std::map<std::uint64_t, RisingTable> rising_; // by number of hyperparameters
};

std::unique_ptr<Evaluator> BdsScore::evaluator(Control& control) const {
    return std::make_unique<BdsEvaluator>(*this, control);
}

} // namespace

std::unique_ptr<Score> make_bdeu_score(const DiscreteTable& table, double ess) {
    return std::make_unique<BdeuScore>(table, ess);
}

std::unique_ptr<Score> make_bds_score(const DiscreteTable& table, double ess) {
    return std::make_unique<BdsScore>(table, ess);
}

} // namespace crediblenet
