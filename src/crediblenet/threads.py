"""How many threads a run may use."""

from __future__ import annotations

import os

from .exceptions import ParameterError

__all__ = ["thread_count"]


def thread_count(threads: int | None) -> int:
    """Return the number of threads to use: what was asked for, or one per usable core.

    Examples
    --------
    >>> thread_count(3)
    3
    >>> thread_count(None) >= 1
    True
    """
    if threads is None:
        usable = getattr(os, "sched_getaffinity", None)
        return min(1024, len(usable(0)) if usable else os.cpu_count() or 1)
    if not 1 <= threads <= 1024:
        raise ParameterError(f"threads must be between 1 and 1024, not {threads}")
    return threads
