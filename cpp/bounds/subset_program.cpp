#include "bounds/subset_program.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <stdexcept>

namespace crediblenet {

namespace {

using Mask = SubsetMask;

struct LocalCandidate {
    Mask parents;
    Cost cost;
};

bool by_cost(const LocalCandidate& a, const LocalCandidate& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.parents < b.parents;
}

class SubsetProgram {
  public:
    SubsetProgram(std::vector<std::vector<LocalCandidate>> candidates, Control& control)
        : n_(candidates.size()), candidates_(std::move(candidates)), control_(control),
          forward_(std::size_t{1} << n_, infeasible), backward_(std::size_t{1} << n_, infeasible) {
        std::size_t total = 0;
        for (auto& list : candidates_) {
            std::sort(list.begin(), list.end(), by_cost);
            total += list.size();
        }
        // Long lists are dear to narrow: then more bits are tabulated at once.
        low_bits_ = std::min(n_, total > long_list * n_ ? many_bits : few_bits);
    }

    // The optimum, if any choice is acyclic.
    std::optional<Cost> run() {
        forward_[0] = 0;
        sweep<true>();
        backward_.back() = 0;
        sweep<false>();
        if (forward_.back() >= infeasible) return std::nullopt;
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
    SubsetCosts costs() && { return {std::move(forward_), std::move(backward_)}; }

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
    // table of best parent sets is needed; the lowest bits are done together.
    template <bool forwards> void sweep() {
        levels_.assign(n_ + 1, {});
        auto& top = levels_[n_];
        top.begin.push_back(0);
        for (const auto& list : candidates_) {
            top.entries.insert(top.entries.end(), list.begin(), list.end());
            top.begin.push_back(static_cast<std::uint32_t>(top.entries.size()));
        }
        best_.assign(n_, std::vector<Cost>(std::size_t{1} << low_bits_));
        descend<forwards>(n_, 0);
    }

    template <bool forwards> void descend(std::size_t bit, Mask subset) {
        if (bit == std::max<std::size_t>(12, low_bits_) && control_.poll())
            throw Stopped(control_.reason(), "the subset program was stopped");
        if (bit == low_bits_) {
            visit_low<forwards>(bit, subset);
            return;
        }
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

    // All subsets that agree on the higher bits, 2^bits of them.
    template <bool forwards> void visit_low(std::size_t bits, Mask high) {
        const Mask count = Mask{1} << bits;
        std::size_t outside[32], n_outside = 0;
        for (std::size_t i = 0; i < n_; ++i)
            if (!(high >> i & 1)) {
                outside[n_outside++] = i;
                tabulate(i, count);
            }
        for (Mask step = 0; step < count; ++step) {
            const Mask low = forwards ? step : count - 1 - step;
            const Mask subset = high | low;
            const Cost so_far = forward_[subset];
            Cost best = backward_[subset];
            for (std::size_t o = 0; o < n_outside; ++o) {
                const auto i = outside[o];
                if (i < bits && (low >> i & 1)) continue;
                const Cost cost = best_[i][low];
                Cost& other = (forwards ? forward_ : backward_)[subset | Mask{1} << i];
                if constexpr (forwards)
                    other = std::min(other, so_far + cost);
                else
                    best = std::min(best, other + cost);
            }
            if constexpr (!forwards) backward_[subset] = best;
        }
    }

    // The cost of the best parent set of i for each choice of the low bits.
    void tabulate(std::size_t i, Mask count) {
        const auto& lists = levels_[low_bits_];
        const std::span list(lists.entries.data() + lists.begin[i],
                             lists.entries.data() + lists.begin[i + 1]);
        auto& best = best_[i];
        std::fill(best.begin(), best.end(), infeasible);
        if (low_bits_ <= few_bits)
            tabulate_few(list, count, best);
        else
            tabulate_many(list, count, best);
    }

    // Entries come in order of cost, so each takes all supersets of its low
    // parents that are free.
    static void tabulate_few(std::span<const LocalCandidate> list, Mask count,
                             std::vector<Cost>& best) {
        auto open = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
        for (const auto& entry : list) {
            const auto taken = open & supersets[entry.parents & (count - 1)];
            open &= ~taken;
            for (auto rest = taken; rest != 0; rest &= rest - 1)
                best[static_cast<std::size_t>(std::countr_zero(rest))] = entry.cost;
            if (open == 0) break;
        }
    }

    // The least cost by low parents, then the least over their subsets, bit by bit.
    static void tabulate_many(std::span<const LocalCandidate> list, Mask count,
                              std::vector<Cost>& best) {
        for (const auto& entry : list) {
            auto& cost = best[entry.parents & (count - 1)];
            cost = std::min(cost, entry.cost);
        }
        for (std::size_t width = 1; width < count; width *= 2)
            for (std::size_t from = 0; from < count; from += 2 * width)
                for (std::size_t low = from; low < from + width; ++low)
                    best[low + width] = std::min(best[low + width], best[low]);
    }

    static constexpr std::size_t few_bits = 4, many_bits = 12;
    static constexpr std::size_t long_list = 2000; // candidates of a variable, on average
    // For each subset of a few bits, which subsets contain it.
    static constexpr auto supersets = [] {
        std::array<std::uint32_t, 1 << few_bits> table{};
        for (std::uint32_t a = 0; a < table.size(); ++a)
            for (std::uint32_t b = 0; b < table.size(); ++b)
                if ((a & ~b) == 0) table[a] |= std::uint32_t{1} << b;
        return table;
    }();

    std::size_t low_bits_ = few_bits;
    std::size_t n_;
    std::vector<std::vector<LocalCandidate>> candidates_;
    Control& control_;
    std::vector<Cost> forward_, backward_;
    std::vector<Lists> levels_;
    std::vector<std::vector<Cost>> best_;
};

// Costs are taken relative to each variable's least: none is negative, so what cannot be reached
// stays out of reach.
template <std::size_t W>
std::vector<std::vector<LocalCandidate>> local_candidates(const Problem<W>& problem,
                                                          const std::vector<std::size_t>& members) {
    std::vector<std::vector<LocalCandidate>> local(members.size());
    for (std::size_t v = 0; v < members.size(); ++v) {
        const auto& candidates = problem.candidates[members[v]];
        for (const auto& candidate : candidates)
            local[v].push_back({subset_mask(candidate.parents, members),
                                candidate.cost - candidates.front().cost});
    }
    return local;
}

void check_size(std::size_t n) {
    if (n > max_subset_block) throw std::invalid_argument("the block is too large for subsets");
}

} // namespace

template <std::size_t W>
SubsetCosts subset_costs(const Problem<W>& problem, const std::vector<std::size_t>& members,
                         Control& control) {
    check_size(members.size());
    SubsetProgram program(local_candidates(problem, members), control);
    program.run();
    return std::move(program).costs();
}

template <std::size_t W>
SubsetProgramResult subset_program(const Problem<W>& problem, const NodeSet<W>& block, Cost slack,
                                   Control& control) {
    const auto n = block.size();
    check_size(n);
    struct Reservation {
        Control& control;
        std::size_t bytes;
        ~Reservation() { control.release(bytes); }
    };
    control.reserve(subset_program_bytes(n), "the subset program");
    const Reservation reservation{control, subset_program_bytes(n)};
    std::vector<std::size_t> members;
    block.for_each([&](std::size_t i) { members.push_back(i); });
    Cost base = 0;
    for (const auto v : members) {
        if (problem.candidates[v].empty()) return {};
        base += problem.candidates[v].front().cost;
    }
    SubsetProgram program(local_candidates(problem, members), control);
    const auto optimum = program.run();
    if (!optimum) return {};
    SubsetProgramResult result;
    result.optimum = *optimum + base;
    const auto usable = program.usable(*optimum + slack);
    for (std::size_t v = 0; v < n; ++v) {
        // The program sorted its candidates: find the rows by content.
        const auto& candidates = problem.candidates[members[v]];
        for (const auto& candidate : candidates) {
            const LocalCandidate local_candidate{subset_mask(candidate.parents, members),
                                                 candidate.cost - candidates.front().cost};
            const auto& sorted = program.candidates(v);
            const auto it =
                std::lower_bound(sorted.begin(), sorted.end(), local_candidate, by_cost);
            if (usable[v][static_cast<std::size_t>(it - sorted.begin())])
                result.rows.push_back(candidate.row);
        }
    }
    std::sort(result.rows.begin(), result.rows.end());
    return result;
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template SubsetCosts subset_costs(const Problem<W>&, const std::vector<std::size_t>&,          \
                                      Control&);                                                   \
    template SubsetProgramResult subset_program(const Problem<W>&, const NodeSet<W>&, Cost,        \
                                                Control&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
