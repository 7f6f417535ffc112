#include "scores/memory_estimate.h"

#include "scores/binomial.h"
#include "scores/level.h"

#include <algorithm>

namespace crediblenet {

namespace {

// What a block keeps per set whose members are all alive.
double bytes_per_set(std::size_t members, std::size_t terms) {
    constexpr auto per_set = sizeof(Positions) + sizeof(std::uint32_t) + sizeof(std::uint8_t);
    constexpr auto per_member = sizeof(Cost) + sizeof(std::uint8_t);
    return static_cast<double>(terms * sizeof(Cost) + per_set + members * per_member);
}

} // namespace

double largest_level_bytes(std::size_t variables, std::size_t largest, std::size_t terms,
                           double enough) {
    double most = 0;
    for (std::size_t members = 1; members <= std::min(variables, largest); ++members)
        most = std::max(most, binomial(variables, members, enough) * bytes_per_set(members, terms));
    return most;
}

} // namespace crediblenet
