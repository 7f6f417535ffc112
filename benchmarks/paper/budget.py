"""How long each job may take, when all of them together have so many seconds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable

from .jobs import Job
from .published import read_table
from .results import Results

__all__ = ["SHORTEST_LIMIT", "Budget", "easiest_first"]

#: A job gets at least this many seconds, even when the budget is used up.
SHORTEST_LIMIT = 10.0


class Budget:
    """Seconds for all jobs, shared over those that are left.

    A job that ends early leaves its seconds to the others, so with the easy jobs first the
    hard ones get nearly all of the time. The whole run may take longer than the budget by
    what the last jobs need to count classes, and by `SHORTEST_LIMIT` for each job when the
    budget is too small.

    Parameters
    ----------
    seconds
        For all jobs together.
    clock
        Tells the time, in seconds.

    Examples
    --------
    >>> budget = Budget(900.0, clock=lambda: 0.0)
    >>> budget.time_limit(jobs_left=3, most=600.0), budget.time_limit(jobs_left=1, most=600.0)
    (300.0, 600.0)
    """

    def __init__(
        self, seconds: float = math.inf, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def time_limit(self, jobs_left: int, most: float) -> float:
        """Return the limit of the next job, at most `most` seconds."""
        share = (self._end - self._clock()) / jobs_left
        return min(most, max(SHORTEST_LIMIT, share))


def easiest_first(jobs: Iterable[Job], results: Results) -> list[Job]:
    """Return the jobs in the order of what is known of them, the hardest last.

    First those that were complete before, by how long they took; then those that were never
    run, by the paper's seconds; last those that a limit has ended before.
    """
    return sorted(jobs, key=lambda job: hardness(job, results))


def hardness(job: Job, results: Results) -> tuple[int, float]:
    """Return what jobs are ordered by."""
    row = results.get(job)
    if row is None:
        return 1, paper_seconds(job)
    spent = float(row["total_wall"] or "inf")
    return (0, spent) if row["complete"] == "yes" else (2, paper_seconds(job))


def paper_seconds(job: Job) -> float:
    """Return how long the paper took; infinity where it did not end, or has no such job."""
    column = f"seconds_bf{job.value:g}"
    for row in read_table("table1" if job.score == "bic" else "table2"):
        if row["file"] == job.file:
            text = row.get(column) or row.get("seconds_bf20") or ""
            return float(text) if text.replace(".", "").isdigit() else math.inf
    return math.inf
