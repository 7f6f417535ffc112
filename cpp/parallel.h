// Dynamic load over threads. The result of a parallel loop must not depend on
// which thread did what: tasks write to places of their own.
#pragma once

#include "control.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace crediblenet {

// Calls f(begin, end, thread) for consecutive chunks of [0, count) until all
// are done or the run is stopped. The first exception is rethrown here.
template <class F>
void parallel_for(std::size_t count, std::size_t chunk, unsigned threads, Control& control, F&& f) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr error;
    std::mutex error_mutex;
    auto work = [&](unsigned thread) {
        try {
            while (!control.poll()) {
                const auto begin = next.fetch_add(chunk);
                if (begin >= count) return;
                f(begin, begin + chunk < count ? begin + chunk : count, thread);
            }
        } catch (...) {
            next = count;
            const std::lock_guard lock(error_mutex);
            if (!error) error = std::current_exception();
        }
    };
    if (threads <= 1 || count <= chunk) {
        work(0);
    } else {
        std::vector<std::jthread> pool;
        for (unsigned t = 1; t < threads; ++t) pool.emplace_back(work, t);
        work(0);
    }
    if (error) std::rethrow_exception(error);
}

} // namespace crediblenet
