#include "scores/scoring.h"

#include "parallel.h"
#include "scores/lattice.h"
#include "scores/memory_estimate.h"
#include "scores/pruning.h"
#include "scores/stopping.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

namespace crediblenet {

namespace {

// A grid of 2^-20 is about as coarse as the tolerance τ = 1e-6.
constexpr int coarsest_grid = 20;

// The cost of one variable with exactly its required parents.
Cost base_cost(const Score& score, Evaluator& evaluator, const std::vector<Node>& base,
               Node child) {
    std::vector<Cost> parents(score.traits().terms), family(score.traits().terms);
    evaluator.set_prefix(base);
    evaluator.evaluate(parents);
    evaluator.evaluate(child, family);
    return evaluator.cost(child, family, parents);
}

// Decision 0002: the finest grid on which the cost of every network made of candidates is
// exact in a double. A candidate costs at most ε more than the required parents alone, and at
// least what the score says.
int choose_grid(Score& score, const ScoringParams& params, Control& control) {
    const auto n = score.variables();
    score.set_grid_bits(std::min(16, score.grid_bits())); // coarse, so that it reaches far
    const auto evaluator = score.evaluator(control);
    long double bound = 1;
    for (std::size_t i = 0; i < n; ++i) {
        const auto cost = base_cost(score, *evaluator, params.required[i], static_cast<Node>(i));
        if (cost >= unreachable_cost)
            throw Stopped(StopReason::limit, "the required parents of variable " +
                                                 std::to_string(i) +
                                                 " have too many joint states to be scored");
        const auto base = std::ldexp(static_cast<long double>(cost), -score.grid_bits());
        bound += std::max(std::abs(base), score.depth(static_cast<Node>(i)));
    }
    constexpr int exact_bits = 52, reachable_bits = 60;
    if (std::isfinite(params.epsilon) && params.rules.r1)
        return exact_bits - static_cast<int>(std::ceil(
                                std::log2(bound + static_cast<long double>(n) * params.epsilon)));
    // Sets are kept whatever they cost: each must at least have a place on the grid.
    const auto members = params.max_parents < n ? params.max_parents + 1 : n;
    const auto largest = std::log2(bound + score.largest_penalty(members));
    if (!(largest < reachable_bits - coarsest_grid))
        throw Stopped(StopReason::limit, "without pruning, parent sets have too many joint states "
                                         "to be scored; give a finite epsilon and use rule R1, or "
                                         "limit the number of parents");
    return std::min(exact_bits - static_cast<int>(std::ceil(std::log2(bound))),
                    reachable_bits - static_cast<int>(std::ceil(largest)));
}

// Searches follow each other: only the candidates of those before are still there.
template <std::size_t W>
void foresee_memory(const Score& score, const std::vector<LatticeParams<W>>& searches,
                    std::size_t constant, Control& control) {
    SearchMemory all;
    bool prunes = false;
    for (const auto& search : searches) {
        const auto one = foresee_memory(score, search);
        all.least = std::max(all.least, all.least_candidates + one.least);
        all.most = std::max(all.most, all.most_candidates + one.most);
        all.least_candidates += one.least_candidates;
        all.most_candidates += one.most_candidates;
        prunes = drops_families(score.traits(), search.rules, search.epsilon);
    }
    const auto before = static_cast<double>(control.memory());
    auto working = before;
    if (!searches.empty())
        working += static_cast<double>(searches[0].threads * score.evaluator_bytes());
    // In the end all candidates are put in order, those of constant columns among them.
    all.most_candidates += static_cast<double>(constant * sizeof(ScoredSet<W>));
    const auto at_the_end = [&](double candidates) { // in bytes
        return candidates / sizeof(ScoredSet<W>) *
               static_cast<double>(sizeof(ScoredSet<W>) + ordering_bytes(score.variables()));
    };
    const auto least = std::max(working + all.least, before + at_the_end(all.least_candidates));
    const auto most = std::max(working + all.most, before + at_the_end(all.most_candidates));
    control.foresee_memory(least, most,
                           "scoring the parent sets of " + std::to_string(score.variables()) +
                               " variables");
    if (!prunes) control.expect_memory(most);
}

// One candidate's place in the order.
template <std::size_t W> struct Ranked {
    Cost cost = 0;
    const ScoredSet<W>* candidate = nullptr;
};
static_assert(sizeof(Ranked<1>) == sizeof(Cost) + sizeof(void*)); // as ordering_bytes has it

// Writes the candidates to the result: those of a child together, by cost, then by parents.
template <std::size_t W>
void put_in_order(const Piecewise<ScoredSet<W>>& candidates, std::size_t variables,
                  unsigned threads, Control& control, ScoringResult& result) {
    auto& offsets = result.offsets;
    offsets.assign(variables + 1, 0);
    candidates.for_each([&](const ScoredSet<W>& candidate) { ++offsets[candidate.child + 1u]; });
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    const auto count = offsets.back(), bytes = count * ordering_bytes(variables);
    control.reserve(bytes, "scoring");

    std::vector<Ranked<W>> order(count);
    auto next = offsets;
    candidates.for_each([&](const ScoredSet<W>& candidate) {
        order[next[candidate.child]++] = {candidate.cost, &candidate};
    });
    parallel_for(variables, 1, threads, control, [&](std::size_t i, std::size_t, unsigned) {
        const auto begin = order.begin() + static_cast<std::ptrdiff_t>(offsets[i]);
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]);
        std::sort(begin, end, [](const auto& a, const auto& b) {
            return a.cost != b.cost ? a.cost < b.cost : a.candidate->parents < b.candidate->parents;
        });
    });
    throw_if_stopped(control, "parent sets were put in order");

    const auto words = static_cast<std::ptrdiff_t>((variables + 63) / 64);
    result.parents.reserve(count * static_cast<std::size_t>(words));
    result.costs.reserve(count);
    for (const auto& [cost, candidate] : order) {
        const auto& set = candidate->parents.word;
        result.parents.insert(result.parents.end(), set.begin(), set.begin() + words);
        result.costs.push_back(cost);
    }
    control.release(bytes);
}

template <std::size_t W>
ScoringResult score_with_width(Score& score, const ScoringParams& params, Control& control) {
    const auto n = score.variables();
    score.set_grid_bits(choose_grid(score, params, control));
    if (score.grid_bits() < coarsest_grid)
        throw std::overflow_error("costs are so large that rounding would decide which networks "
                                  "are credible: use fewer rows, or an ess nearer to 1");

    NodeSet<W> varying;
    for (std::size_t v = 0; v < n; ++v)
        if (!params.constant[v]) varying.insert(v);

    ScoringResult result;
    result.grid_bits = score.grid_bits();
    Piecewise<ScoredSet<W>> candidates;
    // One search for all variables that require the same parents.
    std::map<std::vector<Node>, NodeSet<W>> searches;
    for (std::size_t i = 0; i < n; ++i) {
        if (params.constant[i]) {
            const auto evaluator = score.evaluator(control);
            const auto cost = base_cost(score, *evaluator, {}, static_cast<Node>(i));
            candidates.push_back({{}, cost, static_cast<Node>(i)});
            continue;
        }
        auto required = params.required[i];
        std::sort(required.begin(), required.end());
        searches[required].insert(i);
    }
    std::vector<LatticeParams<W>> lattices;
    for (const auto& [base, targets] : searches) {
        auto& lattice = lattices.emplace_back();
        lattice.epsilon = params.epsilon;
        lattice.rules = params.rules;
        lattice.base = base;
        lattice.targets = targets;
        lattice.allowed.resize(n);
        targets.for_each([&](std::size_t i) {
            lattice.allowed[i] = varying;
            lattice.allowed[i].erase(i);
            for (const auto v : params.forbidden[i]) lattice.allowed[i].erase(v);
            for (const auto v : base) lattice.allowed[i].erase(v);
        });
        lattice.max_added = params.max_parents > base.size() ? params.max_parents - base.size() : 0;
        lattice.threads = std::max(1u, params.threads);
        lattice.journal = params.journal;
        lattice.number = lattices.size() - 1;
    }
    foresee_memory(score, lattices, candidates.size(), control);
    for (auto& lattice : lattices) {
        lattice.found_before = candidates.size();
        auto part = search_lattice(score, lattice, control);
        candidates.append(std::move(part.candidates));
        result.removed += part.removed;
        result.counted += part.counted;
        result.scored += part.scored;
    }

    put_in_order(candidates, n, std::max(1u, params.threads), control, result);
    return result;
}

} // namespace

ScoringResult score_parent_sets(Score& score, const ScoringParams& params, Control& control) {
    return with_width(score.variables(), [&](auto width) {
        return score_with_width<width()>(score, params, control);
    });
}

} // namespace crediblenet
