// Random discrete data with dependent columns, for the tests of counting and scores.
#pragma once

#include "scores/discrete_table.h"

#include <map>
#include <random>
#include <vector>

namespace crediblenet {

// Rows may repeat; arities are 2 to `most_states`. Each column often copies the one before.
inline DiscreteTable random_table(unsigned seed, std::size_t variables, std::size_t rows,
                                  std::uint32_t most_states, std::uint32_t most_weight = 1) {
    std::mt19937 random(seed);
    DiscreteTable table;
    for (std::size_t v = 0; v < variables; ++v) {
        const auto arity = 2 + static_cast<std::uint32_t>(random() % (most_states - 1));
        table.arity.push_back(arity);
        auto& column = table.column.emplace_back(rows);
        for (std::size_t r = 0; r < rows; ++r) {
            const auto copied = v == 0 ? 0u : table.column[v - 1][r];
            const auto value = random() % 3 == 0 ? static_cast<std::uint32_t>(random()) : copied;
            column[r] = static_cast<DiscreteTable::Code>(value % arity);
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        table.weight.push_back(1 + static_cast<std::uint32_t>(random() % most_weight));
        table.total += table.weight.back();
    }
    Control control;
    return spread_rows(table, control);
}

// How many rows have which values of these variables, the plain way.
inline std::map<std::vector<std::uint32_t>, std::uint64_t>
count_plainly(const DiscreteTable& table, const std::vector<Node>& variables) {
    std::map<std::vector<std::uint32_t>, std::uint64_t> counts;
    for (std::size_t r = 0; r < table.rows(); ++r) {
        std::vector<std::uint32_t> key;
        for (const auto v : variables) key.push_back(table.column[v][r]);
        counts[key] += table.weight[r];
    }
    return counts;
}

} // namespace crediblenet
