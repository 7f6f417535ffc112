"""How much memory the machine has to offer, as far as this process may use it."""

from __future__ import annotations

import os
from pathlib import Path

from .exceptions import ParameterError

__all__ = ["available_memory", "memory_limit_bytes"]

#: Without a limit from the user, a stage may take this share of the memory that is free.
SHARE_OF_FREE_MEMORY = 0.8

GIGABYTE = 2**30


def memory_limit_bytes(gigabytes: float | None) -> float:
    """Return a memory limit in bytes; most of what is free by default.

    >>> memory_limit_bytes(2)
    2147483648.0
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
