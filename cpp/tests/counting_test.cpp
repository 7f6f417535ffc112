// Contingency tables, by partitions and by bits, against plain counting; the functions of counts
// against their definitions.
#include "scores/cell_bits.h"
#include "scores/log_terms.h"
#include "scores/partition.h"

#include "check.h"
#include "random_tables.h"

#include <algorithm>
#include <cmath>

using namespace crediblenet;

namespace {

// The positive counts in order.
std::vector<std::uint64_t> positive(const CellCounts& cells) {
    std::vector<std::uint64_t> counts(cells.ones, 1);
    for (const auto n : cells.dense)
        if (n != 0) counts.push_back(n);
    for (std::size_t k = 0; k < cells.single.size(); ++k)
        counts.insert(counts.end(), cells.single[k], cells.single_weight[k]);
    std::sort(counts.begin(), counts.end());
    return counts;
}

std::vector<std::uint64_t> plain(const DiscreteTable& table, const std::vector<Node>& variables) {
    std::vector<std::uint64_t> counts;
    for (const auto& [key, n] : count_plainly(table, variables)) counts.push_back(n);
    std::sort(counts.begin(), counts.end());
    return counts;
}

void test_rows_are_spread_and_none_lost() {
    for (std::size_t rows : {1u, 2u, 3u, 10u, 97u}) {
        const auto table = random_table(1, 3, rows, 4, 5);
        CHECK(table.rows() == rows);
        std::uint64_t total = 0;
        for (std::size_t r = 0; r < rows; ++r) {
            total += table.weight[r];
            CHECK(table.weight_value[table.weight_class[r]] == table.weight[r]);
        }
        CHECK(total == table.total);
    }
}

void test_partitions() {
    Control control;
    for (unsigned seed = 0; seed < 40; ++seed) {
        const auto table = random_table(seed, 6, 1 + seed * 7, 4, seed % 2 == 0 ? 1 : 9);
        PartitionStack stack(table, control);
        std::mt19937 random(seed);
        for (int round = 0; round < 30; ++round) {
            std::vector<Node> order{0, 1, 2, 3, 4, 5};
            std::shuffle(order.begin(), order.end(), random);
            const auto last = order.back();
            order.resize(random() % 5);
            stack.set(order);
            CHECK(positive(stack.count()) == plain(table, order));
            auto with_last = order;
            with_last.push_back(last);
            CHECK(positive(stack.count(last)) == plain(table, with_last));
        }
    }
}

// Few rows and thousands of states: the table is sorted instead of being laid out.
void test_sparse_partitions() {
    Control control;
    const auto table = random_table(3, 3, 200, 60'000, 3);
    PartitionStack stack(table, control);
    for (Node first = 0; first < 3; ++first) {
        stack.set({&first, 1});
        for (Node last = 0; last < 3; ++last) {
            if (first == last) continue;
            CHECK(positive(stack.count(last)) == plain(table, {first, last}));
        }
    }
}

void test_bits() {
    Control control;
    for (unsigned seed = 0; seed < 40; ++seed) {
        const auto table = random_table(seed, 5, 1 + seed * 11, 4, seed % 2 == 0 ? 1 : 70);
        PartitionStack stack(table, control);
        CellBits bits(table);
        const Node outer = static_cast<Node>(seed % 2);
        stack.set({&outer, seed % 3 == 0 ? 0u : 1u});
        std::vector<Node> members(seed % 3 == 0 ? 0 : 1, outer);
        bits.reset(stack.top().row, stack.top().cell, stack.top().cells);
        const auto check = [&](std::vector<Node> added, Node last) {
            std::vector<std::uint32_t> counts;
            bits.for_each_count(last, [&](std::uint32_t n) { counts.push_back(n); });
            added.insert(added.begin(), members.begin(), members.end());
            added.push_back(last);
            const auto depth = members.size();
            CHECK(positive(stack.with_singles(counts, bits.ones(), depth)) == plain(table, added));
        };
        bits.refine(2);
        check({2}, 3);
        bits.refine(2, 4);
        check({2, 4}, 3);
        bits.refine(4, 3);
        check({4, 3}, 2);
    }
}

void test_counting_stops() {
    const auto table = random_table(1, 4, 10'000, 4);
    Control control;
    PartitionStack stack(table, control);
    control.stop(StopReason::interrupted);
    const std::vector<Node> variables{0, 1, 2};
    CHECK_THROWS(stack.set(variables), Stopped);
    CHECK_THROWS(spread_rows(table, control), Stopped);
}

bool close(long double a, long double b, long double most = 1e-12L) {
    return std::abs(a - b) <= most * std::max({1.0L, std::abs(a), std::abs(b)});
}

void test_functions_of_counts() {
    CHECK(n_log_n(0) == 0);
    CHECK(close(n_log_n(10), 10 * std::log(10.0L)));
    for (const long double a : {1e-9L, 0.01L, 0.5L, 1.0L, 3.7L, 40.0L, 1e6L})
        for (const std::uint64_t n : {0u, 1u, 2u, 5u, 100u, 20'000u}) {
            long double sum = 0;
            for (std::uint64_t k = 0; k < n; ++k) sum += std::log(a + static_cast<long double>(k));
            CHECK(close(log_rising(a, n), sum, 1e-15L));
        }
    // Σ over h of binom(n, h) (h/n)^h ((n-h)/n)^(n-h), and ln C(n, r) for n = 1 is ln r.
    for (const std::uint64_t n : {1u, 2u, 7u, 30u}) {
        long double sum = 0;
        for (std::uint64_t h = 0; h <= n; ++h)
            sum += std::exp(log_rising(1, n) - log_rising(1, h) - log_rising(1, n - h) +
                            n_log_n(h) + n_log_n(n - h) - n_log_n(n));
        CHECK(close(log_multinomial_regret(n, 2), std::log(sum)));
        CHECK(log_multinomial_regret(n, 1) == 0);
    }
    CHECK(close(log_multinomial_regret(1, 1e6L), std::log(1e6L)));
    CHECK(log_multinomial_regret(0, 5) == 0);
}

// Sums in fixed point are exact: the same in any order, from a table or beyond it.
void test_fixed_point() {
    const int bits = 40;
    const CountFunction f([](std::uint64_t n) { return n_log_n(n); }, bits, 1'000'000);
    for (const std::uint32_t n : {0u, 1u, 2u, 16'383u, 16'384u, 900'000u})
        CHECK(f(n) == to_fixed(n_log_n(n), bits));
    RisingTable rising(0.25L, bits);
    for (const std::uint32_t n : {5u, 0u, 1u, 16'383u, 16'384u, 50'000u}) {
        const auto exact = std::ldexp(log_rising(0.25L, n), bits);
        CHECK(std::abs(static_cast<long double>(rising(n)) - exact) <= 1);
    }
    const std::vector<std::uint32_t> counts{3, 0, 7, 20'000, 1}, single{2, 1}, weight{4, 9};
    const CellCounts cells{counts, single, weight, 5};
    Fixed sum = 5 * f(1) + 2 * f(4) + f(9);
    for (const auto n : counts) sum += f(n);
    CHECK(f.sum(cells) == sum);
}

} // namespace

int main() {
    test_rows_are_spread_and_none_lost();
    test_partitions();
    test_sparse_partitions();
    test_bits();
    test_counting_stops();
    test_functions_of_counts();
    test_fixed_point();
}
