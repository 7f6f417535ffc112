// Sums over classes of the features that need no listing of members.
#include "classes/batch.h"
#include "classes/class_counter.h"
#include "classes/packed.h"

#include <map>
#include <unordered_map>

namespace crediblenet {
namespace {

void add(std::vector<double>& to, const std::vector<double>& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

} // namespace

// Skeleton and v-structures are those of every member, so adjacency and the Markov blanket
// (neighbours, and parents of common children) can be read off any of them: two parents of
// a child are adjacent or form a v-structure. A reversible edge has a direction in a share
// of the members that counting gives.
FeatureSums batch_feature_sums(const DagBatch& dags, std::span<const double> weights, Run run) {
    const auto n = dags.nodes;
    const std::vector<double> none(n * n, 0.0);
    FeatureSums total{none, none, none, none};
    std::vector<ClassCounter> counters(run.threads);
    std::vector<std::vector<double>> shares(run.threads, none);
    sum_in_order(
        dags, run, total,
        [&]<std::size_t W>(std::size_t g, const std::vector<NodeSet<W>>& parents, FeatureSums& sum,
                           unsigned thread) {
            const auto weight = weights[g];
            const auto graph = cpdag(parents);
            auto& share = shares[thread];
            counters[thread].orientation_shares<W>(graph.undirected, share);
            std::vector<NodeSet<W>> blanket(n);
            for (std::size_t y = 0; y < n; ++y) {
                auto family = parents[y];
                family.insert(y);
                family.for_each([&](std::size_t x) { blanket[x] |= family; });
                graph.compelled[y].for_each([&](std::size_t x) {
                    sum.directed[x * n + y] += weight;
                    sum.compelled[x * n + y] += weight;
                });
                graph.undirected[y].for_each(
                    [&](std::size_t x) { sum.directed[x * n + y] += weight * share[x * n + y]; });
                parents[y].for_each([&](std::size_t x) {
                    sum.adjacent[x * n + y] += weight;
                    sum.adjacent[y * n + x] += weight;
                });
            }
            for (std::size_t a = 0; a < n; ++a) {
                blanket[a].erase(a);
                blanket[a].for_each([&](std::size_t b) { sum.blanket[a * n + b] += weight; });
            }
        },
        [&](const FeatureSums& sum) {
            add(total.directed, sum.directed);
            add(total.compelled, sum.compelled);
            add(total.adjacent, sum.adjacent);
            add(total.blanket, sum.blanket);
        });
    return total;
}

VStructureSums batch_v_structure_sums(const DagBatch& dags, std::span<const double> weights,
                                      Run run) {
    using Sums = std::map<VStructure, double>;
    Sums total;
    sum_in_order(
        dags, run, Sums{},
        [&]<std::size_t W>(std::size_t g, const std::vector<NodeSet<W>>& parents, Sums& sum,
                           unsigned) {
            std::vector<NodeSet<W>> adjacent(parents.size());
            skeleton<W>(parents, adjacent);
            for (std::size_t c = 0; c < parents.size(); ++c)
                parents[c].for_each([&](std::size_t a) {
                    (parents[c] - adjacent[a]).for_each([&](std::size_t b) {
                        if (a < b)
                            sum[{static_cast<Node>(a), static_cast<Node>(c),
                                 static_cast<Node>(b)}] += weights[g];
                    });
                });
        },
        [&](const Sums& sum) {
            for (const auto& [triple, weight] : sum) total[triple] += weight;
        });
    VStructureSums result;
    for (const auto& [triple, weight] : total) {
        result.triples.push_back(triple);
        result.sums.push_back(weight);
    }
    return result;
}

} // namespace crediblenet
