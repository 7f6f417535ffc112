"""What is measured: one run per structure, size, parent limit and score."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import crediblenet as cn
from crediblenet.stopwatch import peak_memory_mb

from ..isolated import run_isolated
from .structures import STRUCTURES, draw

__all__ = ["PARENT_LIMITS", "ROWS", "SCORES", "SIZES", "Run", "measure", "run", "runs"]

#: With a limit on the parents, all sets of parents of so many variables can be scored.
SIZES = (100, 200, 400)
PARENT_LIMITS = (2, 3)
SCORES = ("bic", "bdeu")
ROWS = 1_000
BAYES_FACTOR = 3.0
TIME_LIMIT = 1_800.0
MEMORY_LIMIT = 12.0
#: Beyond the limit, a process is ended: a row that needs this has failed.
EXTRA_SECONDS = 60.0


@dataclass(frozen=True)
class Run:
    """One run: what the data are drawn from, and what is asked."""

    structure: str
    variables: int
    max_parents: int
    score: str
    seed: int = 1


def runs(
    sizes: Sequence[int] = SIZES,
    parent_limits: Sequence[int] = PARENT_LIMITS,
    scores: Sequence[str] = SCORES,
    structures: Sequence[str] = tuple(STRUCTURES),
) -> Iterator[Run]:
    """Yield all runs, small ones first."""
    for n, limit, score, structure in itertools.product(sizes, parent_limits, scores, structures):
        yield Run(structure, n, limit, score)


def run(one: Run, time_limit: float) -> dict[str, object]:
    """Measure one run in a process of its own, and return its row."""
    figures = run_isolated(
        measure, time_limit + EXTRA_SECONDS, time_limit=time_limit, **asdict(one)
    )
    return {
        **asdict(one),
        "time_limit": time_limit,
        **{column: figures.get(column) for column in COLUMNS},
        "version": cn.__version__,
    }


COLUMNS = (
    "candidates",
    "scored",
    "complete",
    "stopped_by",
    "gap",
    "optimal_cost",
    "networks",
    "classes",
    "classes_at_least",
    "classes_surely",
    "scores_wall",
    "bounds_wall",
    "enumeration_wall",
    "averages_wall",
    "total_wall",
    "total_cpu",
    "peak_memory_mb",
    "failed",
)


def measure(
    structure: str, variables: int, max_parents: int, score: str, seed: int, time_limit: float
) -> dict[str, Any]:
    """Run the whole way: scores, search, classes, probabilities of edges."""
    data = draw(structure, variables, ROWS, seed)
    began = time.perf_counter(), time.process_time()
    try:
        result = cn.find(
            data,
            score=score,
            bayes_factor=BAYES_FACTOR,
            max_parents=max_parents,
            time_limit=time_limit,
            memory_limit=MEMORY_LIMIT,
            many_values="keep",
        )
    except cn.LimitError as error:  # before there was any network: the reason is all there is
        return {
            "complete": "no",
            "stopped_by": str(error).partition(".")[0],
            "total_wall": round(time.perf_counter() - began[0], 3),
            "total_cpu": round(time.process_time() - began[1], 3),
            "peak_memory_mb": round(peak_memory_mb()),
        }
    found = time.perf_counter()
    classes = result.n_classes
    result.edge_probabilities()
    ended = time.perf_counter(), time.process_time()
    return {
        "candidates": len(result.table),
        "scored": result.table.metadata["parent_sets_scored"],
        "complete": "yes" if result.complete else "no",
        "stopped_by": result.stopped_by,
        "gap": round(result.gap, 6),
        "optimal_cost": round(result.optimal_cost, 6),
        "networks": str(result.n_networks),
        "classes": None if classes is None else str(classes),
        "classes_at_least": str(result.statistics["classes_at_least"] or "") or None,
        "classes_surely": str(result.statistics["classes_surely"] or "") or None,
        **{
            f"{stage}_wall": round(result.seconds.get(stage, 0.0), 3)
            for stage in ("scores", "bounds", "enumeration")
        },
        "averages_wall": round(ended[0] - found, 3),
        "total_wall": round(ended[0] - began[0], 3),
        "total_cpu": round(ended[1] - began[1], 3),
        "peak_memory_mb": round(peak_memory_mb()),
    }
