#include "bounds/clusters.h"

#include <algorithm>
#include <unordered_set>

namespace crediblenet {

namespace {

// A candidate with positive value at the separated point.
template <std::size_t W> struct Fraction {
    NodeSet<W> parents;
    double value;
};

template <std::size_t W> class Separator {
  public:
    Separator(const Problem<W>& problem, const std::vector<double>& x, std::uint32_t max_k,
              Control& control)
        : n_(problem.n_variables()), max_k_(max_k), control_(control), support_(n_),
          neighbours_(n_) {
        for (std::size_t i = 0; i < n_; ++i)
            for (const auto& candidate : problem.candidates[i])
                if (x[candidate.row] > zero) {
                    support_[i].push_back({candidate.parents, x[candidate.row]});
                    candidate.parents.for_each([&](std::size_t parent) {
                        neighbours_[i].insert(parent);
                        neighbours_[parent].insert(i);
                    });
                }
    }

    std::vector<Cluster<W>> run(std::size_t limit) {
        for (std::uint32_t k = 1; k <= max_k_; ++k) grow_from_seeds(k);
        std::sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
            if (a.violation != b.violation) return a.violation > b.violation;
            if (a.k != b.k) return a.k < b.k;
            return a.members < b.members;
        });
        if (found_.size() > limit) found_.resize(limit);
        return std::move(found_);
    }

  private:
    static constexpr double zero = 1e-9;
    static constexpr double tolerance = 1e-4;

    // The left side of the inequality.
    double left_side(const NodeSet<W>& members, std::uint32_t k) const {
        double sum = 0;
        members.for_each([&](std::size_t i) {
            for (const auto& f : support_[i])
                if ((f.parents & members).size() < k) sum += f.value;
        });
        return sum;
    }

    void record(const NodeSet<W>& members, std::uint32_t k, double left) {
        const double violation = k - left;
        if (violation > tolerance && seen_[k].insert(members).second)
            found_.push_back({members, k, violation});
    }

    // Greedy growth: from a connected seed, add the variable that lowers the
    // left side most (or raises it least, for a few steps: clusters that are
    // violated only when large are reached through sets that are not).
    void grow(NodeSet<W> members, std::uint32_t k) {
        double left = left_side(members, k);
        record(members, k, left);
        for (std::size_t size = members.size(); size < n_ && !control_.poll(); ++size) {
            NodeSet<W> border;
            members.for_each([&](std::size_t i) { border |= neighbours_[i]; });
            border -= members;
            double best = 1e300;
            std::size_t choice = n_;
            border.for_each([&](std::size_t j) {
                auto larger = members;
                larger.insert(j);
                const double value = left_side(larger, k);
                if (value < best - 1e-12) {
                    best = value;
                    choice = j;
                }
            });
            if (choice == n_ || best > left + 0.5) return;
            members.insert(choice);
            left = best;
            if (!visited_[k].insert(members).second) return;
            record(members, k, left);
        }
    }

    void grow_from_seeds(std::uint32_t k) {
        seen_.resize(k + 1);
        visited_.resize(k + 1);
        seeds_.clear();
        for (std::size_t i = 0; i < n_; ++i) extend_seed(NodeSet<W>::single(i), i, k);
    }

    // Seeds are connected sets of k + 1 variables whose lowest is `root`.
    void extend_seed(const NodeSet<W>& seed, std::size_t root, std::uint32_t k) {
        if (control_.poll()) return;
        if (seed.size() == k + 1) {
            if (seeds_.insert(seed).second && left_side(seed, k) < k + 0.75) grow(seed, k);
            return;
        }
        NodeSet<W> border;
        seed.for_each([&](std::size_t i) { border |= neighbours_[i]; });
        border -= seed;
        border.for_each([&](std::size_t j) {
            if (j <= root) return;
            auto larger = seed;
            larger.insert(j);
            if (larger.size() == k + 1 || seeds_.insert(larger).second)
                extend_seed(larger, root, k);
        });
    }

    using Sets = std::unordered_set<NodeSet<W>, NodeSetHash<W>>;

    std::size_t n_;
    std::uint32_t max_k_;
    Control& control_;
    std::vector<std::vector<Fraction<W>>> support_;
    std::vector<NodeSet<W>> neighbours_;
    std::vector<Sets> seen_, visited_;
    Sets seeds_;
    std::vector<Cluster<W>> found_;
};

} // namespace

template <std::size_t W>
std::vector<Cluster<W>> violated_clusters(const Problem<W>& problem, const std::vector<double>& x,
                                          std::uint32_t max_k, std::size_t limit,
                                          Control& control) {
    return Separator<W>(problem, x, max_k, control).run(limit);
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
    template std::vector<Cluster<W>> violated_clusters(                                            \
        const Problem<W>&, const std::vector<double>&, std::uint32_t, std::size_t, Control&);      \
    template std::vector<Cost> reduced_costs(const Problem<W>&, const std::vector<Multiplier<W>>&, \
                                             std::size_t);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
