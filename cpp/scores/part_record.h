// What a piece of the last level gives, as the words of a journal's record, and back.
#pragma once

#include "scores/level_part.h"
#include "scores/score.h"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace crediblenet {

inline constexpr std::size_t counters_in_record = 8;

template <std::size_t W> std::vector<std::uint64_t> to_record(const LevelPart<W>& part) {
    const auto& removed = part.removed;
    std::vector<std::uint64_t> words{part.counted, part.scored, removed.r1, removed.r2,
                                     removed.r3,   removed.c4,  removed.r5, removed.r6};
    words.reserve(words.size() + part.candidates.size() * (2 + W));
    part.candidates.for_each([&](const ScoredSet<W>& candidate) {
        words.push_back(candidate.child);
        words.push_back(std::bit_cast<std::uint64_t>(candidate.cost));
        words.insert(words.end(), candidate.parents.word.begin(), candidate.parents.word.end());
    });
    return words;
}

// False if the words are not such a record: a child that is no target, parents that it may not
// have. The file may come from anywhere.
template <std::size_t W>
bool from_record(std::span<const std::uint64_t> words, const NodeSet<W>& targets,
                 const std::vector<NodeSet<W>>& allowed, const NodeSet<W>& base,
                 LevelPart<W>& part) {
    constexpr std::size_t per_candidate = 2 + W;
    if (words.size() < counters_in_record ||
        (words.size() - counters_in_record) % per_candidate != 0)
        return false;
    part.counted = words[0], part.scored = words[1];
    part.removed = {words[2], words[3], words[4], words[5], words[6], words[7]};
    for (auto rest = words.subspan(counters_in_record); !rest.empty();
         rest = rest.subspan(per_candidate)) {
        ScoredSet<W> candidate;
        const auto cost = std::bit_cast<Cost>(rest[1]);
        if (rest[0] >= NodeSet<W>::capacity || !targets.contains(rest[0]) ||
            cost >= unreachable_cost || cost <= -unreachable_cost)
            return false;
        candidate.child = static_cast<Node>(rest[0]);
        candidate.cost = cost;
        for (std::size_t w = 0; w < W; ++w) candidate.parents.word[w] = rest[2 + w];
        if (!candidate.parents.subset_of(allowed[candidate.child] | base)) return false;
        part.candidates.push_back(candidate);
    }
    return true;
}

} // namespace crediblenet
