// A cluster with k = 1 that variables enter and leave, and the left side of its inequality at a
// given point.
#pragma once

#include "bounds/fractions.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace crediblenet {

template <std::size_t W> class WalkingCluster {
  public:
    // Of all variables' fractions; the cluster is empty at first.
    WalkingCluster(const std::vector<Fraction<W>>& fractions, std::size_t n)
        : total_(n), begin_(n + 1), inside_(fractions.size()) {
        for (const auto& fraction : fractions) {
            variable_.push_back(static_cast<std::uint32_t>(fraction.variable));
            value_.push_back(fraction.value);
            total_[fraction.variable] += fraction.value;
            fraction.parents.for_each([&](std::size_t p) { ++begin_[p + 1]; });
        }
        for (std::size_t p = 0; p < n; ++p) begin_[p + 1] += begin_[p];
        uses_.resize(begin_[n]);
        auto next = begin_;
        for (std::uint32_t f = 0; f < fractions.size(); ++f)
            fractions[f].parents.for_each([&](std::size_t p) { uses_[next[p]++] = f; });
        own_ = total_;
    }

    [[nodiscard]] const NodeSet<W>& members() const { return members_; }
    [[nodiscard]] double left_side() const { return left_; }

    void clear() {
        members_ = {};
        left_ = 0;
        own_ = total_;
        std::fill(inside_.begin(), inside_.end(), 0);
    }

    // By how much the left side grows if a variable enters, or leaves if it is a member.
    [[nodiscard]] double rise(std::size_t v) const {
        const bool leaves = members_.contains(v);
        const std::uint32_t decisive = leaves ? 1 : 0; // so many parents, without v none
        double others = 0;
        for (auto at = begin_[v]; at < begin_[v + 1]; ++at) {
            const auto f = uses_[at];
            if (inside_[f] == decisive && members_.contains(variable_[f])) others += value_[f];
        }
        return leaves ? others - own_[v] : own_[v] - others;
    }

    // Lets a variable enter, or leave if it is a member.
    void flip(std::size_t v) {
        left_ += rise(v);
        const bool leaves = members_.contains(v);
        for (auto at = begin_[v]; at < begin_[v + 1]; ++at) {
            const auto f = uses_[at];
            if (leaves) {
                if (--inside_[f] == 0) own_[variable_[f]] += value_[f];
            } else if (inside_[f]++ == 0) {
                own_[variable_[f]] -= value_[f];
            }
        }
        if (leaves)
            members_.erase(v);
        else
            members_.insert(v);
    }

  private:
    std::vector<std::uint32_t> variable_; // of each fraction
    std::vector<double> value_;
    std::vector<double> total_;         // values of each variable's fractions
    std::vector<std::uint32_t> begin_;  // of each parent's `uses_`
    std::vector<std::uint32_t> uses_;   // the fractions with that parent
    std::vector<std::uint32_t> inside_; // parents of each fraction among the members
    std::vector<double> own_;           // values of each variable's fractions with none
    NodeSet<W> members_;
    double left_ = 0;
};

} // namespace crediblenet
