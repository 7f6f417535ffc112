// What the networks that use a candidate weigh together, from both ends (fold.h).
#pragma once

#include "enumeration/fold.h"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace crediblenet {

// For each row of the table: the sum over networks with cost at most `max_cost` that use it of
// exp(-(cost - least cost) * unit). The lists of `fold` hold weights: what the networks of a
// level weigh together, by their distance from the least cost of the node.
std::vector<double> fold_weights(const Fold<double>& fold, std::size_t n_rows, Cost max_cost,
                                 double unit, Control& control);

// Throws where the weights of so many networks might exceed a double.
inline void check_weighable(double networks) {
    if (!(networks < 1e300))
        throw std::overflow_error("more than 10^300 networks: too many to weigh");
}

// The logarithms, from a fold whose lists hold numbers of networks.
template <class Count>
std::vector<double> fold_log_weights(const Fold<Count>& fold, std::size_t n_rows, Cost max_cost,
                                     double unit, Control& control) {
    const auto& live = fold.live;
    const Fold<double> weights(fold, control, [&](CircuitNode node, const auto& level) {
        const auto above = static_cast<double>(level.cost - live.least[node]);
        return to_double(level.networks) * std::exp(-above * unit);
    });
    auto rows = fold_weights(weights, n_rows, std::min(max_cost, live.limit.back()), unit, control);
    for (auto& weight : rows) weight = std::log(weight);
    return rows;
}

} // namespace crediblenet
