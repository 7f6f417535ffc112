// A list that grows without being copied.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace crediblenet {

// Elements in pieces of moderate size. Only within a piece that is not full yet are elements
// ever moved; a vector that runs out of room holds all of them twice for a moment. So a list
// never takes more than `bytes` and one or two pieces.
template <class T> class Piecewise {
  public:
    // Small enough for the allocator to keep pieces side by side, instead of asking the
    // operating system for each of them.
    static constexpr std::size_t piece_size = (std::size_t{1} << 16) / sizeof(T);

    void push_back(const T& value) {
        if (pieces_.empty() || pieces_.back().size() == piece_size) {
            pieces_.emplace_back();
            if (pieces_.size() > 1) pieces_.back().reserve(piece_size);
        }
        pieces_.back().push_back(value);
        ++size_;
    }
    // Takes over the elements of a list that has nothing in reserve.
    void append(Piecewise&& other) {
        for (auto& piece : other.pieces_) pieces_.push_back(std::move(piece));
        size_ += std::exchange(other.size_, 0);
        other.pieces_.clear();
    }
    // Gives back what the last piece has in reserve.
    void shrink() {
        if (!pieces_.empty()) pieces_.back().shrink_to_fit();
    }

    template <class F> void for_each(F&& f) const {
        for (const auto& piece : pieces_)
            for (const auto& value : piece) f(value);
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }

  private:
    std::vector<std::vector<T>> pieces_;
    std::size_t size_ = 0;
};

} // namespace crediblenet
