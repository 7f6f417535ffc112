#include "classes/local_classes.h"

#include "classes/partly_canonical.h"
#include "enumeration/live_circuit.h"
#include "parallel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>

namespace crediblenet {

namespace {

using Kind = Circuit::Kind;

// Subtrees that are walked separately; fixed, so that the order of the classes is.
constexpr std::size_t subtrees = 512;
// As many as 16 bits tell apart.
constexpr std::size_t most_rows = std::size_t{1} << 16;
// Nodes passed between two looks at the clock.
constexpr std::uint64_t between_polls = 4096;

// The circuit of the block: the context's choices are made, and what is alone is left out.
class BlockCircuit {
  public:
    explicit BlockCircuit(const BlockProblem& block) {
        const auto& flat = block.circuit;
        std::vector<char> member(block.offsets.size() - 1, 0);
        for (const auto v : block.members) member[v] = 1;
        std::vector<std::uint32_t> variable;
        for (std::size_t v = 0; v + 1 < block.offsets.size(); ++v)
            variable.resize(static_cast<std::size_t>(block.offsets[v + 1]),
                            static_cast<std::uint32_t>(v));
        for (std::size_t node = 0; node < flat.kind.size(); ++node)
            if (static_cast<Kind>(flat.kind[node]) == Kind::leaf &&
                member[variable[flat.first[node]]])
                rows.push_back(static_cast<std::uint32_t>(flat.first[node]));
        std::sort(rows.begin(), rows.end());
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        if (rows.size() > most_rows)
            throw Stopped(StopReason::limit, "its networks use more than 65,536 parent sets");
        std::vector<CircuitNode> number(flat.kind.size());
        std::vector<CircuitNode> alive;
        for (std::size_t node = 0; node < flat.kind.size(); ++node) {
            if (static_cast<Kind>(flat.kind[node]) == Kind::leaf) {
                const auto row = static_cast<std::uint32_t>(flat.first[node]);
                if (member[variable[row]])
                    number[node] =
                        add(Kind::leaf, code_of(row), variable[row], block.row_costs[row]);
                else
                    number[node] = block.context[variable[row]] == row ? nothing : dead;
                continue;
            }
            const bool choice = static_cast<Kind>(flat.kind[node]) == Kind::choice;
            alive.clear();
            bool gone = false;
            bool fixed = false;
            for (std::size_t c = 0; c < flat.n_children[node]; ++c) {
                const auto child = number[flat.children[flat.first[node] + c]];
                gone = gone || child == dead;
                fixed = fixed || child == nothing;
                if (child != dead && child != nothing) alive.push_back(child);
            }
            if (choice ? alive.empty() && !fixed : gone)
                number[node] = dead;
            else if (alive.empty())
                number[node] = nothing;
            else if (alive.size() == 1)
                number[node] = alive[0];
            else
                number[node] = join(choice, alive);
        }
        root = number.back();
    }

    [[nodiscard]] bool empty() const { return root == dead || root == nothing; }
    [[nodiscard]] std::span<const CircuitNode> children(CircuitNode node) const {
        return {children_.data() + first_[node], count_[node]};
    }
    [[nodiscard]] std::uint16_t code(CircuitNode leaf) const {
        return static_cast<std::uint16_t>(first_[leaf]);
    }
    [[nodiscard]] std::size_t variable(CircuitNode leaf) const { return count_[leaf]; }

    std::vector<std::uint32_t> rows; // of the members, as far as they are in use
    std::vector<Kind> kind;
    std::vector<Cost> least_cost;
    CircuitNode root;

  private:
    static constexpr CircuitNode dead = std::numeric_limits<CircuitNode>::max();
    static constexpr CircuitNode nothing = dead - 1;

    std::uint64_t code_of(std::uint32_t row) const {
        const auto it = std::lower_bound(rows.begin(), rows.end(), row);
        return static_cast<std::uint64_t>(it - rows.begin());
    }
    CircuitNode add(Kind what, std::uint64_t first, std::size_t count, Cost cost) {
        kind.push_back(what);
        first_.push_back(first);
        count_.push_back(static_cast<std::uint32_t>(count));
        least_cost.push_back(cost);
        return static_cast<CircuitNode>(kind.size() - 1);
    }
    CircuitNode join(bool choice, std::span<const CircuitNode> below) {
        Cost cost = choice ? never : 0;
        for (const auto child : below)
            cost = choice ? std::min(cost, least_cost[child]) : cost + least_cost[child];
        const auto first = children_.size();
        children_.insert(children_.end(), below.begin(), below.end());
        return add(choice ? Kind::choice : Kind::product, first, below.size(), cost);
    }

    std::vector<std::uint64_t> first_; // a leaf's code, or where the children begin
    std::vector<std::uint32_t> count_; // a leaf's variable, or how many children
    std::vector<CircuitNode> children_;
};

// What is left to do in a subtree: nodes still to be passed, the last one first.
struct Subtree {
    std::vector<CircuitNode> pending;
    std::vector<CircuitNode> chosen; // leaves passed so far
    Cost slack;                      // what may be spent beyond the cheapest choices
};

// Splits the walk, breadth first.
std::vector<Subtree> split(const BlockCircuit& circuit, Cost max_cost) {
    std::vector<Subtree> open, next;
    open.push_back({{circuit.root}, {}, max_cost - circuit.least_cost[circuit.root]});
    for (bool moved = true; moved && open.size() < subtrees;) {
        moved = false;
        next.clear();
        for (auto& tree : open) {
            if (tree.pending.empty()) {
                next.push_back(std::move(tree));
                continue;
            }
            moved = true;
            const auto node = tree.pending.back();
            tree.pending.pop_back();
            if (circuit.kind[node] == Kind::leaf) {
                tree.chosen.push_back(node);
                next.push_back(std::move(tree));
            } else if (circuit.kind[node] == Kind::product) {
                const auto both = circuit.children(node);
                tree.pending.insert(tree.pending.end(), both.rbegin(), both.rend());
                next.push_back(std::move(tree));
            } else {
                for (const auto child : circuit.children(node)) {
                    const Cost extra = circuit.least_cost[child] - circuit.least_cost[node];
                    if (extra > tree.slack) continue;
                    next.push_back(tree);
                    next.back().pending.push_back(child);
                    next.back().slack -= extra;
                }
            }
        }
        open.swap(next);
    }
    return open;
}

// What all walks share.
struct Account {
    WalkLimits limits;
    std::atomic<std::uint64_t> steps{0}, classes{0};
    std::atomic<bool> enough{false};
};

template <std::size_t W> class Walk {
  public:
    Walk(const BlockProblem& block, const BlockCircuit& circuit, Cost max_cost, Account& account,
         Control& control)
        : block_(block), circuit_(circuit), max_cost_(max_cost), account_(account),
          control_(control), parents_(block.offsets.size() - 1),
          assigned_(NodeSet<W>::first(parents_.size())) {
        for (std::size_t v = 0; v < parents_.size(); ++v) parents_[v] = load(block.context[v]);
        for (const auto v : block.members) {
            members_.insert(v);
            assigned_.erase(v);
        }
        code_.resize(parents_.size());
    }

    LocalClasses run(const Subtree& tree) {
        bool possible = true;
        for (const auto leaf : tree.chosen) possible = assign(leaf) && possible;
        if (possible) {
            std::vector<Task> tasks(tree.pending.size());
            for (std::size_t k = 0; k < tasks.size(); ++k)
                tasks[k] = {tree.pending[k], k == 0 ? nullptr : &tasks[k - 1]};
            visit(tasks.empty() ? nullptr : &tasks.back(), tree.slack, true);
        }
        poll();
        return std::move(found_);
    }

  private:
    struct Task {
        CircuitNode node;
        const Task* next;
    };

    NodeSet<W> load(std::uint32_t row) const {
        NodeSet<W> set;
        std::copy_n(block_.parents + row * block_.width, block_.width, set.word.begin());
        return set;
    }

    // Whether a canonical member may have this parent set next to those chosen before:
    // it has no covered arc from a higher to a lower variable.
    bool assign(CircuitNode leaf) {
        const auto v = circuit_.variable(leaf);
        code_[v] = circuit_.code(leaf);
        const auto own = load(circuit_.rows[code_[v]]);
        parents_[v] = own;
        auto family = own;
        family.insert(v);
        bool possible = true;
        (assigned_ & members_).for_each([&](std::size_t w) {
            if (w < v) {
                // v -> w descends
                if (parents_[w] == family) possible = false;
            } else if (own.contains(w)) {
                auto other = parents_[w];
                other.insert(w);
                if (own == other) possible = false;
            }
        });
        assigned_.insert(v);
        return possible;
    }

    // `fresh` says that parent sets were chosen since the last full test. Until there is
    // a choice the walk goes one way, so that one test before each choice is enough.
    void visit(const Task* tasks, Cost slack, bool fresh) {
        if (++found_.steps % between_polls == 0) poll();
        if (account_.enough.load(std::memory_order_relaxed)) return;
        if (tasks == nullptr) {
            leaf(max_cost_ - slack);
            return;
        }
        const auto node = tasks->node;
        if (circuit_.kind[node] == Kind::leaf) {
            if (assign(node)) visit(tasks->next, slack, true);
            assigned_.erase(circuit_.variable(node));
            return;
        }
        const auto children = circuit_.children(node);
        if (circuit_.kind[node] == Kind::choice) {
            if (fresh && !may_be_canonical<W>(parents_, members_, assigned_)) return;
            for (const auto child : children) {
                const Cost extra = circuit_.least_cost[child] - circuit_.least_cost[node];
                if (extra > slack) continue;
                const Task task{child, tasks->next};
                visit(&task, slack - extra, false);
            }
            return;
        }
        const Task second{children[1], tasks->next};
        const Task first{children[0], &second};
        visit(&first, slack, fresh);
    }

    void leaf(Cost cost) {
        ++found_.leaves;
        if (!may_be_canonical<W>(parents_, members_, assigned_)) return;
        found_.costs.push_back(cost);
        for (const auto v : block_.members) found_.codes.push_back(code_[v]);
    }

    void poll() {
        const auto steps = found_.steps - told_steps_;
        const auto classes = found_.costs.size() - told_classes_;
        told_steps_ += steps;
        told_classes_ += classes;
        if ((account_.steps += steps) > account_.limits.steps ||
            (account_.classes += classes) > account_.limits.classes)
            account_.enough = true;
        control_.visited += steps;
        control_.found += classes;
        if (control_.poll()) throw Stopped(control_.reason(), "counting classes was stopped");
        const auto bytes = sizeof(Cost) * found_.costs.capacity() +
                           sizeof(std::uint16_t) * found_.codes.capacity();
        if (bytes > reserved_) {
            control_.reserve(bytes - reserved_, "the list of classes");
            reserved_ = bytes;
        }
    }

    const BlockProblem& block_;
    const BlockCircuit& circuit_;
    Cost max_cost_;
    Account& account_;
    Control& control_;
    std::vector<NodeSet<W>> parents_; // of the context, and of the members assigned so far
    std::vector<std::uint16_t> code_; // of the members' rows
    NodeSet<W> members_, assigned_;
    LocalClasses found_;
    std::uint64_t told_steps_ = 0, told_classes_ = 0;
    std::size_t reserved_ = 0;
};

} // namespace

LocalClasses local_classes(const BlockProblem& block, Cost max_cost, WalkLimits limits,
                           unsigned threads, Control& control) {
    LocalClasses result;
    const BlockCircuit circuit(block);
    result.rows = circuit.rows;
    if (circuit.empty() || circuit.least_cost[circuit.root] > max_cost) return result;
    max_cost = std::min(max_cost, never);
    const auto trees = split(circuit, max_cost);
    std::vector<LocalClasses> found(trees.size());
    Account account{.limits = limits};
    with_width(block.offsets.size() - 1, [&](auto width) {
        parallel_for(trees.size(), 1, threads, control, [&](std::size_t t, std::size_t, unsigned) {
            Walk<width> walk(block, circuit, max_cost, account, control);
            found[t] = walk.run(trees[t]);
            control.fraction = static_cast<double>(t) / static_cast<double>(trees.size());
        });
    });
    if (control.stopped()) throw Stopped(control.reason(), "counting classes was stopped");
    result.complete = !account.enough;
    std::size_t classes = 0;
    for (const auto& part : found) {
        result.leaves += part.leaves;
        result.steps += part.steps;
        classes += part.costs.size();
    }
    if (!result.complete) return result;
    result.costs.reserve(classes);
    result.codes.reserve(classes * block.members.size());
    for (auto& part : found) {
        result.costs.insert(result.costs.end(), part.costs.begin(), part.costs.end());
        result.codes.insert(result.codes.end(), part.codes.begin(), part.codes.end());
        part = {};
    }
    return result;
}

} // namespace crediblenet
