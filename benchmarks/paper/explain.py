"""What else could have given the paper's count: ``python -m benchmarks.paper explain``.

Where a count of Table 2 is not the paper's, the row is run with other settings, one change
at a time: another parent limit, another equivalent sample size, another Dirichlet score,
parent sets pruned for too small an epsilon, and every epsilon up to a limit at once.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import crediblenet as cn
from crediblenet.classes import group_networks
from crediblenet.network_set import NetworkSet

from ..isolated import run_isolated
from ..markdown import count, table
from ..rows import read_rows, write_rows
from . import table2
from .published import data_path, read_table
from .results import Results

__all__ = ["explain", "measure", "render", "trials"]

EPSILON = math.log(20)
#: Every epsilon up to this is tried.
FARTHEST = 6.0
TIME_LIMIT = 120.0
FILE = "table2_tried.csv"


def trials() -> dict[str, dict[str, Any]]:
    """Return what is changed, by name."""
    changes: dict[str, dict[str, Any]] = {}
    for most in range(2, 11):
        changes[f"at most {most} parents"] = {"max_parents": most}
    for ess in (0.1, 0.5, 2.0, 5.0, 10.0):
        changes[f"equivalent sample size {ess:g}"] = {"ess": ess}
    for score in ("bds", "k2"):
        changes[f"the score {score}"] = {"score": score}
    changes["parent sets pruned for ε = 0"] = {"pruned_for": 0.0}
    changes[f"any ε up to {FARTHEST:g}"] = {"epsilon": FARTHEST}
    return changes


def explain(folder: Path) -> None:
    """Run all trials of the rows that differ, and write them down."""
    results = Results(folder / "table2.csv")
    write_rows(folder / FILE, run_trials(table2.differing(results)))


def run_trials(targets: dict[str, int]) -> Iterator[dict[str, object]]:
    """Yield a row per data set and trial; `targets` are the paper's counts by data set."""
    for file, target in targets.items():
        for name, change in trials().items():
            arguments = {"file": file, "target": target} | change
            figures = run_isolated(measure, TIME_LIMIT * 3, **arguments)
            row = {"file": file, "target": target, "tried": name}
            yield row | {column: figures.get(column) for column in COLUMNS}
            print(f"{file}, {name}: {figures}", flush=True)


COLUMNS = (
    "networks",
    "patterns",
    "complete",
    "nearest",
    "nearest_epsilon",
    "nearest_patterns",
    "failed",
)
#: Collider patterns are counted in no larger set.
MOST_GROUPED = 200_000


def measure(
    file: str,
    target: int,
    score: str = "bdeu",
    ess: float = 1.0,
    max_parents: int | None = None,
    epsilon: float = EPSILON,
    pruned_for: float | None = None,
) -> dict[str, Any]:
    """Count the networks, and find the count of a smaller epsilon that is nearest to a target."""
    scored = cn.score(
        data_path(file),
        header=False,
        score=score,
        ess=ess,
        max_parents=max_parents,
        epsilon=epsilon if pruned_for is None else pruned_for,
        time_limit=TIME_LIMIT,
    )
    if pruned_for is not None:
        # On purpose: networks are lost, which is what is tried.
        scored = dataclasses.replace(scored, epsilon=epsilon, score_equivalent=False)
    result = cn.find(scored, epsilon=epsilon, time_limit=TIME_LIMIT)
    networks = result.network_set
    nearest, cost = nearest_count(networks, target)
    above = cost - networks.optimal_cost
    return {
        "networks": result.n_networks,
        "patterns": count_patterns(result, networks.max_cost) if result.complete else None,
        "complete": "yes" if result.complete else "no",
        "nearest": nearest,
        "nearest_epsilon": round(math.ldexp(above, -result.table.grid_bits), 4),
        "nearest_patterns": count_patterns(result, cost),
    }


def nearest_count(networks: NetworkSet, target: int) -> tuple[int, int]:
    """Return the count over all smaller epsilons that is nearest to a target, and its cost."""
    cost = networks.cost_at_rank(target - 1)
    if cost is None:  # there are fewer
        return networks.count(networks.max_cost), networks.max_cost
    enough, fewer = networks.count(cost), networks.count(cost - 1)
    if fewer == 0 or enough - target <= target - fewer:
        return enough, cost
    below = networks.cost_at_rank(fewer - 1)
    assert below is not None  # there are so many
    return fewer, below


def count_patterns(result: cn.CredibleSet, max_cost: int) -> int | None:
    """Return the number of collider patterns up to a cost, if the networks are not too many."""
    if result.network_set.count(max_cost) > MOST_GROUPED:
        return None
    rows = np.concatenate([rows for _, rows in result.network_set.blocks(max_cost, MOST_GROUPED)])
    return int(group_networks(result.table.parents[rows], "collider-pattern").max()) + 1


def render(folder: Path) -> str:
    """Return what was tried and what it gave, with the paper's count beside it."""
    rows = read_rows(folder / FILE)
    if not rows:
        return "Nothing else was tried yet."
    files = list(dict.fromkeys(row["file"] for row in rows))
    names = list(dict.fromkeys(row["tried"] for row in rows))
    found = {(row["file"], row["tried"]): row for row in rows}
    lines = [[name, *(cell(found.get((file, name))) for file in files)] for name in names]
    targets = {row["file"]: row["target"] for row in rows}
    lines.append(["**the paper**", *(f"{count(targets[file])}{patterns(file)}" for file in files)])
    said = f"{hits(rows)} In brackets: collider patterns."
    if any(row["complete"] == "no" for row in rows):
        said += " *≥* marks those that did not end."
    return f"{said}\n\n{table(['tried', *files], lines)}"


def hits(rows: list[dict[str, str]]) -> str:
    """Say which settings give the paper's count, with this epsilon or with another one."""
    exact = [
        f"{row['file']} with {row['tried']}" for row in rows if row["networks"] == row["target"]
    ]
    near = [
        f"{row['file']} with {row['tried']} has {count(row['nearest'])} networks up to "
        f"ε = {row['nearest_epsilon']}, in {count(row['nearest_patterns'])} collider patterns"
        for row in rows
        if row["complete"] == "yes" and row["nearest"] == row["target"] != row["networks"]
    ]
    said = (
        f"The paper's count is that of {', '.join(exact)}."
        if exact
        else "None of those that ended gives the paper's count at this ε."
    )
    if near:
        said += (
            f" With a smaller ε, {'; '.join(near)}. The number alone may be chance, with so many "
            "settings and distances: compare the patterns."
        )
    return said


def patterns(file: str) -> str:
    """Return the paper's number of collider patterns of a data set, if it has one."""
    published = {row["file"]: row for row in read_table("table2")}
    found = published.get(file, {}).get("collider_patterns_bf20")
    return f" ({count(found)})" if found else ""


def cell(row: dict[str, str] | None) -> str:
    """Return a count; "at least" where the search did not end."""
    if row is None:
        return "not run"
    if row["failed"]:
        return row["failed"]
    if row["tried"].startswith("any ε"):
        return f"{count(row['nearest'])} is the nearest"
    shown = count(row["networks"])
    if row["complete"] != "yes":
        return f"≥ {shown}"
    return f"{shown} ({count(row['patterns'])})" if row.get("patterns") else shown


def impossible() -> list[str]:
    """Return numbers of networks in the k best classes of the paper that cannot be.

    Each further class has at least one network, so between k and a larger k' the number
    must grow by at least k' - k.
    """
    lines = []
    published = [row for row in read_table("table2") if row["networks_in_k_classes"]]
    for before, after in itertools.pairwise(published):
        if before["file"] != after["file"]:
            continue
        ks = int(before["k"]), int(after["k"])
        networks = tuple(int(row["networks_in_k_classes"]) for row in (before, after))
        if networks[1] - networks[0] < ks[1] - ks[0]:
            lines.append(
                f"{after['file']}, {networks[0]:,} networks in the {ks[0]:,} best classes and "
                f"{networks[1]:,} in the {ks[1]:,} best"
            )
    return lines
