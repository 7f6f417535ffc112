"""Networks counted a second time, by other means: ``python -m benchmarks.paper.recount``.

Where Table 2 differs from the paper, one of the two is wrong, so the count is made again with
nothing in common with the search of crediblenet: no pruning of parent sets, no linear program,
no compiling. Every network is made by taking away its sinks one after the other, and is
abandoned when even the best network of the remaining variables, known exactly for each of
their 2^n subsets, costs too much. A network that has several such orders is counted for the
one that takes the sink with the largest number first.
"""

from __future__ import annotations

import csv
import math
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import crediblenet as cn
from crediblenet.score_table import TOLERANCE

from .published import data_path

__all__ = ["count_networks", "count_table", "read_counts"]

Candidates = list[list[tuple[int, int]]]


def count_networks(candidates: Candidates, slack: int) -> int:
    """Return how many networks cost at most `slack` more than the best one.

    Parameters
    ----------
    candidates
        For each variable its parent sets: cost, and parents as bits; by increasing cost.
    slack
        In the unit of the costs.

    Examples
    --------
    Two variables, alone or one the parent of the other:

    >>> count_networks([[(5, 0), (6, 2)], [(5, 0), (6, 1)]], slack=1)
    3
    """
    n = len(candidates)
    least = least_costs(candidates)
    limit = int(least[-1]) + slack
    parents = [0] * n
    order: list[int] = []
    found = 0

    def is_canonical() -> bool:
        rest = (1 << n) - 1
        for sink in order:
            used = 0
            for variable in order:
                if rest >> variable & 1:
                    used |= parents[variable]
            if (rest & ~used).bit_length() - 1 != sink:
                return False
            rest &= ~(1 << sink)
        return True

    def take_away(rest: int, cost: int) -> None:
        nonlocal found
        if not rest:
            found += is_canonical()
            return
        for sink in range(n):
            # A later sink with a larger number must have become one by the last step.
            is_late = order and sink > order[-1] and not parents[order[-1]] >> sink & 1
            if not rest >> sink & 1 or is_late:
                continue
            others = rest & ~(1 << sink)
            most = limit - cost - int(least[others])
            order.append(sink)
            for own_cost, parent_set in candidates[sink]:
                if own_cost > most:
                    break
                if not parent_set & ~others:
                    parents[sink] = parent_set
                    take_away(others, cost + own_cost)
            order.pop()

    take_away((1 << n) - 1, 0)
    return found


def least_costs(candidates: Candidates) -> NDArray[np.int64]:
    """Return the cost of the best network on each subset of the variables."""
    n = len(candidates)
    unknown = np.iinfo(np.int64).max // 4
    best = np.full((n, 1 << n), unknown, dtype=np.int64)
    for variable, sets in enumerate(candidates):
        for cost, parent_set in sets:
            best[variable, parent_set] = min(best[variable, parent_set], cost)
        for parent in range(n):
            halves = best[variable].reshape(-1, 2, 1 << parent)
            np.minimum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    least = np.full(1 << n, unknown, dtype=np.int64)
    least[0] = 0
    sizes = np.array([subset.bit_count() for subset in range(1 << n)])
    for size in range(1, n + 1):
        subsets = np.flatnonzero(sizes == size)
        for sink in range(n):
            having = subsets[subsets >> sink & 1 == 1]
            others = having & ~(1 << sink)
            least[having] = np.minimum(least[having], least[others] + best[sink, others])
    return least


def count_table(table: cn.ScoreTable, bayes_factor: float) -> int:
    """Count the networks of a score table of at most 64 variables."""
    costs = np.rint(np.ldexp(table.costs, table.grid_bits)).astype(np.int64).tolist()
    sets = table.parents[:, 0].tolist()
    candidates = [
        sorted(zip(costs[start:end], sets[start:end], strict=True))
        for start, end in zip(table.offsets[:-1], table.offsets[1:], strict=True)
    ]
    slack = int(np.ldexp(math.log(bayes_factor) + TOLERANCE, table.grid_bits))
    return count_networks(candidates, slack)


def read_counts(path: Path) -> dict[str, int]:
    """Return what was counted again, by data set."""
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as lines:
        return {row["file"]: int(row["networks"]) for row in csv.DictReader(lines)}


def main() -> None:
    """Count the data sets that are named, BDeu at a Bayes factor of 20."""
    path = Path(__file__).resolve().parents[1] / "results" / "recount.csv"
    counts = read_counts(path)
    for file in sys.argv[1:]:
        table = cn.score(data_path(file), header=False, score="bdeu", bayes_factor=20, rules=())
        counts[file] = count_table(table, 20)
        print(f"{file}: {counts[file]:,} networks", flush=True)
        with path.open("w", newline="", encoding="utf-8") as lines:
            writer = csv.writer(lines, lineterminator="\n")
            writer.writerows([("file", "networks"), *sorted(counts.items())])


if __name__ == "__main__":
    main()
