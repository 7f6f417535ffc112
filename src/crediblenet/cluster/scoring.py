"""Scoring on a cluster: each task scores the parent sets of some variables."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..core_scoring import ScoringJob
from ..exceptions import LimitError
from .reports import Reports
from .tasks import RemoteTasks
from .worker_side import score_variables

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["score_on"]


def score_on(
    client: Client, job: ScoringJob, control: _core.Control, memory: float = math.inf
) -> dict[str, Any]:
    """Score on a cluster; the candidates and costs are those of `ScoringJob.run`.

    There are as many tasks as the cluster has threads, at most one per variable: a joint set
    that is counted for one variable serves all its members, as far as the same task scores
    them. So counters of the work grow with the number of tasks, and nothing else does.

    Parameters
    ----------
    client
        The connection to the cluster.
    job
        What is to be scored; sent to every worker once.
    control
        Stops the run.
    memory
        Bytes that one task may take.

    Raises
    ------
    LimitError, KeyboardInterrupt
        When the control stopped the run: there is no partial result.
    """
    n = job.data.n_variables
    threads = sum(client.nthreads().values())
    groups = groups_of(n, max(1, threads))
    reports = Reports(control, len(groups))
    results: list[dict[str, Any]] = []
    with RemoteTasks(client, "score", job, control, memory) as tasks, tasks.heard_by(reports.hear):
        begun = [tasks.begin(score_variables, *each) for each in enumerate(groups)]
        for number, task in enumerate(begun):
            result = task.result()
            if result is None:
                raise stop_of(control)
            results.append(result)
            control.discover(sum(candidates_of(result, v)[1].size for v in groups[number]))
            forecast = result["memory_forecast"]
            reports.hear({"task": number, "fraction": 1.0, "forecast": forecast})
    return joined(results, groups, n)


def stop_of(control: _core.Control) -> BaseException:
    """Return what one machine raises when a control stops the scoring."""
    if control.stopped_by == "interrupted":
        return KeyboardInterrupt()
    why = "the time limit was reached" if control.stopped_by == "time" else "stopped"
    return LimitError(f"{why} while scoring on the cluster")


def groups_of(n: int, count: int) -> list[list[int]]:
    """Deal n variables out to groups: neighbours together, all groups about as large.

    >>> groups_of(5, 2)
    [[0, 1, 2], [3, 4]]
    >>> groups_of(2, 8)
    [[0], [1]]
    """
    return [part.tolist() for part in np.array_split(np.arange(n), min(n, count))]


def candidates_of(result: dict[str, Any], variable: int) -> tuple[Any, Any]:
    """Return the parents and costs of one variable's candidates."""
    rows = slice(result["offsets"][variable], result["offsets"][variable + 1])
    return result["parents"][rows], result["costs"][rows]


def joined(results: list[dict[str, Any]], groups: list[list[int]], n: int) -> dict[str, Any]:
    """Put the candidates of all variables together, and add up what was counted."""
    made_by = {v: result for result, group in zip(results, groups, strict=True) for v in group}
    candidates = [candidates_of(made_by[v], v) for v in range(n)]
    removed: Counter[str] = Counter()
    for result in results:
        removed.update(result["removed"])
    return {
        "offsets": np.cumsum([0, *(len(costs) for _, costs in candidates)], dtype=np.int64),
        "parents": np.concatenate([parents for parents, _ in candidates]),
        "costs": np.concatenate([costs for _, costs in candidates]),
        "grid_bits": results[0]["grid_bits"],
        "counted": sum(result["counted"] for result in results),
        "scored": sum(result["scored"] for result in results),
        "removed": dict(removed),
        "memory_peak": max(result["memory_peak"] for result in results),
    }
