// When two networks count as the same: what is compared, exactly and by hash.
#pragma once

#include "classes/cpdag.h"

#include <array>
#include <span>
#include <vector>

namespace crediblenet {

enum class Sameness {
    markov_class,     // Markov equivalence
    collider_pattern, // same skeleton and same converging pairs, shielded ones too
    skeleton,         // same adjacencies
};

// The neighbours of every node, by arcs in either direction.
template <std::size_t W>
void skeleton(std::span<const NodeSet<W>> parents, std::span<NodeSet<W>> out);

// Fills `form`, which is equal for two acyclic graphs iff they are the same: two entries
// per node (one for the skeleton).
//  * The class: its CPDAG, which determines skeleton and v-structures and is determined by
//    them.
//  * The collider pattern: the skeleton, and the parents of each node that has at least
//    two; these are determined by their pairs, and fewer make no pair.
template <std::size_t W>
void normal_form(std::span<const NodeSet<W>> parents, Sameness sameness,
                 std::vector<NodeSet<W>>& form);

// 128 bits; equal forms have equal hashes on every platform and at every width.
using FormHash = std::array<std::uint64_t, 2>;
template <std::size_t W> FormHash hash_form(std::span<const NodeSet<W>> form, std::size_t words);

} // namespace crediblenet
