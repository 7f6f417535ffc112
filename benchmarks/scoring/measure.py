"""One table of scores in a process of its own, timed: seconds, sets counted, memory."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import crediblenet as cn
from crediblenet.stopwatch import peak_memory_mb

from ..isolated import run_isolated

__all__ = ["Figures", "Task", "measure", "run"]

#: Seconds after which a measurement is ended.
TIMEOUT = 3600.0


@dataclass(frozen=True)
class Task:
    """What to score.

    Attributes
    ----------
    path
        A file without a header line.
    score, epsilon, max_parents, threads
        As in `crediblenet.score`.
    columns, rows
        How many of the first columns and rows to take; None for all.
    """

    path: str
    score: str
    epsilon: float
    max_parents: int | None = None
    threads: int | None = None
    columns: int | None = None
    rows: int | None = None


@dataclass(frozen=True)
class Figures:
    """What was measured: the table's size, the work, the time and the memory.

    Attributes
    ----------
    variables, rows
        Of the data.
    candidates
        Parent sets in the table.
    joint_sets
        Sets of variables that were counted.
    wall, cpu
        Seconds by the clock, and of all threads together; reading the data not included.
    peak_mb
        The most memory of the whole process, reading the data included.
    load
        Processes that used or waited for a processor when it began: 0 on a quiet machine.
    """

    variables: int
    rows: int
    candidates: int
    joint_sets: int
    wall: float
    cpu: float
    peak_mb: float
    load: float


def run(task: Task) -> Figures:
    """Score in a new process, so that its memory is its own.

    Raises
    ------
    RuntimeError
        When it fails; with the reason.
    """
    measured = run_isolated(measure, TIMEOUT, **asdict(task))
    if "failed" in measured:
        raise RuntimeError(f"{task}: {measured['failed']}")
    return Figures(**measured)


def measure(**task_fields: Any) -> dict[str, Any]:
    """Score in this process, and return the figures as a dictionary."""
    task = Task(**task_fields)
    source = first(Path(task.path), task.columns, task.rows)
    options: dict[str, Any] = {"header": False} if isinstance(source, Path) else {}
    data = cn.as_dataset(source, **options)
    load = os.getloadavg()[0]
    wall, cpu = time.perf_counter(), time.process_time()
    table = cn.score(
        data,
        score=task.score,
        epsilon=task.epsilon,
        max_parents=task.max_parents,
        threads=task.threads,
    )
    figures = Figures(
        variables=data.n_variables,
        rows=data.n_rows,
        candidates=len(table),
        joint_sets=table.metadata["joint_sets_counted"],
        wall=round(time.perf_counter() - wall, 4),
        cpu=round(time.process_time() - cpu, 4),
        peak_mb=round(peak_memory_mb(), 1),
        load=round(load, 1),
    )
    return asdict(figures)


def first(path: Path, columns: int | None, rows: int | None) -> Path | NDArray[np.str_]:
    """Return the file, or some of its first columns and rows."""
    if columns is None and rows is None:
        return path
    lines = path.read_text(encoding="utf-8").splitlines()[:rows]
    return np.array([line.split(",")[:columns] for line in lines])
