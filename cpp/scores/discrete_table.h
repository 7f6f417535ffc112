// Discrete data as the counting code wants it: coded columns of distinct rows.
#pragma once

#include "control.h"
#include "types.h"

#include <cstdint>
#include <vector>

namespace crediblenet {

struct DiscreteTable {
    using Code = std::uint16_t;

    std::vector<std::uint32_t> arity;      // number of states of each variable
    std::vector<std::vector<Code>> column; // [variable][distinct row], below the arity
    std::vector<std::uint32_t> weight;     // how often each distinct row occurs, at least once
    std::uint64_t total = 0;               // sum of the weights: N
    // Made by spread_rows: the distinct weights in order, and which of them each row has.
    std::vector<std::uint32_t> weight_value, weight_class;

    [[nodiscard]] std::size_t variables() const { return arity.size(); }
    [[nodiscard]] std::size_t rows() const { return weight.size(); }
};

// Neighbours in sorted data fall into the same cell of most contingency tables, so that
// a counting loop waits for its own last store. The rows are therefore spread out in a fixed
// order that takes distant rows in turn. No result depends on it. Throws Stopped.
DiscreteTable spread_rows(const DiscreteTable& table, Control& control);

} // namespace crediblenet
