// The selection of rows against its definition, on random rows.
#include "bounds/row_selection.h"
#include "check.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace crediblenet;

namespace {

constexpr std::size_t columns = 12;

std::vector<double> dense(const ViolatedRow& row) {
    std::vector<double> values(columns);
    for (const auto& [column, value] : row.coefficients) values[column] = value;
    return values;
}

double product(const ViolatedRow& a, const ViolatedRow& b) {
    const auto x = dense(a), y = dense(b);
    double sum = 0;
    for (std::size_t c = 0; c < columns; ++c) sum += x[c] * y[c];
    return sum;
}

double distance(const ViolatedRow& row) { return row.violation / std::sqrt(product(row, row)); }

double cosine(const ViolatedRow& a, const ViolatedRow& b) {
    return product(a, b) / std::sqrt(product(a, a) * product(b, b));
}

std::vector<ViolatedRow> random_rows(std::mt19937& random) {
    std::vector<ViolatedRow> rows(random() % 30);
    for (auto& row : rows) {
        row.violation = static_cast<double>(1 + random() % 1000) / 1000;
        for (std::uint32_t column = 0; column < columns; ++column)
            if (random() % 3 == 0)
                row.coefficients.push_back({column, static_cast<double>(1 + random() % 2)});
        if (row.coefficients.empty()) row.coefficients.push_back({0, 1});
    }
    return rows;
}

void check_selection(std::mt19937& random) {
    const auto rows = random_rows(random);
    const auto limit = random() % 12;
    const double most = 0.3 + 0.1 * static_cast<double>(random() % 7);
    const auto taken = select_rows(rows, columns, most, limit);
    CHECK(taken.size() <= limit);
    for (std::size_t t = 0; t < taken.size(); ++t)
        for (std::size_t before = 0; before < t; ++before) {
            CHECK(distance(rows[taken[before]]) >= distance(rows[taken[t]]) - 1e-9);
            CHECK(cosine(rows[taken[before]], rows[taken[t]]) <= most + 1e-9);
        }
    // What is left out is like one that lies as far or farther, unless there was no room.
    for (std::size_t r = 0; r < rows.size() && taken.size() < limit; ++r)
        CHECK(std::ranges::any_of(taken, [&](auto t) {
            return t == r || (distance(rows[t]) >= distance(rows[r]) - 1e-9 &&
                              cosine(rows[t], rows[r]) > most - 1e-9);
        }));
}

} // namespace

int main() {
    std::mt19937 random(3);
    for (int round = 0; round < 2000; ++round) check_selection(random);
}
