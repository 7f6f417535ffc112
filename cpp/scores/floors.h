// How much uncertainty of each variable no parent set can take away.
#pragma once

#include "control.h"
#include "scores/score.h"

#include <vector>

namespace crediblenet {

struct Floors {
    std::vector<double> target; // N·H(target | base and all its allowed parents), in nats
    std::vector<double> all;    // N·H(variable | base and all other variables)
};

// Zeros, which are always safe, for scores without entropy and where it would take too long.
template <std::size_t W>
Floors find_floors(const Score& score, const std::vector<Node>& base, const NodeSet<W>& targets,
                   const std::vector<NodeSet<W>>& allowed, const NodeSet<W>& universe,
                   unsigned threads, Control& control);

} // namespace crediblenet
