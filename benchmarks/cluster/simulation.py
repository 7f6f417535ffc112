"""How long a recorded search would take with other numbers of workers: list scheduling."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Task", "makespan"]


@dataclass(frozen=True)
class Task:
    """The work on one part.

    Attributes
    ----------
    seconds
        How long it takes.
    after
        It can begin when so many parts were taken over; these are the first ones, in the order
        in which they were begun.
    """

    seconds: float
    after: int


def makespan(tasks: Sequence[Task], workers: int, overhead: float = 0.0) -> float:
    """Return when the last task is taken over, if a free worker takes the next one that can begin.

    Parameters
    ----------
    tasks
        In the order in which they are begun.
    workers
        How many work at a time.
    overhead
        Seconds that each task takes more, for sending it and its result.

    Examples
    --------
    Four tasks of a second, of which the last two need the first:

    >>> tasks = [Task(1.0, 0), Task(1.0, 0), Task(1.0, 1), Task(1.0, 1)]
    >>> [makespan(tasks, workers) for workers in (1, 2, 4)]
    [4.0, 2.0, 2.0]
    """
    free = [0.0] * workers  # when each worker is free again: a heap
    taken_over: list[float] = []  # when each task is, in order
    for task in tasks:
        may_begin = taken_over[task.after - 1] if task.after else 0.0
        began = max(may_begin, heapq.heappop(free))
        ended = began + task.seconds + overhead
        heapq.heappush(free, ended)
        taken_over.append(max(ended, taken_over[-1] if taken_over else 0.0))
    return taken_over[-1] if taken_over else 0.0
