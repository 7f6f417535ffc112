// How scoring ends before its time: it has no partial result, because a missing candidate would
// make everything after it wrong.
#pragma once

#include "control.h"

#include <string>

namespace crediblenet {

// Throws Stopped if the run was stopped; `doing` completes the sentence "while ...".
inline void throw_if_stopped(const Control& control, const std::string& doing) {
    if (!control.stopped()) return;
    if (control.reason() == StopReason::time)
        throw Stopped(StopReason::time, "the time limit was reached while " + doing);
    throw Stopped(control.reason(), "scoring was stopped");
}

} // namespace crediblenet
