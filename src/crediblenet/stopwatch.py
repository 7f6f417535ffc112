"""How long each stage takes, how long is left, and how much memory it took."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .exceptions import LimitError, ParameterError

__all__ = ["Stopwatch", "TimeLimit", "peak_memory_mb", "process_age"]


#: This share of a time limit, and at most so many seconds, are kept for what follows the
#: search: with them, a stopped run ends in time with all its files written.
RESERVED = 0.1
MOST_RESERVED = 1.0


class TimeLimit(float):
    """Seconds for a whole run, some of which were over before it could begin.

    Attributes
    ----------
    spent
        How many were over.

    Examples
    --------
    >>> limit = TimeLimit(10, spent=3)
    >>> print(f"{limit:g} s, {Stopwatch(limit).left():.0f} s left")
    10 s, 7 s left
    """

    spent: float

    def __new__(cls, seconds: float, spent: float = 0.0) -> TimeLimit:
        """Make a number that knows one more."""
        limit = super().__new__(cls, seconds)
        limit.spent = spent
        return limit


class Stopwatch:
    """Seconds by stage, under one time limit for all of them.

    Parameters
    ----------
    time_limit
        Seconds for the whole run, from now on or, with a `TimeLimit`, since earlier; None for
        no limit.

    Examples
    --------
    >>> clock = Stopwatch()
    >>> with clock.stage("data"):
    ...     pass
    >>> sorted(clock.seconds())
    ['data', 'total']
    """

    def __init__(self, time_limit: float | None = None) -> None:
        if time_limit is not None and not time_limit > 0:
            raise ParameterError(
                f"time_limit must be a positive number of seconds, not {time_limit}"
            )
        self.time_limit = time_limit
        self.started = time.perf_counter()
        self._spent_before = time_limit.spent if isinstance(time_limit, TimeLimit) else 0.0
        self._seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time until the block ends to a stage."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.add(name, time.perf_counter() - started)

    def add(self, name: str, seconds: float) -> None:
        """Add time that was measured elsewhere to a stage."""
        self._seconds[name] = self._seconds.get(name, 0.0) + seconds

    def is_over(self) -> bool:
        """Return whether the time limit has been reached, or almost."""
        limit = self.time_limit
        return limit is not None and self._spent() >= 0.99 * (limit - self.reserve())

    def _spent(self) -> float:
        """Return how many seconds of the limit are over."""
        return self._spent_before + time.perf_counter() - self.started

    def reserve(self) -> float:
        """Return how many seconds are kept for averages, files and the report."""
        return 0.0 if self.time_limit is None else min(MOST_RESERVED, RESERVED * self.time_limit)

    def remaining(self) -> float | None:
        """Return how many seconds are left for the search; None without a limit.

        Raises
        ------
        LimitError
            When there are none.
        """
        if self.time_limit is None:
            return None
        left = self.time_limit - self.reserve() - self._spent()
        if left <= 0:
            raise LimitError(
                f"the time limit of {self.time_limit:g} s was reached before the search began"
            )
        return left

    def left(self) -> float:
        """Return how many seconds of the limit are left, infinity without one."""
        if self.time_limit is None:
            return float("inf")
        return max(0.0, self.time_limit - self._spent())

    def seconds(self) -> dict[str, float]:
        """Return the time of each stage, and in all."""
        return {**self._seconds, "total": time.perf_counter() - self.started}


def process_age() -> float:
    """Return for how many seconds this process has been there, or worked at least."""
    try:
        # The 20th field after the name, which may hold anything, in ticks since the start.
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        started = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)
    except (OSError, ValueError, IndexError, AttributeError):
        return time.process_time()  # not Linux


def peak_memory_mb() -> float:
    """Return the most memory that this process ever held, in MB (10^6 bytes)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes.
    return peak * (1 if sys.platform == "darwin" else 1024) / 1e6
