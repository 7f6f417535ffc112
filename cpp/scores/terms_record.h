// The terms of the joint sets of one piece, in the order in which they are counted: to be kept
// in a journal, or taken from it by a run that goes on. Nothing else of a level is kept: which
// sets are counted follows from the terms of those before, so whatever a file says, a level is
// made by the same rules, and the file cannot lead beyond an array.
#pragma once

#include "scores/journal.h"
#include "scores/score.h"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace crediblenet {

class TermsRecord {
  public:
    // Begins a piece, with what the journal has of it. Without a journal, nothing is kept.
    void begin(const Journal* journal, std::uint64_t search, std::uint64_t piece) {
        known_.clear();
        fresh_.clear();
        used_ = 0;
        if (journal != nullptr) known_ = journal->find(search, piece);
        keeps_ = journal != nullptr && known_.empty();
    }

    // The terms of the next set; false if they have to be counted.
    bool take(std::span<Cost> terms) {
        if (known_.size() - used_ < terms.size()) return false;
        for (auto& term : terms) {
            term = std::bit_cast<Cost>(known_[used_++]);
            if (term > unreachable_cost || term < -unreachable_cost) {
                used_ = known_.size(); // no such terms: the rest is counted, too
                return false;
            }
        }
        return true;
    }
    void keep(std::span<const Cost> terms) {
        if (!keeps_) return;
        for (const auto term : terms) fresh_.push_back(std::bit_cast<std::uint64_t>(term));
    }

    // What was counted, if it belongs into the journal.
    [[nodiscard]] std::span<const std::uint64_t> fresh() const { return fresh_; }

  private:
    std::vector<std::uint64_t> known_, fresh_;
    std::size_t used_ = 0;
    bool keeps_ = false;
};

} // namespace crediblenet
