#include "scores/lattice.h"

#include "parallel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace crediblenet {

namespace {

constexpr std::size_t nowhere = max_joint_size;

// A joint set that may belong to the next level, with its immediate subsets.
struct JointSet {
    std::array<Node, max_joint_size> member{};    // ascending
    std::array<SetRef, max_joint_size> without{}; // without[t] is T \ {member[t]}
    std::size_t size = 0;
    std::size_t absent = nowhere; // the only t for which without[t] was never counted
    Positions alive = 0;          // members i for which every T \ {x}, x ≠ i, has i alive
};

template <std::size_t W> class Lattice {
  public:
    Lattice(const Score& score, const LatticeParams<W>& params, Control& control)
        : score_(score), params_(params), control_(control), traits_(score.traits()),
          unit_(std::ldexp(1.0, -score.grid_bits())),
          epsilon_(params.epsilon + 4 * score.error() + 1e-9),
          epsilon_units_(static_cast<Cost>(std::min(std::floor(params.epsilon / unit_), 0x1p61))),
          universe_(params.targets) {
        params.targets.for_each([&](std::size_t i) { universe_ |= params.allowed[i]; });
        uses_r5_ = params.rules.r5 && traits_.penalized_entropy;
    }

    LatticeResult<W> run() {
        prepare();
        first_level();
        for (size_ = 1; size_ <= params_.max_added && !level_.groups.empty(); ++size_) {
            if (size_ + 1 > max_joint_size)
                throw Stopped(StopReason::limit,
                              "more than 31 parents in one set: give a limit on parents");
            count_missing();
            previous_ = {};
            previous_extra_ = {};
            auto next = next_level();
            previous_ = std::move(level_);
            previous_extra_ = std::move(extra_);
            level_ = std::move(next);
            extra_ = {};
        }
        result_.removed = removed_;
        return std::move(result_);
    }

  private:
    // What one thread works with.
    struct Worker {
        std::unique_ptr<Evaluator> evaluator;
        std::vector<Node> prefix; // the base, then the prefix of the joint set
        std::vector<Cost> terms;
        RuleCounters removed;
    };
    // What one chunk of the work gives, in order.
    struct Part {
        std::vector<Group<W>> groups;
        Block block;
        std::vector<Candidate<W>> candidates;
        std::vector<NodeSet<W>> missing;
        std::uint64_t counted = 0, scored = 0;
    };

    void prepare() {
        const auto n = score_.variables();
        arity_.resize(n);
        for (std::size_t v = 0; v < n; ++v) arity_[v] = score_.arity(static_cast<Node>(v));
        workers_.resize(params_.threads);
        for (auto& worker : workers_) {
            worker.evaluator = score_.evaluator();
            worker.terms.resize(traits_.terms);
        }
        base_states_ = 1;
        for (const auto v : params_.base) base_states_ *= arity_[v];
        least_arity_.assign(n, std::numeric_limits<std::uint32_t>::max());
        params_.targets.for_each([&](std::size_t i) {
            least_target_arity_ = std::min(least_target_arity_, arity_[i]);
            params_.allowed[i].for_each(
                [&](std::size_t j) { least_arity_[i] = std::min(least_arity_[i], arity_[j]); });
        });
        floors();
    }

    void stop_if_asked() const {
        switch (control_.reason()) {
        case StopReason::none: return;
        case StopReason::time:
            throw Stopped(StopReason::time, "the time limit was reached while scoring parent sets "
                                            "of size " +
                                                std::to_string(size_));
        default: throw Stopped(control_.reason(), "scoring was stopped");
        }
    }

    // floor_[i] = N·H(i | allowed parents), floor_all_[v] = N·H(v | all others), in nats;
    // 0 where it would take too long to find out, which is always safe.
    void floors() {
        const auto n = score_.variables();
        floor_.assign(n, 0);
        floor_all_.assign(n, 0);
        if (!traits_.penalized_entropy) return;
        auto& worker = workers_[0];
        auto remaining = [&](std::size_t v, NodeSet<W> given) {
            given.erase(v);
            auto prefix = params_.base;
            given.for_each([&](std::size_t x) { prefix.push_back(static_cast<Node>(x)); });
            worker.evaluator->set_prefix(prefix);
            worker.evaluator->evaluate_prefix(worker.terms);
            const auto without = worker.terms[0];
            worker.evaluator->evaluate(static_cast<Node>(v), worker.terms);
            return std::max(0.0, static_cast<double>(worker.terms[0] - without) * unit_);
        };
        universe_.for_each([&](std::size_t v) {
            if (control_.poll()) return;
            floor_all_[v] = remaining(v, universe_);
            if (params_.targets.contains(v)) {
                auto others = universe_;
                others.erase(v);
                floor_[v] =
                    others == params_.allowed[v] ? floor_all_[v] : remaining(v, params_.allowed[v]);
            }
        });
        stop_if_asked();
    }

    // Whether members[0], ..., members[count-1] without one are all in the lattice is known
    // to the caller; this finds where they are.
    [[nodiscard]] SetRef find(const Level<W>& level, NodeSet<W> set, std::size_t last) const {
        set.erase(last);
        const auto* group = level.find(set);
        if (group == nullptr || !group->stored.contains(last)) return {};
        return level.find(*group, last);
    }

    void first_level() {
        auto& worker = workers_[0];
        worker.evaluator->set_prefix(params_.base);
        base_terms_.resize(traits_.terms);
        worker.evaluator->evaluate_prefix(base_terms_);
        Part part;
        Group<W> group;
        universe_.for_each([&](std::size_t v) {
            JointSet joint;
            joint.size = 1;
            joint.member[0] = static_cast<Node>(v);
            joint.alive = params_.targets.contains(v) ? 1 : 0;
            std::array<Cost, max_joint_size> least;
            least[0] = unreachable_cost;
            worker.evaluator->evaluate(static_cast<Node>(v), worker.terms);
            keep(worker, part, group, joint, least);
        });
        part.groups.push_back(group);
        std::vector<Part> parts;
        parts.push_back(std::move(part));
        level_ = join(parts);
    }

    [[nodiscard]] std::span<const Cost> terms_without(const JointSet& joint, std::size_t t) const {
        return joint.size == 1 ? std::span<const Cost>(base_terms_)
                               : joint.without[t].terms(traits_.terms);
    }

    // ---- The next level ---------------------------------------------------------

    // Work is divided by (group, second largest member): task = group · n + member.
    [[nodiscard]] std::size_t tasks() const { return level_.groups.size() * score_.variables(); }

    // Calls f(joint) for every set T of size_ + 1 with prefix P = (group's prefix) ∪ {p}
    // for which all immediate subsets but at most one are stored and some member is alive.
    template <class F> void for_each_joint_set(std::size_t task, F&& f) const {
        const auto& group = level_.groups[task / score_.variables()];
        const auto p = task % score_.variables();
        if (!universe_.contains(p) || group.dead.contains(p)) return;
        JointSet joint;
        group.prefix.for_each(
            [&](std::size_t x) { joint.member[joint.size++] = static_cast<Node>(x); });
        if (joint.size > 0 && joint.member[joint.size - 1] >= p) return;
        joint.member[joint.size++] = static_cast<Node>(p);
        const bool prefix_stored = group.stored.contains(p);

        // The sets T \ {x}, x in P, are in the groups of P \ {x}. `once` has the last members
        // j for which one immediate subset is not stored, `never` those with two such or
        // one that is dead: T is then useless.
        std::array<const Group<W>*, max_joint_size> groups{};
        auto prefix = group.prefix;
        prefix.insert(p);
        NodeSet<W> once, never;
        if (!prefix_stored) once = universe_;
        auto miss = [&](const NodeSet<W>& stored, const NodeSet<W>& dead) {
            never |= dead | (once - stored);
            once |= universe_ - stored;
        };
        for (std::size_t t = joint.size; t-- > 0;) {
            auto rest = prefix;
            rest.erase(joint.member[t]);
            groups[t] = t + 1 == joint.size ? &group : level_.find(rest);
            if (groups[t] != nullptr)
                miss(groups[t]->stored, groups[t]->dead);
            else
                miss({}, {});
            if (universe_.subset_of(never)) return;
        }
        const auto candidates = universe_ - never - NodeSet<W>::first(p + 1);
        if (candidates.empty()) return;
        const SetRef prefix_ref = prefix_stored ? level_.find(group, p) : SetRef{};
        const auto last_position = joint.size++;
        const Positions everyone =
            joint.size == 32 ? ~Positions{0} : (Positions{1} << joint.size) - 1;
        candidates.for_each([&](std::size_t j) {
            joint.member[last_position] = static_cast<Node>(j);
            joint.without[last_position] = prefix_ref;
            joint.absent = prefix_stored ? nowhere : last_position;
            joint.alive = everyone;
            if (prefix_stored)
                joint.alive &= insert_position(prefix_ref.alive(), last_position) |
                               Positions{1} << last_position;
            for (std::size_t t = 0; t < last_position; ++t) {
                if (groups[t] == nullptr || !groups[t]->stored.contains(j)) {
                    joint.without[t] = {};
                    joint.absent = t;
                    continue;
                }
                joint.without[t] = level_.find(*groups[t], j);
                joint.alive &= insert_position(joint.without[t].alive(), t) | Positions{1} << t;
            }
            if (joint.absent != nowhere) joint.alive &= Positions{1} << joint.absent;
            if (joint.size == 2) restrict_to_allowed(joint);
            if (joint.alive != 0) f(joint);
        });
    }

    void restrict_to_allowed(JointSet& joint) const {
        for (std::size_t t = 0; t < 2; ++t)
            if (!params_.allowed[joint.member[t]].contains(joint.member[1 - t]))
                joint.alive &= ~(Positions{1} << t);
    }

    [[nodiscard]] double joint_states(const JointSet& joint) const {
        auto states = base_states_;
        for (std::size_t t = 0; t < joint.size; ++t) states *= arity_[joint.member[t]];
        return states;
    }

    // Takes the rules to every alive member; least[t] becomes the least cost of a proper
    // subset of T \ {member[t]}.
    void apply_rules(JointSet& joint, std::array<Cost, max_joint_size>& least,
                     RuleCounters& removed) const {
        const auto states = joint_states(joint);
        const auto& rules = params_.rules;
        for (std::size_t t = 0; t < joint.size; ++t) {
            if ((joint.alive >> t & 1) == 0) continue;
            const auto i = joint.member[t];
            const auto drop = [&](std::uint64_t& counter) {
                joint.alive &= ~(Positions{1} << t);
                ++counter;
            };
            least[t] = unreachable_cost;
            bool pays = true;
            auto least_parent_arity = arity_[joint.member[t == 0 ? 1 : 0]];
            for (std::size_t y = 0; y < joint.size; ++y) {
                if (y == t) continue;
                const auto& subset = joint.without[y];
                const auto own = subset.own(t - (y < t));
                least[t] = std::min(least[t], subset.block->best[own]);
                pays = pays && !r5_drops(subset.block->own_headroom[own], arity_[joint.member[y]]);
                least_parent_arity = std::min(least_parent_arity, arity_[joint.member[y]]);
            }
            const auto& parents = joint.without[t];
            const auto best = static_cast<double>(least[t]) * unit_;
            if (!pays || (parents && r5_drops(parents.headroom(), arity_[i]))) {
                drop(removed.r5);
                continue;
            }
            if (traits_.penalized_entropy) {
                const auto weight = traits_.penalty * (states / arity_[i]) * (arity_[i] - 1.0);
                if (rules.r2 && r2_drops(best, epsilon_, floor_[i], weight)) {
                    drop(removed.r2);
                    continue;
                }
                if (rules.r3 &&
                    r3_drops(weight / least_parent_arity, traits_.rows, arity_[i], epsilon_)) {
                    drop(removed.r3);
                    continue;
                }
                if (rules.c4 && traits_.bic &&
                    c4_drops(params_.base.size() + joint.size - 1, traits_.rows, epsilon_)) {
                    drop(removed.c4);
                    continue;
                }
            }
            if (traits_.configurations_cost && rules.r6 && parents &&
                r6_drops(best, epsilon_, static_cast<double>(parents.terms(traits_.terms)[1]),
                         arity_[i]))
                drop(removed.r6);
        }
    }

    // Stores the set that was just evaluated in the worker's terms, and its candidates.
    void keep(Worker& worker, Part& part, Group<W>& group, const JointSet& joint,
              const std::array<Cost, max_joint_size>& least) {
        const auto& terms = worker.terms;
        const auto last = joint.member[joint.size - 1];
        ++part.counted;
        std::array<Cost, max_joint_size> best{};
        std::array<std::uint8_t, max_joint_size> own_headroom{};
        auto alive = joint.alive;
        std::uint8_t headroom = 255;
        const auto states = joint_states(joint);
        if (uses_r5_) {
            for (std::size_t t = 0; t < joint.size; ++t) {
                const auto v = joint.member[t];
                const auto uncertainty =
                    static_cast<double>(terms[0] - terms_without(joint, t)[0]) * unit_;
                const auto per_state = traits_.penalty * (arity_[v] - 1.0) * (states / arity_[v]);
                headroom = std::min(headroom,
                                    r5_headroom(uncertainty - floor_all_[v], epsilon_, per_state));
                own_headroom[t] = r5_headroom(uncertainty - floor_[v], epsilon_, per_state);
            }
        } else {
            own_headroom.fill(255);
        }
        for (std::size_t t = 0; t < joint.size; ++t) {
            if ((joint.alive >> t & 1) == 0) continue;
            const auto i = joint.member[t];
            const auto cost = worker.evaluator->cost(i, terms, terms_without(joint, t));
            ++part.scored;
            if (joint.size == 1 || cost <= least[t] + epsilon_units_ || !params_.rules.r1) {
                auto parents = NodeSet<W>{};
                for (std::size_t y = 0; y < joint.size; ++y)
                    if (y != t) parents.insert(joint.member[y]);
                for (const auto v : params_.base) parents.insert(v);
                part.candidates.push_back({parents, cost, i});
            } else {
                ++worker.removed.r1;
            }
            best[t] = std::min(cost, least[t]);
            // The rules may already say that no parent at all can be added.
            if (r5_drops(own_headroom[t], least_arity_[i])) {
                alive &= ~(Positions{1} << t);
                ++worker.removed.r5;
            } else if (params_.rules.r2 && traits_.penalized_entropy &&
                       r2_drops(static_cast<double>(best[t]) * unit_, epsilon_, floor_[i],
                                traits_.penalty * (states / arity_[i]) * (arity_[i] - 1.0) *
                                    least_arity_[i])) {
                alive &= ~(Positions{1} << t);
                ++worker.removed.r2;
            }
        }
        if (joint.size > params_.max_added) return;
        if (alive == 0 && r5_drops(headroom, least_target_arity_)) {
            group.dead.insert(last);
            return;
        }
        auto& block = part.block;
        if (group.stored.empty()) group.first = static_cast<std::uint32_t>(block.sets());
        group.stored.insert(last);
        block.terms.insert(block.terms.end(), terms.begin(), terms.end());
        block.alive.push_back(alive);
        block.headroom.push_back(headroom);
        block.first_own.push_back(static_cast<std::uint32_t>(block.best.size()));
        for (std::size_t t = 0; t < joint.size; ++t) {
            if ((alive >> t & 1) == 0) continue;
            block.best.push_back(best[t]);
            block.own_headroom.push_back(own_headroom[t]);
        }
    }

    void set_prefix(Worker& worker, const JointSet& joint) const {
        worker.prefix = params_.base;
        worker.prefix.insert(worker.prefix.end(), joint.member.begin(),
                             joint.member.begin() + static_cast<std::ptrdiff_t>(joint.size - 1));
        worker.evaluator->set_prefix(worker.prefix);
    }

    template <class F> std::vector<Part> in_parts(std::size_t count, F&& f) {
        const auto chunk = std::max<std::size_t>(1, count / (params_.threads * 64));
        std::vector<Part> parts((count + chunk - 1) / chunk);
        parallel_for(count, chunk, params_.threads, control_,
                     [&](std::size_t begin, std::size_t end, unsigned thread) {
                         auto& part = parts[begin / chunk];
                         for (auto task = begin; task < end && !control_.stopped(); ++task)
                             f(task, part, workers_[thread]);
                         part.block.shrink();
                         control_.visited += part.counted;
                         control_.found += part.candidates.size();
                     });
        stop_if_asked();
        return parts;
    }

    Level<W> join(std::vector<Part>& parts) {
        Level<W> level;
        for (auto& part : parts) {
            for (auto& group : part.groups) {
                group.block = static_cast<std::uint32_t>(level.blocks.size());
                level.groups.push_back(group);
            }
            if (!part.groups.empty()) level.blocks.push_back(std::move(part.block));
            result_.candidates.insert(result_.candidates.end(), part.candidates.begin(),
                                      part.candidates.end());
            result_.counted += part.counted;
            result_.scored += part.scored;
        }
        level.index();
        return level;
    }

    // A set that is needed as a parent set only was not counted with its own level. Finds
    // those that the next level needs and counts them.
    void count_missing() {
        auto parts = in_parts(tasks(), [&](std::size_t task, Part& part, Worker&) {
            for_each_joint_set(task, [&](JointSet& joint) {
                if (joint.absent == nowhere) return;
                std::array<Cost, max_joint_size> least;
                RuleCounters ignored;
                apply_rules(joint, least, ignored);
                if (joint.alive == 0) return;
                NodeSet<W> set;
                for (std::size_t t = 0; t < joint.size; ++t)
                    if (t != joint.absent) set.insert(joint.member[t]);
                part.missing.push_back(set);
            });
        });
        std::vector<NodeSet<W>> missing;
        for (auto& part : parts)
            missing.insert(missing.end(), part.missing.begin(), part.missing.end());
        std::sort(missing.begin(), missing.end(), lexicographic);
        missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
        if (missing.empty()) return;

        std::vector<std::size_t> starts; // one per prefix
        NodeSet<W> prefix;
        for (std::size_t k = 0; k < missing.size(); ++k) {
            auto p = missing[k];
            p.erase(highest(p));
            if (k == 0 || p != prefix) starts.push_back(k);
            prefix = p;
        }
        starts.push_back(missing.size());
        parts = in_parts(starts.size() - 1, [&](std::size_t task, Part& part, Worker& worker) {
            Group<W> group;
            for (auto k = starts[task]; k < starts[task + 1]; ++k) {
                JointSet joint;
                missing[k].for_each(
                    [&](std::size_t x) { joint.member[joint.size++] = static_cast<Node>(x); });
                const auto last = joint.member[joint.size - 1];
                for (std::size_t t = 0; uses_r5_ && t < joint.size; ++t) {
                    auto rest = missing[k];
                    rest.erase(joint.member[t]);
                    const auto rest_last =
                        joint.member[t + 1 == joint.size ? t - 1 : joint.size - 1];
                    joint.without[t] = find(previous_, rest, rest_last);
                    if (!joint.without[t])
                        joint.without[t] = find(previous_extra_, rest, rest_last);
                }
                set_prefix(worker, joint);
                worker.evaluator->evaluate(last, worker.terms);
                keep(worker, part, group, joint, {});
            }
            group.prefix = missing[starts[task]];
            group.prefix.erase(highest(group.prefix));
            part.groups.push_back(group);
        });
        extra_ = join(parts);
    }

    static std::size_t highest(const NodeSet<W>& set) {
        std::size_t w = W - 1;
        while (set.word[w] == 0) --w;
        return 64 * w + 63 - static_cast<std::size_t>(std::countl_zero(set.word[w]));
    }

    // Order of sets of equal size by their members, lowest first.
    static bool lexicographic(const NodeSet<W>& a, const NodeSet<W>& b) {
        const auto first = (a - b) | (b - a);
        return !first.empty() && a.contains(first.lowest());
    }

    Level<W> next_level() {
        auto parts = in_parts(tasks(), [&](std::size_t task, Part& part, Worker& worker) {
            Group<W> group;
            bool ready = false;
            for_each_joint_set(task, [&](JointSet& joint) {
                std::array<Cost, max_joint_size> least;
                if (joint.absent != nowhere) {
                    NodeSet<W> rest;
                    for (std::size_t t = 0; t < joint.size; ++t)
                        if (t != joint.absent) rest.insert(joint.member[t]);
                    joint.without[joint.absent] = find(extra_, rest, highest(rest));
                }
                apply_rules(joint, least, worker.removed);
                if (joint.alive == 0) return;
                // Counted, and found to be no parent set of anybody.
                if (joint.absent != nowhere && !joint.without[joint.absent]) {
                    ++worker.removed.r5;
                    return;
                }
                if (!ready) set_prefix(worker, joint);
                ready = true;
                worker.evaluator->evaluate(joint.member[joint.size - 1], worker.terms);
                keep(worker, part, group, joint, least);
            });
            if (group.stored.empty() && group.dead.empty()) return;
            const auto& from = level_.groups[task / score_.variables()];
            group.prefix = from.prefix;
            group.prefix.insert(task % score_.variables());
            part.groups.push_back(group);
        });
        for (auto& worker : workers_) {
            removed_ += worker.removed;
            worker.removed = {};
        }
        return join(parts);
    }

    const Score& score_;
    const LatticeParams<W>& params_;
    Control& control_;
    ScoreTraits traits_;
    double unit_;
    double epsilon_; // ε + τ, and the rounding error of costs
    Cost epsilon_units_;
    NodeSet<W> universe_;
    bool uses_r5_ = false;
    std::vector<std::uint32_t> arity_;
    std::vector<std::uint32_t> least_arity_; // of the allowed parents
    std::uint32_t least_target_arity_ = std::numeric_limits<std::uint32_t>::max();
    double base_states_ = 1;
    std::vector<double> floor_, floor_all_;
    std::vector<Cost> base_terms_;
    std::vector<Worker> workers_;
    std::size_t size_ = 1; // of the sets in level_
    Level<W> level_, extra_, previous_, previous_extra_;
    RuleCounters removed_;
    LatticeResult<W> result_;
};

} // namespace

template <std::size_t W>
LatticeResult<W> search_lattice(const Score& score, const LatticeParams<W>& params,
                                Control& control) {
    return Lattice<W>(score, params, control).run();
}

template LatticeResult<1> search_lattice(const Score&, const LatticeParams<1>&, Control&);
template LatticeResult<2> search_lattice(const Score&, const LatticeParams<2>&, Control&);
template LatticeResult<4> search_lattice(const Score&, const LatticeParams<4>&, Control&);
template LatticeResult<8> search_lattice(const Score&, const LatticeParams<8>&, Control&);

} // namespace crediblenet
