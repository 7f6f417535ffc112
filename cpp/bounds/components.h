// Strongly connected components: acyclicity couples variables only inside one.
#pragma once

#include "types.h"

#include <vector>

namespace crediblenet {

// The strongly connected components of the graph with an arc parent -> node for
// each parent in `parents[node]`, restricted to `nodes`, in topological order
// (parents' components first). Tarjan 1972, without recursion.
template <std::size_t W>
std::vector<NodeSet<W>> strong_components(const std::vector<NodeSet<W>>& parents,
                                          const NodeSet<W>& nodes);

} // namespace crediblenet
