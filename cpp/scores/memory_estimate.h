// How much memory a search that drops no families of sets would need.
#pragma once

#include <cstddef>

namespace crediblenet {

// Bytes of the largest level of the lattice of all joint sets of so many variables, with up to
// `largest` members and so many terms each; anything above `enough` stands for more than that.
double largest_level_bytes(std::size_t variables, std::size_t largest, std::size_t terms,
                           double enough);

} // namespace crediblenet
