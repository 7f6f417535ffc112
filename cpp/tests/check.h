// A test is a program that ends with a non-zero status when a check fails.
#pragma once

#include <cstdlib>
#include <iostream>

// Unlike assert, it is never compiled out, and it says what was expected.
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::cerr << __FILE__ << ':' << __LINE__ << ": not true: " #condition << '\n';         \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (false)

#define CHECK_THROWS(expression, type)                                                             \
    do {                                                                                           \
        bool thrown = false;                                                                       \
        try {                                                                                      \
            (void)(expression);                                                                    \
        } catch (const type&) {                                                                    \
            thrown = true;                                                                         \
        }                                                                                          \
        if (!thrown) {                                                                             \
            std::cerr << __FILE__ << ':' << __LINE__ << ": no " #type " from " #expression         \
                      << '\n';                                                                     \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (false)
