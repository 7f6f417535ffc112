"""One table of scores in a process of its own, timed: seconds, sets counted, memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import crediblenet as cn
from crediblenet.stopwatch import peak_memory_mb

from ..paper.published import ROOT

__all__ = ["Figures", "Task", "run"]


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
        When the process fails; with its last line.
    """
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scoring.measure", json.dumps(asdict(task))],
        capture_output=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(part for part in sys.path if part)},
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{task}: {done.stderr.strip().splitlines()[-1:]}")
    return Figures(**json.loads(done.stdout))


def measure(task: Task) -> Figures:
    """Score in this process."""
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
    return Figures(
        variables=data.n_variables,
        rows=data.n_rows,
        candidates=len(table),
        joint_sets=table.metadata["joint_sets_counted"],
        wall=round(time.perf_counter() - wall, 4),
        cpu=round(time.process_time() - cpu, 4),
        peak_mb=round(peak_memory_mb(), 1),
        load=round(load, 1),
    )


def first(path: Path, columns: int | None, rows: int | None) -> Path | NDArray[np.str_]:
    """Return the file, or some of its first columns and rows."""
    if columns is None and rows is None:
        return path
    lines = path.read_text(encoding="utf-8").splitlines()[:rows]
    return np.array([line.split(",")[:columns] for line in lines])


if __name__ == "__main__":
    print(json.dumps(asdict(measure(Task(**json.loads(sys.argv[1]))))))
