// One class, because every step works on the level in work and the one before it; what needs
// less than these has a file of its own (levels, floors, rules, recorder, journal, estimates).
#include "scores/lattice.h"

#include "free_memory.h"
#include "parallel.h"
#include "scores/binomial.h"
#include "scores/floors.h"
#include "scores/joint_rules.h"
#include "scores/memory_estimate.h"
#include "scores/part_record.h"
#include "scores/prefix_view.h"
#include "scores/recorder.h"
#include "scores/stopping.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

namespace crediblenet {

namespace {

template <std::size_t W> class Lattice {
  public:
    Lattice(const Score& score, const LatticeParams<W>& params, Control& control)
        : score_(score), params_(params), control_(control), terms_(score.traits().terms),
          variables_(score.variables()), universe_(params.targets),
          expected_before_(control.forecast().expected) {
        params.targets.for_each([&](std::size_t i) { universe_ |= params.allowed[i]; });
        arity_.resize(variables_);
        for (std::size_t v = 0; v < variables_; ++v) arity_[v] = score.arity(static_cast<Node>(v));
        for (const auto v : params.base) base_states_ *= arity_[v];
        control.reserve(params.threads * score.evaluator_bytes(), "counting");
        workers_.resize(params.threads);
        for (auto& worker : workers_) {
            worker.evaluator = score.evaluator(control);
            worker.terms.resize(terms_);
        }
    }

    LatticeResult<W> run() {
        prepare();
        first_level();
        for (size_ = 1; size_ <= params_.max_added && level_.anything_alive(); ++size_) {
            if (size_ == max_joint_size)
                throw Stopped(StopReason::limit,
                              "parent sets of more than 31 variables: limit their size");
            count_uncounted();
            expect_memory();
            release({&previous_, &previous_extra_});
            auto next = next_level();
            previous_ = std::move(level_);
            previous_extra_ = std::move(extra_);
            level_ = std::move(next);
            extra_ = LatticeLevel<W>(size_ + 1);
        }
        control_.release(params_.threads * score_.evaluator_bytes());
        release({&level_, &extra_, &previous_, &previous_extra_});
        if (size_ <= 3) { // so few levels that nothing was said of those to come
            const auto now = static_cast<double>(control_.memory());
            control_.expect_memory(std::max(expected_before_, now + ordering(0)));
        }
        return std::move(result_);
    }

  private:
    using Part = LevelPart<W>;

    void prepare() {
        PruningParams pruning;
        pruning.epsilon = params_.epsilon;
        pruning.rules = params_.rules;
        pruning.base_size = params_.base.size();
        pruning.target.assign(variables_, false);
        pruning.base_cost.assign(variables_, 0);
        pruning.least_arity.assign(variables_, 1);
        base_terms_.resize(terms_);
        auto& worker = workers_[0];
        worker.evaluator->set_prefix(params_.base);
        worker.evaluator->evaluate(base_terms_);
        params_.targets.for_each([&](std::size_t i) {
            pruning.target[i] = true;
            worker.evaluator->evaluate(static_cast<Node>(i), worker.terms);
            pruning.base_cost[i] =
                worker.evaluator->cost(static_cast<Node>(i), worker.terms, base_terms_);
            auto least = std::numeric_limits<std::uint32_t>::max();
            params_.allowed[i].for_each([&](std::size_t j) { least = std::min(least, arity_[j]); });
            pruning.least_arity[i] = least;
        });
        const auto floors = find_floors(score_, params_.base, params_.targets, params_.allowed,
                                        universe_, params_.threads, control_);
        stop_if_asked();
        pruning.floor = floors.target;
        pruning.floor_all = floors.all;
        pruning_ = std::make_unique<Pruning>(score_, pruning);
        rules_ = std::make_unique<JointRules>(*pruning_, arity_, terms_);
        recorder_ = std::make_unique<Recorder<W>>(score_, *pruning_, arity_, params_.base,
                                                  base_terms_, params_.max_added);
        expected_levels_ = std::max<std::size_t>(
            1, std::min(params_.max_added, pruning_->largest_addition(variables_)));
    }

    // Says how much memory the search is going to take, as far as the sets of this size tell.
    void expect_memory() {
        const auto alive = level_.alive_counts(variables_);
        const auto found = result_.candidates.size();
        const auto kept = static_cast<double>(found - smaller_candidates_);
        smaller_candidates_ = found;
        if (size_ == 2) alone_alive_ = alive;
        if (size_ < 3 || size_ > 4) return;
        const auto now = static_cast<double>(level_.reserved + extra_.reserved);
        const auto growth =
            expected_growth(alone_alive_, alive, size_ - 1, expected_levels_, {now, kept});
        const auto before = static_cast<double>(previous_.reserved + previous_extra_.reserved);
        const auto rest = static_cast<double>(control_.memory()) - now - before;
        const auto further = growth.candidates * sizeof(ScoredSet<W>);
        const auto largest = std::max(growth.levels, ordering(growth.candidates));
        control_.expect_memory(std::max(expected_before_, rest + further + largest));
    }

    // Bytes that it takes to put all candidates in order, so many more than there are now.
    [[nodiscard]] double ordering(double further) const {
        const auto found = params_.found_before + result_.candidates.size();
        return (static_cast<double>(found) + further) *
               static_cast<double>(ordering_bytes(variables_));
    }

    void stop_if_asked() const {
        throw_if_stopped(control_, "parent sets of size " + std::to_string(size_) + " were scored");
    }

    void release(std::initializer_list<LatticeLevel<W>*> levels) {
        std::size_t freed = 0;
        for (auto* level : levels) freed += std::exchange(*level, {}).reserved;
        control_.release(freed);
        return_free_memory(freed);
    }

    // ---- The work, in parts -----------------------------------------------------

    // `reports`: whether this is the work that the progress is about.
    template <class F> std::vector<Part> in_parts(std::size_t count, F&& f, bool reports = false) {
        std::atomic<std::size_t> done{0};
        // Not by threads: a journal's pieces are the same for any number of them. Small ones:
        // the first prefixes have by far the most sets.
        constexpr std::size_t pieces = 4096;
        const auto chunk = std::max<std::size_t>(1, count / pieces);
        std::vector<Part> parts((count + chunk - 1) / chunk);
        parallel_for(count, chunk, params_.threads, control_,
                     [&](std::size_t begin, std::size_t end, unsigned thread) {
                         auto& part = parts[begin / chunk];
                         std::size_t announced = 0;
                         if (!restore(begin, part)) {
                             auto& worker = workers_[thread];
                             worker.removed = {};
                             worker.record.begin(terms_journal_, terms_key(), begin);
                             for (auto task = begin; task < end && !control_.poll(); ++task) {
                                 f(task, part, worker);
                                 announce(part, announced);
                             }
                             part.removed = worker.removed;
                             if (journal_ != nullptr && !control_.stopped())
                                 journal_->add(params_.number, begin, to_record(part));
                             if (!worker.record.fresh().empty() && !control_.stopped())
                                 terms_journal_->add(terms_key(), begin, worker.record.fresh());
                         }
                         part.shrink();
                         announce(part, announced);
                         control_.visited += part.counted;
                         control_.found += part.candidates.size();
                         done += end - begin;
                         if (reports)
                             report(static_cast<double>(done) / static_cast<double>(count));
                     });
        stop_if_asked();
        for (const auto& part : parts) result_.removed += part.removed;
        return parts;
    }

    // Announces how much a part has grown, given what was announced of it before.
    void announce(const Part& part, std::size_t& announced) const {
        const auto bytes = part.bytes();
        control_.reserve(bytes - announced, "scoring");
        announced = bytes;
    }

    void report(double share) const {
        control_.fraction = std::min(1.0, (static_cast<double>(size_ - 1) + share) /
                                              static_cast<double>(expected_levels_));
    }

    // Where the journal has the terms of the level in work: which search, sets of which size,
    // and whether they are counted on their own.
    [[nodiscard]] std::uint64_t terms_key() const {
        return params_.number | (size_ + 1) << 32 | std::uint64_t{counts_alone_} << 48;
    }

    // Takes a piece of the last level from the journal; whether it is there.
    bool restore(std::size_t begin, Part& part) const {
        if (journal_ == nullptr) return false;
        const auto record = journal_->find(params_.number, begin);
        NodeSet<W> base;
        for (const auto v : params_.base) base.insert(v);
        if (from_record(record, params_.targets, params_.allowed, base, part)) return true;
        part = {};
        return false;
    }

    LatticeLevel<W> join(std::vector<Part>& parts, std::size_t set_size) {
        LatticeLevel<W> level(set_size);
        std::size_t groups = 0;
        for (const auto& part : parts) groups += part.groups.size();
        level.groups.reserve(groups);
        level.alive.reserve(groups * set_size);
        for (auto& part : parts) {
            level.reserved += part.bytes() - part.candidates.bytes();
            for (auto& group : part.groups) {
                group.block = static_cast<std::uint32_t>(level.blocks.size());
                level.groups.push_back(group);
            }
            level.alive.insert(level.alive.end(), part.alive.begin(), part.alive.end());
            if (!part.groups.empty()) level.blocks.push_back(std::move(part.block));
            // R1 keeps every set that is cheaper than its subsets, hence the cheapest.
            if (set_size <= params_.max_added)
                part.candidates.for_each([&](const ScoredSet<W>& candidate) {
                    rules_->note(candidate.child, candidate.cost);
                });
            result_.candidates.append(std::move(part.candidates));
            result_.counted += part.counted;
            result_.scored += part.scored;
            part = {};
        }
        level.index();
        return level;
    }

    // ---- Levels -----------------------------------------------------------------

    void first_level() {
        auto& worker = workers_[0];
        worker.evaluator->set_prefix(params_.base);
        std::vector<Part> parts(1);
        OpenGroup<W> open;
        universe_.for_each([&](std::size_t v) {
            JointSet joint{};
            joint.size = 1;
            joint.member[0] = static_cast<Node>(v);
            joint.alive = params_.targets.contains(v) ? 1 : 0;
            joint.states = base_states_ * arity_[v];
            MemberCosts least;
            least.fill(unreachable_cost);
            worker.evaluator->evaluate(static_cast<Node>(v), worker.terms);
            recorder_->record(worker, parts[0], open, joint, least);
        });
        open.close(parts[0], {}, 1);
        result_.removed += worker.removed;
        parts[0].shrink();
        control_.reserve(parts[0].bytes(), "scoring");
        level_ = join(parts, 1);
    }

    // Parent sets that have no alive member of their own were not counted with their level.
    // Finds those that the next level needs and counts them.
    void count_uncounted() {
        const auto counted = static_cast<double>(level_.counted());
        if (counted == binomial(universe_.size(), size_, counted)) return; // none are left out
        auto parts =
            in_parts(level_.groups.size(), [&](std::size_t g, Part& part, LatticeWorker& worker) {
                for_each_prefix(level_.groups[g], [&](const PrefixView<W>& view) {
                    JointSet joint = joint_set(view);
                    MemberCosts least;
                    for (std::size_t t = 0; t <= view.size(); ++t)
                        view.uncounted(t).for_each([&](std::size_t j) {
                            extend(joint, view, j);
                            joint.alive = Positions{1} << t;
                            rules_->apply(joint, least, worker.removed);
                            if (joint.alive == 0) return;
                            auto set = view.prefix();
                            set.insert(j);
                            set.erase(joint.member[t]);
                            part.uncounted.push_back(set);
                        });
                });
            });
        std::vector<NodeSet<W>> sets;
        for (auto& part : parts) {
            sets.insert(sets.end(), part.uncounted.begin(), part.uncounted.end());
            control_.release(part.bytes());
        }
        std::sort(sets.begin(), sets.end(), lexicographic<W>);
        sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
        if (sets.empty()) return;

        std::vector<std::size_t> starts; // where each prefix begins
        auto prefix_of = [&](std::size_t k) {
            auto prefix = sets[k];
            prefix.erase(highest(prefix));
            return prefix;
        };
        for (std::size_t k = 0; k < sets.size(); ++k)
            if (k == 0 || prefix_of(k) != prefix_of(k - 1)) starts.push_back(k);
        starts.push_back(sets.size());
        keep_terms(true);
        parts =
            in_parts(starts.size() - 1, [&](std::size_t task, Part& part, LatticeWorker& worker) {
                OpenGroup<W> open;
                for (auto k = starts[task]; k < starts[task + 1]; ++k)
                    count_alone(sets[k], worker, part, open);
                open.close(part, prefix_of(starts[task]), size_);
            });
        terms_journal_ = nullptr;
        extra_ = join(parts, size_);
    }

    // Keeps the terms that are counted next, or takes them from the journal. Only where they
    // are all that a cost depends on.
    void keep_terms(bool alone) {
        counts_alone_ = alone;
        terms_journal_ = score_.traits().equivalent ? params_.journal : nullptr;
    }

    void count_alone(const NodeSet<W>& set, LatticeWorker& worker, Part& part, OpenGroup<W>& open) {
        JointSet joint{};
        joint.states = base_states_;
        set.for_each([&](std::size_t x) {
            joint.states *= arity_[x];
            joint.member[joint.size++] = static_cast<Node>(x);
        });
        for (std::size_t t = 0; t < joint.size && pruning_->uses_r5(); ++t) {
            auto rest = set;
            rest.erase(joint.member[t]);
            joint.without[t] = previous_.find_set(rest);
            if (!joint.without[t]) joint.without[t] = previous_extra_.find_set(rest);
        }
        bool prefix_set = false;
        evaluate(worker, joint, prefix_set);
        recorder_->record(worker, part, open, joint, {});
    }

    LatticeLevel<W> next_level() {
        journal_ = size_ == params_.max_added ? params_.journal : nullptr;
        if (journal_ == nullptr) keep_terms(false);
        auto parts = in_parts(
            level_.groups.size(),
            [&](std::size_t g, Part& part, LatticeWorker& worker) {
                for_each_prefix(level_.groups[g], [&](const PrefixView<W>& view) {
                    OpenGroup<W> open;
                    count_with_prefix(view, worker, part, open);
                    open.close(part, view.prefix(), size_ + 1);
                });
            },
            true);
        terms_journal_ = nullptr;
        return join(parts, size_ + 1);
    }

    // Calls f with a view of every prefix that is made of the group's prefix and one more
    // member, and has a set with an alive member.
    template <class F> void for_each_prefix(const Group<W>& group, F&& f) const {
        PrefixView<W> view(level_, group, universe_);
        view.further_members().for_each([&](std::size_t p) {
            if (control_.stopped() || !view.move(p)) return;
            if (size_ == 1) { // arcs that are not allowed end here
                view.inherits(0) &= params_.allowed[p];
                NodeSet<W> children;
                view.inherits(1).for_each([&](std::size_t j) {
                    if (params_.allowed[j].contains(p)) children.insert(j);
                });
                view.inherits(1) = children;
            }
            f(view);
        });
    }

    // T = P ∪ {j} for a j that `extend` sets.
    [[nodiscard]] JointSet joint_set(const PrefixView<W>& view) const {
        JointSet joint;
        joint.size = view.size() + 1;
        for (std::size_t t = 0; t < view.size(); ++t) joint.member[t] = view.member(t);
        return joint;
    }
    void extend(JointSet& joint, const PrefixView<W>& view, std::size_t j) const {
        joint.member[view.size()] = static_cast<Node>(j);
        joint.states = base_states_;
        for (std::size_t t = 0; t <= view.size(); ++t) {
            joint.states *= arity_[joint.member[t]];
            joint.without[t] = view.without(t, j);
        }
    }

    void count_with_prefix(const PrefixView<W>& view, LatticeWorker& worker, Part& part,
                           OpenGroup<W>& open) {
        std::array<NodeSet<W>, max_joint_size> usable; // [t]: j with member t still alive
        std::array<const Group<W>*, max_joint_size> extra{};
        NodeSet<W> any;
        const auto size = view.size();
        for (std::size_t t = 0; t <= size; ++t) {
            usable[t] = view.parental(t);
            const auto uncounted = view.uncounted(t);
            auto useless = (view.inherits(t) - usable[t]) - uncounted;
            if (!uncounted.empty()) {
                auto rest = view.prefix(); // the prefix of T \ {member t}
                rest.erase(view.member(t == size ? t - 1 : t));
                extra[t] = extra_.find_group(rest);
                if (extra[t] != nullptr && t < size) {
                    usable[t] |= uncounted & extra[t]->parental;
                    useless |=
                        uncounted & ((extra[t]->stored - extra[t]->parental) | extra[t]->dead);
                } else if (extra[t] != nullptr) {
                    const auto p = view.member(size - 1);
                    (extra[t]->parental.contains(p) ? usable[t] : useless) |= uncounted;
                }
            }
            worker.removed.r5 += useless.size();
            any |= usable[t];
        }
        JointSet joint = joint_set(view);
        MemberCosts least;
        bool prefix_set = false;
        any.for_each([&](std::size_t j) {
            if (control_.stopped()) return; // what is left undone is thrown away
            extend(joint, view, j);
            joint.alive = 0;
            for (std::size_t t = 0; t <= size; ++t) {
                joint.alive |= static_cast<Positions>(usable[t].contains(j)) << t;
                if (!joint.without[t])
                    joint.without[t] = extra_.find(*extra[t], t == size ? view.member(t - 1) : j);
            }
            rules_->apply(joint, least, worker.removed);
            if (joint.alive == 0) return;
            evaluate(worker, joint, prefix_set);
            recorder_->record(worker, part, open, joint, least);
        });
    }

    // Counts a set. `prefix_set`: whether one with the same members, but for the last two, has
    // been counted before it.
    void evaluate(LatticeWorker& worker, const JointSet& joint, bool& prefix_set) const {
        if (worker.record.take(worker.terms)) return;
        if (!prefix_set) set_prefix(worker, joint);
        prefix_set = true;
        worker.evaluator->evaluate(joint.member[joint.size - 2], joint.member[joint.size - 1],
                                   worker.terms);
        worker.record.keep(worker.terms);
    }
    void set_prefix(LatticeWorker& worker, const JointSet& joint) const {
        const auto added = joint.size < 2 ? 0 : joint.size - 2;
        worker.prefix.assign(params_.base.begin(), params_.base.end());
        worker.prefix.insert(worker.prefix.end(), joint.member.begin(),
                             joint.member.begin() + static_cast<std::ptrdiff_t>(added));
        worker.evaluator->set_prefix(worker.prefix);
    }

    const Score& score_;
    const LatticeParams<W>& params_;
    Control& control_;
    std::size_t terms_;
    std::size_t variables_;
    NodeSet<W> universe_; // the targets and their possible parents
    std::vector<std::uint32_t> arity_;
    double base_states_ = 1;
    std::vector<Cost> base_terms_;
    std::unique_ptr<Pruning> pruning_;
    std::unique_ptr<JointRules> rules_;
    std::unique_ptr<Recorder<W>> recorder_;
    std::vector<LatticeWorker> workers_;
    std::size_t expected_levels_ = 1;

    AliveCounts alone_alive_;            // parents that are alive on their own
    std::size_t smaller_candidates_ = 0; // found with the levels before this one
    double expected_before_ = 0;         // bytes, for the searches before this one
    std::size_t size_ = 1;               // of the sets in level_
    LatticeLevel<W> level_;              // the sets of this size
    LatticeLevel<W> extra_;              // further ones that are needed as parent sets only
    LatticeLevel<W> previous_;           // sets smaller by one, for counting the further ones
    LatticeLevel<W> previous_extra_;
    Journal* journal_ = nullptr;       // set during the last level, for candidates
    Journal* terms_journal_ = nullptr; // set while sets are counted, for their terms
    bool counts_alone_ = false;
    LatticeResult<W> result_;
};

} // namespace

template <std::size_t W>
LatticeResult<W> search_lattice(const Score& score, const LatticeParams<W>& params,
                                Control& control) {
    return Lattice<W>(score, params, control).run();
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template LatticeResult<W> search_lattice(const Score&, const LatticeParams<W>&, Control&);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
