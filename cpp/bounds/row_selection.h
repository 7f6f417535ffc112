// Which of many violated inequalities are added to a linear program: those that lie far from
// the point, and say different things. Many clusters that differ by a variable or two are
// violated together; one of them does the work of all. (Wesselmann and Suhl 2012 compare
// such selections.)
#pragma once

#include <cstdint>
#include <vector>

namespace crediblenet {

struct Coefficient {
    std::uint32_t column;
    double value;
};

struct ViolatedRow {
    double violation;
    std::vector<Coefficient> coefficients; // of the columns that the point is made of
};

// Places of at most `limit` rows in the order of their distance from the point, the farthest
// first. Of two rows whose angle has a cosine above `most_parallel` only the first is taken.
std::vector<std::size_t> select_rows(const std::vector<ViolatedRow>& rows, std::size_t columns,
                                     double most_parallel, std::size_t limit);

} // namespace crediblenet
