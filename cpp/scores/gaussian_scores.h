// BGe and the Gaussian BIC: the scores of continuous data.
#pragma once

#include "scores/score.h"

#include <stdexcept>

namespace crediblenet {

enum class GaussianKind : std::uint8_t { bic_g, bge };

// Continuous data, reduced to what Gaussian scores depend on.
struct Scatter {
    std::size_t variables = 0;
    std::size_t rows = 0;
    std::vector<long double> matrix; // Σ (x - mean)(x - mean)', variables × variables

    // `values` has `rows` rows of `variables` numbers.
    static Scatter of(const double* values, std::size_t rows, std::size_t variables);
};

// Thrown when a variable is a linear function of others, to within rounding.
struct LinearlyDependent : std::runtime_error {
    Node variable;
    explicit LinearlyDependent(Node which)
        : std::runtime_error("the variables are linearly dependent"), variable(which) {}
};

// `alpha_mu` is the weight of the prior mean in BGe. The scatter must outlive the score.
std::unique_ptr<Score> make_gaussian_score(GaussianKind kind, const Scatter& scatter,
                                           double alpha_mu);

} // namespace crediblenet
