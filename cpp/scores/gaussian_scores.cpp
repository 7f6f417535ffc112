#include "scores/gaussian_scores.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace crediblenet {

namespace {

using Real = long double;

// Both scores are g(T) - g(Π) with g(S) = constant(|S|) + weight(|S|)·ln det M_S for a
// positive definite matrix M.
//
// Gaussian BIC: a linear regression of the child on its parents. The cost of the fit is
// N/2 (ln(2π σ²) + 1), where N·σ² = det M_T / det M_Π and M is the scatter; an intercept,
// a slope per parent and σ² are penalized with ln(N)/2 each.
//
// BGe: Geiger & Heckerman (Annals of Statistics 30, 2002) with the correction of Kuipers, Moffa
// & Heckerman (Annals of Statistics 42, 2014), whose symbols are used: the prior mean ν is
// the sample mean, α_w = n + α_μ + 1, T = t·I with t = α_μ (α_w - n - 1) / (α_μ + 1), M = R =
// T + scatter.
class GaussianScore final : public Score {
  public:
    GaussianScore(GaussianKind kind, const Scatter& scatter, Real alpha_mu)
        : variables_(scatter.variables), matrix_(scatter.matrix), constant_(scatter.variables + 1),
          weight_(scatter.variables + 1) {
        const auto rows = static_cast<Real>(scatter.rows);
        const auto n = static_cast<Real>(variables_);
        const auto pi = std::numbers::pi_v<Real>;
        if (kind == GaussianKind::bge) {
            const auto alpha_w = n + alpha_mu + 1;
            const auto t = alpha_mu * (alpha_w - n - 1) / (alpha_mu + 1);
            for (std::size_t v = 0; v < variables_; ++v) matrix_[v * variables_ + v] += t;
            least_eigenvalue_ = t;
            for (std::size_t size = 0; size <= variables_; ++size) {
                const auto l = static_cast<Real>(size);
                const auto degrees = alpha_w - n + l;
                auto log_ratio = l / 2 * std::log(alpha_mu / (rows + alpha_mu)) -
                                 l * rows / 2 * std::log(pi) + degrees / 2 * l * std::log(t);
                for (std::size_t member = 0; member < size; ++member) {
                    const auto k = static_cast<Real>(member);
                    log_ratio += log_gamma((rows + degrees - k) / 2) - log_gamma((degrees - k) / 2);
                }
                constant_[size] = -log_ratio;
                weight_[size] = (rows + degrees) / 2;
            }
        } else {
            dependent_ = 1e-13L;
            for (std::size_t size = 0; size <= variables_; ++size) {
                const auto l = static_cast<Real>(size);
                constant_[size] = l * rows / 2 * (std::log(2 * pi) - std::log(rows) + 1) +
                                  std::log(rows) / 2 * l * (l + 3) / 2;
                weight_[size] = rows / 2;
            }
        }
        find_least_pivots();
        // The largest |g| must fit with room to spare; logarithms of determinants of the
        // matrix are between those of its pivots.
        Real most = 0;
        for (std::size_t v = 0; v < variables_; ++v)
            most += 60 + std::abs(std::log(std::max(entry(v, v), 1e-4000L)));
        Real bound = std::abs(constant_.back()) + weight_.back() * most;
        for (const auto c : constant_) bound = std::max(bound, std::abs(c));
        // Whoever scores refuses a grid that is too coarse; an infinite bound gives one.
        const auto magnitude = bound < 0x1p60L ? std::ceil(std::log2(bound + 1)) : 60.0L;
        finest_ = std::min(40, 60 - static_cast<int>(magnitude));
        grid_bits_ = finest_;
    }

    [[nodiscard]] const ScoreTraits& traits() const override { return traits_; }
    [[nodiscard]] std::size_t variables() const override { return variables_; }
    [[nodiscard]] std::uint32_t arity(Node) const override { return 1; }
    [[nodiscard]] int grid_bits() const override { return grid_bits_; }
    void set_grid_bits(int bits) override { grid_bits_ = std::min(bits, finest_); }
    [[nodiscard]] double error() const override { return std::ldexp(2.0, -grid_bits_); }
    // cost = g(T) - g(Π) = constant(l + 1) - constant(l) + weight(l + 1)·ln p
    //        + (weight(l + 1) - weight(l))·ln det M_Π
    // for l parents, with p the pivot of the child after them and ln det M_Π a sum of pivots.
    [[nodiscard]] Real depth(Node child) const override {
        const auto least = std::log(least_pivots_[child]);
        Real all = 0; // at most ln det M_Π
        for (const auto pivot : least_pivots_) all += std::min(Real{0}, std::log(pivot));
        Real depth = 0;
        for (std::size_t l = 0; l < variables_; ++l) {
            const auto cost = constant_[l + 1] - constant_[l] + weight_[l + 1] * least +
                              (weight_[l + 1] - weight_[l]) * all;
            depth = std::max(depth, -cost);
        }
        return depth;
    }
    [[nodiscard]] std::unique_ptr<Evaluator> evaluator(Control&) const override;
    [[nodiscard]] std::size_t evaluator_bytes() const override {
        return variables_ * variables_ * sizeof(Real);
    }

    [[nodiscard]] Real entry(std::size_t a, std::size_t b) const {
        return matrix_[a * variables_ + b];
    }
    [[nodiscard]] Real dependent() const { return dependent_; }
    [[nodiscard]] Cost value(std::size_t size, Real log_determinant) const {
        const auto g = constant_[size] + weight_[size] * log_determinant;
        return std::llround(std::ldexp(g, grid_bits_));
    }

  private:
    // What the pivot of each variable is at least, whatever comes before it: conditioning on
    // more never makes it larger, so all others before it give the least, 1 / (M^-1)_vv. Where
    // M has no inverse that could be trusted, what a pivot must be not to be refused.
    void find_least_pivots() {
        const auto n = variables_;
        least_pivots_.resize(n);
        for (std::size_t v = 0; v < n; ++v)
            least_pivots_[v] = std::max({dependent_ * entry(v, v), least_eigenvalue_, 1e-4000L});
        std::vector<Real> factor(n * n), inverse(n * n); // lower triangles: M = L L', and L^-1
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b <= a; ++b) {
                auto value = entry(a, b);
                for (std::size_t k = 0; k < b; ++k) value -= factor[a * n + k] * factor[b * n + k];
                if (b < a)
                    factor[a * n + b] = value / factor[b * n + b];
                else if (value > trusted * entry(a, a))
                    factor[a * n + a] = std::sqrt(value);
                else
                    return;
            }
        }
        for (std::size_t c = 0; c < n; ++c) {
            inverse[c * n + c] = 1 / factor[c * n + c];
            for (std::size_t r = c + 1; r < n; ++r) {
                Real value = 0;
                for (std::size_t k = c; k < r; ++k) value -= factor[r * n + k] * inverse[k * n + c];
                inverse[r * n + c] = value / factor[r * n + r];
            }
            Real diagonal = 0; // of M^-1 = L^-T L^-1
            for (std::size_t r = c; r < n; ++r) diagonal += inverse[r * n + c] * inverse[r * n + c];
            // Half of it, for rounding errors: ln 2 is little beside the logarithms.
            least_pivots_[c] = std::max(least_pivots_[c], 1 / diagonal / 2);
        }
    }

    // ln Γ(x): Stirling's series after shifting x up, as the library's version sets a
    // global variable and is not safe in threads.
    static Real log_gamma(Real x) {
        Real shift = 0;
        while (x < 32) {
            shift += std::log(x);
            x += 1;
        }
        const auto y = 1 / (x * x);
        const auto series = (1.0L / 12 - y * (1.0L / 360 - y * (1.0L / 1260 - y / 1680))) / x;
        return (x - 0.5L) * std::log(x) - x + std::log(2 * std::numbers::pi_v<Real>) / 2 + series -
               shift;
    }

    std::size_t variables_;
    std::vector<Real> matrix_;
    std::vector<Real> constant_, weight_; // by size
    Real dependent_ = 0;        // a pivot below this share of its diagonal entry counts as zero
    Real least_eigenvalue_ = 0; // of the matrix, as far as it is known
    std::vector<Real> least_pivots_;
    // Below this share of its diagonal entry, half of a pivot's digits are gone.
    static constexpr Real trusted = 1e-10L;
    ScoreTraits traits_;
    int finest_ = 0, grid_bits_ = 0;
};

// The rows of the Cholesky factor of the prefix are kept; one more variable takes O(size²).
class GaussianEvaluator final : public Evaluator {
  public:
    explicit GaussianEvaluator(const GaussianScore& score) : score_(score) {}

    void set_prefix(std::span<const Node> prefix) override {
        std::size_t same = 0;
        while (same < members_.size() && same < prefix.size() && members_[same] == prefix[same])
            ++same;
        members_.resize(same);
        while (members_.size() < prefix.size()) push(prefix[members_.size()]);
        prefix_size_ = prefix.size();
    }
    void evaluate(std::span<Cost> terms) override {
        members_.resize(prefix_size_);
        terms[0] = score_.value(prefix_size_, log_determinant(prefix_size_));
    }
    void evaluate(Node last, std::span<Cost> terms) override {
        members_.resize(prefix_size_);
        push(last);
        terms[0] = score_.value(prefix_size_ + 1, log_determinant(prefix_size_ + 1));
    }
    void evaluate(Node last_but_one, Node last, std::span<Cost> terms) override {
        if (members_.size() <= prefix_size_ || members_[prefix_size_] != last_but_one) {
            members_.resize(prefix_size_);
            push(last_but_one);
        }
        members_.resize(prefix_size_ + 1);
        push(last);
        terms[0] = score_.value(prefix_size_ + 2, log_determinant(prefix_size_ + 2));
    }
    [[nodiscard]] Cost cost(Node, std::span<const Cost> family,
                            std::span<const Cost> parents) override {
        return family[0] - parents[0];
    }

  private:
    // Adds one row to the factor L of M = L L'.
    void push(Node variable) {
        const auto size = members_.size();
        const auto begin = size * (size + 1) / 2;
        if (factor_.size() < begin + size + 1) factor_.resize(begin + size + 1);
        auto* const row = factor_.data() + begin;
        auto pivot = score_.entry(variable, variable);
        for (std::size_t k = 0; k < size; ++k) {
            const auto* const other = factor_.data() + k * (k + 1) / 2;
            auto value = score_.entry(variable, members_[k]);
            for (std::size_t m = 0; m < k; ++m) value -= row[m] * other[m];
            row[k] = value / other[k];
            pivot -= row[k] * row[k];
        }
        if (!(pivot > score_.dependent() * score_.entry(variable, variable)))
            throw LinearlyDependent(variable);
        row[size] = std::sqrt(pivot);
        if (log_determinants_.size() < size + 2) log_determinants_.resize(size + 2);
        log_determinants_[size + 1] = log_determinants_[size] + std::log(pivot);
        members_.push_back(variable);
    }
    [[nodiscard]] Real log_determinant(std::size_t size) const { return log_determinants_[size]; }

    const GaussianScore& score_;
    std::size_t prefix_size_ = 0;
    std::vector<Node> members_; // the prefix, and what was evaluated last
    std::vector<Real> factor_;  // packed by rows
    std::vector<Real> log_determinants_ = std::vector<Real>(1); // by size
};

std::unique_ptr<Evaluator> GaussianScore::evaluator(Control&) const {
    return std::make_unique<GaussianEvaluator>(*this);
}

} // namespace

namespace {

// A sum whose rounding errors are added up, too (Neumaier 1974): as if it were made with twice
// the digits. What is lost of a scatter counts N/2 times in a score, and more where columns are
// nearly dependent; and the order of the rows must not matter.
class CarefulSum {
  public:
    void add(Real value) {
        const auto sum = sum_ + value;
        lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
        sum_ = sum;
    }
    [[nodiscard]] Real value() const { return sum_ + lost_; }

  private:
    Real sum_ = 0, lost_ = 0;
};

} // namespace

Scatter Scatter::of(const double* values, std::size_t rows, std::size_t variables) {
    Scatter scatter{variables, rows, std::vector<Real>(variables * variables)};
    std::vector<CarefulSum> sums(variables), products(variables * variables);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t v = 0; v < variables; ++v) sums[v].add(values[r * variables + v]);
    std::vector<Real> mean(variables), centred(variables);
    for (std::size_t v = 0; v < variables; ++v) mean[v] = sums[v].value() / static_cast<Real>(rows);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t v = 0; v < variables; ++v)
            centred[v] = values[r * variables + v] - mean[v];
        for (std::size_t a = 0; a < variables; ++a)
            for (std::size_t b = 0; b <= a; ++b)
                products[a * variables + b].add(centred[a] * centred[b]);
    }
    for (std::size_t a = 0; a < variables; ++a)
        for (std::size_t b = 0; b <= a; ++b)
            scatter.matrix[a * variables + b] = products[a * variables + b].value();
    for (std::size_t a = 0; a < variables; ++a)
        for (std::size_t b = 0; b < a; ++b)
            scatter.matrix[b * variables + a] = scatter.matrix[a * variables + b];
    return scatter;
}

std::unique_ptr<Score> make_gaussian_score(GaussianKind kind, const Scatter& scatter,
                                           double alpha_mu) {
    return std::make_unique<GaussianScore>(kind, scatter, alpha_mu);
}

} // namespace crediblenet
