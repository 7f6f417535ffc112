#include "enumeration/folded_set.h"

#include "enumeration/fold.h"
#include "enumeration/fold_weights.h"
#include "enumeration/live_set.h"

#include <limits>
#include <stdexcept>

namespace crediblenet {

namespace {

// Lists are not made shorter than this to save memory, but for a factor, and not longer than this
// to save time.
constexpr std::size_t shortest = 64, most_useful = std::size_t{1} << 24;
// Where there are so many times more rests than levels in lists, the lists are made longer; fewer
// rests than this take no time.
constexpr std::size_t rests_per_level = 8, few_rests = std::size_t{1} << 20;
// By how much, each time: then what was done in vain is a small part of the whole.
constexpr std::size_t longer = 8;

template <class Count> class FoldedSet final : public LiveSet {
  public:
    FoldedSet(std::shared_ptr<const LiveCircuit> live, std::span<const std::int64_t> offsets,
              std::size_t longest, bool is_balanced, Control& control)
        : LiveSet(std::move(live), offsets, longest), fold_(live_, longest, control),
          whole_(
              counted(live_.limit.back(), control,
                      is_balanced ? few_rests + rests_per_level * fold_.n_entries() : no_limit)) {}

    bool has_levels() const override { return false; }
    std::vector<Cost> level_costs() const override { throw too_many(); }
    std::vector<BigUint> level_counts() const override { throw too_many(); }
    void list(const BigUint&, const Visitor&) const override { throw too_many(); }

    Counted count(Cost max_cost, Control& control) const override {
        const auto found = max_cost >= live_.limit.back() ? whole_ : counted(max_cost, control);
        return {to_big(found.networks), found.greatest};
    }

    std::vector<double> candidate_log_weights(Cost max_cost, double unit,
                                              Control& control) const override {
        check_weighable(to_double(whole_.networks));
        return fold_log_weights(fold_, n_rows(), max_cost, unit, control);
    }

    std::size_t n_entries() const override { return fold_.n_entries(); }

  private:
    struct Found {
        Count networks;
        Cost greatest;
    };

    static std::logic_error too_many() {
        return std::logic_error("the set has too many distinct costs to list them");
    }

    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    Found counted(Cost max_cost, Control& control, std::size_t most_rests = no_limit) const {
        Found found{Count(0), std::numeric_limits<Cost>::min()};
        const auto meet = [&](const Levels<Count>& rests, const Levels<Count>& list) {
            auto end = list.size();
            const Held held(control, "counting", list.size() * sizeof(Level<Count>));
            Levels<Count> running(list); // how many of the list cost at most that
            for (std::size_t at = 1; at < end; ++at)
                running[at].networks += running[at - 1].networks;
            for (const auto& rest : rests) {
                while (end > 0 && rest.cost + list[end - 1].cost > max_cost) --end;
                if (end == 0) break;
                found.networks += rest.networks * running[end - 1].networks;
                found.greatest = std::max(found.greatest, rest.cost + list[end - 1].cost);
            }
        };
        fold_.descend(
            max_cost, control, [](CircuitNode, CircuitNode) { return Count(1); }, meet,
            [](CircuitNode, Levels<Count>&&) {}, most_rests);
        return found;
    }

    Fold<Count> fold_;
    Found whole_;
};

} // namespace

std::unique_ptr<CompiledSet> folded_set(std::shared_ptr<const LiveCircuit> live,
                                        std::span<const std::int64_t> offsets, std::size_t longest,
                                        Control& control) {
    // Shorter lists take less memory and more time: there are many of them, and the rests that meet
    // them are dropped one after the other. So they get longer where there are many rests, and
    // shorter where memory is short; then they stay so.
    for (bool grows = true;;) try {
            return in_narrowest([&]<class Count>() -> std::unique_ptr<CompiledSet> {
                return std::make_unique<FoldedSet<Count>>(live, offsets, longest, grows, control);
            });
        } catch (const Unbalanced&) {
            longest = std::max(longest, shortest) * longer;
            grows = longest < most_useful;
        } catch (const Stopped& stop) {
            if (stop.reason != StopReason::memory || longest < shortest || control.stopped()) throw;
            longest /= 4;
            grows = false;
        }
}

} // namespace crediblenet
