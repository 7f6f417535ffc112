"""Scoring with each pruning rule off, and with each alone."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import crediblenet as cn

from ..isolated import run_isolated
from ..paper.published import data_path

__all__ = ["PROBLEMS", "choices", "compare", "measure"]

#: Data set and score, at a Bayes factor of 20.
PROBLEMS = (
    ("wine", "bic"),
    ("adult", "bic"),
    ("zoo", "bic"),
    ("hepatitis", "bic"),
    ("insurance1000", "bic"),
    ("wine", "bdeu"),
    ("adult", "bdeu"),
    ("zoo", "bdeu"),
)
BAYES_FACTOR = 20
#: The rules that say something of a score.
APPLIES = {"bic": ("R1", "R2", "R3", "C4", "R5"), "bdeu": ("R1", "R6")}
TIME_LIMIT = 60.0

Row = dict[str, object]


def compare() -> Iterator[Row]:
    """Yield a row per problem and choice of rules."""
    for file, score in PROBLEMS:
        for name, rules in choices(score).items():
            figures = run_isolated(
                measure, TIME_LIMIT * 3, file=file, score=score, rules=rules, time_limit=TIME_LIMIT
            )
            row: Row = {"data": file, "score": score, "rules": name}
            yield row | {column: figures.get(column) for column in COLUMNS}


def choices(score: str) -> dict[str, tuple[str, ...]]:
    """Return the choices of rules by name: all, all but one, R1 with one other, none.

    R1 drops a single set and visits as many as before, so it goes with each of the others.

    >>> choices("bdeu")
    {'all': ('R1', 'R6'), 'without R1': ('R6',), 'without R6': ('R1',), 'none': ()}
    """
    every = APPLIES[score]
    found = {"all": every}
    found |= {f"without {rule}": tuple(r for r in every if r != rule) for rule in every}
    if len(every) > 2:
        found |= {f"only R1 and {rule}": ("R1", rule) for rule in every if rule != "R1"}
    return found | {"none": ()}


COLUMNS = ("visited", "scored", "kept", "largest", "seconds", "failed")


def measure(file: str, score: str, rules: Sequence[str], time_limit: float) -> dict[str, Any]:
    """Score with some rules; CPU seconds of all threads."""
    data = cn.as_dataset(data_path(file), header=False)
    began = time.process_time()
    try:
        table = cn.score(
            data, score=score, bayes_factor=BAYES_FACTOR, rules=rules, time_limit=time_limit
        )
    except cn.LimitError as error:
        return {"failed": str(error).partition(". ")[0]}
    seconds = time.process_time() - began
    return {
        "visited": table.metadata["joint_sets_counted"],
        "scored": table.metadata["parent_sets_scored"],
        "kept": len(table),
        "largest": max(len(table.parent_set(row)) for row in range(len(table))),
        "seconds": round(seconds, 3),
    }
