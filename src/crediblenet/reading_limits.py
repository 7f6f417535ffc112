"""Limits of time and memory while data and score files are read.

Readers call `check_limits` now and then. What it checks is set around the call that reads, not
handed down: a reader of files need not know what a run is.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .exceptions import LimitError
from .memory import MemoryBudget
from .stopwatch import Stopwatch

__all__ = ["check_limits", "reading_within"]

#: Seconds between two looks: asking for the memory takes much longer than reading a value.
INTERVAL = 0.02


class _Limits:
    """The limits of one run, looked at once in a while."""

    def __init__(self, clock: Stopwatch, memory: MemoryBudget) -> None:
        self._clock = clock
        self._memory = memory
        self._next = 0.0

    def check(self) -> None:
        now = time.perf_counter()
        if now < self._next:
            return
        self._next = now + INTERVAL
        if self._clock.is_over():
            what = "the time limit"
        elif self._memory.bytes_left() == 0:
            what = "the memory limit"
        else:
            return
        raise LimitError(
            f"{what} was reached while the input was read. There is no partial result: allow "
            "more, or give fewer rows or columns"
        )


_current: ContextVar[_Limits | None] = ContextVar("reading_limits", default=None)


@contextmanager
def reading_within(clock: Stopwatch, memory: MemoryBudget) -> Iterator[None]:
    """Hold what is read in the block to the limits of a run."""
    token = _current.set(_Limits(clock, memory))
    try:
        yield
    finally:
        _current.reset(token)


def check_limits() -> None:
    """Raise LimitError when the run that reads has used up its time or memory.

    >>> with reading_within(Stopwatch(1e-9), MemoryBudget(None)):
    ...     check_limits()
    Traceback (most recent call last):
    ...
    crediblenet.exceptions.LimitError: the time limit was reached while the input was read. ...
    """
    limits = _current.get()
    if limits is not None:
        limits.check()
