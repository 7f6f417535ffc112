// A lower bound on what an acyclic completion must cost, from its open variables.
//
// Place variables greedily, using options of residual cost zero whose inside
// parents are placed. If a set S cannot be placed, then in every DAG some
// member of S has no parent in S (the first of S in a topological order), so
// every DAG pays at least
//     d = least residual among options of members of S without a parent in S.
// Raise the bound by d, lower those residuals by d, and repeat. Each step is a
// dual ascent step on the 1-cluster inequality of S, so for every DAG
//     cost >= bound + sum of the residuals of its options.
//
// The ascent may begin with multipliers of k-cluster inequalities, which its own
// steps (k = 1) cannot find. Closing a variable leaves a problem of the same
// kind, so any cluster of open variables with any multiplier bounds it, too: if
// an inequality (C, k) is tight in the whole problem, (C without the closed
// variable, k - 1 if that one counted) is likely tight in what is left.
#pragma once

#include "bounds/clusters.h"
#include "control.h"
#include "enumeration/circuit.h"
#include "types.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace crediblenet {

// One way to close a variable: its parents inside the component, the least
// cost of the candidates it stands for, and these candidates.
template <std::size_t W> struct Option {
    NodeSet<W> inside;
    Cost cost = 0;
    CircuitNode node = 0;
};

template <std::size_t W> struct OpenVariable {
    Node node = 0;
    std::vector<Option<W>> options;
};

struct AscentResult {
    Cost bound = 0;             // `no_dag` when the options admit no DAG
    std::vector<Cost> residual; // of all options, variable by variable
};

inline constexpr Cost no_dag = Cost{1} << 60;

template <std::size_t W> class DualAscent {
  public:
    // Without ascending, bounds are those of the multipliers and of independent
    // choices: for measurements.
    DualAscent(bool ascending, Control& control) : ascending_(ascending), control_(control) {}

    const AscentResult& run(const std::vector<OpenVariable<W>>& variables) {
        load(variables);
        take_least();
        return ascend();
    }

    // The same, beginning with multipliers of inequalities on the variables.
    const AscentResult& run(const std::vector<OpenVariable<W>>& variables,
                            const std::vector<Multiplier<W>>& multipliers) {
        load(variables);
        charge(multipliers);
        if (result_.bound < no_dag) take_least();
        return ascend();
    }

  private:
    const AscentResult& ascend() {
        if (!ascending_ || result_.bound >= no_dag) return result_;
        auto stuck = unplaced(everyone_, everyone_);
        while (!stuck.empty()) {
            const auto freed = raise(shrink(closed_part(stuck)));
            if (result_.bound >= no_dag) break;
            // What was placed stays so, because residuals only fall.
            stuck = unplaced(stuck, freed);
            // With hundreds of variables, one ascent can take tenths of a second; what it has
            // when it is stopped is a bound like any other.
            if (++steps_ % steps_per_poll == 0 && control_.poll()) break;
        }
        return result_;
    }

    void load(const std::vector<OpenVariable<W>>& variables) {
        variables_ = &variables;
        result_.bound = 0;
        result_.residual.clear();
        begin_.clear();
        everyone_ = {};
        if (free_.size() < variables.size()) {
            free_.resize(variables.size());
            wanted_.resize(variables.size());
        }
        for (std::size_t v = 0; v < variables.size(); ++v) {
            const auto& options = variables[v].options;
            everyone_.insert(variables[v].node);
            position_[variables[v].node] = v;
            wanted_by_[variables[v].node] = {};
            begin_.push_back(result_.residual.size());
            for (const auto& option : options) result_.residual.push_back(option.cost);
        }
    }

    // Lowers the residuals by the multipliers of the inequalities that options
    // count for, and raises the bound in turn.
    void charge(const std::vector<Multiplier<W>>& multipliers) {
        for (const auto& row : multipliers) lower_counting(row, row.value);
        for (const auto& row : multipliers) {
            const Cost value = best_value(row);
            if (value == no_dag) {
                result_.bound = no_dag;
                return;
            }
            if (value != row.value) lower_counting(row, value - row.value);
            result_.bound += static_cast<Cost>(row.k) * value;
        }
    }

    void take_least() {
        for (std::size_t v = 0; v < begin_.size(); ++v) {
            if ((*variables_)[v].options.empty()) { // two bounds together may leave none
                result_.bound = no_dag;
                return;
            }
            take_least(v);
        }
    }

    template <class F> void for_options(const Multiplier<W>& row, std::size_t v, F&& f) {
        const auto& options = (*variables_)[v].options;
        for (std::size_t o = 0; o < options.size(); ++o)
            f(result_.residual[begin_[v] + o], (options[o].inside & row.members).size() < row.k);
    }

    void lower_counting(const Multiplier<W>& row, Cost value) {
        row.members.for_each([&](std::size_t node) {
            for_options(row, position_[node], [&](Cost& residual, bool counting) {
                if (counting) residual -= value;
            });
        });
    }

    // The multiplier next to the row's, which is charged, with which the bound is
    // highest, all others being as they are; `no_dag` if fewer than k members
    // have an option that counts. As a function of the multiplier m the bound is
    // k m + the sum over members of min(other, counting - m), where these are the
    // least residuals of options that do and do not count: concave, with slope k
    // minus the number of members whose counting - other is below m.
    Cost best_value(const Multiplier<W>& row) {
        turns_.clear();
        row.members.for_each([&](std::size_t node) {
            Cost counting = no_dag, other = no_dag;
            for_options(row, position_[node], [&](Cost residual, bool counts) {
                if (counts)
                    counting = std::min(counting, residual + row.value);
                else
                    other = std::min(other, residual);
            });
            turns_.push_back(counting == no_dag ? no_dag
                             : other == no_dag  ? -no_dag
                                                : counting - other);
        });
        std::sort(turns_.begin(), turns_.end());
        if (turns_[row.k - 1] == no_dag) return no_dag;
        return std::max(Cost{0}, std::clamp(row.value, turns_[row.k - 1], turns_[row.k]));
    }

    // Moves a variable's least residual to the bound.
    void take_least(std::size_t v) {
        const auto& options = (*variables_)[v].options;
        const auto first = result_.residual.begin() + static_cast<std::ptrdiff_t>(begin_[v]);
        const auto least =
            *std::min_element(first, first + static_cast<std::ptrdiff_t>(options.size()));
        result_.bound += least;
        free_[v].clear();
        wanted_[v] = {};
        for (std::size_t o = 0; o < options.size(); ++o) {
            auto& residual = result_.residual[begin_[v] + o];
            residual -= least;
            if (residual == 0) set_free(v, options[o].inside);
        }
    }

    void set_free(std::size_t v, const NodeSet<W>& inside) {
        free_[v].push_back(inside);
        wanted_[v] |= inside;
        const auto node = (*variables_)[v].node;
        inside.for_each([&](std::size_t parent) { wanted_by_[parent].insert(node); });
    }

    // The members of `set` that cannot be placed for free when everything else
    // is: the largest stuck subset of `set`, whatever the order of placing. Only
    // members of `open` may be placeable at first; from then on those that want
    // one that was placed.
    NodeSet<W> unplaced(NodeSet<W> set, const NodeSet<W>& open) const {
        return place(set, open, {}) ? set : NodeSet<W>{};
    }

    // Leaves in `set` what cannot be placed; returns whether that is anything.
    // Without a needed member nothing is, so placing one of these ends it.
    bool place(NodeSet<W>& set, NodeSet<W> open, const NodeSet<W>& needed) const {
        open &= set;
        while (!open.empty()) {
            const auto node = open.lowest();
            open.erase(node);
            for (const auto& inside : free_[position_[node]])
                if (!inside.intersects(set)) {
                    if (needed.contains(node)) return false;
                    set.erase(node);
                    open |= wanted_by_[node] & set;
                    break;
                }
        }
        return !set.empty();
    }

    // A small stuck subset, found fast: a member with all that free options need
    // of the stuck set, its own and those of what they need, is stuck, too. One
    // is returned that has no smaller one inside: its members all need each other.
    NodeSet<W> closed_part(NodeSet<W> stuck) const {
        for (;;) {
            const auto start = stuck.lowest();
            const auto part = needed_by(start, stuck);
            const auto others = part - needing(start, part);
            if (others.empty()) return part;
            stuck = others; // closed, too: what they need does not need the start either
        }
    }

    NodeSet<W> needed_by(std::size_t start, const NodeSet<W>& stuck) const {
        auto found = NodeSet<W>::single(start);
        for (auto open = found; !open.empty();) {
            const auto node = open.lowest();
            open.erase(node);
            const auto more = (wanted_[position_[node]] & stuck) - found;
            found |= more;
            open |= more;
        }
        return found;
    }

    NodeSet<W> needing(std::size_t start, const NodeSet<W>& part) const {
        auto found = NodeSet<W>::single(start);
        for (auto open = found; !open.empty();) {
            const auto node = open.lowest();
            open.erase(node);
            const auto more = (wanted_by_[node] & part) - found;
            found |= more;
            open |= more;
        }
        return found;
    }

    // A minimal stuck subset of a stuck set: fewer options leave it, so it
    // bounds better. A member without which nothing is stuck stays needed when
    // others go, because the largest stuck subset shrinks with the set: so one
    // try for each member suffices.
    NodeSet<W> shrink(NodeSet<W> stuck) const {
        NodeSet<W> needed;
        const auto all = stuck;
        all.for_each([&](std::size_t node) {
            if (!stuck.contains(node)) return;
            auto fewer = stuck;
            fewer.erase(node);
            if (place(fewer, wanted_by_[node], needed))
                stuck = fewer;
            else
                needed.insert(node);
        });
        return stuck;
    }

    // Raises the bound for a stuck set; returns who has a free option more.
    NodeSet<W> raise(const NodeSet<W>& stuck) {
        NodeSet<W> freed;
        Cost step = no_dag;
        for_leaving(stuck, [&](std::size_t, std::size_t at, const NodeSet<W>&) {
            step = std::min(step, result_.residual[at]);
        });
        if (step == no_dag) { // nobody in the set can come first
            result_.bound = no_dag;
            return freed;
        }
        result_.bound += step;
        for_leaving(stuck, [&](std::size_t v, std::size_t at, const NodeSet<W>& inside) {
            result_.residual[at] -= step;
            if (result_.residual[at] != 0) return;
            set_free(v, inside);
            freed.insert((*variables_)[v].node);
        });
        return freed;
    }

    // The options of members of the set that have no parent in it. None of
    // them is free while the set is stuck.
    template <class F> void for_leaving(const NodeSet<W>& stuck, F&& f) const {
        stuck.for_each([&](std::size_t node) {
            const auto v = position_[node];
            const auto& options = (*variables_)[v].options;
            for (std::size_t o = 0; o < options.size(); ++o)
                if (!options[o].inside.intersects(stuck)) f(v, begin_[v] + o, options[o].inside);
        });
    }

    static constexpr std::uint32_t steps_per_poll = 64;

    bool ascending_;
    Control& control_;
    std::uint32_t steps_ = 0; // of all ascents
    const std::vector<OpenVariable<W>>* variables_ = nullptr;
    std::array<std::size_t, NodeSet<W>::capacity> position_{}; // of each node in the variables
    std::vector<std::size_t> begin_;
    std::vector<std::vector<NodeSet<W>>> free_; // inside parents of the options of residual zero
    std::vector<NodeSet<W>> wanted_;            // their union
    // By node: whose free options have it as a parent.
    std::vector<NodeSet<W>> wanted_by_ = std::vector<NodeSet<W>>(NodeSet<W>::capacity);
    NodeSet<W> everyone_;
    std::vector<Cost> turns_; // where the bound's slope in a multiplier changes
    AscentResult result_;
};

} // namespace crediblenet
