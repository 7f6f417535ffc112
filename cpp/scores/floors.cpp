#include "scores/floors.h"

#include "parallel.h"

#include <algorithm>
#include <cmath>

namespace crediblenet {

namespace {

// N·H(variable | base and given): the cost less its penalty.
template <std::size_t W>
double remaining(const Score& score, Evaluator& evaluator, const std::vector<Node>& base,
                 NodeSet<W> given, Node variable) {
    given.erase(variable);
    auto prefix = base;
    given.for_each([&](std::size_t x) { prefix.push_back(static_cast<Node>(x)); });
    evaluator.set_prefix(prefix);
    const auto entropy = evaluator.remaining_entropy(variable);
    return std::max(0.0, entropy - score.error());
}

} // namespace

template <std::size_t W>
Floors find_floors(const Score& score, const std::vector<Node>& base, const NodeSet<W>& targets,
                   const std::vector<NodeSet<W>>& allowed, const NodeSet<W>& universe,
                   unsigned threads, Control& control) {
    const auto n = score.variables();
    Floors floors{std::vector<double>(n), std::vector<double>(n)};
    constexpr double affordable = 4e9; // steps, about ten seconds
    const auto columns = static_cast<double>(universe.size());
    if (!score.traits().penalized_entropy || columns * columns * score.traits().rows > affordable)
        return floors;
    std::vector<std::unique_ptr<Evaluator>> evaluators;
    evaluators.reserve(threads);
    for (unsigned t = 0; t < threads; ++t) evaluators.push_back(score.evaluator(control));
    parallel_for(n, 1, threads, control, [&](std::size_t v, std::size_t, unsigned thread) {
        if (!universe.contains(v)) return;
        auto others = universe;
        others.erase(v);
        const auto variable = static_cast<Node>(v);
        auto& evaluator = *evaluators[thread];
        floors.all[v] = remaining(score, evaluator, base, others, variable);
        if (targets.contains(v))
            floors.target[v] = allowed[v] == others
                                   ? floors.all[v]
                                   : remaining(score, evaluator, base, allowed[v], variable);
    });
    return floors;
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template Floors find_floors(const Score&, const std::vector<Node>&, const NodeSet<W>&,         \
                                const std::vector<NodeSet<W>>&, const NodeSet<W>&, unsigned,       \
                                Control&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
