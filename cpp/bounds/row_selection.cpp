#include "bounds/row_selection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace crediblenet {

namespace {

double length(const ViolatedRow& row) {
    double squares = 0;
    for (const auto& coefficient : row.coefficients)
        squares += coefficient.value * coefficient.value;
    return std::sqrt(squares);
}

// The rows that were taken, by column, so that one pass over a row meets all of them.
class TakenRows {
  public:
    TakenRows(std::size_t columns, double most_parallel)
        : by_column_(columns), most_parallel_(most_parallel) {}

    bool has_parallel(const ViolatedRow& row, double row_length) {
        products_.assign(lengths_.size(), 0.0);
        for (const auto& [column, value] : row.coefficients)
            for (const auto& other : by_column_[column])
                products_[other.row] += value * other.value;
        for (std::size_t t = 0; t < products_.size(); ++t)
            if (products_[t] > most_parallel_ * row_length * lengths_[t]) return true;
        return false;
    }

    void add(const ViolatedRow& row, double row_length) {
        for (const auto& [column, value] : row.coefficients)
            by_column_[column].push_back({lengths_.size(), value});
        lengths_.push_back(row_length);
    }

  private:
    struct Entry {
        std::size_t row;
        double value;
    };

    std::vector<std::vector<Entry>> by_column_;
    std::vector<double> lengths_, products_;
    double most_parallel_;
};

} // namespace

std::vector<std::size_t> select_rows(const std::vector<ViolatedRow>& rows, std::size_t columns,
                                     double most_parallel, std::size_t limit) {
    std::vector<double> lengths, distances; // of the point from each row
    for (const auto& row : rows) {
        lengths.push_back(length(row));
        distances.push_back(row.violation / lengths.back());
    }
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return distances[a] > distances[b]; });
    TakenRows taken(columns, most_parallel);
    std::vector<std::size_t> selected;
    for (const auto at : order) {
        if (selected.size() == limit) break;
        if (taken.has_parallel(rows[at], lengths[at])) continue;
        taken.add(rows[at], lengths[at]);
        selected.push_back(at);
    }
    return selected;
}

} // namespace crediblenet
