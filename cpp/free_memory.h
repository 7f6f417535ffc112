// Memory that was freed, given back to the operating system.
#pragma once

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace crediblenet {

// The allocator keeps most of what is freed piece by piece for later. To be called when much
// was freed and other things are going to be allocated, so that the process takes no more
// than was announced.
inline void return_free_memory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

} // namespace crediblenet
