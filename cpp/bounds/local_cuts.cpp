#include "bounds/local_cuts.h"

#include "bounds/fractions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>

namespace crediblenet {

namespace {

constexpr double nothing = 1e-9;         // values of x below are taken for 0
constexpr double undecided = 1e-6;       // a value farther from 0 and 1 is a fraction
constexpr double least_distance = 0.001; // a cut that is nearer is not worth a row
constexpr double small_square = least_distance * least_distance; // the point is an average
constexpr double near_enough = 0.05; // how far the distance is known, as a share of it
constexpr int most_steps = 300;      // of the approach

// What the program over subsets needs room for.
template <class T> struct LocalTables {
    std::vector<T> cheapest; // weight of each variable with parents inside each subset
    std::vector<T> cost;     // of each subset
};

// The choices of a few variables, numbered one variable after the other, and the program over
// subsets that finds the cheapest ones without a cycle.
class LocalChoices {
  public:
    explicit LocalChoices(std::size_t variables) : variables_(variables) {}

    void add(std::size_t variable, std::uint32_t parents) {
        variable_.push_back(variable);
        parents_.push_back(parents);
    }

    [[nodiscard]] std::size_t size() const { return parents_.size(); }

    // The least sum of weights, one choice per variable without a cycle; `picked` are its choices.
    // Every variable must have the choice without parents. The next call overwrites what it used.
    template <class T>
    T least(const std::vector<T>& weights, LocalTables<T>& tables,
            std::vector<std::size_t>& picked) const {
        const auto subsets = std::size_t{1} << variables_;
        find_cheapest(weights, tables.cheapest);
        // Subsets in the order in which they are placed.
        auto& cost = tables.cost;
        cost.resize(subsets);
        cost[0] = 0;
        const auto with_last = [&](std::size_t s, std::size_t v) {
            const auto before = s ^ (std::size_t{1} << v);
            return cost[before] + tables.cheapest[v * subsets + before];
        };
        for (std::size_t s = 1; s < subsets; ++s) {
            auto least = std::numeric_limits<T>::max();
            for (auto rest = s; rest != 0; rest &= rest - 1)
                least =
                    std::min(least, with_last(s, static_cast<std::size_t>(std::countr_zero(rest))));
            cost[s] = least;
        }
        picked.resize(variables_);
        for (auto s = subsets - 1; s != 0;) {
            std::size_t v = 0;
            while (((s >> v) & 1) == 0 || with_last(s, v) != cost[s]) ++v;
            s ^= std::size_t{1} << v;
            std::size_t c = 0;
            while (variable_[c] != v || (parents_[c] & ~s) != 0 ||
                   weights[c] != tables.cheapest[v * subsets + s])
                ++c;
            picked[v] = c;
        }
        return cost[subsets - 1];
    }

    [[nodiscard]] Cost least(const std::vector<Cost>& weights) const {
        LocalTables<Cost> tables;
        std::vector<std::size_t> picked;
        return least(weights, tables, picked);
    }

    // For every subset: the least sum of the other variables' weights when a variable comes after
    // that subset. Nothing of it depends on the variable's own weights.
    [[nodiscard]] std::vector<Cost> least_of_others(const std::vector<Cost>& weights,
                                                    std::size_t variable) const {
        const auto subsets = std::size_t{1} << variables_;
        const auto own = std::size_t{1} << variable;
        std::vector<Cost> cheapest;
        find_cheapest(weights, cheapest);
        // What placing a subset first costs, and, for one with the variable, placing the rest.
        std::vector<Cost> before(subsets, infeasible), after(subsets, infeasible);
        before[0] = after[subsets - 1] = 0;
        for (std::size_t s = 0; s < subsets; ++s)
            for (std::size_t v = 0; v < variables_ && (s & own) == 0; ++v) {
                const auto more = s | (std::size_t{1} << v);
                if (more == s || v == variable) continue;
                before[more] = std::min(before[more], before[s] + cheapest[v * subsets + s]);
            }
        for (std::size_t s = subsets - 1; s-- > 0;)
            for (std::size_t v = 0; v < variables_ && (s & own) != 0; ++v) {
                const auto more = s | (std::size_t{1} << v);
                if (more != s)
                    after[s] = std::min(after[s], cheapest[v * subsets + s] + after[more]);
            }
        std::vector<Cost> sums(subsets, infeasible);
        for (std::size_t s = 0; s < subsets; ++s)
            if ((s & own) == 0) sums[s] = before[s] + after[s | own];
        for (std::size_t bit = 1; bit < subsets; bit <<= 1)
            for (std::size_t s = 0; s < subsets; ++s)
                if ((s & bit) == 0) sums[s] = std::min(sums[s], sums[s | bit]);
        return sums;
    }

    // Takes all choices of a variable away, with their weights.
    void remove(std::size_t variable, std::vector<Cost>& weights) {
        std::size_t kept = 0;
        for (std::size_t c = 0; c < size(); ++c) {
            if (variable_[c] == variable) continue;
            variable_[kept] = variable_[c];
            parents_[kept] = parents_[c];
            weights[kept++] = weights[c];
        }
        variable_.resize(kept);
        parents_.resize(kept);
        weights.resize(kept);
    }

    template <class F> void for_each(F&& f) const {
        for (std::size_t c = 0; c < size(); ++c) f(c, variable_[c], parents_[c]);
    }

    // Each variable's least weight becomes zero: it has one choice, so that neither which choices
    // are cheapest nor the distance of a point from a cut changes.
    void lower(std::vector<double>& weights) const {
        std::vector<double> lowest(variables_, std::numeric_limits<double>::infinity());
        for (std::size_t c = 0; c < size(); ++c)
            lowest[variable_[c]] = std::min(lowest[variable_[c]], weights[c]);
        for (std::size_t c = 0; c < size(); ++c) weights[c] -= lowest[variable_[c]];
    }

  private:
    // Larger than any sum of weights, small enough to be added to one.
    template <class T> static constexpr T no_choice = static_cast<T>(infeasible);

    // The least weight of each variable's choices with parents inside each subset.
    template <class T>
    void find_cheapest(const std::vector<T>& weights, std::vector<T>& cheapest) const {
        const auto subsets = std::size_t{1} << variables_;
        cheapest.assign(variables_ * subsets, no_choice<T>);
        for (std::size_t c = 0; c < size(); ++c) {
            auto& known = cheapest[variable_[c] * subsets + parents_[c]];
            known = std::min(known, weights[c]);
        }
        // Runs of neighbours, which the compiler takes several at a time.
        for (std::size_t bit = 1; bit < subsets; bit <<= 1)
            for (auto* run = cheapest.data(); run != cheapest.data() + cheapest.size();
                 run += 2 * bit)
                for (std::size_t s = 0; s < bit; ++s) run[bit + s] = std::min(run[bit + s], run[s]);
    }

    std::size_t variables_;
    std::vector<std::size_t> variable_;
    std::vector<std::uint32_t> parents_;
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t e = 0; e < a.size(); ++e) sum += a[e] * b[e];
    return sum;
}

// An average of choices without a cycle that comes nearer to a point step by step.
class Approach {
  public:
    Approach(const LocalChoices& choices, const std::vector<double>& point)
        : choices_(choices), point_(point), average_(point.size()), step_(point.size()) {
        std::vector<double> towards(point.size());
        for (std::size_t e = 0; e < point.size(); ++e) towards[e] = -point[e];
        choices_.least(towards, tables_, picked_);
        for (auto e : picked_) average_[e] += 1;
        parts_.push_back({picked_, 1});
    }

    // Weights that the point breaks most, of those met on the way; none if it is an average.
    std::optional<std::vector<double>> separating() {
        std::optional<std::vector<double>> found;
        double farthest = 0;
        std::vector<double> weights(point_.size());
        for (int round = 0; round < most_steps; ++round) {
            for (std::size_t e = 0; e < point_.size(); ++e) weights[e] = average_[e] - point_[e];
            const double square = dot(weights, weights);
            if (square < small_square) return std::nullopt;
            const double least = choices_.least(weights, tables_, picked_);
            const double distance = (least - dot(weights, point_)) / std::sqrt(square);
            if (distance > farthest) {
                farthest = distance;
                found = weights;
            }
            if (dot(weights, average_) - least < near_enough * square || !move(weights)) break;
        }
        return farthest > least_distance ? found : std::nullopt;
    }

  private:
    struct Part {
        std::vector<std::size_t> choices;
        double share;
    };

    // Moves as much of the average as brings it nearest, from its worst part to what was picked.
    bool move(const std::vector<double>& weights) {
        std::size_t worst = 0;
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            double sum = 0;
            for (auto e : parts_[p].choices) sum += weights[e];
            if (sum > most) {
                most = sum;
                worst = p;
            }
        }
        std::fill(step_.begin(), step_.end(), 0.0);
        for (auto e : picked_) step_[e] += 1;
        for (auto e : parts_[worst].choices) step_[e] -= 1;
        const double length = dot(step_, step_);
        if (length == 0) return false;
        const double amount = std::min(parts_[worst].share, -dot(weights, step_) / length);
        if (amount <= 0) return false;
        for (std::size_t e = 0; e < step_.size(); ++e) average_[e] += amount * step_[e];
        parts_[worst].share -= amount;
        const auto known = std::find_if(parts_.begin(), parts_.end(),
                                        [&](const auto& part) { return part.choices == picked_; });
        const bool is_new = known == parts_.end();
        if (!is_new) known->share += amount;
        if (parts_[worst].share < nothing)
            parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(worst));
        if (is_new) parts_.push_back({picked_, amount});
        return true;
    }

    const LocalChoices& choices_;
    const std::vector<double>& point_;
    LocalTables<double> tables_;
    std::vector<double> average_, step_;
    std::vector<Part> parts_;
    std::vector<std::size_t> picked_;
};

template <std::size_t W> class Separation {
  public:
    Separation(const Problem<W>& problem, std::span<const double> x)
        : problem_(problem), n_(problem.n_variables()), fractions_(fractions(problem, x, nothing)),
          begin_(n_ + 1), ties_(n_ * n_) {
        for (const auto& fraction : fractions_) {
            ++begin_[fraction.variable + 1];
            fraction.parents.for_each([&](std::size_t parent) {
                ties_[fraction.variable * n_ + parent] += fraction.value;
                ties_[parent * n_ + fraction.variable] += fraction.value;
            });
        }
        for (std::size_t i = 0; i < n_; ++i) begin_[i + 1] += begin_[i];
    }

    [[nodiscard]] bool is_fractional(std::size_t i) const {
        for (auto f = begin_[i]; f < begin_[i + 1]; ++f)
            if (fractions_[f].value > undecided && fractions_[f].value < 1 - undecided) return true;
        return false;
    }

    // A variable with those that the point ties to it most, directly or through each other.
    [[nodiscard]] NodeSet<W> around(std::size_t start, std::size_t variables) const {
        NodeSet<W> members;
        std::vector<double> tie(n_);
        for (auto next = start; next < n_;) {
            members.insert(next);
            if (members.size() == variables) break;
            for (std::size_t i = 0; i < n_; ++i) tie[i] += ties_[next * n_ + i];
            next = n_;
            for (std::size_t i = 0; i < n_; ++i)
                if (!members.contains(i) && tie[i] > nothing && (next == n_ || tie[i] > tie[next]))
                    next = i;
        }
        return members;
    }

    [[nodiscard]] std::optional<FoundLocalCut<W>> cut(const NodeSet<W>& members) const {
        std::vector<Node> nodes;
        members.for_each([&](std::size_t i) { nodes.push_back(static_cast<Node>(i)); });
        const LocalPlaces<W> places(members);
        LocalChoices choices(nodes.size());
        std::vector<double> point;
        for (std::size_t member = 0; member < nodes.size(); ++member) {
            std::vector<double> values(std::size_t{1} << nodes.size());
            for (auto f = begin_[nodes[member]]; f < begin_[nodes[member] + 1]; ++f)
                values[places.inside(fractions_[f].parents)] += fractions_[f].value;
            for (std::uint32_t parents = 0; parents < values.size(); ++parents)
                if (parents == 0 || values[parents] > 0) {
                    choices.add(member, parents);
                    point.push_back(values[parents]);
                }
        }
        auto weights = Approach(choices, point).separating();
        if (!weights) return std::nullopt;
        choices.lower(*weights);
        const double largest = *std::max_element(weights->begin(), weights->end());
        if (!(largest > 0))
            return std::nullopt; // no point of a relaxation: any weights separate it
        std::vector<Cost> rounded;
        for (const double weight : *weights)
            rounded.push_back(static_cast<Cost>(std::round(weight * max_local_weight / largest)));
        const Cost right_side = choices.least(rounded);
        lift(choices, rounded, places, nodes, right_side);
        FoundLocalCut<W> found{{members, {}}, 0};
        choices.for_each([&](std::size_t c, std::size_t member, std::uint32_t inner) {
            NodeSet<W> parents;
            for (std::size_t p = 0; p < nodes.size(); ++p)
                if (((inner >> p) & 1) != 0) parents.insert(nodes[p]);
            found.cut.weights.push_back(
                {nodes[member], parents, static_cast<std::uint32_t>(rounded[c])});
        });
        found.distance = distance(found.cut, right_side);
        if (!(found.distance > least_distance)) return std::nullopt;
        return found;
    }

  private:
    // Gives every choice that a candidate makes the least weight with which the right side stays
    // what it is, one member after the other.
    void lift(LocalChoices& choices, std::vector<Cost>& weights, const LocalPlaces<W>& places,
              const std::vector<Node>& nodes, Cost right_side) const {
        for (std::size_t member = 0; member < nodes.size(); ++member) {
            const auto others = choices.least_of_others(weights, member);
            std::vector<char> occurs(others.size());
            occurs[0] = 1;
            for (const auto& candidate : problem_.candidates[nodes[member]])
                occurs[places.inside(candidate.parents)] = 1;
            choices.remove(member, weights);
            std::vector<Cost> known(others.size(), infeasible); // the least weight inside a subset
            for (std::uint32_t s = 0; s < others.size(); ++s) {
                for (std::uint32_t bit = 1; bit < others.size(); bit <<= 1)
                    if ((s & bit) != 0) known[s] = std::min(known[s], known[s ^ bit]);
                const Cost least = std::max(Cost{0}, right_side - others[s]);
                if (occurs[s] == 0 || least >= known[s]) continue; // said by a subset already
                known[s] = least;
                choices.add(member, s);
                weights.push_back(least);
            }
        }
    }

    // How far the point is from a cut.
    [[nodiscard]] double distance(const LocalCut<W>& cut, Cost right_side) const {
        double left = 0, square = 0;
        cut.members.for_each([&](std::size_t i) {
            const LocalCoefficients<W> coefficient(cut, i);
            for (auto f = begin_[i]; f < begin_[i + 1]; ++f) {
                const auto weight = static_cast<double>(coefficient(fractions_[f].parents));
                left += weight * fractions_[f].value;
                square += weight * weight;
            }
        });
        return (static_cast<double>(right_side) - left) / std::sqrt(square);
    }

    const Problem<W>& problem_;
    std::size_t n_;
    std::vector<Fraction<W>> fractions_;
    std::vector<std::size_t> begin_; // of each variable's fractions
    std::vector<double> ties_;       // how much of the point has an arc between two variables
};

} // namespace

template <std::size_t W> Cost LocalCut<W>::right_side() const {
    const LocalPlaces<W> places(members);
    LocalChoices choices(members.size());
    std::vector<Cost> values;
    for (const auto& weight : weights) {
        choices.add(members.rank(weight.variable), places.inside(weight.parents));
        values.push_back(weight.value);
    }
    return choices.least(values);
}

template <std::size_t W>
std::vector<FoundLocalCut<W>> violated_local_cuts(const Problem<W>& problem,
                                                  std::span<const double> x, std::size_t variables,
                                                  std::size_t limit, Control& control) {
    if (variables < 2) return {};
    const Separation<W> separation(problem, x);
    std::unordered_set<NodeSet<W>, NodeSetHash<W>> tried;
    std::vector<FoundLocalCut<W>> found;
    for (std::size_t i = 0; i < problem.n_variables() && !control.poll(); ++i) {
        if (!separation.is_fractional(i)) continue;
        const auto members = separation.around(i, variables);
        if (members.size() < 2 || !tried.insert(members).second) continue;
        if (auto cut = separation.cut(members)) found.push_back(std::move(*cut));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.distance > b.distance; });
    if (found.size() > limit) found.resize(limit);
    return found;
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template struct LocalCut<W>;                                                                   \
    template std::vector<FoundLocalCut<W>> violated_local_cuts(                                    \
        const Problem<W>&, std::span<const double>, std::size_t, std::size_t, Control&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
