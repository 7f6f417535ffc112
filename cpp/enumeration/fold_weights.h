// What the networks that use a candidate weigh together, from both ends (fold.h).
#pragma once

#include "enumeration/fold.h"

#include <vector>

namespace crediblenet {

// For each row of the table: the sum over networks with cost at most `max_cost` that use it of
// exp(-(cost - least cost) * unit). The lists of `fold` hold weights: what the networks of a
// level weigh together, by their distance from the least cost of the node.
std::vector<double> fold_weights(const Fold<double>& fold, std::size_t n_rows, Cost max_cost,
                                 double unit, Control& control);

} // namespace crediblenet
