#include "bounds/subset_program.h"

#include <algorithm>
#include <stdexcept>

namespace crediblenet {

namespace {

using Mask = std::uint32_t;

// Larger than any network's cost, small enough to be added to one.
constexpr Cost infeasible = Cost{1} << 58;

struct LocalCandidate {
    Mask parents;
    Cost cost;
};

class SubsetProgram {
  public:
    SubsetProgram(std::vector<std::vector<LocalCandidate>> candidates, Control& control)
        : n_(candidates.size()), candidates_(std::move(candidates)), control_(control),
          forward_(std::size_t{1} << n_, infeasible), backward_(std::size_t{1} << n_, infeasible) {
        for (auto& list : candidates_)
            std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
                return a.cost != b.cost ? a.cost < b.cost : a.parents < b.parents;
            });
    }

    Cost run() {
        forward_[0] = 0;
        sweep<true>();
        backward_.back() = 0;
        sweep<false>();
        if (forward_.back() >= infeasible) throw std::invalid_argument("no acyclic network exists");
        return forward_.back();
    }

    // For each candidate of each variable, in the given order: is it in a
    // network that costs at most `limit`?
    std::vector<std::vector<char>> usable(Cost limit) const {
        std::vector<std::vector<char>> flags(n_);
        std::vector<std::vector<std::uint32_t>> open(n_); // not yet known to be usable
        for (std::size_t i = 0; i < n_; ++i) {
            flags[i].assign(candidates_[i].size(), 0);
            for (std::uint32_t c = 0; c < candidates_[i].size(); ++c) open[i].push_back(c);
        }
        for (std::size_t s = 0; s < forward_.size(); ++s) {
            if (forward_[s] + backward_[s] > limit) continue;
            for (std::size_t i = 0; i < n_; ++i) {
                if (s >> i & 1) continue;
                const Cost room = limit - forward_[s] - backward_[s | std::size_t{1} << i];
                auto& list = open[i];
                std::size_t kept = 0, c = 0;
                for (; c < list.size(); ++c) {
                    const auto& candidate = candidates_[i][list[c]];
                    if (candidate.cost > room) break;
                    if ((candidate.parents & ~static_cast<Mask>(s)) == 0)
                        flags[i][list[c]] = 1;
                    else
                        list[kept++] = list[c];
                }
                if (kept < c)
                    list.erase(list.begin() + static_cast<std::ptrdiff_t>(kept),
                               list.begin() + static_cast<std::ptrdiff_t>(c));
            }
            if ((s & 0xfff) == 0 && control_.poll())
                throw Stopped(control_.reason(), "the subset program was stopped");
        }
        return flags;
    }

    const std::vector<LocalCandidate>& candidates(std::size_t i) const { return candidates_[i]; }

  private:
    // The candidates that are still possible while bits are decided from the
    // highest to the lowest, for every variable outside the subset.
    struct Lists {
        std::vector<LocalCandidate> entries;
        std::vector<std::uint32_t> begin; // n + 1 offsets
    };

    // Visits every subset with, for each variable outside it, the best parent
    // set inside it at hand: forwards every subset after its subsets, backwards
    // before them. Lists are filtered along a binary tree on the bits, so no
    // table of best parent sets is needed.
    template <bool forwards> void sweep() {
        levels_.assign(n_ + 1, {});
        auto& top = levels_[n_];
        top.begin.push_back(0);
        for (const auto& list : candidates_) {
            top.entries.insert(top.entries.end(), list.begin(), list.end());
            top.begin.push_back(static_cast<std::uint32_t>(top.entries.size()));
        }
        descend<forwards>(n_, 0);
    }

    template <bool forwards> void descend(std::size_t bit, Mask subset) {
        if (bit == 0) {
            visit<forwards>(subset);
            return;
        }
        if (bit == 10 && control_.poll())
            throw Stopped(control_.reason(), "the subset program was stopped");
        const Mask own = Mask{1} << (bit - 1);
        for (const bool include : {!forwards, forwards}) {
            const Mask next = include ? subset | own : subset;
            narrow(levels_[bit], levels_[bit - 1], own, include, next);
            descend<forwards>(bit - 1, next);
        }
    }

    // The candidates left after one more bit is decided. Costs ascend, so a
    // candidate whose parents are all in hides everything behind it.
    void narrow(const Lists& from, Lists& to, Mask bit, bool include, Mask subset) const {
        to.entries.clear();
        to.begin.clear();
        for (std::size_t i = 0; i < n_; ++i) {
            to.begin.push_back(static_cast<std::uint32_t>(to.entries.size()));
            if (subset >> i & 1) continue;
            for (auto e = from.begin[i]; e < from.begin[i + 1]; ++e) {
                const auto& entry = from.entries[e];
                if (!include && (entry.parents & bit)) continue;
                to.entries.push_back(entry);
                if ((entry.parents & ~subset) == 0) break;
            }
        }
        to.begin.push_back(static_cast<std::uint32_t>(to.entries.size()));
    }

    template <bool forwards> void visit(Mask subset) {
        const auto& lists = levels_[0];
        const Cost so_far = forward_[subset];
        Cost best = backward_[subset];
        for (std::size_t i = 0; i < n_; ++i) {
            // A variable of the subset has an empty list.
            if (lists.begin[i] == lists.begin[i + 1]) continue;
            const Cost cost = lists.entries[lists.begin[i]].cost;
            const auto larger = subset | Mask{1} << i;
            if constexpr (forwards)
                forward_[larger] = std::min(forward_[larger], so_far + cost);
            else
                best = std::min(best, backward_[larger] + cost);
        }
        if constexpr (!forwards) backward_[subset] = best;
    }

    std::size_t n_;
    std::vector<std::vector<LocalCandidate>> candidates_;
    Control& control_;
    std::vector<Cost> forward_, backward_;
    std::vector<Lists> levels_;
};

} // namespace

template <std::size_t W>
SubsetProgramResult subset_program(const Problem<W>& problem, const NodeSet<W>& block, Cost slack,
                                   Control& control) {
    const auto n = block.size();
    if (n > max_subset_block) throw std::invalid_argument("the block is too large for subsets");
    struct Reservation {
        Control& control;
        std::size_t bytes;
        ~Reservation() { control.release(bytes); }
    };
    control.reserve(subset_program_bytes(n), "the subset program");
    const Reservation reservation{control, subset_program_bytes(n)};

    std::vector<std::size_t> members;
    block.for_each([&](std::size_t i) { members.push_back(i); });
    std::vector<std::vector<LocalCandidate>> local(n);
    for (std::size_t v = 0; v < n; ++v)
        for (const auto& candidate : problem.candidates[members[v]]) {
            Mask inside = 0;
            for (std::size_t j = 0; j < n; ++j)
                if (candidate.parents.contains(members[j])) inside |= Mask{1} << j;
            local[v].push_back({inside, candidate.cost});
        }
    SubsetProgram program(std::move(local), control);
    SubsetProgramResult result;
    result.optimum = program.run();
    const auto usable = program.usable(result.optimum + slack);
    for (std::size_t v = 0; v < n; ++v) {
        // The program sorted its candidates: find the rows by content.
        for (const auto& candidate : problem.candidates[members[v]]) {
            Mask inside = 0;
            for (std::size_t j = 0; j < n; ++j)
                if (candidate.parents.contains(members[j])) inside |= Mask{1} << j;
            const auto& sorted = program.candidates(v);
            const auto it = std::lower_bound(
                sorted.begin(), sorted.end(), LocalCandidate{inside, candidate.cost},
                [](const auto& a, const auto& b) {
                    return a.cost != b.cost ? a.cost < b.cost : a.parents < b.parents;
                });
            if (usable[v][static_cast<std::size_t>(it - sorted.begin())])
                result.rows.push_back(candidate.row);
        }
    }
    std::sort(result.rows.begin(), result.rows.end());
    return result;
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template SubsetProgramResult subset_program(const Problem<W>&, const NodeSet<W>&, Cost,        \
                                                Control&);
CREDIBLENET_INSTANTIATE(1)
CREDIBLENET_INSTANTIATE(2)
CREDIBLENET_INSTANTIATE(4)
CREDIBLENET_INSTANTIATE(8)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
