#include "scores/discrete_table.h"

#include "scores/stopping.h"

#include <algorithm>
#include <numeric>

namespace crediblenet {

namespace {

void classify_weights(DiscreteTable& table) {
    table.weight_value = table.weight;
    std::sort(table.weight_value.begin(), table.weight_value.end());
    table.weight_value.erase(std::unique(table.weight_value.begin(), table.weight_value.end()),
                             table.weight_value.end());
    table.weight_class.resize(table.rows());
    for (std::size_t r = 0; r < table.rows(); ++r)
        table.weight_class[r] =
            static_cast<std::uint32_t>(std::lower_bound(table.weight_value.begin(),
                                                        table.weight_value.end(), table.weight[r]) -
                                       table.weight_value.begin());
}

} // namespace

DiscreteTable spread_rows(const DiscreteTable& table, Control& control) {
    throw_if_stopped(control, "the data were being prepared");
    const auto rows = table.rows();
    // A stride of about 0.618 times the length keeps close rows apart; it must
    // have no divisor in common with the length to reach every row once.
    auto stride = static_cast<std::size_t>(static_cast<double>(rows) * 0.6180339887) | 1;
    while (rows > 1 && std::gcd(stride, rows) != 1) stride += 2;

    std::vector<std::uint32_t> from(rows);
    for (std::size_t to = 0, row = 0; to < rows; ++to, row = (row + stride) % rows)
        from[to] = static_cast<std::uint32_t>(row);

    DiscreteTable spread;
    spread.arity = table.arity;
    spread.total = table.total;
    spread.weight.resize(rows);
    for (std::size_t to = 0; to < rows; ++to) spread.weight[to] = table.weight[from[to]];
    for (const auto& column : table.column) {
        control.poll();
        throw_if_stopped(control, "the data were being prepared");
        auto& own = spread.column.emplace_back(rows);
        for (std::size_t to = 0; to < rows; ++to) own[to] = column[from[to]];
    }
    classify_weights(spread);
    return spread;
}

} // namespace crediblenet
