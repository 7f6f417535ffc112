"""One job in this process: ``python -m benchmarks.paper.measure '{...}'``.

Prints one line of JSON after every stage, each with all that is known so far. So whoever
started it still has the counts when the process is ended while it counts classes.
"""

from __future__ import annotations

import json
import math
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import crediblenet as cn
from crediblenet.classes import group_networks
from crediblenet.libraries import load_libraries
from crediblenet.stopwatch import peak_memory_mb

from .jobs import Job
from .published import data_path

__all__ = ["COLLIDER_PATTERN_LIMIT", "measure"]

#: So many of the largest distances from the optimum are noted.
LAST_LEVELS = 30
#: More networks than this are not listed to count their collider patterns.
COLLIDER_PATTERN_LIMIT = 2_000_000

Figures = dict[str, Any]


def measure(
    job: Job, time_limit: float, memory_limit: float, threads: int | None
) -> Iterator[Figures]:
    """Run one job and yield what is known after every stage.

    Parameters
    ----------
    job
        What to run.
    time_limit
        Seconds for scores, bounds and enumeration together.
    memory_limit
        In GB.
    threads
        How many threads; None for all processors.
    """
    watched = Watched()
    limits: dict[str, Any] = {
        "memory_limit": memory_limit,
        "threads": threads,
        "progress": watched,
    }
    figures: Figures = {"status": "stopped in scores", "complete": False}
    data = cn.as_dataset(data_path(job.file), header=False)
    figures |= {"n": data.n_variables, "rows": data.n_rows}
    yield figures
    load_libraries()  # a limit would have them loaded within the first stage
    began = time.perf_counter()
    request: dict[str, Any] = {job.request: job.value}
    options: dict[str, Any] = {"score": job.score, "max_parents": job.max_parents}
    try:
        if job.request in ("bayes_factor", "epsilon"):
            with stage(figures, "scores"):
                table = cn.score(data, time_limit=time_limit, **request, **options, **limits)
            figures |= table_figures(table)
            figures["status"] = "stopped in bounds"
            yield figures
            left = max(0.0, time_limit - (time.perf_counter() - began))
            with stage(figures, "search"):
                result = cn.find(table, time_limit=left, **request, **limits)
        else:
            with stage(figures, "search"):
                result = cn.find(data, time_limit=time_limit, **request, **options, **limits)
            figures |= table_figures(result.table)
    except cn.LimitError as error:
        yield figures | {"reason": str(error), "peak_memory_mb": peak_memory_mb()}
        return
    figures |= search_figures(result)
    figures["share_done"] = 1.0 if result.complete else watched.share()
    if job.request == "k":
        figures["levels"] = levels(result, int(job.value))
    if job.request == "bayes_factor":
        figures["last_levels"] = json.dumps(last_levels(result))
    yield figures
    with stage(figures, "classes"):
        figures["classes"] = result.n_classes
    figures["status"] = "done" if result.complete else f"stopped by {result.stopped_by}"
    yield figures
    if job.request in ("bayes_factor", "epsilon") and result.n_networks <= COLLIDER_PATTERN_LIMIT:
        blocks = result.network_set.blocks(sys.maxsize, 1 << 16)
        rows = np.concatenate([rows for _, rows in blocks])
        groups = group_networks(result.table.parents[rows], "collider-pattern", threads=threads)
        figures["collider_patterns"] = int(groups.max()) + 1
    yield figures


class Watched:
    """Remembers how much of the search was done when it last reported."""

    def __init__(self) -> None:
        self.last: dict[str, float] = {}

    def __call__(self, progress: cn.Progress) -> None:
        """Take a report."""
        if progress.fraction is not None:
            self.last[progress.stage] = progress.fraction

    def share(self) -> float:
        """Return the share of the search tree that was done; 0 before the search began."""
        return round(self.last.get("enumeration", 0.0), 6)


def table_figures(table: cn.ScoreTable) -> Figures:
    """Return the number of candidates and the size of the largest."""
    sizes = np.unpackbits(table.parents.view(np.uint8), axis=1).sum(axis=1)
    return {"candidates": len(table.costs), "largest_candidate": int(sizes.max())}


def search_figures(result: cn.CredibleSet) -> Figures:
    """Return what the search found, before anything is listed."""
    wall = {
        f"{name}_wall": round(result.seconds[name], 3)
        for name in ("scores", "bounds", "enumeration")
        if name in result.seconds
    }
    return wall | {
        "status": "stopped in classes",
        "networks": result.n_networks,
        "epsilon": f"{result.epsilon:.9g}",
        "optimal_cost": f"{result.optimal_cost:.6f}",
        "complete": result.complete,
        "stopped_by": result.stopped_by,
        "gap": f"{result.gap:.6g}",
        "nodes": result.statistics["search_nodes"],
        "peak_memory_mb": round(peak_memory_mb()),
    }


def levels(result: cn.CredibleSet, most: int) -> list[tuple[float, int]]:
    """Return how far the best networks are from the optimum, and how many are at each."""
    found: list[tuple[float, int]] = []
    reached = 0
    for cost, total in zip(*result.network_set.steps(), strict=True):
        if reached >= most:
            break
        above = int(cost) - result.network_set.optimal_cost
        found.append((math.ldexp(above, -result.table.grid_bits), total - reached))
        reached = total
    return found


def last_levels(result: cn.CredibleSet) -> list[tuple[float, int]]:
    """Return the largest distances from the optimum, each with the number of networks up to it."""
    costs, running = result.network_set.steps()
    unit = math.ldexp(1.0, -result.table.grid_bits)
    return [
        (round((int(cost) - result.network_set.optimal_cost) * unit, 7), total)
        for cost, total in zip(costs[-LAST_LEVELS:], running[-LAST_LEVELS:], strict=True)
    ]


@contextmanager
def stage(figures: Figures, name: str) -> Iterator[None]:
    """Note how many seconds a stage took, by the clock and of all processors together."""
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        yield
    finally:
        figures[f"{name}_wall"] = round(time.perf_counter() - wall, 3)
        figures[f"{name}_cpu"] = round(time.process_time() - cpu, 3)


def main() -> None:
    """Run the job that the first argument describes."""
    task = json.loads(sys.argv[1])
    # The search keeps its own limit; this one ends what it does not watch over.
    most = math.ceil(task["memory_limit"] * 1.2e9)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    limits = {name: task[name] for name in ("time_limit", "memory_limit", "threads")}
    for figures in measure(Job(**task["job"]), **limits):
        print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
