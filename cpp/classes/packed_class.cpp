// One class at a time, between packed words and node sets.
#include "classes/class_counter.h"
#include "classes/packed.h"

namespace crediblenet {
namespace {

using AnyLister = std::variant<MemberLister<1>, MemberLister<2>, MemberLister<4>, MemberLister<8>>;

template <std::size_t W> Cpdag<W> packed_cpdag(const DagBatch& dag) {
    std::vector<NodeSet<W>> parents;
    PackedDags<W>(dag).load(0, parents);
    return cpdag(parents);
}

} // namespace

PackedMembers::PackedMembers(const DagBatch& dag)
    : nodes_(dag.nodes), width_(dag.width), lister_(with_width(dag.nodes, [&](auto width) {
          return AnyLister(MemberLister<width>(packed_cpdag<width>(dag)));
      })) {}

std::vector<std::uint64_t> PackedMembers::next(std::size_t count) {
    std::vector<std::uint64_t> words;
    std::visit(
        [&](auto& lister) {
            for (; count > 0 && lister.next(); --count)
                for (const auto& set : lister.parents())
                    words.insert(words.end(), set.word.begin(),
                                 set.word.begin() + static_cast<std::ptrdiff_t>(width_));
        },
        lister_);
    return words;
}

std::vector<OrientationCount> packed_orientation_counts(const DagBatch& dag) {
    return with_width(dag.nodes, [&](auto width) {
        const auto undirected = packed_cpdag<width>(dag).undirected;
        const auto counts = orientation_counts<width>(undirected);
        std::vector<OrientationCount> result;
        for (std::size_t a = 0; a < dag.nodes; ++a)
            undirected[a].for_each([&](std::size_t b) {
                result.push_back(
                    {static_cast<Node>(a), static_cast<Node>(b), counts[a * dag.nodes + b]});
            });
        return result;
    });
}

} // namespace crediblenet
