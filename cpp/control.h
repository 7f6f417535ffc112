// How a long computation is watched and stopped: interruption, time, memory,
// progress. One Control belongs to one run and is shared by its threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace crediblenet {

enum class StopReason : std::uint8_t { none = 0, interrupted, time, memory, limit };

// Thrown where a stage cannot give a partial result; stages that can, return it
// with the reason instead.
struct Stopped : std::runtime_error {
    StopReason reason;
    Stopped(StopReason why, const std::string& what) : std::runtime_error(what), reason(why) {}
};

class Control {
  public:
    using Clock = std::chrono::steady_clock;

    // Seconds from now; infinity means no limit.
    void set_time_limit(double seconds) {
        if (seconds < 1e9)
            deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(seconds));
    }
    void set_memory_limit(std::size_t bytes) { memory_limit_ = bytes; }
    [[nodiscard]] std::size_t memory_limit() const { return memory_limit_; }

    void stop(StopReason reason) {
        int expected = 0;
        reason_.compare_exchange_strong(expected, static_cast<int>(reason));
    }

    // Cheap enough to call every few microseconds: the clock is read by `poll`.
    [[nodiscard]] bool stopped() const { return reason_.load(std::memory_order_relaxed) != 0; }
    [[nodiscard]] StopReason reason() const { return static_cast<StopReason>(reason_.load()); }

    // Checks the clock, too; call it at least every few milliseconds.
    bool poll() {
        if (Clock::now() >= deadline_) stop(StopReason::time);
        return stopped();
    }

    // Infinity without a time limit.
    [[nodiscard]] double seconds_left() const {
        if (deadline_ == Clock::time_point::max()) return std::numeric_limits<double>::infinity();
        return std::max(0.0, std::chrono::duration<double>(deadline_ - Clock::now()).count());
    }

    // Announces memory before it is allocated. Throws instead of letting the
    // machine run out of it.
    void reserve(std::size_t bytes, const char* what) {
        const auto now = memory_.fetch_add(bytes) + bytes;
        if (now > memory_limit_) {
            memory_.fetch_sub(bytes);
            throw Stopped(StopReason::memory, std::string(what) + " needs " +
                                                  std::to_string(bytes >> 20) +
                                                  " MB more, which exceeds the memory limit of " +
                                                  std::to_string(memory_limit_ >> 20) + " MB");
        }
        auto peak = memory_peak_.load();
        while (now > peak && !memory_peak_.compare_exchange_weak(peak, now)) {}
    }
    // Whether so many bytes more would be within the limit.
    [[nodiscard]] bool fits(std::size_t bytes) const {
        const auto now = memory_.load();
        return now <= memory_limit_ && bytes <= memory_limit_ - now;
    }
    void release(std::size_t bytes) { memory_.fetch_sub(bytes); }
    [[nodiscard]] std::size_t memory() const { return memory_.load(); }
    [[nodiscard]] std::size_t memory_peak() const { return memory_peak_.load(); }

    // What the run is going to announce in all, in bytes: surely, as expected, and at most.
    struct Forecast {
        double least = 0;
        double expected = 0; // 0: not known yet
        double most = 0;
    };
    [[nodiscard]] Forecast forecast() const { return {least_, expected_, most_}; }
    // Throws when even the least is above the limit.
    void foresee_memory(double least, double most, const std::string& what) {
        least_ = least;
        most_ = most;
        if (least > static_cast<double>(memory_limit_))
            throw Stopped(StopReason::memory,
                          what + " needs at least " +
                              std::to_string(std::llround(std::min(least / 0x1p20, 1e15))) +
                              " MB of memory, which exceeds the limit of " +
                              std::to_string(memory_limit_ >> 20) + " MB");
    }
    // What is known from another machine; its limit is not the one here.
    void foresee_elsewhere(const Forecast& known) {
        least_ = known.least;
        expected_ = known.expected;
        most_ = known.most;
    }
    void expect_memory(double bytes) {
        const auto known = std::max(least_.load(), static_cast<double>(memory_peak()));
        expected_ = std::max(known, std::min(bytes, most_.load()));
    }

    // Progress, read by another thread while the stage runs.
    std::atomic<std::uint64_t> visited{0}; // parent sets, subsets or search nodes
    std::atomic<std::uint64_t> found{0};   // candidate sets or networks
    std::atomic<double> fraction{0.0};     // estimated share of the stage that is done
    std::atomic<double> pending{0.0};      // the same of parts that are at work, besides

  private:
    std::atomic<int> reason_{0};
    Clock::time_point deadline_ = Clock::time_point::max();
    std::size_t memory_limit_ = std::numeric_limits<std::size_t>::max();
    std::atomic<std::size_t> memory_{0};
    std::atomic<std::size_t> memory_peak_{0};
    std::atomic<double> least_{0}, expected_{0}, most_{0};
};

} // namespace crediblenet
