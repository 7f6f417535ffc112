#include "enumeration/compiler.h"

#include "bounds/components.h"
#include "enumeration/dual_ascent.h"
#include "enumeration/search_share.h"
#include "number_index.h"

#include <algorithm>
#include <numeric>

namespace crediblenet {

namespace {

// What is left to decide: the open variables with their options. An option's
// `inside` holds those of its parents that are open and in the same component,
// after closed variables were replaced by their own parents. The inequalities
// guide the bound and have no part in what the state's networks are.
template <std::size_t W> struct State {
    std::vector<OpenVariable<W>> variables;
    std::vector<Multiplier<W>> inequalities;

    void add(const Multiplier<W>& row) {
        if (row.value > 0 && row.k > 0 && row.k < row.members.size()) inequalities.push_back(row);
    }
};

// A state's fingerprint: two independent 64-bit hashes. A collision among 10^9
// states has a probability below 10^-20.
struct Fingerprint {
    std::uint64_t a = 0x243f6a8885a308d3u, b = 0x13198a2e03707344u;

    void add(std::uint64_t value) {
        a = (a ^ value) * 0x9e3779b97f4a7c15u;
        a ^= a >> 32;
        b = (b + value) * 0xc2b2ae3d27d4eb4fu;
        b ^= b >> 29;
    }
    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

template <std::size_t W> class Compiler {
  public:
    Compiler(const CompilerOptions& options, Circuit& circuit, Control& control,
             CompilerStatistics& statistics)
        : options_(options), circuit_(circuit), control_(control), statistics_(statistics),
          ascent_(options.ascending, control), share_(options.share, control) {}

    ~Compiler() { control_.release(reserved_); }
    Compiler(const Compiler&) = delete;
    Compiler& operator=(const Compiler&) = delete;

    std::optional<CircuitNode> run(const Problem<W>& problem,
                                   const std::vector<Multiplier<W>>& multipliers, Cost budget) {
        State<W> state;
        for (auto row : multipliers) {
            row.members &= NodeSet<W>::first(problem.n_variables());
            state.add(row);
        }
        for (std::size_t i = 0; i < problem.n_variables(); ++i) {
            const auto& candidates = problem.candidates[i];
            if (candidates.empty()) return std::nullopt;
            OpenVariable<W> variable{static_cast<Node>(i), {}};
            // Costs are taken relative to the variable's least, so that none is
            // negative and no bound falls when more is decided.
            const Cost least = candidates.front().cost;
            for (const auto& candidate : candidates)
                variable.options.push_back(
                    {candidate.parents, candidate.cost - least, circuit_.leaf(candidate.row)});
            budget -= least;
            state.variables.push_back(std::move(variable));
        }
        const auto node = solve(std::move(state), budget, share_.root());
        if (statistics_.complete) share_.tell(share_.root());
        if (statistics_.limited) share_.withdraw();
        return node;
    }

  private:
    // With at most so many variables an ascent from nothing is worth its time beside the other.
    static constexpr std::size_t few_variables = 64;

    struct Cached {
        Fingerprint print;
        std::optional<CircuitNode> node;
        Cost budget; // the node is complete up to this budget
    };

    // All networks of the state with cost within the budget.
    std::optional<CircuitNode> solve(State<W> state, Cost budget, const TreePlace& place) {
        if (!filter(state, budget)) return std::nullopt;
        auto parts = split(std::move(state));
        if (parts.size() == 1) return filtered_component(parts[0], budget, place);
        // Small parts first: a dead one saves the work on the others.
        std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
            return a.variables.size() < b.variables.size();
        });
        const auto bounds = filter_together(parts, budget);
        if (bounds.empty()) return std::nullopt;
        const Cost room = budget - std::accumulate(bounds.begin(), bounds.end(), Cost{0});
        std::vector<CircuitNode> factors;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const auto node =
                filtered_component(parts[p], room + bounds[p], place.branch(p, parts.size()));
            if (!node) return std::nullopt;
            factors.push_back(*node);
        }
        return circuit_.product(factors);
    }

    // Filters components, each of which may spend what the bounds of the others leave, until no
    // option goes; returns their bounds, or nothing when together they exceed the budget. Filtered
    // states from different contexts are often equal, and then found in the cache.
    std::vector<Cost> filter_together(std::vector<State<W>>& parts, Cost budget) {
        std::vector<Cost> bounds(parts.size());
        std::vector<std::vector<Cost>> residuals(parts.size());
        Cost room = budget;
        const auto bound = [&](std::size_t p) {
            const auto& result = least_cost(parts[p], room + bounds[p]);
            room -= result.bound - bounds[p];
            bounds[p] = result.bound;
            residuals[p] = result.residual;
            return room >= 0;
        };
        for (std::size_t p = 0; p < parts.size(); ++p)
            if (!bound(p)) return dead_parts();
        for (bool removed = true; removed;) {
            removed = false;
            for (std::size_t p = 0; p < parts.size(); ++p) {
                if (!drop_above(room, residuals[p], parts[p])) continue;
                removed = true;
                if (!bound(p)) return dead_parts();
            }
        }
        return bounds;
    }

    std::vector<Cost> dead_parts() {
        dead_end();
        return {};
    }

    std::optional<CircuitNode> dead_end() {
        if (++statistics_.dead_ends == options_.dead_end_limit) give_up();
        return std::nullopt;
    }

    void give_up() {
        statistics_.limited = true;
        statistics_.complete = false;
    }

    // One strongly connected component: from the cache, or by branching.
    std::optional<CircuitNode> filtered_component(State<W>& state, Cost budget,
                                                  const TreePlace& place) {
        if (state.variables.size() == 1) { // its options were merged into one
            return state.variables[0].options[0].node;
        }
        const auto print = fingerprint(state);
        if (const auto* known = cached(print); known != nullptr && known->budget >= budget) {
            ++statistics_.cache_hits;
            return known->node;
        }
        const auto node =
            options_.probing ? probe(state, budget, place) : branch(state, budget, place);
        if (statistics_.complete) remember({print, node, budget});
        return node;
    }

    Cached* cached(const Fingerprint& print) {
        const auto at = index_.find(print.a, [&](auto k) { return cache_[k].print == print; });
        return at == NumberIndex::none ? nullptr : &cache_[at];
    }

    void remember(const Cached& entry) {
        if (auto* known = cached(entry.print)) {
            *known = entry;
            return;
        }
        index_.add(entry.print.a, static_cast<std::uint32_t>(cache_.size()));
        cache_.push_back(entry);
    }

    // Closes every variable with every option in turn, to drop the options that
    // are dead ends at once, before branching on what is left.
    std::optional<CircuitNode> probe(State<W>& state, Cost budget, const TreePlace& place) {
        bool removed = false;
        for (auto& variable : state.variables)
            for (std::size_t o = 0; o < variable.options.size();) {
                if (control_.poll()) return branch(state, budget, place); // which ends at once
                const auto option = variable.options[o];
                const auto at = static_cast<std::size_t>(&variable - state.variables.data());
                auto rest = close(state, at, option);
                if (rest && filter(*rest, budget - option.cost)) {
                    ++o;
                    continue;
                }
                variable.options.erase(variable.options.begin() + static_cast<std::ptrdiff_t>(o));
                removed = true;
                if (variable.options.empty() || !filter(state, budget)) return dead_end();
            }
        return removed ? solve(std::move(state), budget, place) : branch(state, budget, place);
    }

    std::optional<CircuitNode> branch(const State<W>& state, Cost budget, const TreePlace& place) {
        ++statistics_.nodes;
        ++control_.visited;
        if (statistics_.nodes == options_.node_limit) give_up();
        if (statistics_.nodes % 256 == 0) account_for_memory();
        if (control_.poll()) statistics_.complete = false;
        const auto chosen = branching_variable(state);
        std::vector<CircuitNode> alternatives;
        const auto& options = state.variables[chosen].options;
        for (std::size_t o = 0; o < options.size() && statistics_.complete; ++o) {
            auto rest = close(state, chosen, options[o]);
            if (!rest) continue;
            const auto below = place.branch(o, options.size());
            const auto node = solve(std::move(*rest), budget - options[o].cost, below);
            if (node) alternatives.push_back(circuit_.product({options[o].node, *node}));
            if (statistics_.complete) share_.tell(below);
        }
        if (alternatives.empty()) return dead_end();
        return circuit_.choice(std::move(alternatives));
    }

    // Ends the search, with what it has, when it would need too much memory.
    void account_for_memory() {
        const auto bytes = circuit_.memory() + sizeof(Cached) * cache_.capacity() + index_.memory();
        if (bytes <= reserved_) return;
        if (!control_.fits(bytes - reserved_)) {
            control_.stop(StopReason::memory);
            return;
        }
        control_.reserve(bytes - reserved_, "the search");
        reserved_ = bytes;
    }

    // The state after variable `closed` has taken `option`. A cycle through it
    // is p -> closed -> k for a parent p, so wherever it is a parent its own
    // parents stand in for it, and it can be forgotten.
    static std::optional<State<W>> close(const State<W>& state, std::size_t closed,
                                         const Option<W>& option) {
        const auto& variables = state.variables;
        const auto node = variables[closed].node;
        State<W> rest;
        for (auto row : state.inequalities) {
            if (row.members.contains(node)) {
                if ((option.inside & row.members).size() < row.k) --row.k;
                row.members.erase(node);
            }
            rest.add(row);
        }
        rest.variables.reserve(variables.size() - 1);
        for (std::size_t v = 0; v < variables.size(); ++v) {
            if (v == closed) continue;
            OpenVariable<W> variable{variables[v].node, {}};
            variable.options.reserve(variables[v].options.size());
            for (auto other : variables[v].options) {
                if (other.inside.contains(node)) {
                    other.inside.erase(node);
                    other.inside |= option.inside;
                    if (other.inside.contains(variable.node)) continue; // closes a cycle
                }
                variable.options.push_back(other);
            }
            if (variable.options.empty()) return std::nullopt;
            rest.variables.push_back(std::move(variable));
        }
        return rest;
    }

    // Removes options that no network within the budget uses, until none goes.
    bool filter(State<W>& state, Cost budget) {
        for (;;) {
            const auto& least = least_cost(state, budget);
            if (least.bound > budget) {
                dead_end();
                return false;
            }
            if (!drop_above(budget - least.bound, least.residual, state)) return true;
        }
    }

    // What networks of the state cost at least, and how much more with each option. Neither
    // ascent is always the better one; but beginning with nothing takes many steps where there
    // are many variables, and then it hardly ever is.
    const AscentResult& least_cost(const State<W>& state, Cost budget) {
        const auto& variables = state.variables;
        if (state.inequalities.empty()) return ascent_.run(variables);
        const auto& guided = ascent_.run(variables, state.inequalities);
        if (guided.bound > budget || variables.size() > few_variables) return guided;
        better_ = guided;
        const auto& plain = ascent_.run(variables);
        const auto bound = std::max(better_.bound, plain.bound);
        for (std::size_t o = 0; o < better_.residual.size(); ++o) {
            auto& residual = better_.residual[o];
            residual = std::max(better_.bound + residual, plain.bound + plain.residual[o]) - bound;
        }
        better_.bound = bound;
        return better_;
    }

    // Removes options whose residual is larger than the room; whether there was one. A variable
    // may lose all of them: then the next bound says that there is no network.
    static bool drop_above(Cost room, const std::vector<Cost>& residuals, State<W>& state) {
        bool removed = false;
        std::size_t at = 0;
        for (auto& variable : state.variables) {
            std::size_t kept = 0;
            for (std::size_t o = 0; o < variable.options.size(); ++o, ++at)
                if (residuals[at] <= room) variable.options[kept++] = variable.options[o];
            if (kept < variable.options.size()) {
                variable.options.resize(kept);
                removed = true;
            }
        }
        return removed;
    }

    // Strongly connected components, with the options projected on each:
    // parents in other components cannot close a cycle.
    std::vector<State<W>> split(State<W> state) {
        std::vector<NodeSet<W>> parents(NodeSet<W>::capacity);
        std::vector<std::size_t> position(NodeSet<W>::capacity);
        NodeSet<W> everyone;
        for (std::size_t v = 0; v < state.variables.size(); ++v) {
            const auto& variable = state.variables[v];
            everyone.insert(variable.node);
            position[variable.node] = v;
            for (const auto& option : variable.options) parents[variable.node] |= option.inside;
        }
        std::vector<State<W>> parts;
        for (const auto& members : strong_components(parents, everyone)) {
            State<W> part;
            members.for_each([&](std::size_t node) {
                auto variable = std::move(state.variables[position[node]]);
                for (auto& option : variable.options) option.inside &= members;
                merge_alike(variable);
                part.variables.push_back(std::move(variable));
            });
            for (auto row : state.inequalities) {
                row.members &= members;
                part.add(row);
            }
            parts.push_back(std::move(part));
        }
        return parts;
    }

    // Options that are alike inside the component become one.
    void merge_alike(OpenVariable<W>& variable) {
        auto& options = variable.options;
        std::sort(options.begin(), options.end(), [](const auto& a, const auto& b) {
            if (a.inside != b.inside) return a.inside < b.inside;
            return a.node < b.node;
        });
        std::size_t kept = 0;
        for (std::size_t begin = 0; begin < options.size();) {
            auto merged = options[begin];
            auto end = begin + 1;
            while (end < options.size() && options[end].inside == merged.inside) ++end;
            if (end > begin + 1) {
                std::vector<CircuitNode> nodes;
                for (auto o = begin; o < end; ++o) {
                    // A union of unions is one union, so that equal sets are equal nodes.
                    if (circuit_.kind(options[o].node) == Circuit::Kind::choice) {
                        const auto inner = circuit_.children(options[o].node);
                        nodes.insert(nodes.end(), inner.begin(), inner.end());
                    } else {
                        nodes.push_back(options[o].node);
                    }
                    merged.cost = std::min(merged.cost, options[o].cost);
                }
                merged.node = circuit_.choice(std::move(nodes));
            }
            options[kept++] = merged;
            begin = end;
        }
        options.resize(kept);
    }

    // The variable with most connections to the others: closing it makes the
    // component fall apart soonest. Ties: the lower number.
    static std::size_t branching_variable(const State<W>& state) {
        const auto& variables = state.variables;
        std::vector<std::size_t> children(NodeSet<W>::capacity);
        std::vector<NodeSet<W>> parents(variables.size());
        for (std::size_t v = 0; v < variables.size(); ++v) {
            for (const auto& option : variables[v].options) parents[v] |= option.inside;
            parents[v].for_each([&](std::size_t p) { ++children[p]; });
        }
        std::size_t best = 0;
        double best_merit = -1;
        for (std::size_t v = 0; v < variables.size(); ++v) {
            const double merit =
                static_cast<double>(parents[v].size() * children[variables[v].node]) /
                static_cast<double>(variables[v].options.size());
            if (merit > best_merit) {
                best_merit = merit;
                best = v;
            }
        }
        return best;
    }

    static Fingerprint fingerprint(const State<W>& state) {
        Fingerprint print;
        for (const auto& variable : state.variables) {
            print.add((std::uint64_t{variable.node} << 32) | variable.options.size());
            for (const auto& option : variable.options) {
                for (auto word : option.inside.word) print.add(word);
                print.add(option.node);
            }
        }
        return print;
    }

    CompilerOptions options_;
    Circuit& circuit_;
    Control& control_;
    CompilerStatistics& statistics_;
    DualAscent<W> ascent_;
    AscentResult better_;      // of two
    std::size_t reserved_ = 0; // bytes announced to the control
    std::vector<Cached> cache_;
    NumberIndex index_; // of the cache, by fingerprint
    SearchShare share_;
};

} // namespace

template <std::size_t W>
std::optional<CircuitNode> compile(const Problem<W>& problem,
                                   const std::vector<Multiplier<W>>& multipliers, Cost max_cost,
                                   const CompilerOptions& options, Circuit& circuit,
                                   Control& control, CompilerStatistics& statistics) {
    return Compiler<W>(options, circuit, control, statistics).run(problem, multipliers, max_cost);
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template std::optional<CircuitNode> compile(                                                   \
        const Problem<W>&, const std::vector<Multiplier<W>>&, Cost, const CompilerOptions&,        \
        Circuit&, Control&, CompilerStatistics&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
