"""What rule R6 would lose if it were applied wrongly: ``python -m benchmarks.paper wrong_rules``.

R6 drops a parent set with all its supersets when cost(P) + epsilon < r * ln(states) for a
smaller set P, where r is the number of its configurations *that occur* in the data. The paper's
text has slips at this rule, so its program may have had one, too. Here two likely ones are made
on purpose: epsilon is left out, or all configurations are counted instead of those that occur.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import crediblenet as cn
from crediblenet.data import Dataset, as_dataset
from crediblenet.score_table import TOLERANCE

from ..isolated import run_isolated
from ..markdown import count, table
from ..rows import read_rows, write_rows
from .explain import EPSILON, count_patterns
from .jobs import Job
from .published import data_path, read_table
from .results import Results

__all__ = ["SLIPS", "left", "measure", "render", "run"]

#: By name: whether epsilon is left out, and whether all configurations are counted.
SLIPS = {
    "R6 as it should be": (False, False),
    "R6 without ε": (True, False),
    "R6 with all configurations": (False, True),
    "R6 without ε, with all configurations": (True, True),
}
#: All subsets of the variables are gone through.
MOST_VARIABLES = 17
MOST_ROWS = 50_000
FILE = "wrong_rules.csv"


def measure(file: str, slip: str) -> dict[str, Any]:
    """Count the networks that are left, and their collider patterns."""
    data = as_dataset(data_path(file), header=False)
    without_epsilon, all_configurations = SLIPS[slip]
    scored = cn.score(data, score="bdeu", epsilon=EPSILON, rules=())
    result = cn.find(
        pruned(scored, data, 0.0 if without_epsilon else EPSILON, all_configurations),
        epsilon=EPSILON,
        time_limit=300,
    )
    return {
        "networks": result.n_networks,
        "patterns": count_patterns(result, result.network_set.max_cost),
        "complete": "yes" if result.complete else "no",
    }


def pruned(
    scored: cn.ScoreTable, data: Dataset, epsilon: float, all_configurations: bool
) -> cn.ScoreTable:
    """Return the candidates that R1 keeps, and R6 with this epsilon and way to count."""
    n = scored.n_variables
    states = np.array([len(labels) for labels in data.states])
    configurations = possible(states) if all_configurations else occurring(data)
    offsets, parents, costs = [0], [], []
    for v in range(n):
        rows = slice(scored.offsets[v], scored.offsets[v + 1])
        cost = np.full(1 << n, np.inf)
        cost[scored.parents[rows, 0].astype(np.int64)] = scored.costs[rows]
        smaller = least_of_smaller(cost)
        dropped = upwards(smaller + epsilon < configurations * math.log(states[v]))
        kept = np.flatnonzero((cost <= smaller + EPSILON + 2 * TOLERANCE) & ~dropped)
        kept = kept[np.isfinite(cost[kept])]
        kept = kept[np.argsort(cost[kept], kind="stable")]
        offsets.append(offsets[-1] + len(kept))
        parents.append(kept.astype(np.uint64)[:, None])
        costs.append(cost[kept])
    return dataclasses.replace(
        scored,
        offsets=np.array(offsets, dtype=np.int64),
        parents=np.concatenate(parents),
        costs=np.concatenate(costs),
        score_equivalent=False,  # classes may be cut through
    )


def possible(states: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the number of configurations of every set of variables."""
    numbers = np.ones(1)
    for count_of_one in states:
        numbers = np.concatenate([numbers, numbers * count_of_one])
    return numbers


def occurring(data: Dataset) -> NDArray[np.float64]:
    """Return the number of configurations of every set of variables that the data have."""
    codes = [np.asarray(column, dtype=np.int64) for column in data.codes]
    numbers = np.ones(1 << len(codes))

    def go_on(variable: int, chosen: int, group: NDArray[np.int64]) -> None:
        numbers[chosen] = group.max() + 1
        for more in range(variable, len(codes)):
            both = group * (codes[more].max() + 1) + codes[more]
            _, finer = np.unique(both, return_inverse=True)
            go_on(more + 1, chosen | 1 << more, finer)

    go_on(0, 0, np.zeros(len(codes[0]), dtype=np.int64))
    return numbers


def least_of_smaller(cost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least cost of the proper subsets of every set.

    >>> least_of_smaller(np.array([3.0, 1.0, 2.0, 9.0])).tolist()
    [inf, 3.0, 3.0, 1.0]
    """
    least, smaller = cost.copy(), np.full(len(cost), np.inf)
    widths = [1 << bit for bit in range(len(cost).bit_length() - 1)]
    for width in widths:
        halves = least.reshape(-1, 2, width)
        np.minimum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    for width in widths:
        to, of = smaller.reshape(-1, 2, width), least.reshape(-1, 2, width)
        np.minimum(to[:, 1], of[:, 0], out=to[:, 1])
    return smaller


def upwards(chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the supersets of sets that are chosen.

    >>> upwards(np.array([False, True, False, False])).tolist()
    [False, True, False, True]
    """
    closed = chosen.copy()
    for bit in range(len(closed).bit_length() - 1):
        halves = closed.reshape(-1, 2, 1 << bit)
        halves[:, 1] |= halves[:, 0]
    return closed


def render(folder: Path, results: Results) -> str:
    """Return a table of what was measured: networks, and collider patterns in brackets.

    Raises
    ------
    AssertionError
        When the rule as it should be leaves other networks than Table 2 has.
    """
    rows = read_rows(folder / FILE)
    for row in rows:
        exact = results.get(Job(row["file"], "bdeu", "bayes_factor", 20))
        right = row["slip"] == next(iter(SLIPS)) and row["complete"] == "yes"
        if right and exact is not None and exact["complete"] == "yes":
            assert row["networks"] == exact["networks"], row
    if not rows:
        return "Not measured yet."
    found = {(row["file"], row["slip"]): row for row in rows}
    paper = {row["file"]: row for row in read_table("table2")}
    lines = []
    for file in dict.fromkeys(row["file"] for row in rows):
        cells = [shown(found.get((file, slip))) for slip in SLIPS]
        printed = paper[file]
        both = count(printed["networks_bf20"]), count(printed["collider_patterns_bf20"])
        lines.append([file, *cells, f"{both[0]} ({both[1]})"])
    return table(["data", *SLIPS, "the paper"], lines)


def left(folder: Path, file: str) -> str:
    """Return how many networks of a data set both slips together leave."""
    last = list(SLIPS)[-1]
    rows = read_rows(folder / FILE)
    found = [row for row in rows if (row["file"], row["slip"]) == (file, last)]
    return count(found[0]["networks"]) if found else "not yet known how many"


def shown(row: dict[str, str] | None) -> str:
    """Return a count with its patterns; "at least" where the search did not end."""
    if row is None:
        return "not run"
    if row["failed"]:
        return row["failed"]
    least = "" if row["complete"] == "yes" else "≥ "
    return f"{least}{count(row['networks'])} ({count(row['patterns'])})"


def run(folder: Path) -> None:
    """Measure the data sets of Table 2 that are small enough."""
    small = [
        row["file"]
        for row in read_table("table2")
        if int(row["n"]) <= MOST_VARIABLES and int(row["rows"]) <= MOST_ROWS
    ]
    rows = []
    for file in dict.fromkeys(small):
        for slip in SLIPS:
            figures = run_isolated(measure, 1200, file=file, slip=slip)
            columns = ("networks", "patterns", "complete", "failed")
            rows.append({"file": file, "slip": slip} | {c: figures.get(c) for c in columns})
            print(f"{file}, {slip}: {figures}", flush=True)
            write_rows(folder / FILE, rows)
