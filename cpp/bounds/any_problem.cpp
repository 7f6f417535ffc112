#include "bounds/any_problem.h"

#include "bounds/annealed_clusters.h"
#include "bounds/clusters.h"
#include "bounds/components.h"
#include "bounds/local_cuts.h"

#include <algorithm>
#include <stdexcept>

namespace crediblenet {

namespace {

// So many of them can be added to a cost without overflow.
constexpr Cost max_multiplier = Cost{1} << 50;

template <std::size_t W> class ProblemOf final : public AnyProblem {
  public:
    ProblemOf(std::span<const std::int64_t> offsets, std::span<const std::uint64_t> parents,
              std::span<const Cost> costs)
        : total_rows_(costs.size()), words_((offsets.size() - 1 + 63) / 64) {
        const auto n = offsets.size() - 1;
        const auto everyone = NodeSet<W>::first(n);
        problem_.candidates.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            auto& list = problem_.candidates[i];
            for (auto row = static_cast<std::size_t>(offsets[i]);
                 row < static_cast<std::size_t>(offsets[i + 1]); ++row) {
                const auto set = read(parents.subspan(row * words_, words_));
                if (set.contains(i) || !set.subset_of(everyone))
                    throw std::invalid_argument(
                        "a parent set holds its own child or an unknown variable");
                list.push_back({set, costs[row], static_cast<std::uint32_t>(row)});
                parents_.push_back(set);
                variable_.push_back(static_cast<Node>(i));
            }
            std::stable_sort(list.begin(), list.end(),
                             [](const auto& a, const auto& b) { return a.cost < b.cost; });
        }
    }

    std::size_t n_variables() const override { return problem_.n_variables(); }
    std::size_t words() const override { return words_; }

    std::vector<std::uint32_t> rows() const override {
        std::vector<std::uint32_t> rows;
        for (const auto& list : problem_.candidates)
            for (const auto& candidate : list) rows.push_back(candidate.row);
        std::sort(rows.begin(), rows.end());
        return rows;
    }

    void filter(std::span<const std::uint8_t> keep) override {
        if (keep.size() != total_rows_) throw std::invalid_argument("one flag per row is needed");
        for (auto& list : problem_.candidates)
            std::erase_if(list, [&](const auto& candidate) { return keep[candidate.row] == 0; });
    }

    std::vector<std::uint32_t> components() const override {
        std::vector<std::uint32_t> component(n_variables());
        std::uint32_t number = 0;
        for (const auto& members :
             strong_components(problem_.possible_parents(), NodeSet<W>::first(n_variables()))) {
            members.for_each([&](std::size_t i) { component[i] = number; });
            ++number;
        }
        return component;
    }

    FoundNetwork order_search(unsigned restarts, std::uint64_t seed, std::span<const double> x,
                              Control& control) const override {
        check_solution(x);
        return crediblenet::order_search(problem_, restarts, seed, x, control);
    }

    FoundNetwork search_neighbourhoods(std::span<const std::uint32_t> rows,
                                       std::span<const double> x,
                                       const NeighbourhoodOptions& options,
                                       Control& control) const override {
        check_solution(x);
        return crediblenet::search_neighbourhoods(problem_, rows, x, options, control);
    }

    std::vector<std::uint32_t> wide_order(std::span<const std::uint32_t> order,
                                          std::span<const double> weights,
                                          const WideningOptions& options,
                                          Control& control) const override {
        check_point(weights);
        return crediblenet::wide_order(problem_, order, weights, options, control);
    }

    FoundClusterList violated_clusters(std::span<const double> x, std::uint32_t max_k, double least,
                                       double most_parallel, std::size_t limit,
                                       Control& control) const override {
        check_point(x);
        return listed(crediblenet::violated_clusters(problem_, x, max_k, least, most_parallel,
                                                     limit, control));
    }

    FoundClusterList annealed_clusters(std::span<const double> x, std::size_t walks,
                                       std::uint64_t seed, double least, double most_parallel,
                                       std::size_t limit, Control& control) const override {
        check_point(x);
        return listed(crediblenet::annealed_clusters(problem_, x, walks, seed, least, most_parallel,
                                                     limit, control));
    }

    std::vector<Cost> reduced_costs(const MultiplierList& multipliers) const override {
        return crediblenet::reduced_costs(problem_, read(multipliers), total_rows_);
    }

    std::vector<std::uint8_t> counting(std::span<const std::uint32_t> rows,
                                       const ClusterList& clusters) const override {
        const auto list = read(clusters);
        std::vector<std::uint8_t> flags;
        flags.reserve(rows.size() * list.size());
        for (auto row : rows) {
            if (row >= total_rows_) throw std::invalid_argument("an unknown row");
            for (const auto& cluster : list)
                flags.push_back(cluster.counts(variable_[row], parents_[row]) ? 1 : 0);
        }
        return flags;
    }

    FoundLocalCutList violated_local_cuts(std::span<const double> x, std::size_t variables,
                                          std::size_t limit, Control& control) const override {
        check_point(x);
        if (variables > max_local_variables)
            throw std::invalid_argument("a local cut has fewer variables");
        FoundLocalCutList list{{}, {0}, {}, {}, {}, {}};
        for (const auto& [cut, distance] :
             crediblenet::violated_local_cuts(problem_, x, variables, limit, control)) {
            append(list.members, cut.members);
            for (const auto& weight : cut.weights) {
                list.variables.push_back(weight.variable);
                append(list.parents, weight.parents);
                list.weights.push_back(weight.value);
            }
            list.offsets.push_back(static_cast<std::int64_t>(list.weights.size()));
            list.distance.push_back(distance);
        }
        return list;
    }

    std::vector<std::uint32_t> local_cut_coefficients(std::span<const std::uint32_t> rows,
                                                      const LocalCutList& cuts) const override {
        return coefficients(rows, read(cuts));
    }

    std::vector<Cost> local_cut_right_sides(const LocalCutList& cuts) const override {
        std::vector<Cost> right_sides;
        for (const auto& cut : read(cuts)) right_sides.push_back(cut.right_side());
        return right_sides;
    }

    std::vector<Cost> local_cut_shares(const LocalCutList& cuts,
                                       std::span<const Cost> values) const override {
        return shares(read(cuts), values);
    }

    SubsetProgramResult subset_program(std::span<const std::uint32_t> block, Cost slack,
                                       Control& control) const override {
        return crediblenet::subset_program(problem_, set_of(block), slack, control);
    }

    SubsetSearchResult subset_search(std::span<const std::uint32_t> block,
                                     const MultiplierList& multipliers, Cost limit, Cost slack,
                                     std::uint64_t max_work, Control& control) const override {
        return crediblenet::subset_search(problem_, set_of(block), read(multipliers), limit, slack,
                                          max_work, control);
    }

    std::optional<CircuitNode> compile(const MultiplierList& multipliers, Cost max_cost,
                                       const CompilerOptions& options, Circuit& circuit,
                                       Control& control,
                                       CompilerStatistics& statistics) const override {
        return crediblenet::compile(problem_, read(multipliers), max_cost, options, circuit,
                                    control, statistics);
    }

    std::optional<CircuitNode> compile_layers(Cost max_cost, std::uint64_t step_limit, double share,
                                              Circuit& circuit, Control& control,
                                              CompilerStatistics& statistics) const override {
        return crediblenet::compile_layers(problem_, max_cost, step_limit, share, circuit, control,
                                           statistics);
    }

  private:
    void check_solution(std::span<const double> x) const {
        if (!x.empty() && x.size() != total_rows_)
            throw std::invalid_argument("one value per row is needed, or none at all");
    }

    void check_point(std::span<const double> x) const {
        if (x.size() != total_rows_) throw std::invalid_argument("one value per row is needed");
    }

    NodeSet<W> set_of(std::span<const std::uint32_t> nodes) const {
        NodeSet<W> set;
        for (auto i : nodes) {
            if (i >= n_variables()) throw std::invalid_argument("an unknown variable");
            set.insert(i);
        }
        return set;
    }

    std::vector<std::uint32_t> coefficients(std::span<const std::uint32_t> rows,
                                            const std::vector<LocalCut<W>>& cuts) const {
        for (auto row : rows)
            if (row >= total_rows_) throw std::invalid_argument("an unknown row");
        std::vector<std::uint32_t> coefficients(rows.size() * cuts.size());
        for (std::size_t c = 0; c < cuts.size(); ++c)
            for (std::size_t r = 0; r < rows.size(); ++r)
                coefficients[r * cuts.size() + c] = static_cast<std::uint32_t>(
                    cuts[c].coefficient(variable_[rows[r]], parents_[rows[r]]));
        return coefficients;
    }

    std::vector<Cost> shares(const std::vector<LocalCut<W>>& cuts,
                             std::span<const Cost> values) const {
        if (values.size() != cuts.size())
            throw std::invalid_argument("one value per cut is needed");
        std::vector<Cost> shares(total_rows_);
        for (std::size_t c = 0; c < cuts.size(); ++c) {
            check_multiplier(values[c], max_local_weight);
            cuts[c].members.for_each([&](std::size_t i) {
                const LocalCoefficients<W> coefficient(cuts[c], i);
                for (const auto& candidate : problem_.candidates[i])
                    shares[candidate.row] += values[c] * coefficient(candidate.parents);
            });
        }
        return shares;
    }

    // `times` is the largest coefficient that the multiplier may meet.
    static void check_multiplier(Cost value, Cost times = 1) {
        const auto most = max_multiplier / times;
        if (value > most || value < -most)
            throw std::invalid_argument("a multiplier is out of range");
    }

    std::vector<Cluster<W>> read(const ClusterList& list) const {
        if (list.members.size() != list.k.size() * words_)
            throw std::invalid_argument("one k per cluster is needed");
        std::vector<Cluster<W>> clusters;
        for (std::size_t r = 0; r < list.k.size(); ++r)
            clusters.push_back({read(list.members.subspan(r * words_, words_)), list.k[r]});
        return clusters;
    }

    std::vector<Multiplier<W>> read(const MultiplierList& list) const {
        const auto clusters = read(list.clusters);
        if (list.values.size() != clusters.size())
            throw std::invalid_argument("one cluster per multiplier is needed");
        std::vector<Multiplier<W>> multipliers;
        for (std::size_t r = 0; r < clusters.size(); ++r) {
            check_multiplier(list.values[r]);
            multipliers.push_back({clusters[r], list.values[r]});
        }
        return multipliers;
    }

    std::vector<LocalCut<W>> read(const LocalCutList& list) const {
        const auto count = list.offsets.empty() ? 0 : list.offsets.size() - 1;
        const auto n_weights = list.weights.size();
        if (list.offsets.empty() || list.members.size() != count * words_ ||
            list.variables.size() != n_weights || list.parents.size() != n_weights * words_ ||
            list.offsets.front() != 0 ||
            list.offsets.back() != static_cast<std::int64_t>(n_weights) ||
            !std::is_sorted(list.offsets.begin(), list.offsets.end()))
            throw std::invalid_argument("the cuts contradict each other");
        std::vector<LocalCut<W>> cuts;
        for (std::size_t c = 0; c < count; ++c) {
            LocalCut<W> cut{read(list.members.subspan(c * words_, words_)), {}};
            if (cut.members.size() > max_local_variables ||
                !cut.members.subset_of(NodeSet<W>::first(n_variables())))
                throw std::invalid_argument("a local cut has fewer variables, all known");
            auto waiting = cut.members; // for a weight without parents
            for (auto w = static_cast<std::size_t>(list.offsets[c]);
                 w < static_cast<std::size_t>(list.offsets[c + 1]); ++w) {
                const auto parents = read(list.parents.subspan(w * words_, words_));
                const auto i = list.variables[w];
                if (i >= n_variables() || !cut.members.contains(i) || parents.contains(i) ||
                    !parents.subset_of(cut.members))
                    throw std::invalid_argument("a weight is not inside its cut");
                if (list.weights[w] > max_local_weight)
                    throw std::invalid_argument("a weight is out of range");
                if (parents.empty()) waiting.erase(i);
                cut.weights.push_back({static_cast<Node>(i), parents, list.weights[w]});
            }
            if (!waiting.empty()) throw std::invalid_argument("a weight is missing");
            cuts.push_back(std::move(cut));
        }
        return cuts;
    }

    FoundClusterList listed(const std::vector<FoundCluster<W>>& clusters) const {
        FoundClusterList list;
        for (const auto& cluster : clusters) {
            append(list.members, cluster.members);
            list.k.push_back(cluster.k);
            list.violation.push_back(cluster.violation);
        }
        return list;
    }

    void append(std::vector<std::uint64_t>& words, const NodeSet<W>& set) const {
        words.insert(words.end(), set.word.begin(),
                     set.word.begin() + static_cast<std::ptrdiff_t>(words_));
    }

    NodeSet<W> read(std::span<const std::uint64_t> words) const {
        NodeSet<W> set;
        std::copy(words.begin(), words.end(), set.word.begin());
        return set;
    }

    Problem<W> problem_;
    std::vector<NodeSet<W>> parents_; // of every row, whether it is a candidate or not
    std::vector<Node> variable_;
    std::size_t total_rows_;
    std::size_t words_;
};

} // namespace

std::unique_ptr<AnyProblem> AnyProblem::make(std::span<const std::int64_t> offsets,
                                             std::span<const std::uint64_t> parents,
                                             std::span<const Cost> costs) {
    if (offsets.size() < 2 || offsets.front() != 0 ||
        offsets.back() != static_cast<std::int64_t>(costs.size()))
        throw std::invalid_argument("the offsets do not match the candidates");
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
        if (offsets[i + 1] <= offsets[i])
            throw std::invalid_argument("every variable needs a candidate");
    const auto n = offsets.size() - 1;
    if (parents.size() != costs.size() * ((n + 63) / 64))
        throw std::invalid_argument("the parent sets do not match the candidates");
    return with_width(n, [&](auto width) -> std::unique_ptr<AnyProblem> {
        return std::make_unique<ProblemOf<decltype(width)::value>>(offsets, parents, costs);
    });
}

} // namespace crediblenet
