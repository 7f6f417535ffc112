#include "scores/discrete_table.h"

#include <numeric>

namespace crediblenet {

DiscreteTable spread_rows(const DiscreteTable& table) {
    const auto rows = table.rows();
    // A stride of about 0.618 times the length keeps close rows apart; it must
    // have no divisor in common with the length to reach every row once.
    auto stride = static_cast<std::size_t>(static_cast<double>(rows) * 0.6180339887) | 1;
    while (rows > 1 && std::gcd(stride, rows) != 1) stride += 2;

    DiscreteTable spread{table.arity, {}, std::vector<std::uint32_t>(rows), table.total};
    spread.column.assign(table.variables(), std::vector<DiscreteTable::Code>(rows));
    std::size_t from = 0;
    for (std::size_t to = 0; to < rows; ++to) {
        spread.weight[to] = table.weight[from];
        for (std::size_t v = 0; v < table.variables(); ++v)
            spread.column[v][to] = table.column[v][from];
        from = (from + stride) % rows;
    }
    return spread;
}

} // namespace crediblenet
