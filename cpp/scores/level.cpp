#include "scores/level.h"

#include <algorithm>

namespace crediblenet {

namespace {

// The comparison of the standard library's arrays is a function call.
template <std::size_t W> bool same(const NodeSet<W>& a, const NodeSet<W>& b) {
    std::uint64_t different = 0;
    for (std::size_t w = 0; w < W; ++w) different |= a.word[w] ^ b.word[w];
    return different == 0;
}

} // namespace

std::size_t Block::bytes() const {
    return terms.size() * sizeof(Cost) + alive.size() * sizeof(Positions) + headroom.size() +
           first_own.size() * sizeof(std::uint32_t) + best.size() * sizeof(Cost) +
           own_headroom.size();
}

void Block::shrink() {
    terms.shrink_to_fit();
    alive.shrink_to_fit();
    headroom.shrink_to_fit();
    first_own.shrink_to_fit();
    best.shrink_to_fit();
    own_headroom.shrink_to_fit();
}

template <std::size_t W> void LatticeLevel<W>::index() {
    runs_.clear();
    for (std::size_t g = 0; g < groups.size(); ++g) {
        auto common = groups[g].prefix;
        if (common.empty()) continue; // sets of one member: a single group
        const auto last = highest(common);
        common.erase(last);
        if (runs_.empty() || !same(runs_.back().common, common))
            runs_.push_back({common, {}, static_cast<std::uint32_t>(g)});
        runs_.back().lasts.insert(last);
    }
    by_common_ = {};
    for (std::size_t r = 0; r < runs_.size(); ++r)
        by_common_.add(runs_[r].common.hash(), static_cast<std::uint32_t>(r));
}

template <std::size_t W>
const GroupRun<W>* LatticeLevel<W>::find_run(const NodeSet<W>& common) const {
    const auto run =
        by_common_.find(common.hash(), [&](auto r) { return same(runs_[r].common, common); });
    return run == NumberIndex::none ? nullptr : &runs_[run];
}

template <std::size_t W> const Group<W>* LatticeLevel<W>::find_group(NodeSet<W> prefix) const {
    if (prefix.empty()) return groups.empty() ? nullptr : groups.data();
    const auto last = highest(prefix);
    prefix.erase(last);
    return find(find_run(prefix), last);
}

template <std::size_t W> SetRef LatticeLevel<W>::find_set(NodeSet<W> set) const {
    const auto last = highest(set);
    set.erase(last);
    const auto* group = find_group(set);
    return group != nullptr && group->stored.contains(last) ? find(*group, last) : SetRef{};
}

template <std::size_t W> bool LatticeLevel<W>::anything_alive() const {
    return std::any_of(alive.begin(), alive.end(), [](const auto& sets) { return !sets.empty(); });
}

template <std::size_t W>
std::vector<double> LatticeLevel<W>::alive_counts(std::size_t variables) const {
    std::vector<double> counts(variables);
    for (const auto& group : groups) {
        std::size_t position = 0;
        group.prefix.for_each([&](std::size_t member) {
            counts[member] += static_cast<double>(alive_at(group, position++).size());
        });
        alive_at(group, position).for_each([&](std::size_t last) { ++counts[last]; });
    }
    return counts;
}

template <std::size_t W> std::size_t LatticeLevel<W>::counted() const {
    std::size_t count = 0;
    for (const auto& group : groups) count += group.stored.size() + group.dead.size();
    return count;
}

#define CREDIBLENET_INSTANTIATE(W) template class LatticeLevel<W>;
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
