// The candidates that a point of the relaxation is made of.
#pragma once

#include "bounds/problem.h"

#include <cstddef>
#include <span>
#include <vector>

namespace crediblenet {

template <std::size_t W> struct Fraction {
    std::size_t variable;
    NodeSet<W> parents;
    double value;
};

// Those with a value above `zero` at the point x (one value per score-table row), by variable.
template <std::size_t W>
std::vector<Fraction<W>> fractions(const Problem<W>& problem, std::span<const double> x,
                                   double zero) {
    std::vector<Fraction<W>> list;
    for (std::size_t i = 0; i < problem.n_variables(); ++i)
        for (const auto& candidate : problem.candidates[i])
            if (x[candidate.row] > zero) list.push_back({i, candidate.parents, x[candidate.row]});
    return list;
}

} // namespace crediblenet
