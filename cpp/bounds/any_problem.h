// A search problem whose node-set width was chosen at run time: the face that
// the bindings see. Sets cross it as words, `words()` of them per set.
#pragma once

#include "bounds/neighbourhoods.h"
#include "bounds/order_search.h"
#include "bounds/subset_program.h"
#include "bounds/subset_search.h"
#include "control.h"
#include "enumeration/compiler.h"
#include "enumeration/layered_compiler.h"
#include "enumeration/wide_order.h"
#include "types.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace crediblenet {

// Clusters that were found, in flat form.
struct FoundClusterList {
    std::vector<std::uint64_t> members; // words() per cluster
    std::vector<std::uint32_t> k;
    std::vector<double> violation;
};

// Clusters in flat form.
struct ClusterList {
    std::span<const std::uint64_t> members; // words() per cluster
    std::span<const std::uint32_t> k;
};

// Cluster inequalities with their multipliers, in flat form.
struct MultiplierList {
    ClusterList clusters;
    std::span<const Cost> values;
};

// Local cuts in flat form: the weights of cut c are those from offsets[c] on.
struct LocalCutList {
    std::span<const std::uint64_t> members; // words() per cut
    std::span<const std::int64_t> offsets;
    std::span<const std::uint32_t> variables; // of the weights
    std::span<const std::uint64_t> parents;   // words() per weight
    std::span<const std::uint32_t> weights;
};

// Local cuts that were found, in flat form.
struct FoundLocalCutList {
    std::vector<std::uint64_t> members;
    std::vector<std::int64_t> offsets;
    std::vector<std::uint32_t> variables;
    std::vector<std::uint64_t> parents;
    std::vector<std::uint32_t> weights;
    std::vector<double> distance;
};

class AnyProblem {
  public:
    virtual ~AnyProblem() = default;

    // `offsets` has one entry more than there are variables; `parents` has
    // ceil(n / 64) words per candidate. Throws std::invalid_argument when the
    // arrays contradict each other or a set holds its own child.
    static std::unique_ptr<AnyProblem> make(std::span<const std::int64_t> offsets,
                                            std::span<const std::uint64_t> parents,
                                            std::span<const Cost> costs);

    [[nodiscard]] virtual std::size_t n_variables() const = 0;
    [[nodiscard]] virtual std::size_t words() const = 0;

    // The rows that are still candidates.
    [[nodiscard]] virtual std::vector<std::uint32_t> rows() const = 0;
    // Keeps only the candidates whose row is flagged.
    virtual void filter(std::span<const std::uint8_t> keep) = 0;
    // The strongly connected component of each variable, parents' first.
    [[nodiscard]] virtual std::vector<std::uint32_t> components() const = 0;

    virtual FoundNetwork order_search(unsigned restarts, std::uint64_t seed,
                                      std::span<const double> x, Control& control) const = 0;
    // See neighbourhoods.h.
    virtual FoundNetwork search_neighbourhoods(std::span<const std::uint32_t> rows,
                                               std::span<const double> x,
                                               const NeighbourhoodOptions& options,
                                               Control& control) const = 0;
    // See wide_order.h.
    virtual std::vector<std::uint32_t> wide_order(std::span<const std::uint32_t> order,
                                                  std::span<const double> weights,
                                                  const WideningOptions& options,
                                                  Control& control) const = 0;
    [[nodiscard]] virtual FoundClusterList
    violated_clusters(std::span<const double> x, std::uint32_t max_k, double least,
                      double most_parallel, std::size_t limit, Control& control) const = 0;
    // See annealed_clusters.h.
    [[nodiscard]] virtual FoundClusterList annealed_clusters(std::span<const double> x,
                                                             std::size_t walks, std::uint64_t seed,
                                                             double least, double most_parallel,
                                                             std::size_t limit,
                                                             Control& control) const = 0;
    // By row, 0 for rows that are no candidates; see clusters.h.
    [[nodiscard]] virtual std::vector<Cost>
    reduced_costs(const MultiplierList& multipliers) const = 0;
    // For each of these rows and each cluster, 1 if the row counts for it.
    [[nodiscard]] virtual std::vector<std::uint8_t> counting(std::span<const std::uint32_t> rows,
                                                             const ClusterList& clusters) const = 0;

    // See local_cuts.h.
    [[nodiscard]] virtual FoundLocalCutList violated_local_cuts(std::span<const double> x,
                                                                std::size_t variables,
                                                                std::size_t limit,
                                                                Control& control) const = 0;
    // For each of these rows and each cut, the coefficient.
    [[nodiscard]] virtual std::vector<std::uint32_t>
    local_cut_coefficients(std::span<const std::uint32_t> rows, const LocalCutList& cuts) const = 0;
    // The right side of each cut.
    [[nodiscard]] virtual std::vector<Cost>
    local_cut_right_sides(const LocalCutList& cuts) const = 0;
    // By row, 0 for rows that are no candidates: the sum of coefficients times values, of which
    // each cut has one.
    [[nodiscard]] virtual std::vector<Cost>
    local_cut_shares(const LocalCutList& cuts, std::span<const Cost> values) const = 0;

    // See subset_program.h; `block` are the members.
    [[nodiscard]] virtual SubsetProgramResult
    subset_program(std::span<const std::uint32_t> block, Cost slack, Control& control) const = 0;

    // See subset_search.h.
    [[nodiscard]] virtual SubsetSearchResult
    subset_search(std::span<const std::uint32_t> block, const MultiplierList& multipliers,
                  Cost limit, Cost slack, std::uint64_t max_work, Control& control) const = 0;

    // See compiler.h.
    virtual std::optional<CircuitNode> compile(const MultiplierList& multipliers, Cost max_cost,
                                               const CompilerOptions& options, Circuit& circuit,
                                               Control& control,
                                               CompilerStatistics& statistics) const = 0;
    // See layered_compiler.h.
    virtual std::optional<CircuitNode> compile_layers(Cost max_cost, std::uint64_t step_limit,
                                                      double share, Circuit& circuit,
                                                      Control& control,
                                                      CompilerStatistics& statistics) const = 0;
};

} // namespace crediblenet
