// A run is stopped once, for one reason, and memory is accounted for; the
// parallel loop does every item once, passes errors on, and ends when stopped.
#include "control.h"
#include "parallel.h"

#include "check.h"

#include <stdexcept>
#include <thread>
#include <vector>

using namespace crediblenet;

namespace {

void test_first_reason_wins() {
    Control control;
    CHECK(!control.stopped());
    control.stop(StopReason::time);
    control.stop(StopReason::interrupted);
    CHECK(control.reason() == StopReason::time);
}

void test_time_limit() {
    Control control;
    control.set_time_limit(0);
    CHECK(control.poll());
    CHECK(control.reason() == StopReason::time);

    Control patient;
    patient.set_time_limit(1e300);
    CHECK(!patient.poll());
}

void test_memory_limit() {
    Control control;
    control.set_memory_limit(100);
    control.reserve(60, "a table");
    CHECK_THROWS(control.reserve(41, "a table"), Stopped);
    CHECK(control.memory() == 60);
    control.reserve(40, "a table");
    control.release(100);
    CHECK(control.memory() == 0);
    CHECK(control.memory_peak() == 100);
}

void test_every_item_once() {
    for (unsigned threads : {1u, 2u, 7u}) {
        for (std::size_t count : {0u, 1u, 10u, 1000u}) {
            Control control;
            std::vector<int> visits(count, 0);
            parallel_for(count, 3, threads, control,
                         [&](std::size_t begin, std::size_t end, unsigned) {
                             for (auto i = begin; i < end; ++i) ++visits[i];
                         });
            CHECK(visits == std::vector<int>(count, 1));
        }
    }
}

void test_errors_arrive() {
    Control control;
    const auto fail = [](std::size_t begin, std::size_t, unsigned) {
        if (begin == 500) throw std::runtime_error("five hundred");
    };
    CHECK_THROWS(parallel_for(1000, 1, 4, control, fail), std::runtime_error);
}

void test_a_stop_from_outside_ends_the_loop() {
    Control control;
    std::jthread user([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        control.stop(StopReason::interrupted);
    });
    // Would take hours to the end.
    parallel_for(100'000'000, 1, 2, control, [](std::size_t, std::size_t, unsigned) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    });
    CHECK(control.reason() == StopReason::interrupted);
}

} // namespace

int main() {
    test_first_reason_wins();
    test_time_limit();
    test_memory_limit();
    test_every_item_once();
    test_errors_arrive();
    test_a_stop_from_outside_ends_the_loop();
}
