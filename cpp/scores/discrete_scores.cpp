#include "scores/discrete_scores.h"

#include "scores/cell_bits.h"
#include "scores/log_terms.h"
#include "scores/partition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace crediblenet {

namespace {

// Fixed point leaves one bit for the sign and one spare.
int fixed_bits(long double largest_sum) {
    return 62 - static_cast<int>(std::ceil(std::log2(std::max(largest_sum, 1.0L) + 1)));
}

// What all discrete scores share: the data, the arithmetic and the grid.
class DiscreteScore : public Score {
  public:
    DiscreteScore(const DiscreteTable& table, ScoreTraits traits, long double largest_sum)
        : table_(table), traits_(traits), fixed_bits_(fixed_bits(largest_sum)),
          grid_bits_(fixed_bits_) {}

    [[nodiscard]] const ScoreTraits& traits() const override { return traits_; }
    [[nodiscard]] std::size_t variables() const override { return table_.variables(); }
    [[nodiscard]] std::uint32_t arity(Node variable) const override {
        return table_.arity[variable];
    }
    [[nodiscard]] int grid_bits() const override { return grid_bits_; }
    void set_grid_bits(int bits) override { grid_bits_ = std::min(bits, fixed_bits_); }
    [[nodiscard]] double error() const override {
        // Half a unit per cell of the two tables, and of the grid for each of four terms.
        return std::ldexp(static_cast<double>(table_.rows()), -fixed_bits_) +
               std::ldexp(2.0, -grid_bits_);
    }
    [[nodiscard]] std::size_t evaluator_bytes() const override {
        // A partition for each of some ten members, and two bits per row and state.
        std::size_t states = 0;
        for (const auto r : table_.arity) states += std::min(r, 16u);
        return table_.rows() * 10 * 2 * sizeof(std::uint32_t) + table_.rows() / 4 * states;
    }

    [[nodiscard]] const DiscreteTable& table() const { return table_; }
    [[nodiscard]] int bits() const { return fixed_bits_; }
    // Rounds to the nearest grid point.
    [[nodiscard]] Cost to_grid(Fixed sum) const {
        const auto shift = fixed_bits_ - grid_bits_;
        return shift == 0 ? sum : ((sum >> (shift - 1)) + 1) >> 1;
    }
    [[nodiscard]] Cost to_grid(long double value) const {
        const auto scaled = std::ldexp(value, grid_bits_);
        return std::abs(scaled) < static_cast<long double>(unreachable_cost)
                   ? static_cast<Cost>(std::llround(scaled))
                   : unreachable_cost;
    }

  private:
    const DiscreteTable& table_;
    ScoreTraits traits_;
    int fixed_bits_;
    int grid_bits_;
};

Cost occupied(const CellCounts& cells) {
    std::size_t count = 0;
    for (const auto n : cells.dense) count += n != 0;
    for (const auto n : cells.single) count += n;
    return static_cast<Cost>(count + cells.ones);
}

// Counting for all discrete scores; what becomes of the counts is the subclass's business.
class DiscreteEvaluator : public Evaluator {
  public:
    explicit DiscreteEvaluator(const DiscreteTable& table)
        : table_(table), partition_(table), bits_(table) {
        lay_out();
    }

    void set_prefix(std::span<const Node> prefix) override {
        if (std::equal(prefix.begin(), prefix.end(), prefix_.begin(), prefix_.end())) return;
        const auto outer = prefix.first(prefix.empty() ? 0 : prefix.size() - 1);
        const bool same_outer = prefix.empty() == prefix_.empty() &&
                                std::equal(outer.begin(), outer.end(), prefix_.begin(),
                                           prefix_.end() - !prefix_.empty());
        prefix_.assign(prefix.begin(), prefix.end());
        members_ = prefix_;
        prefix_states_ = joint_states();
        if (!same_outer) lay_out();
    }
    void evaluate(std::span<Cost> terms) override {
        set_members({});
        cells_ = count_prefix();
        digest(terms);
    }
    void evaluate(Node last, std::span<Cost> terms) override {
        set_members({&last, 1});
        cells_ = count_with(last);
        digest(terms);
    }
    void evaluate(Node last_but_one, Node last, std::span<Cost> terms) override {
        const std::array added{last_but_one, last};
        set_members(added);
        const bool by_two = !prefix_.empty();
        if (by_two ? bits_.pays(prefix_.back(), last_but_one, last)
                   : bits_.pays(last_but_one, last)) {
            if (by_two)
                bits_.refine(prefix_.back(), last_but_one);
            else
                bits_.refine(last_but_one);
            cells_ = partition_.with_singles({}, bits_.ones(), outer_depth());
            digest_bits(bits_, last, terms);
        } else {
            partition_.set({members_.data(), members_.size() - 1});
            cells_ = partition_.count(last);
            digest(terms);
        }
    }

  protected:
    CellCounts count_prefix() {
        partition_.set(prefix_);
        return partition_.count();
    }
    CellCounts count_with(Node last) {
        partition_.set(prefix_);
        return partition_.count(last);
    }
    // Turns cells() and states() into the terms of the set.
    virtual void digest(std::span<Cost> terms) = 0;
    // The same when most of the cells are still in `bits`, to be counted with `last`.
    virtual void digest_bits(CellBits& bits, Node last, std::span<Cost> terms) {
        counts_.clear();
        bits.for_each_count(last, [&](std::uint32_t n) { counts_.push_back(n); });
        cells_.dense = counts_;
        digest(terms);
    }

    [[nodiscard]] const CellCounts& cells() const { return cells_; }
    // The number of joint states of the set evaluated last. Beyond exact products the factors
    // are multiplied in order of size, so that the rounded product does not depend on the
    // order of the columns.
    [[nodiscard]] long double states() const { return states_; }

  private:
    static constexpr long double exact_product = 0x1p53L;

    // All of the prefix but its last variable, which is counted by bits.
    [[nodiscard]] std::size_t outer_depth() const {
        return prefix_.empty() ? 0 : prefix_.size() - 1;
    }
    void lay_out() {
        partition_.set({prefix_.data(), outer_depth()});
        const auto& frame = partition_.top();
        bits_.reset(frame.row, frame.cell, frame.cells);
    }
    void set_members(std::span<const Node> added) {
        members_.resize(prefix_.size());
        members_.insert(members_.end(), added.begin(), added.end());
        states_ = prefix_states_;
        for (const auto v : added) states_ *= table_.arity[v];
        if (states_ > exact_product) states_ = joint_states();
    }
    [[nodiscard]] long double joint_states() const {
        std::vector<std::uint32_t> factors;
        for (const auto v : members_) factors.push_back(table_.arity[v]);
        std::sort(factors.begin(), factors.end());
        long double product = 1;
        for (const auto r : factors) product *= r;
        return product;
    }

    const DiscreteTable& table_;
    PartitionStack partition_;
    CellBits bits_; // of the partition by all of the prefix but its last variable
    std::vector<Node> prefix_, members_;
    std::vector<std::uint32_t> counts_;
    CellCounts cells_;
    long double prefix_states_ = 1;
    long double states_ = 1;
};

long double n_log_n(std::uint64_t n) {
    const auto x = static_cast<long double>(n);
    return n == 0 ? 0 : x * std::log(x);
}

// ---- BIC, AIC, qNML: g(S) = -Σ n ln n + penalty(r_S) --------------------------

class EntropyScore final : public DiscreteScore {
  public:
    EntropyScore(DiscreteKind kind, const DiscreteTable& table)
        : DiscreteScore(table, make_traits(kind, table), n_log_n(table.total)),
          sum_(n_log_n, bits(), table.total), kind_(kind) {}

    [[nodiscard]] std::unique_ptr<Evaluator> evaluator() const override;
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
    explicit EntropyEvaluator(const EntropyScore& score)
        : DiscreteEvaluator(score.table()), score_(score) {}

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
    // Consecutive sets often have as many states, and the regret takes O(N) to compute.
    Cost penalty() {
        if (states() != last_states_) {
            last_states_ = states();
            const auto [entry, added] = penalties_.try_emplace(states(), 0);
            if (added) entry->second = score_.penalty(states());
            last_penalty_ = entry->second;
        }
        return last_penalty_;
    }

    const EntropyScore& score_;
    std::map<long double, Cost> penalties_;
    long double last_states_ = 0;
    Cost last_penalty_ = 0;
};

std::unique_ptr<Evaluator> EntropyScore::evaluator() const {
    return std::make_unique<EntropyEvaluator>(*this);
}

// ---- BDeu: g(S) = -Σ [ln Γ(α/r_S + n) - ln Γ(α/r_S)] ---------------------------

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

    [[nodiscard]] std::unique_ptr<Evaluator> evaluator() const override;
    [[nodiscard]] RisingTable rising(long double states) const { return {ess_ / states, bits()}; }

  private:
    long double ess_;
};

class BdeuEvaluator final : public DiscreteEvaluator {
  public:
    explicit BdeuEvaluator(const BdeuScore& score)
        : DiscreteEvaluator(score.table()), score_(score) {}

    [[nodiscard]] Cost cost(Node, std::span<const Cost> family,
                            std::span<const Cost> parents) override {
        return family[0] - parents[0];
    }

  protected:
    void digest(std::span<Cost> terms) override {
        auto entry = rising_.find(states());
        if (entry == rising_.end())
            entry = rising_.emplace(states(), score_.rising(states())).first;
        terms[0] = -score_.to_grid(entry->second.sum(cells()));
        terms[1] = occupied(cells());
    }

  private:
    const BdeuScore& score_;
    std::map<long double, RisingTable> rising_; // one per number of joint states
};

std::unique_ptr<Evaluator> BdeuScore::evaluator() const {
    return std::make_unique<BdeuEvaluator>(*this);
}

// ---- K2, fNML: Σ f(n) over the cells of the family + Σ h(n; r_i) over those of Π ---
//
// K2: f(n) = -ln n!, h(n; r) = ln Γ(r + n) - ln Γ(r).
// fNML: f(n) = -n ln n, h(n; r) = n ln n + ln C(n, r).

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

    [[nodiscard]] std::unique_ptr<Evaluator> evaluator() const override;
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
    explicit FactorizedEvaluator(const FactorizedScore& score)
        : DiscreteEvaluator(score.table()), score_(score) {}

    [[nodiscard]] Cost cost(Node child, std::span<const Cost> family,
                            std::span<const Cost> parents) override {
        return family[0] + parents[score_.term(score_.arity(child))];
    }

  protected:
    void digest(std::span<Cost> terms) override {
        terms[0] = score_.to_grid(score_.of_family().sum(cells()));
        terms[1] = occupied(cells());
        for (std::size_t k = 0; k < score_.of_parents().size(); ++k)
            terms[2 + k] = score_.to_grid(score_.of_parents()[k].sum(cells()));
    }

  private:
    const FactorizedScore& score_;
};

std::unique_ptr<Evaluator> FactorizedScore::evaluator() const {
    return std::make_unique<FactorizedEvaluator>(*this);
}

// ---- BDs: BDeu with α spread over the r⁺(Π) configurations that occur ------------

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

    [[nodiscard]] std::unique_ptr<Evaluator> evaluator() const override;
    [[nodiscard]] long double ess() const { return ess_; }

  private:
    long double ess_;
};

class BdsEvaluator final : public DiscreteEvaluator {
  public:
    explicit BdsEvaluator(const BdsScore& score)
        : DiscreteEvaluator(score.table()), score_(score) {}

    // The hyperparameter of a cell of the family depends on the parents, so the sum
    // cannot be made when the family is counted, only now.
    [[nodiscard]] Cost cost(Node child, std::span<const Cost>,
                            std::span<const Cost> parents) override {
        const auto hyperparameters = static_cast<std::uint64_t>(parents[1]) * score_.arity(child);
        return parents[0] - score_.to_grid(sum(hyperparameters));
    }

  protected:
    void digest(std::span<Cost> terms) override {
        terms[1] = occupied(cells());
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

std::unique_ptr<Evaluator> BdsScore::evaluator() const {
    return std::make_unique<BdsEvaluator>(*this);
}

} // namespace

std::unique_ptr<Score> make_discrete_score(DiscreteKind kind, const DiscreteTable& table,
                                           double ess) {
    switch (kind) {
    case DiscreteKind::bic:
    case DiscreteKind::aic:
    case DiscreteKind::qnml: return std::make_unique<EntropyScore>(kind, table);
    case DiscreteKind::bdeu: return std::make_unique<BdeuScore>(table, ess);
    case DiscreteKind::k2:
    case DiscreteKind::fnml: return std::make_unique<FactorizedScore>(kind, table);
    case DiscreteKind::bds: return std::make_unique<BdsScore>(table, ess);
    }
    throw std::invalid_argument("unknown score");
}

} // namespace crediblenet
