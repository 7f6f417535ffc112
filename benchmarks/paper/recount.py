"""Networks counted a second time, by other means: ``python -m benchmarks.paper.recount``.

Where Table 2 differs from the paper, one of the two is wrong, so the count is made again with
nothing in common with the search of crediblenet: no pruning of parent sets, no linear program,
no compiling. Every network is made by taking away its sinks one after the other, and is
abandoned when even the best network of the remaining variables, known exactly for each of
their 2^n subsets, costs too much. A network that has several such orders is counted for the
one that takes the sink with the largest number first. Classes are told apart by their
definition: adjacencies and v-structures.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import crediblenet as cn
from crediblenet.score_table import TOLERANCE

from ..rows import RESULTS, read_rows, write_rows
from .published import data_path

__all__ = ["Recount", "count_in_best_classes", "count_networks", "list_networks", "read_counts"]

Candidates = list[list[tuple[int, int]]]
#: The parents of each variable, as bits.
Network = tuple[int, ...]
#: Classes are looked for at this distance, and so much farther until there are enough, in nats.
FIRST_EPSILON, FARTHER = 3.0, 2.0
FILE = RESULTS / "recount.csv"


def list_networks(candidates: Candidates, slack: int) -> list[tuple[int, Network]]:
    """Return all networks that cost at most `slack` more than the best one, with their costs.

    Parameters
    ----------
    candidates
        For each variable its parent sets: cost, and parents as bits.
    slack
        In the unit of the costs.

    Examples
    --------
    Two variables, alone or one the parent of the other:

    >>> sorted(list_networks([[(5, 0), (6, 2)], [(5, 0), (6, 1)]], slack=1))
    [(10, (0, 0)), (11, (0, 1)), (11, (2, 0))]
    """
    n = len(candidates)
    least = least_costs(candidates)
    limit = least[-1] + slack
    choices = choices_within(candidates, least, slack)
    parents = [0] * n
    order: list[int] = []
    found: list[tuple[int, Network]] = []

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
        if not rest:
            if is_canonical():
                found.append((cost, tuple(parents)))
            return
        for sink in range(n):
            # A later sink with a larger number must have become one by the last step.
            is_late = order and sink > order[-1] and not parents[order[-1]] >> sink & 1
            if not rest >> sink & 1 or is_late:
                continue
            others = rest & ~(1 << sink)
            most = limit - cost - least[others]
            order.append(sink)
            for own_cost, parent_set in choices(sink, others):
                if own_cost > most:
                    break
                parents[sink] = parent_set
                take_away(others, cost + own_cost)
            order.pop()

    take_away((1 << n) - 1, 0)
    return found


def choices_within(
    candidates: Candidates, least: list[int], slack: int
) -> Callable[[int, int], list[tuple[int, int]]]:
    """Return a function that gives the parent sets of a sink among the others, cheapest first.

    Without those that cost too much whatever was taken away before: that cost at least the
    best network's cost less what the best network of the rest costs.
    """
    arrays = [np.array(sorted(sets), dtype=np.int64) for sets in candidates]

    @cache
    def choices(sink: int, others: int) -> list[tuple[int, int]]:
        most = slack + least[others | 1 << sink] - least[others]
        sets = arrays[sink]
        sets = sets[: np.searchsorted(sets[:, 0], most, side="right")]
        return [(cost, parents) for cost, parents in sets[sets[:, 1] & ~others == 0].tolist()]

    return choices


def least_costs(candidates: Candidates) -> list[int]:
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
    costs: list[int] = least.tolist()
    return costs


def read_candidates(table: cn.ScoreTable) -> tuple[Candidates, Callable[[float], int]]:
    """Return the parent sets of a table of at most 64 variables, and what turns nats into cost."""
    costs: NDArray[np.int64] = np.rint(np.ldexp(table.costs, table.grid_bits)).astype(np.int64)
    both = list(zip(costs.tolist(), table.parents[:, 0].tolist(), strict=True))
    candidates = [both[start:end] for start, end in itertools.pairwise(table.offsets.tolist())]
    return candidates, lambda nats: int(np.ldexp(nats + TOLERANCE, table.grid_bits))


def count_networks(table: cn.ScoreTable, bayes_factor: float) -> int:
    """Return how many networks are within a Bayes factor of the best one."""
    candidates, cost_of = read_candidates(table)
    return len(list_networks(candidates, cost_of(math.log(bayes_factor))))


class Recount(NamedTuple):
    """How many networks there are; of the k best classes with all that tie with the last.

    Of classes that tie, some may be left out, so that there are k: then there are at least
    `fewest` and at most `most` networks.
    """

    networks: int
    fewest: int
    most: int


def count_in_best_classes(table: cn.ScoreTable, k: int) -> Recount:
    """Count the networks in the k best classes."""
    candidates, cost_of = read_candidates(table)
    for farther in itertools.count():
        networks = list_networks(candidates, cost_of(FIRST_EPSILON + farther * FARTHER))
        cost_of_class: dict[object, int] = {}
        members: Counter[object] = Counter()
        for cost, network in networks:
            its_class = skeleton_and_v_structures(network)
            members[its_class] += 1
            cost_of_class[its_class] = min(cost, cost_of_class.get(its_class, cost))
        if len(members) > k:
            return split_ties([(cost_of_class[one], size) for one, size in members.items()], k)
    raise AssertionError("unreachable")


def split_ties(classes: list[tuple[int, int]], k: int) -> Recount:
    """Count the networks in the k best of some classes, given by cost and size.

    Examples
    --------
    Of three that tie, one is among the best two:

    >>> split_ties([(5, 2), (7, 4), (7, 8), (7, 8), (9, 1)], k=2)
    Recount(networks=22, fewest=6, most=10)
    """
    last = sorted(cost for cost, _ in classes)[k - 1]
    better = [size for cost, size in classes if cost < last]
    tied = sorted(size for cost, size in classes if cost == last)
    wanted = k - len(better)
    before = sum(better)
    return Recount(before + sum(tied), before + sum(tied[:wanted]), before + sum(tied[-wanted:]))


def skeleton_and_v_structures(network: Network) -> tuple[frozenset[object], frozenset[object]]:
    """Return what equivalent networks have in common (Verma & Pearl 1990).

    Examples
    --------
    A chain of three and its reverse, but not the collider 0 -> 1 <- 2:

    >>> chain, reverse, collider = (0, 1, 2), (2, 4, 0), (0, 5, 0)
    >>> skeleton_and_v_structures(chain) == skeleton_and_v_structures(reverse)
    True
    >>> skeleton_and_v_structures(chain) == skeleton_and_v_structures(collider)
    False
    """
    parents = {child: list(bits(mask)) for child, mask in enumerate(network)}
    adjacent = frozenset(
        frozenset((parent, child)) for child, found in parents.items() for parent in found
    )
    v_structures = frozenset(
        (a, child, b)
        for child, found in parents.items()
        for a, b in itertools.combinations(found, 2)
        if frozenset((a, b)) not in adjacent
    )
    return adjacent, v_structures


def bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, in order."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def read_counts(path: Path = FILE) -> dict[tuple[str, int | None], Recount]:
    """Return what was counted again, by data set and k; no k is a Bayes factor of 20."""
    return {
        (row["file"], int(row["k"]) if row["k"] else None): Recount(
            int(row["networks"]), int(row["fewest"]), int(row["most"])
        )
        for row in read_rows(path)
    }


def main() -> None:
    """Count data sets again, BDeu: `adult` at a Bayes factor of 20, `adult:100` its classes."""
    counts = read_counts()
    wanted: defaultdict[str, list[int | None]] = defaultdict(list)
    for argument in sys.argv[1:]:
        file, _, number = argument.partition(":")
        wanted[file].append(int(number) if number else None)
    for file, ks in wanted.items():
        table = cn.score(data_path(file), header=False, score="bdeu", bayes_factor=20, rules=())
        for k in ks:
            if k is None:
                networks = count_networks(table, 20)
                counts[file, k] = Recount(networks, networks, networks)
            else:
                counts[file, k] = count_in_best_classes(table, k)
            print(file, k or "Bayes factor 20", counts[file, k], flush=True)
            in_order = sorted(counts.items(), key=lambda item: (item[0][0], item[0][1] or 0))
            rows = [{"file": f, "k": n, **found._asdict()} for (f, n), found in in_order]
            write_rows(FILE, rows)


if __name__ == "__main__":
    main()
