#include "classes/chordal.h"

#include "classes/mcs.h"

#include <algorithm>

namespace crediblenet {

// Blair & Peyton (1993), section 4: run a maximum cardinality search; as long as the
// number of visited neighbours grows, the nodes belong to one maximal clique. When it
// does not, the visited neighbours of the node are the separator of a new clique, and
// hang below the clique that the last visited one of them completed.
template <std::size_t W>
std::vector<CliqueTreeEntry<W>> clique_tree(std::span<const NodeSet<W>> adjacency,
                                            const NodeSet<W>& nodes) {
    std::vector<std::size_t> clique_of(adjacency.size(), 0);
    std::vector<CliqueTreeEntry<W>> tree{{{}, {}, 0}};
    std::size_t previous = 0;
    maximum_cardinality_search(adjacency, nodes, [&](std::size_t node, const NodeSet<W>& visited) {
        const auto count = visited.size();
        if (!tree.back().clique.empty() && count <= previous) {
            std::size_t parent = 0;
            visited.for_each([&](std::size_t v) { parent = std::max(parent, clique_of[v]); });
            tree.push_back({visited, visited, parent});
        }
        previous = count;
        tree.back().clique.insert(node);
        clique_of[node] = tree.size() - 1;
        return true;
    });
    return tree;
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template std::vector<CliqueTreeEntry<W>> clique_tree(std::span<const NodeSet<W>>,              \
                                                         const NodeSet<W>&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
