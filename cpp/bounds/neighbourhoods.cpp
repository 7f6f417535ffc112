#include "bounds/neighbourhoods.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numbers>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace crediblenet {

namespace {

// Some of the members that are chosen anew, by their places.
using SubsetOfMembers = std::uint32_t;

// A network: the candidate of each variable, and an order with parents before children.
template <std::size_t W> class ChosenNetwork {
  public:
    ChosenNetwork(const Problem<W>& problem, std::span<const std::uint32_t> rows)
        : problem_(&problem) {
        if (rows.size() != problem.n_variables())
            throw std::invalid_argument("one row per variable is needed");
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto& list = problem.candidates[i];
            const auto at = std::ranges::find(list, rows[i], &Candidate<W>::row);
            if (at == list.end())
                throw std::invalid_argument("a row is no candidate of its variable");
            choice_.push_back(static_cast<std::size_t>(at - list.begin()));
            cost_ += at->cost;
        }
        sort();
    }

    const Candidate<W>& operator[](std::size_t i) const {
        return problem_->candidates[i][choice_[i]];
    }
    [[nodiscard]] Cost cost() const { return cost_; }
    [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }

    // Another candidate; the order is not known then.
    void choose(std::size_t i, std::size_t candidate) {
        cost_ -= (*this)[i].cost;
        choice_[i] = candidate;
        cost_ += (*this)[i].cost;
    }

    // Finds an order. Throws when there is none.
    void sort() {
        order_.clear();
        begun_ = placed_ = {};
        for (std::size_t i = 0; i < choice_.size(); ++i) place(i);
    }

    [[nodiscard]] FoundNetwork found() const {
        FoundNetwork network{cost_, {}};
        for (std::size_t i = 0; i < choice_.size(); ++i) network.rows.push_back((*this)[i].row);
        return network;
    }

  private:
    // Places what a variable needs, then the variable.
    void place(std::size_t i) {
        if (placed_.contains(i)) return;
        if (begun_.contains(i)) throw std::invalid_argument("the rows have a cycle");
        begun_.insert(i);
        (*this)[i].parents.for_each([&](std::size_t parent) { place(parent); });
        placed_.insert(i);
        order_.push_back(i);
    }

    const Problem<W>* problem_;
    std::vector<std::size_t> choice_;
    std::vector<std::size_t> order_;
    NodeSet<W> begun_, placed_; // while they are sorted
    Cost cost_ = 0;
};

template <std::size_t W> class NeighbourhoodSearch {
  public:
    NeighbourhoodSearch(const Problem<W>& problem, const ChosenNetwork<W>& start,
                        std::span<const double> x, const NeighbourhoodOptions& options)
        : problem_(problem), n_(problem.n_variables()), options_(options), network_(start),
          close_(n_), reached_(n_), random_(options.seed) {
        find_close(x);
    }

    FoundNetwork run(Control& control) {
        auto best = network_.found();
        std::vector<std::size_t> starts(n_);
        std::iota(starts.begin(), starts.end(), std::size_t{0});
        for (std::size_t at = n_; work_ < options_.work && !control.poll(); ++at) {
            if (at >= n_) {
                shuffle(starts);
                at = 0;
            }
            cool_down();
            choose_anew(grown(starts[at]));
            if (network_.cost() < best.cost) best = network_.found();
        }
        return best;
    }

  private:
    // Variables that are chosen anew together: the work for each doubles with every one, and more
    // moves do more than larger ones.
    static constexpr std::size_t most_members = 8;
    // Variables belong together if one is a parent in so many of the best candidates of the other.
    static constexpr std::size_t few_candidates = 16;
    // This share of the work is done when nothing is hot any more.
    static constexpr double cold = 0.1;
    // Candidates that cost more than can be saved otherwise, by so many times the heat, are left
    // out: they would hardly ever be chosen.
    static constexpr Cost warm = 5;

    struct LocalOption {
        SubsetOfMembers inside;
        Cost cost; // raised
        std::size_t candidate;
    };

    // std::uniform_int_distribution differs between standard libraries.
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

    void shuffle(std::vector<std::size_t>& list) {
        for (auto i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
    }

    void cool_down() {
        const double left =
            1 - static_cast<double>(work_) / static_cast<double>(options_.work) - cold;
        heat_ = left > 0 ? static_cast<double>(options_.heat) * left / (1 - cold) : 0;
    }

    // By how much a cost is raised: exponentially distributed, but for straight lines between the
    // powers of two, so that it is the same on every machine.
    Cost raise() {
        if (heat_ == 0) return 0;
        const auto bits = random_();
        const auto zeros = std::countl_zero(bits | 1);
        const auto fraction = static_cast<double>(random_() >> 11) * 0x1p-53;
        return static_cast<Cost>((zeros + fraction) * std::numbers::ln2 * heat_);
    }

    void find_close(std::span<const double> x) {
        std::vector<NodeSet<W>> close(n_);
        for (std::size_t i = 0; i < n_; ++i) {
            const auto& list = problem_.candidates[i];
            auto parents = network_[i].parents;
            for (std::size_t c = 0; c < list.size(); ++c)
                if (x.empty() ? c < few_candidates : x[list[c].row] > 0) parents |= list[c].parents;
            close[i] |= parents;
            parents.for_each([&](std::size_t parent) { close[parent].insert(i); });
        }
        for (std::size_t i = 0; i < n_; ++i)
            close[i].for_each([&](std::size_t other) { close_[i].push_back(other); });
    }

    // Variables around one, in random order: so others come first among equally good choices.
    std::vector<std::size_t> grown(std::size_t start) {
        std::vector<std::size_t> members{start};
        auto inside = NodeSet<W>::single(start);
        // One whose neighbours are all inside is drawn in vain: not for ever.
        for (std::size_t tries = 0; members.size() < most_members && tries < 8 * most_members;
             ++tries) {
            const auto& near = close_[members[below(members.size())]];
            if (near.empty()) continue;
            const auto next = near[below(near.size())];
            if (inside.contains(next)) continue;
            inside.insert(next);
            members.push_back(next);
        }
        shuffle(members);
        return members;
    }

    // Which members a set of parents stands for.
    SubsetOfMembers inside(const NodeSet<W>& parents) const {
        SubsetOfMembers members = 0;
        parents.for_each([&](std::size_t parent) { members |= reached_[parent]; });
        return members;
    }

    void choose_anew(const std::vector<std::size_t>& members) {
        const auto everyone = (SubsetOfMembers{1} << members.size()) - 1;
        std::vector<SubsetOfMembers> own(n_, 0);
        for (std::size_t j = 0; j < members.size(); ++j) own[members[j]] = SubsetOfMembers{1} << j;
        for (const auto i : network_.order())
            reached_[i] = own[i] != 0 ? own[i] : inside(network_[i].parents);
        Cost now = 0, savings = 0;
        for (const auto i : members) {
            now += network_[i].cost;
            savings += network_[i].cost - problem_.candidates[i].front().cost;
        }
        savings += warm * static_cast<Cost>(heat_);
        for (std::size_t j = 0; j < members.size(); ++j) tabulate(j, members[j], savings, everyone);
        least_.assign(everyone + 1, infeasible);
        least_[0] = 0;
        for (SubsetOfMembers s = 1; s <= everyone; ++s)
            for (std::size_t j = 0; j < members.size(); ++j)
                if (s >> j & 1) least_[s] = std::min(least_[s], with_last(j, s));
        work_ += n_ + (members.size() << members.size());
        // A choice that is as good is taken: so the search does not stand still.
        if (heat_ > 0 || least_[everyone] <= now) take(members, everyone);
    }

    // The least cost of a subset whose last member is this one.
    Cost with_last(std::size_t j, SubsetOfMembers subset) const {
        const auto before = subset ^ (SubsetOfMembers{1} << j);
        return least_[before] + best_[j][before];
    }

    // The least cost of a member with parents inside each subset of the members.
    void tabulate(std::size_t j, std::size_t i, Cost savings, SubsetOfMembers everyone) {
        auto& best = best_[j];
        best.assign(everyone + 1, infeasible);
        options_of_[j].clear();
        const auto& list = problem_.candidates[i];
        for (std::size_t c = 0; c < list.size(); ++c) {
            if (list[c].cost - list.front().cost > savings) break;
            ++work_;
            const LocalOption option{inside(list[c].parents), list[c].cost + raise(), c};
            if (option.inside >> j & 1) continue;
            options_of_[j].push_back(option);
            best[option.inside] = std::min(best[option.inside], option.cost);
        }
        for (SubsetOfMembers bit = 1; bit <= everyone; bit <<= 1)
            for (auto s = bit; s <= everyone; s = (s + 1) | bit)
                best[s] = std::min(best[s], best[s ^ bit]);
    }

    // From the last member to the first: who can be last at the least cost, and with what.
    void take(const std::vector<std::size_t>& members, SubsetOfMembers everyone) {
        for (auto s = everyone; s != 0;) {
            std::size_t j = 0;
            while (!(s >> j & 1) || least_[s] != with_last(j, s)) ++j;
            s ^= SubsetOfMembers{1} << j;
            const auto taken = std::ranges::find_if(options_of_[j], [&](const LocalOption& option) {
                return option.cost == best_[j][s] && (option.inside & ~s) == 0;
            });
            network_.choose(members[j], taken->candidate);
        }
        network_.sort();
    }

    const Problem<W>& problem_;
    std::size_t n_;
    NeighbourhoodOptions options_;
    ChosenNetwork<W> network_;
    std::vector<std::vector<std::size_t>> close_; // variables that belong to each
    std::vector<SubsetOfMembers> reached_;        // from which members, by variable
    std::array<std::vector<LocalOption>, most_members> options_of_; // of each member
    std::array<std::vector<Cost>, most_members> best_; // of each member after each subset
    std::vector<Cost> least_;                          // of each subset
    std::mt19937_64 random_;
    std::uint64_t work_ = 0;
    double heat_ = 0;
};

} // namespace

template <std::size_t W>
FoundNetwork search_neighbourhoods(const Problem<W>& problem, std::span<const std::uint32_t> rows,
                                   std::span<const double> x, const NeighbourhoodOptions& options,
                                   Control& control) {
    const ChosenNetwork<W> start(problem, rows);
    return NeighbourhoodSearch<W>(problem, start, x, options).run(control);
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template FoundNetwork search_neighbourhoods(const Problem<W>&, std::span<const std::uint32_t>, \
                                                std::span<const double>,                           \
                                                const NeighbourhoodOptions&, Control&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
