"""What is measured: one series per quantity that grows."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import crediblenet as cn
from crediblenet.libraries import load_libraries
from crediblenet.stopwatch import peak_memory_mb

from ..answers import same_answers
from ..isolated import run_isolated
from ..paper.published import data_path
from ..sampling import discrete_sample

__all__ = ["SERIES", "Run", "compare", "measure", "series"]

#: What grows in each series.
SERIES = ("variables", "rows", "epsilon", "threads")
#: Data drawn from a random network; two of them, because one may be easy by chance.
SAMPLED = "sampled"
SEEDS = (1, 2)
#: Seconds by the clock for scores and search of one run.
TIME_LIMIT = 60.0
MEMORY_LIMIT = 8.0
EPSILON = round(math.log(20), 6)
#: What threads are measured on, with the Bayes factor: long scoring, or a long search.
SHARED = (("letter", 3), ("spectf", 3), ("hepatitis", 150), ("parkinsons", 150), ("bands", 150))


@dataclass(frozen=True)
class Run:
    """One run.

    Attributes
    ----------
    grows
        What the run is a point of: one of `SERIES`.
    data
        ``"sampled"`` or a data set of the paper, of which the first columns and rows are
        taken.
    variables, rows
        How many; None for all that the data set has.
    epsilon, threads
        As in `crediblenet.find`.
    seed
        For sampled data.
    """

    grows: str
    data: str
    variables: int | None = None
    rows: int | None = None
    epsilon: float = EPSILON
    threads: int = 2
    seed: int = 0


def series() -> Iterator[Run]:
    """Yield all runs."""
    for n in (10, 15, 20, 25, 30, 40, 50, 60):
        for seed in SEEDS:
            yield Run("variables", SAMPLED, n, 500, seed=seed)
    for n in (10, 14, 18, 22, 26, 29):
        yield Run("variables", "flag", n)
    for n in (10, 15, 20, 25, 30, 36, 45):
        yield Run("variables", "sponge", n)
    for rows in (100, 1_000, 10_000, 100_000, 1_000_000):
        for seed in SEEDS:
            yield Run("rows", SAMPLED, 12, rows, seed=seed)
    for rows in (100, 300, 1_000, 3_000, 10_000, 30_162):
        yield Run("rows", "adult", None, rows)
    for epsilon in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0):
        for seed in SEEDS:
            yield Run("epsilon", SAMPLED, 20, 500, epsilon, seed=seed)
        for file in ("wine", "hepatitis"):
            yield Run("epsilon", file, epsilon=epsilon)
    for threads in (1, 2):
        for file, bayes_factor in SHARED:
            yield Run("threads", file, epsilon=round(math.log(bayes_factor), 6), threads=threads)


#: What is asked; the number of threads is no part of it.
PROBLEM = ("data", "variables", "rows", "epsilon", "seed")


def compare() -> Iterator[dict[str, object]]:
    """Yield a row per run; AssertionError when the threads change what is found."""
    return same_answers(_rows(), PROBLEM, ["candidates", "networks"])


def _rows() -> Iterator[dict[str, object]]:
    for run in series():
        figures = run_isolated(measure, TIME_LIMIT * 3, **asdict(run))
        yield asdict(run) | {column: figures.get(column) for column in COLUMNS}


COLUMNS = (
    "n",
    "n_rows",
    "candidates",
    "networks",
    "complete",
    "scores_cpu",
    "search_cpu",
    "scores_wall",
    "search_wall",
    "nodes",
    "peak_memory_mb",
    "base_memory_mb",
    "failed",
)


def measure(
    data: str,
    variables: int | None,
    rows: int | None,
    epsilon: float,
    threads: int,
    seed: int,
    **_: Any,
) -> dict[str, Any]:
    """Score and search; seconds by the clock and of all threads together."""
    dataset = make_data(data, variables, rows, seed)
    limits: dict[str, Any] = {"threads": threads, "memory_limit": MEMORY_LIMIT}
    load_libraries()  # a limit would have them loaded within the first stage
    base = peak_memory_mb()
    start = time.perf_counter(), time.process_time()
    try:
        table = cn.score(dataset, epsilon=epsilon, time_limit=TIME_LIMIT, **limits)
    except cn.LimitError as error:
        return {"failed": str(error)}
    scored = time.perf_counter(), time.process_time()
    left = max(1.0, TIME_LIMIT - (scored[0] - start[0]))
    result = cn.find(table, epsilon=epsilon, time_limit=left, **limits)
    searched = time.perf_counter(), time.process_time()
    return {
        "n": dataset.n_variables,
        "n_rows": dataset.n_rows,
        "candidates": len(table),
        "networks": str(result.n_networks),
        "complete": "yes" if result.complete else "no",
        "scores_wall": round(scored[0] - start[0], 4),
        "scores_cpu": round(scored[1] - start[1], 4),
        "search_wall": round(searched[0] - scored[0], 4),
        "search_cpu": round(searched[1] - scored[1], 4),
        "nodes": result.statistics["search_nodes"],
        "peak_memory_mb": round(peak_memory_mb()),
        "base_memory_mb": round(base),
    }


def make_data(data: str, variables: int | None, rows: int | None, seed: int) -> cn.Dataset:
    """Return sampled data, or the first columns and rows of a data set."""
    if data == SAMPLED:
        assert variables is not None
        assert rows is not None
        return cn.as_dataset(discrete_sample(variables, rows, seed), many_values="keep")
    whole = cn.as_dataset(data_path(data), header=False)
    codes = np.repeat(whole.codes, whole.weights, axis=1)[:variables, :rows]
    return cn.as_dataset(codes.T, many_values="keep")
