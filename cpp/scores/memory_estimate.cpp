#include "scores/memory_estimate.h"

#include "scores/binomial.h"
#include "scores/level_part.h"
#include "scores/pruning.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace crediblenet {

namespace {

double choose(std::size_t n, std::size_t k) { return k > n ? 0 : binomial(n, k, HUGE_VAL); }

// The most parents besides the base that rules R2, R3 and C4 let a target have, from its number
// of states alone: N·H(i | base) <= N ln r_i bounds what R2 compares with.
template <std::size_t W>
std::size_t most_added(const Score& score, const LatticeParams<W>& params,
                       const NodeSet<W>& universe) {
    const auto& traits = score.traits();
    const auto epsilon = params.epsilon + 8 * score.error() + 1e-6;
    auto most = std::min({params.max_added, universe.size(), max_joint_size});
    if (params.rules.c4 && traits.bic)
        for (std::size_t k = 0; k < most; ++k)
            if (c4_drops(k + 1 + params.base.size(), traits.rows, epsilon)) most = k;
    if (!traits.penalized_entropy || !(params.rules.r2 || params.rules.r3)) return most;

    double base_states = 1, budget = 0; // of states, with the parent that has fewest left out
    for (const auto v : params.base) base_states *= score.arity(v);
    params.targets.for_each([&](std::size_t i) {
        const double arity = score.arity(static_cast<Node>(i));
        budget = std::max(budget,
                          r3_limit(traits.rows, arity, epsilon) / (traits.penalty * (arity - 1)));
    });
    std::vector<double> arities;
    universe.for_each([&](std::size_t v) { arities.push_back(score.arity(static_cast<Node>(v))); });
    std::sort(arities.begin(), arities.end());
    auto states = base_states;
    for (std::size_t k = 1; k < most; ++k) // k + 1 parents
        if ((states *= arities[k]) > budget + base_states) return k;
    return most;
}

} // namespace

template <std::size_t W>
SearchMemory foresee_memory(const Score& score, const LatticeParams<W>& params) {
    auto universe = params.targets;
    params.targets.for_each([&](std::size_t i) { universe |= params.allowed[i]; });
    const auto n = universe.size();
    const auto per_set = static_cast<double>(score.traits().terms * sizeof(Cost) +
                                             sizeof(Positions) + sizeof(std::uint32_t) + 1);
    constexpr double per_pair = sizeof(Cost) + 1;
    constexpr double set_bytes = sizeof(NodeSet<W>);
    const bool prunes = drops_families(score.traits(), params.rules, params.epsilon);
    const auto most_parents = most_added(score, params, universe);

    // Pairs of a target and a set of so many parents.
    std::vector<double> pairs(most_parents + 2);
    for (std::size_t k = 0; k <= most_parents; ++k)
        params.targets.for_each(
            [&](std::size_t i) { pairs[k] += choose(params.allowed[i].size(), k); });

    // Joint sets of k members: two levels are held, and while sets are found that must be counted
    // on their own, the level before them and the list of those sets.
    SearchMemory memory;
    const bool keeps_all = !params.rules.r1 || params.epsilon == HUGE_VAL;
    const auto last = std::min(params.max_added, most_parents + 1); // the largest that are stored
    double least_before = 0, most_before = 0, most_levels = 0;
    for (std::size_t k = 1; k <= most_parents + 1; ++k) {
        memory.most_candidates += pairs[k - 1] * sizeof(ScoredSet<W>);
        if (keeps_all && !prunes) memory.least_candidates = memory.most_candidates;
        double least = 0, most = 0;
        if (k <= last) {
            const auto alive = pairs[k - 1] * per_pair;
            // Each set has at most k alive members; one group per prefix, and another for sets
            // that are counted on their own.
            const auto groups = 2 * choose(n, k - 1);
            if (!prunes) least = pairs[k - 1] / static_cast<double>(k) * per_set + alive;
            most = choose(n, k) * per_set + alive + pairs[k] * set_bytes +
                   groups * (sizeof(Group<W>) + 16 + static_cast<double>(k) * set_bytes);
        }
        memory.least = std::max(memory.least, least_before + least + memory.least_candidates);
        most_levels = std::max(most_levels, most_before + most);
        least_before = least;
        most_before = most;
    }
    memory.most = most_levels + memory.most_candidates;
    return memory;
}

std::vector<double> expected_alive(const AliveCounts& singles, const AliveCounts& alive,
                                   std::size_t parents, std::size_t most_parents) {
    const auto pairs_in = [](std::size_t m) { return static_cast<double>(m * (m - 1) / 2); };
    std::vector<double> expected;
    for (auto m = parents; m <= most_parents; ++m) {
        double sum = 0;
        for (std::size_t i = 0; i < singles.size(); ++i) {
            if (alive[i] == 0) continue;
            const auto a = static_cast<std::size_t>(singles[i]);
            const auto share = alive[i] / choose(a, parents);
            sum += choose(a, m) * std::pow(share, pairs_in(m) / pairs_in(parents));
        }
        expected.push_back(sum);
        if (sum < 1) break;
    }
    return expected;
}

Growth expected_growth(const AliveCounts& singles, const AliveCounts& alive, std::size_t parents,
                       std::size_t most_parents, const Growth& now) {
    const auto sizes = expected_alive(singles, alive, parents, most_parents);
    const auto stored = [&](std::size_t m) {
        return m < sizes.size() && parents + m < most_parents ? sizes[m] : 0.0;
    };
    const auto total = std::max(1.0, std::accumulate(alive.begin(), alive.end(), 0.0));
    Growth growth{now.levels, 0};
    for (std::size_t m = 0; m < sizes.size(); ++m) {
        growth.levels = std::max(growth.levels, (stored(m) + stored(m + 1)) * now.levels / total);
        if (m > 0) growth.candidates += sizes[m] * now.candidates / total;
    }
    return growth;
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template SearchMemory foresee_memory(const Score&, const LatticeParams<W>&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
