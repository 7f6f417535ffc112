"""How much memory the machine has to offer, as far as this process may use it."""

from __future__ import annotations

import os
from pathlib import Path

from .exceptions import ParameterError
from .libraries import load_libraries

__all__ = [
    "MemoryBudget",
    "available_memory",
    "bytes_in_words",
    "memory_limit_bytes",
    "resident_bytes",
]

#: Without a limit from the user, a stage may take this share of the memory that is free.
SHARE_OF_FREE_MEMORY = 0.8

GIGABYTE = 2**30

#: A run that has used up its memory may take this share more to count what it has found.
GRACE_SHARE = 0.1


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


def bytes_in_words(amount: float) -> str:
    """Return an amount of memory for people.

    >>> bytes_in_words(1536), bytes_in_words(3.2e9), bytes_in_words(1e40)
    ('0.1 MB', '3 GB', 'more than any machine has')
    """
    for unit, size in (("MB", 2**20), ("GB", 2**30), ("TB", 2**40), ("PB", 2**50)):
        if amount < 999.5 * size:
            return f"{max(0.1, amount / size):.{1 if amount < 2 * size else 0}f} {unit}"
    return "more than any machine has"


class MemoryBudget:
    """What one run may still take, measured, not announced.

    What the process holds already when the run begins (the interpreter, the libraries, the
    user's own data) does not count.

    Parameters
    ----------
    gigabytes
        How much the run may take in all; None for no limit of its own.

    Examples
    --------
    >>> MemoryBudget(None).gigabytes_left() is None
    True
    >>> 0.99 < MemoryBudget(1).gigabytes_left() <= 1
    True
    """

    def __init__(self, gigabytes: float | None) -> None:
        self._limit = None if gigabytes is None else memory_limit_bytes(gigabytes)
        if self._limit is not None:
            load_libraries()  # so that they are not charged to the run
        self._at_start = resident_bytes()

    def bytes_left(self) -> float:
        """Return how many bytes may still be taken; infinity without a limit."""
        if self._limit is None:
            return float("inf")
        return max(0.0, self._limit - max(0, resident_bytes() - self._at_start))

    def bytes_with_grace(self) -> float:
        """Return how many bytes may be taken to end a run that has used up its budget."""
        return self.bytes_left() + GRACE_SHARE * (self._limit or 0.0)

    def gigabytes_left(self) -> float | None:
        """Return the same for functions that take a limit in GB, a little at least."""
        return None if self._limit is None else max(1.0, self.bytes_left()) / GIGABYTE


def resident_bytes() -> int:
    """Return how much memory this process holds now, 0 where nobody says so."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0  # not Linux: then only what the core announces counts


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
