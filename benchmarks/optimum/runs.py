"""Which method confirms the optimum of which data set."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator

import numpy as np

import crediblenet as cn
from crediblenet.enumeration import search

from ..markdown import table as markdown_table
from ..paper.jobs import PARENT_LIMIT
from ..paper.published import data_path, read_table
from . import program, subsets

__all__ = ["confirm", "render"]

#: Nats that the two optima may differ by: what the integer program's solver tells apart.
TOLERANCE = 1e-5


def data_sets() -> list[str]:
    """Return the data sets of Table 1, the smaller ones first."""
    rows = sorted(read_table("table1"), key=lambda row: int(row["n"]))
    return [row["file"] for row in rows]


def confirm(files: Iterable[str], score: str, time_limit: float) -> Iterator[dict[str, object]]:
    """Yield for each data set what the search says of the optimum, and another method.

    Candidates are those for a Bayes factor of 3. AssertionError when the two differ.
    """
    for file in files:
        limit = PARENT_LIMIT if score == "bdeu" else None
        scored = cn.score(
            data_path(file), header=False, score=score, bayes_factor=3, max_parents=limit
        )
        found = search(scored, math.log(3), time_limit=time_limit)
        costs = np.rint(np.ldexp(scored.costs, scored.grid_bits)).astype(np.int64)
        began = time.perf_counter()
        method = "subsets" if scored.n_variables <= subsets.MOST_VARIABLES else "integer program"
        if method == "subsets":
            other: int | None = subsets.least_cost(scored, costs)
        else:
            other, _ = program.least_cost(scored, costs, time_limit)
        seconds = time.perf_counter() - began
        if other is not None and found.complete:
            difference = abs(other - found.optimal_cost) * 2.0**-scored.grid_bits
            exact = other == found.optimal_cost
            assert exact or (method == "integer program" and difference <= TOLERANCE), file
        yield {
            "file": file,
            "score": score,
            "variables": scored.n_variables,
            "candidates": len(scored),
            "optimal_cost": f"{math.ldexp(found.optimal_cost, -scored.grid_bits):.6f}",
            "method": method,
            "confirmed": "yes" if other is not None and found.complete else "not in time",
            "seconds": round(seconds, 2),
            "seconds_search": round(sum(found.seconds.values()), 2),
        }


def render(rows: Iterable[dict[str, str]]) -> str:
    """Return the rows as a table in Markdown, and how many agree."""
    rows = list(rows)
    if not rows:
        return "Not run yet."
    same = sum(row["confirmed"] == "yes" for row in rows)
    head = [
        "data",
        "score",
        "n",
        "candidates",
        "optimal cost",
        "method",
        "confirmed",
        "s",
        "ours, s",
    ]
    said = f"{same} of {len(rows)} optima were confirmed, none was another; the rest took too long."
    return f"{said}\n\n" + markdown_table(head, [list(row.values()) for row in rows], left=2)
