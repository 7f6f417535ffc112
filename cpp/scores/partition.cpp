#include "scores/partition.h"

#include "scores/stopping.h"

#include <algorithm>

namespace crediblenet {

namespace {

constexpr std::uint32_t alone = ~std::uint32_t{0};

// A table with far more entries than rows (variables with thousands of states) is
// sorted instead of being laid out.
bool is_sparse(std::size_t rows, std::size_t keys) { return keys > 64 * rows + 4096; }

} // namespace

PartitionStack::PartitionStack(const DiscreteTable& table, Control& control)
    : table_(table), control_(control),
      unit_weights_(table.weight_value.size() == 1 && table.weight_value[0] == 1) {
    const auto rows = table.rows();
    frames_.resize(1);
    auto& root = frames_[0];
    root.single.assign(table.weight_value.size(), 0);
    if (rows == 1) {
        root.single[0] = 1;
        return;
    }
    root.cells = 1;
    root.cell.assign(rows, 0);
    root.row.resize(rows);
    for (std::size_t r = 0; r < rows; ++r) root.row[r] = static_cast<std::uint32_t>(r);
}

void PartitionStack::zero(std::size_t keys) {
    if (dense_.size() < keys) dense_.resize(keys);
    std::fill_n(dense_.begin(), keys, 0u);
}

void PartitionStack::set(std::span<const Node> variables) {
    std::size_t same = 0;
    while (same < depth_ && same < variables.size() &&
           frames_[same + 1].variable == variables[same])
        ++same;
    depth_ = same;
    for (; same < variables.size(); ++same) {
        // Only many rows take long enough to look at the clock in between.
        if (top().row.size() > 4096 && control_.poll())
            throw_if_stopped(control_, "the data were being counted");
        push(variables[same]);
    }
}

// Writes the new cell of each row of the frame, or `alone`, to new_cell_, and returns the
// number of cells with company. Cells are numbered in an order that depends on keys only.
std::uint32_t PartitionStack::number_cells(const Frame& frame, Node variable) {
    const auto rows = frame.row.size();
    const std::size_t keys = std::size_t{frame.cells} * table_.arity[variable];
    std::uint32_t cells = 0;
    new_cell_.resize(rows);
    if (is_sparse(rows, keys)) {
        sorted_.resize(rows);
        for (std::size_t k = 0; k < rows; ++k)
            sorted_[k] = {key(frame, k, variable), static_cast<std::uint32_t>(k)};
        std::sort(sorted_.begin(), sorted_.end());
        for (std::size_t begin = 0, end = 0; begin < rows; begin = end) {
            while (end < rows && sorted_[end].first == sorted_[begin].first) ++end;
            const auto cell = end - begin > 1 ? cells++ : alone;
            for (auto k = begin; k < end; ++k) new_cell_[sorted_[k].second] = cell;
        }
        return cells;
    }
    zero(keys);
    for (std::size_t k = 0; k < rows; ++k) ++dense_[key(frame, k, variable)];
    for (std::size_t k = 0; k < keys; ++k) dense_[k] = dense_[k] > 1 ? cells++ : alone;
    for (std::size_t k = 0; k < rows; ++k) new_cell_[k] = dense_[key(frame, k, variable)];
    return cells;
}

void PartitionStack::push(Node variable) {
    if (frames_.size() <= depth_ + 1) frames_.resize(depth_ + 2);
    const auto& from = frames_[depth_];
    auto& to = frames_[++depth_];
    const auto rows = from.row.size();
    to.variable = variable;
    to.cells = number_cells(from, variable);
    to.single = from.single;
    to.row.resize(rows);
    to.cell.resize(rows);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < rows; ++k) {
        const auto row = from.row[k];
        const bool is_alone = new_cell_[k] == alone;
        to.row[kept] = row;
        to.cell[kept] = new_cell_[k];
        to.single[table_.weight_class[row]] += is_alone;
        kept += !is_alone;
    }
    to.row.resize(kept);
    to.cell.resize(kept);
}

// Counts in dense_ without gaps, for tables that are too large to lay out.
std::size_t PartitionStack::count_sparse(const Frame& frame, Node last) {
    const auto rows = frame.row.size();
    sorted_.resize(rows);
    for (std::size_t k = 0; k < rows; ++k) sorted_[k] = {key(frame, k, last), frame.row[k]};
    std::sort(sorted_.begin(), sorted_.end());
    zero(rows);
    std::size_t cells = 0;
    for (std::size_t k = 0; k < rows; ++k) {
        if (k > 0 && sorted_[k].first != sorted_[k - 1].first) ++cells;
        dense_[cells] += table_.weight[sorted_[k].second];
    }
    return rows == 0 ? 0 : cells + 1;
}

CellCounts PartitionStack::count(Node last) {
    const auto& frame = frames_[depth_];
    const auto arity = table_.arity[last];
    const auto rows = frame.row.size();
    const std::size_t keys = std::size_t{frame.cells} * arity;
    if (is_sparse(rows, keys)) {
        const auto cells = count_sparse(frame, last);
        return {{dense_.data(), cells}, frame.single, table_.weight_value, 0};
    }
    zero(keys);
    const auto* const code = table_.column[last].data();
    const auto* const row = frame.row.data();
    const auto* const cell = frame.cell.data();
    auto* const dense = dense_.data();
    if (unit_weights_ && arity == 2) {
        for (std::size_t k = 0; k < rows; ++k) ++dense[2 * cell[k] + code[row[k]]];
    } else if (unit_weights_) {
        for (std::size_t k = 0; k < rows; ++k) ++dense[cell[k] * arity + code[row[k]]];
    } else {
        const auto* const weight = table_.weight.data();
        for (std::size_t k = 0; k < rows; ++k)
            dense[cell[k] * arity + code[row[k]]] += weight[row[k]];
    }
    return {{dense, keys}, frame.single, table_.weight_value, 0};
}

CellCounts PartitionStack::count() {
    const auto& frame = frames_[depth_];
    zero(frame.cells);
    for (std::size_t k = 0; k < frame.row.size(); ++k)
        dense_[frame.cell[k]] += table_.weight[frame.row[k]];
    return {{dense_.data(), frame.cells}, frame.single, table_.weight_value, 0};
}

} // namespace crediblenet
