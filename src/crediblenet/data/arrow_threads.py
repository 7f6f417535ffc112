"""Lets Arrow's threads come to rest before the interpreter ends.

Arrow reads a Python stream in threads of its own, and the reader's end does not wait until they
have given back what is Python's: the stream, the memory of a block, an error. That takes them
microseconds, or as long as they wait for a processor. One that does it while the interpreter
ends is ended inside a destructor, which aborts the process (apache/arrow, issues 34314 and
45017): 2 in 100 scripts that end right after reading, on a busy machine.
"""

from __future__ import annotations

import atexit
import time

__all__ = ["reading_ended"]

#: Seconds after which Arrow's threads are at rest, and for how long the end is put off if they
#: may not be.
REST, PAUSE = 1.0, 0.05

_last_end = -float("inf")


def reading_ended() -> None:
    """Remember that Arrow has just read a Python stream."""
    global _last_end
    _last_end = time.monotonic()


@atexit.register
def _come_to_rest() -> None:
    if time.monotonic() - _last_end < REST:
        time.sleep(PAUSE)
