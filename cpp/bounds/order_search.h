// A good network fast: local search over orders of the variables.
#pragma once

#include "bounds/problem.h"
#include "control.h"

#include <cstdint>
#include <span>

namespace crediblenet {

// The best network that insertion moves reach from `restarts` orders: random ones,
// and changes of the best so far. If there is a relaxed solution x (one value for
// each row of the table), the first order is the one that fits it best. The same
// seed gives the same network. It proves nothing: an upper bound.
template <std::size_t W>
FoundNetwork order_search(const Problem<W>& problem, unsigned restarts, std::uint64_t seed,
                          std::span<const double> x, Control& control);

} // namespace crediblenet
