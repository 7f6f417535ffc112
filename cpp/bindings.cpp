// The only file that knows Python: it converts arguments, releases the
// interpreter lock, and hands results over. No logic lives here.
#include <nanobind/nanobind.h>

#include "types.h"

namespace nb = nanobind;

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of crediblenet.";
    m.attr("max_nodes") = crediblenet::max_nodes;
}
