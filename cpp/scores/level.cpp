#include "scores/level.h"

namespace crediblenet {

std::size_t Block::bytes() const {
    return terms.capacity() * sizeof(Cost) + alive.capacity() * sizeof(Positions) +
           headroom.capacity() + first_own.capacity() * sizeof(std::uint32_t) +
           best.capacity() * sizeof(Cost) + own_headroom.capacity();
}

void Block::shrink() {
    terms.shrink_to_fit();
    alive.shrink_to_fit();
    headroom.shrink_to_fit();
    first_own.shrink_to_fit();
    best.shrink_to_fit();
    own_headroom.shrink_to_fit();
}

template <std::size_t W> void Level<W>::index() {
    std::size_t size = 16;
    while (size < 2 * groups.size()) size *= 2;
    slots_.assign(size, 0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        auto slot = groups[g].prefix.hash() & (size - 1);
        while (slots_[slot] != 0) slot = (slot + 1) & (size - 1);
        slots_[slot] = static_cast<std::uint32_t>(g + 1);
    }
}

template <std::size_t W> const Group<W>* Level<W>::find(const NodeSet<W>& prefix) const {
    const auto mask = slots_.size() - 1;
    for (auto slot = prefix.hash() & mask; slots_[slot] != 0; slot = (slot + 1) & mask)
        if (const auto& group = groups[slots_[slot] - 1]; group.prefix == prefix) return &group;
    return nullptr;
}

template <std::size_t W> std::size_t Level<W>::bytes() const {
    auto total = groups.capacity() * sizeof(Group<W>) + slots_.capacity() * sizeof(std::uint32_t);
    for (const auto& block : blocks) total += block.bytes();
    return total;
}

template class Level<1>;
template class Level<2>;
template class Level<4>;
template class Level<8>;

} // namespace crediblenet
