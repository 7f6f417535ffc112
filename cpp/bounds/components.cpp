#include "bounds/components.h"

#include <algorithm>

namespace crediblenet {

template <std::size_t W>
std::vector<NodeSet<W>> strong_components(const std::vector<NodeSet<W>>& parents,
                                          const NodeSet<W>& nodes) {
    constexpr std::uint32_t unseen = 0;
    struct Frame {
        std::size_t node;
        NodeSet<W> rest; // parents still to visit
    };
    std::vector<std::uint32_t> number(parents.size(), unseen), low(parents.size(), unseen);
    std::vector<std::size_t> open;
    std::vector<Frame> frames;
    std::vector<NodeSet<W>> components;
    NodeSet<W> on_stack;
    std::uint32_t clock = 0;

    auto enter = [&](std::size_t node) {
        number[node] = low[node] = ++clock;
        open.push_back(node);
        on_stack.insert(node);
        frames.push_back({node, parents[node] & nodes});
    };
    nodes.for_each([&](std::size_t root) {
        if (number[root] != unseen) return;
        enter(root);
        while (!frames.empty()) {
            auto& frame = frames.back();
            const auto node = frame.node;
            if (!frame.rest.empty()) {
                const auto next = frame.rest.lowest();
                frame.rest.erase(next);
                if (number[next] == unseen)
                    enter(next);
                else if (on_stack.contains(next))
                    low[node] = std::min(low[node], number[next]);
                continue;
            }
            frames.pop_back();
            if (!frames.empty())
                low[frames.back().node] = std::min(low[frames.back().node], low[node]);
            if (low[node] != number[node]) continue;
            NodeSet<W> component;
            for (std::size_t member = parents.size(); member != node;) {
                member = open.back();
                open.pop_back();
                on_stack.erase(member);
                component.insert(member);
            }
            // Arcs are followed from child to parent, so Tarjan closes the
            // component of the parents first.
            components.push_back(component);
        }
    });
    return components;
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template std::vector<NodeSet<W>> strong_components(const std::vector<NodeSet<W>>&,             \
                                                       const NodeSet<W>&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
