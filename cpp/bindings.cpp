// The only file that knows Python: it converts arguments, releases the
// interpreter lock, and hands results over. No logic lives here.
#include <nanobind/nanobind.h>

#include "control.h"
#include "types.h"

#include <cmath>

namespace nb = nanobind;
using namespace nb::literals;
namespace cn = crediblenet;

namespace {

// ---- Run control -----------------------------------------------------------

const char* reason_name(cn::StopReason reason) {
    switch (reason) {
    case cn::StopReason::none: return nullptr;
    case cn::StopReason::interrupted: return "interrupted";
    case cn::StopReason::time: return "time";
    case cn::StopReason::memory: return "memory";
    case cn::StopReason::limit: return "limit";
    }
    return nullptr;
}

// Stopped becomes KeyboardInterrupt or LimitError: what a Python user expects.
void translate_stopped(const std::exception_ptr& error, void*) {
    try {
        std::rethrow_exception(error);
    } catch (const cn::Stopped& stopped) {
        if (stopped.reason == cn::StopReason::interrupted) {
            PyErr_SetNone(PyExc_KeyboardInterrupt);
            return;
        }
        const auto type = nb::module_::import_("crediblenet.exceptions").attr("LimitError");
        PyErr_SetString(type.ptr(), stopped.what());
    }
}

void bind_control(nb::module_& m) {
    nb::register_exception_translator(translate_stopped);
    nb::class_<cn::Control>(m, "Control",
                            "How one run of the core is watched and stopped, from any thread.")
        .def(
            "__init__",
            [](cn::Control* self, double time_limit, double memory_limit) {
                // NaN fails both comparisons, so it is refused as well.
                if (!(time_limit >= 0)) throw nb::value_error("time_limit must not be negative");
                if (!(memory_limit >= 0))
                    throw nb::value_error("memory_limit must not be negative");
                new (self) cn::Control();
                self->set_time_limit(time_limit);
                if (memory_limit < 0x1p63)
                    self->set_memory_limit(static_cast<std::size_t>(memory_limit));
            },
            "time_limit"_a = INFINITY, "memory_limit"_a = INFINITY,
            "Start the clock: seconds from now, and bytes.")
        .def(
            "interrupt", [](cn::Control& self) { self.stop(cn::StopReason::interrupted); },
            "Ask the run to end soon, as a user's Ctrl-C does.")
        .def_prop_ro(
            "stopped_by", [](const cn::Control& self) { return reason_name(self.reason()); },
            nb::for_getter(nb::sig("def stopped_by(self) -> str | None")),
            "Why the run was stopped, or None.")
        .def_prop_ro(
            "visited", [](const cn::Control& self) { return self.visited.load(); },
            "Parent sets, subsets or search nodes seen so far.")
        .def_prop_ro(
            "found", [](const cn::Control& self) { return self.found.load(); },
            "Candidate sets or networks found so far.")
        .def_prop_ro(
            "fraction", [](const cn::Control& self) { return self.fraction.load(); },
            "Estimated share of the stage that is done, between 0 and 1.")
        .def_prop_ro("memory_peak", &cn::Control::memory_peak,
                     "Most bytes that the run announced at any time.");
}

} // namespace

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of crediblenet.";
    m.attr("max_nodes") = cn::max_nodes;
    bind_control(m);
}
