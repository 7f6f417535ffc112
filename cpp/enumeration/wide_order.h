// An order of the variables that many networks fit.
//
// Along an order every variable chooses its parents among those before it, whatever the others
// choose. So if the weight of a network is the product of the weights of its candidates, the
// weights of all networks that fit an order add up to its width, the product over the variables of
//     the sum of the weights of the candidates whose parents all come before
// (Friedman and Koller 2003, who draw orders in proportion to it). Here single variables are moved
// to other places as long as the width grows, and then again from changes of the widest order.
#pragma once

#include "bounds/problem.h"
#include "control.h"

#include <cstdint>
#include <span>
#include <vector>

namespace crediblenet {

struct WideningOptions {
    std::uint64_t work = 0; // candidates that are looked at before no other change is tried
    std::uint64_t seed = 1;
};

// An order at least as wide as the one that is given, which is a permutation of the variables.
// There is a weight for each row of the table, 0 or more. The same seed gives the same order.
template <std::size_t W>
std::vector<std::uint32_t>
wide_order(const Problem<W>& problem, std::span<const std::uint32_t> order,
           std::span<const double> weights, const WideningOptions& options, Control& control);

} // namespace crediblenet
