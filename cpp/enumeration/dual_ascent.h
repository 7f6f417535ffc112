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
#pragma once

#include "enumeration/circuit.h"
#include "types.h"

#include <algorithm>
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
    const AscentResult& run(const std::vector<OpenVariable<W>>& variables) {
        load(variables);
        while (result_.bound < no_dag) {
            const auto stuck = unplaced(everyone_);
            if (stuck.empty()) break;
            raise(shrink(stuck));
        }
        return result_;
    }

  private:
    void load(const std::vector<OpenVariable<W>>& variables) {
        variables_ = &variables;
        result_.bound = 0;
        result_.residual.clear();
        begin_.clear();
        everyone_ = {};
        for (const auto& variable : variables) {
            everyone_.insert(variable.node);
            begin_.push_back(result_.residual.size());
            for (const auto& option : variable.options) result_.residual.push_back(option.cost);
        }
        for (std::size_t v = 0; v < variables.size(); ++v) {
            const auto from = result_.residual.begin() + static_cast<std::ptrdiff_t>(begin_[v]);
            const auto to = from + static_cast<std::ptrdiff_t>(variables[v].options.size());
            const Cost least = *std::min_element(from, to);
            std::for_each(from, to, [least](Cost& residual) { residual -= least; });
            result_.bound += least;
        }
    }

    // The members of `set` that cannot be placed when everything else is.
    NodeSet<W> unplaced(NodeSet<W> set) const {
        for (bool progress = true; progress && !set.empty();) {
            progress = false;
            for (std::size_t v = 0; v < variables_->size(); ++v) {
                const auto& variable = (*variables_)[v];
                if (!set.contains(variable.node)) continue;
                for (std::size_t o = 0; o < variable.options.size(); ++o)
                    if (result_.residual[begin_[v] + o] == 0 &&
                        !variable.options[o].inside.intersects(set)) {
                        set.erase(variable.node);
                        progress = true;
                        break;
                    }
            }
        }
        return set;
    }

    // A small stuck set inside a stuck set: smaller sets are left by fewer
    // options, so they bound better.
    NodeSet<W> shrink(NodeSet<W> stuck) const {
        for (bool progress = true; progress;) {
            progress = false;
            for (const auto& variable : *variables_) {
                if (!stuck.contains(variable.node)) continue;
                auto fewer = stuck;
                fewer.erase(variable.node);
                fewer = unplaced(fewer);
                if (fewer.empty()) continue;
                stuck = fewer;
                progress = true;
            }
        }
        return stuck;
    }

    void raise(const NodeSet<W>& stuck) {
        Cost step = no_dag;
        for_leaving(stuck, [&](std::size_t at) { step = std::min(step, result_.residual[at]); });
        if (step == no_dag) { // nobody in the set can come first
            result_.bound = no_dag;
            return;
        }
        result_.bound += step;
        for_leaving(stuck, [&](std::size_t at) { result_.residual[at] -= step; });
    }

    template <class F> void for_leaving(const NodeSet<W>& stuck, F&& f) const {
        for (std::size_t v = 0; v < variables_->size(); ++v) {
            const auto& variable = (*variables_)[v];
            if (!stuck.contains(variable.node)) continue;
            for (std::size_t o = 0; o < variable.options.size(); ++o)
                if (!variable.options[o].inside.intersects(stuck)) f(begin_[v] + o);
        }
    }

    const std::vector<OpenVariable<W>>* variables_ = nullptr;
    std::vector<std::size_t> begin_;
    NodeSet<W> everyone_;
    AscentResult result_;
};

} // namespace crediblenet
