"""How long a process waited for a processor: on a busy machine, that is not its own time."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["ProcessorWait"]


class ProcessorWait:
    """Adds up how long the threads of a process were ready to run and did not.

    Linux counts that for each thread as long as the thread is there, so somebody has to `look`
    again and again. Elsewhere it is 0.

    Parameters
    ----------
    process
        The id of the process, by default this one.
    """

    def __init__(self, process: int | None = None) -> None:
        self._threads = Path("/proc", str(os.getpid() if process is None else process), "task")
        self._first: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self.look()
        self._first = dict(self._last)

    def look(self) -> None:
        """Note what the threads have waited until now."""
        try:
            for thread in os.listdir(self._threads):  # noqa: PTH208 - a thousand times a second
                with open(f"{self._threads}/{thread}/schedstat") as file:  # noqa: PTH123
                    self._last[thread] = int(file.read().split()[1])
        except OSError:
            return  # it has ended, or a thread has

    @property
    def seconds(self) -> float:
        """How long they have waited since this began."""
        waited = sum(self._last[thread] - self._first.get(thread, 0) for thread in self._last)
        return waited / 1e9
