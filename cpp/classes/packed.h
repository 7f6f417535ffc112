// Loops over packed networks.
#pragma once

#include "classes/batch.h"
#include "parallel.h"

#include <algorithm>
#include <span>
#include <vector>

namespace crediblenet {

// Networks between packed words and node sets.
template <std::size_t W> class PackedDags {
  public:
    explicit PackedDags(const DagBatch& dags) : dags_(dags) {}

    void load(std::size_t g, std::vector<NodeSet<W>>& parents) const {
        parents.assign(dags_.nodes, {});
        const auto* from = dags_.words + g * dags_.nodes * dags_.width;
        for (auto& set : parents) {
            std::copy_n(from, dags_.width, set.word.begin());
            from += dags_.width;
        }
    }
    void store(std::size_t g, std::span<const NodeSet<W>> sets, std::uint64_t* words) const {
        auto* to = words + g * dags_.nodes * dags_.width;
        for (const auto& set : sets) to = std::copy_n(set.word.begin(), dags_.width, to);
    }

  private:
    DagBatch dags_;
};

inline void throw_if_stopped(const Control& control) {
    if (control.stopped())
        throw Stopped(control.reason(), "the equivalence classes were not finished in time");
}

// Calls work(packed, g, parents, thread) for every network g, in parallel.
template <class Work> void for_each_dag(const DagBatch& dags, Run run, Work&& work) {
    with_width(dags.nodes, [&](auto width) {
        const PackedDags<width> packed(dags);
        parallel_for(dags.count, 256, run.threads, run.control,
                     [&](std::size_t begin, std::size_t end, unsigned thread) {
                         std::vector<NodeSet<width>> parents;
                         for (auto g = begin; g < end; ++g) {
                             packed.load(g, parents);
                             work(packed, g, parents, thread);
                         }
                         run.control.visited += end - begin;
                     });
    });
    throw_if_stopped(run.control);
}

// Sums over networks that are the same, to the last bit, for every number of threads: each
// chunk of networks has its own partial sum, work(g, parents, partial, thread) adds network
// g to it, and merge(partial) is called for the chunks in order. Only a few partial sums
// exist at a time.
template <class Partial, class Work, class Merge>
void sum_in_order(const DagBatch& dags, Run run, const Partial zero, Work&& work, Merge&& merge) {
    constexpr std::size_t chunk = 512, at_once = 16;
    with_width(dags.nodes, [&](auto width) {
        const PackedDags<width> packed(dags);
        for (std::size_t begin = 0; begin < dags.count; begin += chunk * at_once) {
            const auto left = (dags.count - begin + chunk - 1) / chunk;
            std::vector<Partial> partial(std::min(at_once, left), zero);
            parallel_for(partial.size(), 1, run.threads, run.control,
                         [&](std::size_t p, std::size_t, unsigned thread) {
                             std::vector<NodeSet<width>> parents;
                             const auto first = begin + p * chunk;
                             const auto last = std::min(first + chunk, dags.count);
                             for (auto g = first; g < last; ++g) {
                                 packed.load(g, parents);
                                 work(g, parents, partial[p], thread);
                             }
                             run.control.visited += last - first;
                         });
            throw_if_stopped(run.control);
            for (const auto& sum : partial) merge(sum);
        }
    });
}

} // namespace crediblenet
