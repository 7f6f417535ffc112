// How far a depth-first search is: the share of its tree that is done, told to the control.
#pragma once

#include "control.h"

#include <cstddef>

namespace crediblenet {

// Where in the tree the search is. The root has weight 1, and each branch of a node an equal part
// of the node's weight; what is pruned or known already counts as done.
struct TreePlace {
    double begin = 0;  // share of the tree that is done before this node
    double weight = 0; // of this node; 0: too small to be told

    [[nodiscard]] TreePlace branch(std::size_t k, std::size_t n) const {
        constexpr double least_weight = 1e-6;
        const auto each = weight / static_cast<double>(n);
        if (each < least_weight) return {};
        return {begin + each * static_cast<double>(k), each};
    }
};

class SearchShare {
  public:
    // `share` is what the whole tree is of all that the control watches; 0: tell nothing.
    SearchShare(double share, Control& control) : share_(share), control_(control) {}

    [[nodiscard]] TreePlace root() const { return {0, share_ > 0 ? 1.0 : 0.0}; }

    // Says that the search has come to the end of this place.
    void tell(const TreePlace& place) {
        const auto done = place.begin + place.weight;
        if (place.weight == 0 || done <= done_) return;
        control_.pending += share_ * (done - done_);
        done_ = done;
    }
    // What was given up is still to be done.
    void withdraw() {
        control_.pending -= share_ * done_;
        done_ = 0;
    }

  private:
    double share_;
    Control& control_;
    double done_ = 0;
};

} // namespace crediblenet
