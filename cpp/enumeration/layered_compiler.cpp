#include "enumeration/layered_compiler.h"

#include "bounds/components.h"
#include "bounds/subset_program.h"
#include "enumeration/levels.h"
#include "enumeration/search_share.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

namespace crediblenet {

namespace {

// What all blocks of a problem share.
struct LayeredRun {
    std::uint64_t step_limit;
    Circuit& circuit;
    Control& control;
    CompilerStatistics& statistics;
    SearchShare share;
    std::uint64_t steps = 0;

    // Whether the search has to end, after so many steps more.
    bool ends(std::uint64_t more) {
        constexpr std::uint64_t seldom = 1 << 12;
        const auto before = steps;
        steps += more;
        if (steps > step_limit) give_up();
        if (before / seldom != steps / seldom && control.poll()) statistics.complete = false;
        return ended();
    }
    [[nodiscard]] bool ended() const { return !statistics.complete; }
    void give_up() {
        statistics.limited = true;
        statistics.complete = false;
    }
};

class LayeredBlock {
  public:
    // Costs are relative to the least of each variable, as in the subset program.
    struct Option {
        SubsetMask parents;
        Cost cost;
        std::uint32_t row;
    };

    LayeredBlock(std::vector<std::vector<Option>> options, SubsetCosts costs, Cost limit,
                 LayeredRun& run)
        : options_(std::move(options)), costs_(std::move(costs)), limit_(limit), run_(run),
          everything_(static_cast<SubsetMask>(costs_.forward.size() - 1)),
          held_(run.control, "the search") {}

    std::optional<CircuitNode> compile(const TreePlace& place) {
        const auto found = after(0, 0, place);
        return found ? found->node : std::nullopt;
    }

  private:
    // The networks of what is missing after some layers: none where nothing is missing.
    struct Found {
        std::optional<CircuitNode> node;
        Cost least;
    };
    // A variable that is missing: its parent sets if it is in the next layer, in order of
    // cost, and what it costs at least if it is in a later one. Its parents are not all in
    // the layers so far then.
    struct Missing {
        SubsetMask variable;
        std::vector<const Option*> options;
        Cost later;

        [[nodiscard]] Cost least() const {
            return options.empty() ? later : std::min(later, options.front()->cost);
        }
    };
    struct State {
        SubsetMask done;
        Cost budget; // for what is missing
        std::vector<Missing> missing;
        std::vector<CircuitNode> found;
        Cost least = infeasible;
    };

    // All that can come after layers that hold `done`, the last of them `last`.
    std::optional<Found> after(SubsetMask done, SubsetMask last, const TreePlace& place) {
        if (done == everything_) return Found{std::nullopt, 0};
        const auto key = std::uint64_t{done} << 32 | last;
        if (const auto it = known_.find(key); it != known_.end()) {
            ++run_.statistics.cache_hits;
            return it->second;
        }
        ++run_.statistics.nodes;
        ++run_.control.visited;
        State state{done, limit_ - costs_.forward[done], missing(done, last), {}, infeasible};
        Cost each = 0;
        for (const auto& variable : state.missing) each += variable.least();
        extend(state, 0, 0, 0, each, place);
        std::optional<Found> found;
        if (state.found.empty())
            run_.statistics.dead_ends += !run_.ended();
        else
            found = Found{run_.circuit.choice(std::move(state.found)), state.least};
        if (!run_.ended()) remember(key, found);
        return found;
    }

    std::vector<Missing> missing(SubsetMask done, SubsetMask last) {
        std::vector<Missing> found;
        for (std::size_t i = 0; i < options_.size(); ++i) {
            const auto variable = SubsetMask{1} << i;
            if (done & variable) continue;
            const Cost most_now = limit_ - costs_.forward[done] - costs_.backward[done | variable];
            const Cost most_later = limit_ - costs_.forward[done];
            Missing one{variable, {}, infeasible};
            std::uint64_t looked_at = 1;
            for (const auto& option : options_[i]) {
                const bool is_known = one.later < infeasible || option.cost > most_later;
                if (option.cost > most_now && is_known) break;
                ++looked_at;
                if ((option.parents & ~done) != 0)
                    one.later = std::min(one.later, option.cost);
                else if (option.cost <= most_now && (done == 0 || (option.parents & last) != 0))
                    one.options.push_back(&option);
            }
            if (run_.ends(looked_at)) return {};
            found.push_back(std::move(one));
        }
        return found;
    }

    // Decides for one variable after the other whether it is in the layer, which costs at
    // least what was `spent` on it. One more never makes the first bound lower: what is missing
    // after `done` and the layer costs no more than a parent set inside these and what is
    // missing then. The second bound, `each`, takes every variable by itself.
    void extend(State& state, std::size_t at, SubsetMask layer, Cost spent, Cost each,
                const TreePlace& place) {
        const auto least = std::max(spent + costs_.backward[state.done | layer], each);
        if (run_.ends(1)) return;
        if (least <= state.budget && at == state.missing.size()) {
            if (layer != 0) add(state, layer, spent, place);
        } else if (least <= state.budget) {
            const auto& variable = state.missing[at];
            const Cost others = each - variable.least();
            if (!variable.options.empty()) {
                const Cost now = variable.options.front()->cost;
                extend(state, at + 1, layer | variable.variable, spent + now, others + now,
                       place.branch(0, 2));
            }
            extend(state, at + 1, layer, spent, others + variable.later, place.branch(1, 2));
        }
        if (!run_.ended()) run_.share.tell(place);
    }

    void add(State& state, SubsetMask layer, Cost spent, const TreePlace& place) {
        const auto rest = after(state.done | layer, layer, place);
        if (!rest || spent + rest->least > state.budget) return;
        std::vector<CircuitNode> factors, choices;
        for (const auto& variable : state.missing) {
            if ((layer & variable.variable) == 0) continue;
            const Cost room = state.budget - rest->least - spent + variable.options.front()->cost;
            choices.clear();
            for (const auto* option : variable.options) {
                if (option->cost > room) break;
                choices.push_back(run_.circuit.leaf(option->row));
            }
            factors.push_back(run_.circuit.choice(choices));
        }
        if (rest->node) factors.push_back(*rest->node);
        state.found.push_back(run_.circuit.product(factors));
        state.least = std::min(state.least, spent + rest->least);
    }

    // Gives up when that would need too much memory: the other compiler needs less.
    void remember(std::uint64_t key, const std::optional<Found>& found) {
        constexpr std::size_t entry = sizeof(std::pair<std::uint64_t, std::optional<Found>>) + 32;
        known_.emplace(key, found);
        const auto bytes = run_.circuit.memory() + entry * known_.size();
        if (bytes <= announced_) return;
        const auto more = std::max<std::size_t>(bytes - announced_, 1 << 20);
        if (!run_.control.fits(more)) return run_.give_up();
        held_.add(more);
        announced_ += more;
    }

    const std::vector<std::vector<Option>> options_;
    const SubsetCosts costs_;
    const Cost limit_;
    LayeredRun& run_;
    const SubsetMask everything_;
    std::unordered_map<std::uint64_t, std::optional<Found>> known_;
    Held held_;
    std::size_t announced_ = 0;
};

// The variables of a block as positions, with what they cost.
template <std::size_t W>
std::vector<std::vector<LayeredBlock::Option>>
local_options(const Problem<W>& problem, const std::vector<std::size_t>& members) {
    std::vector<std::vector<LayeredBlock::Option>> options(members.size());
    for (std::size_t v = 0; v < members.size(); ++v) {
        const auto& list = problem.candidates[members[v]];
        for (const auto& candidate : list)
            options[v].push_back({subset_mask(candidate.parents, members),
                                  candidate.cost - list.front().cost, candidate.row});
    }
    return options;
}

template <std::size_t W>
std::optional<CircuitNode> compile_blocks(const Problem<W>& problem, Cost max_cost,
                                          LayeredRun& run) {
    NodeSet<W> everything;
    for (std::size_t i = 0; i < problem.n_variables(); ++i) everything.insert(i);
    std::vector<std::vector<std::size_t>> blocks;
    for (const auto& block : strong_components(problem.possible_parents(), everything)) {
        auto& members = blocks.emplace_back();
        block.for_each([&](std::size_t i) { members.push_back(i); });
    }
    Held tables(run.control, "the subset program");
    Cost slack = max_cost; // what a network may cost more than the best of all blocks
    for (const auto& list : problem.candidates) {
        if (list.empty()) return std::nullopt;
        slack -= list.front().cost;
    }
    std::vector<SubsetCosts> costs;
    for (const auto& members : blocks) {
        if (members.size() > max_subset_block)
            throw std::invalid_argument("a block is too large for subsets");
        if (members.size() > 1) tables.add(subset_program_bytes(members.size()));
        costs.push_back(subset_costs(problem, members, run.control));
        const auto optimum = costs.back().forward.back();
        if (optimum >= infeasible) return std::nullopt;
        slack -= optimum;
    }
    if (slack < 0) return std::nullopt;
    std::vector<CircuitNode> factors;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const auto limit = costs[b].forward.back() + slack;
        LayeredBlock block(local_options(problem, blocks[b]), std::move(costs[b]), limit, run);
        const auto node = block.compile(run.share.root().branch(b, blocks.size()));
        if (!node) return std::nullopt; // it was ended before it found a network
        factors.push_back(*node);
    }
    return run.circuit.product(factors);
}

} // namespace

template <std::size_t W>
std::optional<CircuitNode> compile_layers(const Problem<W>& problem, Cost max_cost,
                                          std::uint64_t step_limit, double share, Circuit& circuit,
                                          Control& control, CompilerStatistics& statistics) {
    LayeredRun run{step_limit, circuit, control, statistics, {share, control}};
    std::optional<CircuitNode> node;
    try {
        node = compile_blocks(problem, max_cost, run);
    } catch (const Stopped& stopped) {
        if (stopped.reason != StopReason::memory) throw;
        run.give_up(); // the other compiler needs no tables
    }
    if (statistics.complete) run.share.tell(run.share.root());
    if (statistics.limited) run.share.withdraw();
    return node;
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template std::optional<CircuitNode> compile_layers(                                            \
        const Problem<W>&, Cost, std::uint64_t, double, Circuit&, Control&, CompilerStatistics&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
