// Many networks at once, packed as Python's arrays hold them.
//
// Each function works on all threads, and its result does not depend on their number. A
// stopped run throws Stopped.
#pragma once

#include "big_uint.h"
#include "classes/keys.h"
#include "classes/members.h"
#include "control.h"
#include "types.h"

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace crediblenet {

// Parent sets: bit j % 64 of word j / 64 of set (g, i) says whether node j is a parent of
// node i in network g.
struct DagBatch {
    const std::uint64_t* words; // count * nodes * width
    std::size_t count;
    std::size_t nodes;
    std::size_t width; // words per set

    [[nodiscard]] std::size_t words_count() const { return count * nodes * width; }
    [[nodiscard]] std::vector<std::size_t> shape() const { return {count, nodes, width}; }
};

struct Run {
    unsigned threads;
    Control& control;
};

// Throws std::invalid_argument, naming the first network that is not a DAG on its nodes.
void check_dags(const DagBatch& dags, Run run);

// CPDAGs: the compelled parents and the neighbours by reversible edges.
void batch_cpdags(const DagBatch& dags, std::uint64_t* compelled, std::uint64_t* undirected,
                  Run run);
// The canonical member of each network's class.
void batch_canonical(const DagBatch& dags, std::uint64_t* members, Run run);
void batch_is_canonical(const DagBatch& dags, std::uint8_t* result, Run run);
// The number of members of each network's class.
std::vector<BigUint> batch_sizes(const DagBatch& dags, Run run);
// A uniformly drawn member of each network's class; network g depends on (seed, g) only.
void batch_sample(const DagBatch& dags, std::uint64_t seed, std::uint64_t* members, Run run);
// Hashes of the normal forms, two words per network.
void batch_hashes(const DagBatch& dags, Sameness sameness, std::uint64_t* hashes, Run run);
// Numbers the groups of networks that are the same by first appearance, and returns how
// many there are. Networks whose hashes collide are compared in full.
std::size_t batch_group(const DagBatch& dags, Sameness sameness, std::int64_t* group, Run run);

// Sums over classes of weight times the share of the members that have a feature; each is
// nodes * nodes, entry a * nodes + b.
struct FeatureSums {
    std::vector<double> directed;  // a -> b
    std::vector<double> compelled; // a -> b in all members
    std::vector<double> adjacent;  // a -> b or b -> a
    std::vector<double> blanket;   // b is in the Markov blanket of a
};
FeatureSums batch_feature_sums(const DagBatch& dags, std::span<const double> weights, Run run);

// A v-structure first -> middle <- last with first < last not adjacent.
struct VStructure {
    Node first, middle, last;
    friend auto operator<=>(const VStructure&, const VStructure&) = default;
};
struct VStructureSums {
    std::vector<VStructure> triples; // ascending
    std::vector<double> sums;        // of the weights of the networks that have it
};
VStructureSums batch_v_structure_sums(const DagBatch& dags, std::span<const double> weights,
                                      Run run);

// Walks through the members of one network's class (members.h).
class PackedMembers {
  public:
    explicit PackedMembers(const DagBatch& dag); // the first network of the batch
    // The next members, at most `count`, packed; fewer at the end, then none.
    std::vector<std::uint64_t> next(std::size_t count);
    [[nodiscard]] std::size_t nodes() const { return nodes_; }
    [[nodiscard]] std::size_t width() const { return width_; }

  private:
    std::size_t nodes_, width_;
    std::variant<MemberLister<1>, MemberLister<2>, MemberLister<4>, MemberLister<8>> lister_;
};

// A reversible edge of one network's class, and how many members have tail -> head.
struct OrientationCount {
    Node tail, head;
    BigUint members;
};
// By tail, then head; both directions of each edge.
std::vector<OrientationCount> packed_orientation_counts(const DagBatch& dag);

} // namespace crediblenet
