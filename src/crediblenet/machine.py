"""What the machine offers: processors and memory, as far as this process may use them."""

from __future__ import annotations

import os
from pathlib import Path

from .exceptions import ParameterError

__all__ = ["available_memory", "memory_limit_bytes", "thread_count"]

#: Without a limit from the user, a stage may take this share of the memory that is free.
SHARE_OF_FREE_MEMORY = 0.8

GIGABYTE = 10**9


def thread_count(threads: int | None) -> int:
    """Return how many threads to use; all processors of this process by default.

    >>> thread_count(3)
    3
    """
    if threads is None:
        if hasattr(os, "sched_getaffinity"):
            return max(1, len(os.sched_getaffinity(0)))
        return os.cpu_count() or 1
    if threads < 1:
        raise ParameterError(f"threads must be at least 1, not {threads}")
    return threads


def memory_limit_bytes(gigabytes: float | None) -> float:
    """Return a memory limit in bytes; most of what is free by default.

    >>> memory_limit_bytes(2)
    2000000000.0
    """
    if gigabytes is None:
        free = available_memory()
        return float("inf") if free is None else SHARE_OF_FREE_MEMORY * free
    if not gigabytes > 0:
        raise ParameterError(f"memory_limit must be a positive number of GB, not {gigabytes}")
    return float(gigabytes) * GIGABYTE


def available_memory() -> int | None:
    """Return how many bytes this process can still take, or None when nobody knows."""
    amounts = [*_free_of_machine(), *_free_of_container()]
    return min(amounts, default=None)


def _free_of_machine() -> list[int]:
    """Return what Linux says is available, or half of all memory elsewhere."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return [int(line.split()[1]) * 1024]
    except (OSError, ValueError, IndexError):
        pass  # not Linux
    try:
        return [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2]
    except (AttributeError, OSError, ValueError):
        return []  # Windows


def _free_of_container() -> list[int]:
    """Return what the limits of the control groups of this process leave."""
    folder = Path("/sys/fs/cgroup")
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            return [max(0, int((folder / limit).read_text()) - int((folder / used).read_text()))]
        except (OSError, ValueError):
            continue  # no such control group, or no limit ("max")
    return []
