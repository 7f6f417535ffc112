// A cluster that takes in one variable after the other, and knows the left side of its
// inequality at a given point for itself and for every cluster with one variable more.
#pragma once

#include "bounds/fractions.h"

#include <cstdint>
#include <vector>

namespace crediblenet {

template <std::size_t W> class GrowingCluster {
  public:
    // Of all variables' fractions; the cluster is empty at first.
    GrowingCluster(const std::vector<Fraction<W>>& fractions, std::size_t n, std::uint32_t k)
        : fractions_(fractions), k_(k), own_fractions_(n), uses_(n), total_(n), gain_(n),
          inside_(fractions.size()) {
        for (std::uint32_t f = 0; f < fractions.size(); ++f) {
            own_fractions_[fractions[f].variable].push_back(f);
            total_[fractions[f].variable] += fractions[f].value;
            fractions[f].parents.for_each([&](std::size_t p) { uses_[p].push_back(f); });
        }
        own_ = total_;
    }

    [[nodiscard]] const NodeSet<W>& members() const { return members_; }
    [[nodiscard]] double left_side() const { return left_; }
    [[nodiscard]] double left_side_with(std::size_t v) const { return left_ + own_[v] - gain_[v]; }

    void clear() {
        members_.for_each([&](std::size_t v) {
            for (const auto f : uses_[v]) {
                inside_[f] = 0;
                own_[fractions_[f].variable] = total_[fractions_[f].variable];
            }
            for (const auto f : own_fractions_[v])
                fractions_[f].parents.for_each([&](std::size_t p) { gain_[p] = 0; });
        });
        members_ = {};
        left_ = 0;
    }

    void add(std::size_t v) {
        left_ = left_side_with(v);
        members_.insert(v);
        for (const auto f : uses_[v]) {
            const auto now = ++inside_[f];
            const auto& fraction = fractions_[f];
            if (!members_.contains(fraction.variable)) {
                if (now == k_) own_[fraction.variable] -= fraction.value;
            } else if (now == k_) {
                raise_gains(fraction, -fraction.value); // it does not count any more
            } else if (now + 1 == k_) {
                raise_gains(fraction, fraction.value);
            }
        }
        for (const auto f : own_fractions_[v])
            if (inside_[f] + 1 == k_) raise_gains(fractions_[f], fractions_[f].value);
    }

  private:
    void raise_gains(const Fraction<W>& fraction, double value) {
        (fraction.parents - members_).for_each([&](std::size_t p) { gain_[p] += value; });
    }

    const std::vector<Fraction<W>>& fractions_;
    std::uint32_t k_;
    std::vector<std::vector<std::uint32_t>> own_fractions_, uses_; // by variable, by parent
    std::vector<double> total_;         // values of each variable's fractions
    std::vector<double> own_;           // of those with fewer than k parents among the members
    std::vector<double> gain_;          // of members' fractions that one parent more takes out
    std::vector<std::uint32_t> inside_; // parents of each fraction among the members
    NodeSet<W> members_;
    double left_ = 0;
};

} // namespace crediblenet
