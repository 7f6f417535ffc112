// Which of the clusters that were found at a point are returned.
#pragma once

#include "bounds/clusters.h"
#include "bounds/fractions.h"
#include "bounds/row_selection.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace crediblenet {

// Candidates with no more than this at a point are no part of it.
inline constexpr double no_fraction = 1e-9;

// The most violated ones first.
template <std::size_t W> void sort_clusters(std::vector<FoundCluster<W>>& found) {
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        if (a.violation != b.violation) return a.violation > b.violation;
        if (a.k != b.k) return a.k < b.k;
        return a.members < b.members;
    });
}

// At most `limit`: as `select_rows` does, or, if `most_parallel` is 1, the most violated ones.
template <std::size_t W>
std::vector<FoundCluster<W>>
select_clusters(std::vector<FoundCluster<W>> found, const std::vector<Fraction<W>>& fractions,
                std::size_t n, double most_parallel, std::size_t limit) {
    constexpr std::size_t choice_of = 20; // so many are looked at for one that is taken
    sort_clusters(found);
    const bool all = most_parallel >= 1;
    const auto most = all ? limit : choice_of * std::min(limit, found.size());
    if (found.size() > most) found.resize(most);
    if (all) return found;
    std::vector<std::uint32_t> begin(n + 1); // of each variable's fractions
    for (const auto& fraction : fractions) ++begin[fraction.variable + 1];
    for (std::size_t i = 0; i < n; ++i) begin[i + 1] += begin[i];
    const auto columns = static_cast<std::uint32_t>(fractions.size());
    std::vector<ViolatedRow> rows;
    for (const auto& cluster : found) {
        ViolatedRow row{cluster.violation, {}};
        cluster.members.for_each([&](std::size_t i) {
            // For all its candidates that have no value at the point.
            row.coefficients.push_back({columns + static_cast<std::uint32_t>(i), 1});
            for (auto c = begin[i]; c < begin[i + 1]; ++c)
                if (cluster.counts(i, fractions[c].parents)) row.coefficients.push_back({c, 1});
        });
        rows.push_back(std::move(row));
    }
    std::vector<FoundCluster<W>> taken;
    for (const auto at : select_rows(rows, columns + n, most_parallel, limit))
        taken.push_back(found[at]);
    return taken;
}

} // namespace crediblenet
