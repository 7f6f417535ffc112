// Finds the numbers of items that are kept elsewhere by the items' hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace crediblenet {

// Open addressing, at most half full. One block of memory, so that millions of
// items are added fast and given back at once.
class NumberIndex {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // The number with this hash for which `same(number)` holds; `none` if there is none.
    template <class Same> [[nodiscard]] std::uint32_t find(std::uint64_t hash, Same&& same) const {
        if (slots_.empty()) return none;
        const auto mark = mark_of(hash);
        for (auto at = mark & mask(); slots_[at].number != none; at = (at + 1) & mask())
            if (slots_[at].mark == mark && same(slots_[at].number)) return slots_[at].number;
        return none;
    }

    // Adds a number that `find` does not find.
    void add(std::uint64_t hash, std::uint32_t number) {
        if (2 * (count_ + 1) > slots_.size()) grow();
        put({mark_of(hash), number});
        ++count_;
    }

    // Forgets all numbers, but keeps the memory.
    void clear() {
        slots_.assign(slots_.size(), {});
        count_ = 0;
    }

    // Bytes held.
    [[nodiscard]] std::size_t memory() const { return slots_.capacity() * sizeof(Slot); }

  private:
    struct Slot {
        std::uint32_t mark = 0; // the hash's lower half
        std::uint32_t number = none;
    };

    // Hashes end with h ^= h >> k, which brings what the upper bits know into the lower ones;
    // folding the halves once more would undo that for k = 32.
    static std::uint32_t mark_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash); }
    [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }

    void put(const Slot& slot) {
        auto at = slot.mark & mask();
        while (slots_[at].number != none) at = (at + 1) & mask();
        slots_[at] = slot;
    }

    void grow() {
        std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
        old.swap(slots_);
        for (const auto& slot : old)
            if (slot.number != none) put(slot);
    }

    std::vector<Slot> slots_;
    std::size_t count_ = 0;
};

} // namespace crediblenet
