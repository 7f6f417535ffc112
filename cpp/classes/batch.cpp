#include "classes/batch.h"

#include "classes/canonical.h"
#include "classes/class_counter.h"
#include "classes/packed.h"

#include <limits>
#include <string>
#include <unordered_map>

namespace crediblenet {
namespace {

// What keeps the sets from being a DAG, or nullptr.
template <std::size_t W> const char* defect(const std::vector<NodeSet<W>>& parents) {
    const auto nodes = NodeSet<W>::first(parents.size());
    for (std::size_t y = 0; y < parents.size(); ++y) {
        if (!parents[y].subset_of(nodes)) return "has a parent that is not one of its variables";
        if (parents[y].contains(y)) return "has a variable that is its own parent";
    }
    return is_acyclic<W>(parents) ? nullptr : "has a directed cycle";
}

} // namespace

void check_dags(const DagBatch& dags, Run run) {
    std::atomic<std::size_t> first = dags.count;
    for_each_dag(dags, run, [&](const auto&, std::size_t g, const auto& parents, unsigned) {
        if (!defect(parents)) return;
        auto known = first.load();
        while (g < known && !first.compare_exchange_weak(known, g)) {}
    });
    if (first == dags.count) return;
    with_width(dags.nodes, [&](auto width) {
        std::vector<NodeSet<width>> parents;
        PackedDags<width>(dags).load(first, parents);
        throw std::invalid_argument("network " + std::to_string(first) + " " + defect(parents));
    });
}

void batch_cpdags(const DagBatch& dags, std::uint64_t* compelled, std::uint64_t* undirected,
                  Run run) {
    for_each_dag(dags, run, [&](const auto& packed, std::size_t g, const auto& parents, unsigned) {
        const auto graph = cpdag(parents);
        packed.store(g, graph.compelled, compelled);
        packed.store(g, graph.undirected, undirected);
    });
}

void batch_canonical(const DagBatch& dags, std::uint64_t* members, Run run) {
    for_each_dag(dags, run, [&](const auto& packed, std::size_t g, const auto& parents, unsigned) {
        packed.store(g, canonical_member(parents), members);
    });
}

void batch_is_canonical(const DagBatch& dags, std::uint8_t* result, Run run) {
    for_each_dag(dags, run, [&](const auto&, std::size_t g, const auto& parents, unsigned) {
        result[g] = is_canonical(parents);
    });
}

std::vector<BigUint> batch_sizes(const DagBatch& dags, Run run) {
    std::vector<BigUint> sizes(dags.count);
    std::vector<ClassCounter> counters(run.threads);
    for_each_dag(dags, run,
                 [&]<std::size_t W>(const auto&, std::size_t g,
                                    const std::vector<NodeSet<W>>& parents, unsigned thread) {
                     sizes[g] = counters[thread].size<W>(cpdag(parents).undirected);
                 });
    return sizes;
}

void batch_sample(const DagBatch& dags, std::uint64_t seed, std::uint64_t* members, Run run) {
    std::vector<ClassCounter> counters(run.threads);
    for_each_dag(dags, run,
                 [&]<std::size_t W>(const auto& packed, std::size_t g,
                                    const std::vector<NodeSet<W>>& parents, unsigned thread) {
                     std::seed_seq mixed{
                         static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(g), static_cast<std::uint32_t>(g >> 32)};
                     std::mt19937_64 random(mixed);
                     auto graph = cpdag(parents);
                     counters[thread].sample<W>(graph.undirected, random, graph.compelled);
                     packed.store(g, graph.compelled, members);
                 });
}

void batch_hashes(const DagBatch& dags, Sameness sameness, std::uint64_t* hashes, Run run) {
    for_each_dag(dags, run,
                 [&]<std::size_t W>(const auto&, std::size_t g,
                                    const std::vector<NodeSet<W>>& parents, unsigned) {
                     std::vector<NodeSet<W>> form;
                     normal_form<W>(parents, sameness, form);
                     const auto hash = hash_form<W>(form, dags.width);
                     std::copy(hash.begin(), hash.end(), hashes + 2 * g);
                 });
}

std::size_t batch_group(const DagBatch& dags, Sameness sameness, std::int64_t* group, Run run) {
    std::vector<std::uint64_t> hashes(2 * dags.count);
    batch_hashes(dags, sameness, hashes.data(), run);
    return with_width(dags.nodes, [&](auto width) {
        const PackedDags<width> packed(dags);
        std::vector<NodeSet<width>> parents, form, other;
        std::unordered_multimap<std::uint64_t, std::size_t> first_of; // hash -> first network
        std::size_t groups = 0;
        for (std::size_t g = 0; g < dags.count; ++g) {
            if (g % 4096 == 0 && run.control.poll()) throw_if_stopped(run.control);
            group[g] = -1;
            auto [candidate, end] = first_of.equal_range(hashes[2 * g]);
            if (candidate != end) {
                packed.load(g, parents);
                normal_form<width>(parents, sameness, form);
            }
            for (; candidate != end && group[g] < 0; ++candidate) {
                packed.load(candidate->second, parents);
                normal_form<width>(parents, sameness, other);
                if (form == other) group[g] = group[candidate->second];
            }
            if (group[g] >= 0) continue;
            group[g] = static_cast<std::int64_t>(groups++);
            first_of.emplace(hashes[2 * g], g);
        }
        return groups;
    });
}

} // namespace crediblenet
