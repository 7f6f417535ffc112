// The rows of the data, divided into cells by the values of a growing list of variables.
#pragma once

#include "scores/discrete_table.h"

#include <span>
#include <utility>

namespace crediblenet {

// The positive entries of a contingency table, in no particular order.
struct CellCounts {
    std::span<const std::uint32_t> dense;         // counts, zeros in between
    std::span<const std::uint32_t> single;        // how many further cells ...
    std::span<const std::uint32_t> single_weight; // ... have which count
    std::size_t ones = 0;                         // and how many more have count 1
};

// A stack of partitions, one per variable pushed; each refines the one below. A row
// that is alone in its cell stays alone whatever is pushed on top, so it leaves the
// partition and is only remembered by its weight. Deep down few rows are left.
class PartitionStack {
  public:
    // The table must come from spread_rows and outlive the object.
    PartitionStack(const DiscreteTable& table, Control& control);

    struct Frame {
        Node variable = 0;
        std::uint32_t cells = 0;
        std::vector<std::uint32_t> row;    // the rows that share their cell with others
        std::vector<std::uint32_t> cell;   // the cell of each of them
        std::vector<std::uint32_t> single; // rows alone in their cell, by class of weight
    };

    // Makes the stack hold exactly these variables, keeping the part that is right.
    // Throws Stopped.
    void set(std::span<const Node> variables);
    void push(Node variable);

    // The partition by all variables on the stack.
    [[nodiscard]] const Frame& top() const { return frames_[depth_]; }
    // The table of the variables on the stack and one more. Valid until the next call.
    CellCounts count(Node last);
    // The table of the variables on the stack.
    CellCounts count();
    // Counts that were made elsewhere from the rows in the partition by the first `depth`
    // variables, with those that had left it.
    [[nodiscard]] CellCounts with_singles(std::span<const std::uint32_t> counts, std::size_t ones,
                                          std::size_t depth) const {
        return {counts, frames_[depth].single, table_.weight_value, ones};
    }

  private:
    // The key of a row in the table of a frame and one more variable.
    [[nodiscard]] std::uint64_t key(const Frame& frame, std::size_t k, Node last) const {
        return std::uint64_t{frame.cell[k]} * table_.arity[last] +
               table_.column[last][frame.row[k]];
    }
    void zero(std::size_t keys);
    std::size_t count_sparse(const Frame& frame, Node last);
    std::uint32_t number_cells(const Frame& frame, Node variable);

    const DiscreteTable& table_;
    Control& control_;
    bool unit_weights_;
    std::vector<Frame> frames_; // frames_[0] is the undivided data
    std::size_t depth_ = 0;
    std::vector<std::uint32_t> dense_;                            // counts, or new cell numbers
    std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted_; // (key, row), for sparse tables
    std::vector<std::uint32_t> new_cell_;                         // of each row, while pushing
};

} // namespace crediblenet
