#include "bounds/annealed_clusters.h"

#include "bounds/cluster_selection.h"
#include "bounds/components.h"
#include "bounds/fractions.h"
#include "bounds/walking_cluster.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <unordered_set>

namespace crediblenet {

namespace {

template <std::size_t W> class Annealing {
  public:
    Annealing(const std::vector<Fraction<W>>& fractions, std::size_t n, std::size_t walks,
              std::uint64_t seed, double least, Control& control)
        : n_(n), walks_(walks), fractions_(fractions), cluster_(fractions, n), least_(least),
          control_(control), random_(seed) {}

    std::vector<FoundCluster<W>> run() {
        std::vector<NodeSet<W>> parents(n_);
        for (const auto& fraction : fractions_) parents[fraction.variable] |= fraction.parents;
        for (const auto& component : strong_components(parents, NodeSet<W>::first(n_)))
            if (component.size() > 1) walk_in(component);
        return std::move(found_);
    }

  private:
    static constexpr std::size_t steps_per_variable = 100; // of a walk
    static constexpr double hot = 0.15, cold = 0.01;       // in units of the left side

    // Every violated cluster has a violated one inside a component.
    void walk_in(const NodeSet<W>& component) {
        places_.clear();
        component.for_each([&](std::size_t v) { places_.push_back(v); });
        const auto walks = std::min(places_.size(), walks_);
        const auto first = random_() % places_.size();
        for (std::size_t walk = 0; walk < walks && !control_.poll(); ++walk) {
            const auto root = places_[(first + walk * places_.size() / walks) % places_.size()];
            cluster_.clear();
            if (walk % 2 == 0)
                cluster_.flip(root);
            else
                component.for_each([&](std::size_t v) { cluster_.flip(v); });
            anneal(root);
        }
    }

    // The root stays: the left side of no variables at all is 0, which says nothing.
    void anneal(std::size_t root) {
        FoundCluster<W> best;
        best.violation = least_;
        const auto steps = steps_per_variable * places_.size();
        const double cooling = std::pow(cold / hot, 1.0 / static_cast<double>(steps));
        double heat = hot;
        for (std::size_t step = 0; step < steps; ++step, heat *= cooling) {
            const auto v = places_[random_() % places_.size()];
            if (v == root) continue;
            const double rise = cluster_.rise(v);
            if (rise > 0 && rise > -heat * std::log(uniform())) continue;
            cluster_.flip(v);
            const double violation = 1 - cluster_.left_side();
            if (violation > best.violation + 1e-9 && cluster_.members().size() > 1) {
                best.members = cluster_.members();
                best.violation = violation;
            }
        }
        if (!best.members.empty() && seen_.insert(best.members).second) found_.push_back(best);
    }

    // More than 0, at most 1.
    double uniform() { return static_cast<double>((random_() >> 11) + 1) * 0x1p-53; }

    std::size_t n_, walks_;
    const std::vector<Fraction<W>>& fractions_;
    WalkingCluster<W> cluster_;
    double least_;
    Control& control_;
    std::mt19937_64 random_;
    std::vector<std::size_t> places_; // the component's variables
    std::unordered_set<NodeSet<W>, NodeSetHash<W>> seen_;
    std::vector<FoundCluster<W>> found_;
};

} // namespace

template <std::size_t W>
std::vector<FoundCluster<W>> annealed_clusters(const Problem<W>& problem, std::span<const double> x,
                                               std::size_t walks, std::uint64_t seed, double least,
                                               double most_parallel, std::size_t limit,
                                               Control& control) {
    const auto list = fractions(problem, x, no_fraction);
    auto found = Annealing<W>(list, problem.n_variables(), walks, seed, least, control).run();
    return select_clusters(std::move(found), list, problem.n_variables(), most_parallel, limit);
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template std::vector<FoundCluster<W>> annealed_clusters(                                       \
        const Problem<W>&, std::span<const double>, std::size_t, std::uint64_t, double, double,    \
        std::size_t, Control&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
