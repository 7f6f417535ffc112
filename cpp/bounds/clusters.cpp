#include "bounds/clusters.h"

#include "bounds/cluster_selection.h"
#include "bounds/components.h"
#include "bounds/growing_cluster.h"

#include <algorithm>
#include <unordered_set>

namespace crediblenet {

namespace {

template <std::size_t W> class Separator {
  public:
    Separator(const Problem<W>& problem, std::span<const double> x, std::uint32_t max_k,
              double least, Control& control)
        : n_(problem.n_variables()), max_k_(max_k), least_(least), control_(control),
          fractions_(fractions(problem, x, no_fraction)) {}

    std::vector<FoundCluster<W>> run(double most_parallel, std::size_t limit) {
        std::vector<NodeSet<W>> parents(n_), neighbours(n_);
        for (const auto& fraction : fractions_) {
            parents[fraction.variable] |= fraction.parents;
            neighbours[fraction.variable] |= fraction.parents;
            fraction.parents.for_each(
                [&](std::size_t parent) { neighbours[parent].insert(fraction.variable); });
        }
        auto inside = neighbours;
        for (const auto& component : strong_components(parents, NodeSet<W>::first(n_)))
            component.for_each([&](std::size_t i) { inside[i] &= component; });
        // If a cluster with k = 1 is violated, so is one inside a strongly connected component:
        // greedy growth that stays there finds cycles which it otherwise grows past. Clusters
        // that reach further may be violated more, so that both are looked for.
        grow_from_seeds(1, inside);
        for (std::uint32_t k = 1; k <= max_k_; ++k) grow_from_seeds(k, neighbours);
        return select_clusters(std::move(found_), fractions_, n_, most_parallel, limit);
    }

  private:
    using Neighbours = std::vector<NodeSet<W>>; // of each variable

    void record(const GrowingCluster<W>& cluster, std::uint32_t k) {
        const double violation = k - cluster.left_side();
        if (violation > least_ && seen_[k].insert(cluster.members()).second)
            found_.push_back({{cluster.members(), k}, violation});
    }

    // Greedy growth: from a connected seed, add the variable that lowers the
    // left side most (or raises it least, for a few steps: clusters that are
    // violated only when large are reached through sets that are not).
    void grow(GrowingCluster<W>& cluster, std::uint32_t k, const Neighbours& neighbours) {
        record(cluster, k);
        NodeSet<W> border;
        cluster.members().for_each([&](std::size_t i) { border |= neighbours[i]; });
        border -= cluster.members();
        while (!control_.poll()) {
            double best = 1e300;
            std::size_t choice = n_;
            border.for_each([&](std::size_t j) {
                const double value = cluster.left_side_with(j);
                if (value < best - 1e-12) {
                    best = value;
                    choice = j;
                }
            });
            if (choice == n_ || best > cluster.left_side() + 0.5) return;
            cluster.add(choice);
            border = (border | neighbours[choice]) - cluster.members();
            if (!visited_[k].insert(cluster.members()).second) return;
            record(cluster, k);
        }
    }

    void grow_from_seeds(std::uint32_t k, const Neighbours& neighbours) {
        seen_.resize(k + 1);
        visited_.resize(k + 1);
        seeds_.clear();
        GrowingCluster<W> cluster(fractions_, n_, k);
        for (std::size_t i = 0; i < n_; ++i)
            extend_seed(NodeSet<W>::single(i), i, cluster, k, neighbours);
    }

    // Seeds are connected sets of k + 1 variables whose lowest is `root`.
    void extend_seed(const NodeSet<W>& seed, std::size_t root, GrowingCluster<W>& cluster,
                     std::uint32_t k, const Neighbours& neighbours) {
        if (control_.poll()) return;
        if (seed.size() == k + 1) {
            if (!seeds_.insert(seed).second) return;
            cluster.clear();
            seed.for_each([&](std::size_t i) { cluster.add(i); });
            if (cluster.left_side() < k + 0.75) grow(cluster, k, neighbours);
            return;
        }
        NodeSet<W> border;
        seed.for_each([&](std::size_t i) { border |= neighbours[i]; });
        border -= seed;
        border.for_each([&](std::size_t j) {
            if (j <= root) return;
            auto larger = seed;
            larger.insert(j);
            if (larger.size() == k + 1 || seeds_.insert(larger).second)
                extend_seed(larger, root, cluster, k, neighbours);
        });
    }

    using Sets = std::unordered_set<NodeSet<W>, NodeSetHash<W>>;

    std::size_t n_;
    std::uint32_t max_k_;
    double least_;
    Control& control_;
    std::vector<Fraction<W>> fractions_;
    std::vector<Sets> seen_, visited_;
    Sets seeds_;
    std::vector<FoundCluster<W>> found_;
};

} // namespace

template <std::size_t W>
std::vector<FoundCluster<W>>
violated_clusters(const Problem<W>& problem, std::span<const double> x, std::uint32_t max_k,
                  double least, double most_parallel, std::size_t limit, Control& control) {
    return Separator<W>(problem, x, max_k, least, control).run(most_parallel, limit);
}

template <std::size_t W>
std::vector<Cost> reduced_costs(const Problem<W>& problem,
                                const std::vector<Multiplier<W>>& multipliers,
                                std::size_t total_rows) {
    std::vector<Cost> reduced(total_rows, 0);
    std::vector<Multiplier<W>> own;
    for (std::size_t i = 0; i < problem.n_variables(); ++i) {
        own.clear();
        for (const auto& multiplier : multipliers)
            if (multiplier.members.contains(i)) own.push_back(multiplier);
        for (const auto& candidate : problem.candidates[i]) {
            Cost cost = candidate.cost;
            for (const auto& multiplier : own)
                if ((candidate.parents & multiplier.members).size() < multiplier.k)
                    cost -= multiplier.value;
            reduced[candidate.row] = cost;
        }
    }
    return reduced;
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template std::vector<FoundCluster<W>> violated_clusters(                                       \
        const Problem<W>&, std::span<const double>, std::uint32_t, double, double, std::size_t,    \
        Control&);                                                                                 \
    template std::vector<Cost> reduced_costs(const Problem<W>&, const std::vector<Multiplier<W>>&, \
                                             std::size_t);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
