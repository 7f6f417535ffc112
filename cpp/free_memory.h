// Memory that was freed, given back to the operating system.
#pragma once

#include <cstddef>
#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace crediblenet {

// The allocator keeps most of what is freed piece by piece for later. To be called with the
// bytes that were freed before other things are allocated, so that the process takes no more
// than was announced. Few bytes are not worth a walk through all that the allocator has.
inline void return_free_memory(std::size_t freed) {
    constexpr std::size_t worthwhile = std::size_t{1} << 23;
    if (freed < worthwhile) return;
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

} // namespace crediblenet
