// Numbers of subsets, for telling how large a level can be.
#pragma once

#include <cmath>
#include <cstddef>

namespace crediblenet {

// The number of k-sets of n things, or something above `enough`.
inline double binomial(std::size_t n, std::size_t k, double enough) {
    double count = 1;
    for (std::size_t x = 0; x < k && count <= enough; ++x)
        count *= static_cast<double>(n - x) / static_cast<double>(x + 1);
    return std::round(count);
}

} // namespace crediblenet
