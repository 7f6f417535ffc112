// What sets that hold a live circuit have in common, however they count.
#pragma once

#include "enumeration/compiled_set.h"
#include "enumeration/live_circuit.h"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace crediblenet {

class LiveSet : public CompiledSet {
  public:
    [[nodiscard]] std::unique_ptr<CompiledSet>
    levelled_within(Cost max_cost, std::size_t most_levels, Control& control) const final;
    [[nodiscard]] Cost least_cost() const final { return live_.least.back(); }
    [[nodiscard]] FlatCircuit flat() const final { return live_.nodes; }
    [[nodiscard]] std::size_t n_variables() const final { return offsets_.size() - 1; }
    [[nodiscard]] std::size_t n_rows() const final {
        return static_cast<std::size_t>(offsets_.back());
    }
    [[nodiscard]] std::size_t n_nodes() const final { return live_.size(); }

  protected:
    LiveSet(std::shared_ptr<const LiveCircuit> live, std::span<const std::int64_t> offsets,
            std::size_t longest)
        : owned_(std::move(live)), live_(*owned_), offsets_(offsets.begin(), offsets.end()),
          longest_(longest) {}

  private:
    std::shared_ptr<const LiveCircuit> owned_;

  protected:
    const LiveCircuit& live_;
    const std::vector<std::int64_t> offsets_; // the rows of each variable
    const std::size_t longest_;               // see CountingLimits
};

} // namespace crediblenet
