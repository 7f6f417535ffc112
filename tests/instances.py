"""Random data sets and score tables, each made from a seed and printable.

They are made to be awkward: exact ties, constant and duplicated columns, variables that
nobody can reach, sets in no particular order. The seed is all that a failure has to say,
and `repr` of an instance says the rest.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from pprint import pformat

from crediblenet.reference import Parents
from crediblenet.score_table import ScoreTable

Row = tuple[int, ...]


@dataclass(frozen=True, repr=False)
class DataInstance:
    """A random discrete data set; values are numbers from 0."""

    seed: int
    rows: tuple[Row, ...]

    @property
    def n_variables(self) -> int:
        """The number of columns."""
        return len(self.rows[0])

    def __repr__(self) -> str:
        return f"DataInstance(seed={self.seed}, rows={self.rows!r})"


def random_data(
    seed: int, variables: tuple[int, int] = (2, 5), rows: tuple[int, int] = (1, 200)
) -> DataInstance:
    """Make a data set of 2 to 4 states from a random network with skewed probabilities."""
    rng = random.Random(seed)
    n = rng.randint(*variables)
    n_rows = round(math.exp(rng.uniform(math.log(rows[0]), math.log(rows[1]))))
    arities = [rng.randint(2, 4) for _ in range(n)]
    order = rng.sample(range(n), n)
    parents = {v: [u for u in order[:k] if rng.random() < 0.5] for k, v in enumerate(order)}
    skew = rng.choice([0.2, 0.5, 1.0, 5.0])
    probabilities: dict[tuple[int, ...], list[float]] = {}

    def draw(child: int, row: dict[int, int]) -> int:
        key = (child, *(row[p] for p in parents[child]))
        if key not in probabilities:
            probabilities[key] = [rng.gammavariate(skew, 1) + 1e-9 for _ in range(arities[child])]
        return rng.choices(range(arities[child]), probabilities[key])[0]

    table: list[list[int]] = []
    for _ in range(n_rows):
        row: dict[int, int] = {}
        for child in order:
            row[child] = draw(child, row)
        table.append([row[v] for v in range(n)])
    spoil(table, rng)
    return DataInstance(seed, tuple(map(tuple, table)))


def spoil(table: list[list[int]], rng: random.Random) -> None:
    """Now and then make a column constant or a copy of another, and repeat rows."""
    n = len(table[0])
    if rng.random() < 0.15:
        column = rng.randrange(n)
        for row in table:
            row[column] = 1
    if rng.random() < 0.15:
        source, copy = rng.sample(range(n), 2)
        for row in table:
            row[copy] = row[source]
    if rng.random() < 0.15:
        for k in range(1, len(table)):
            if rng.random() < 0.7:
                table[k] = list(table[k - 1])


def random_continuous_rows(
    seed: int, variables: tuple[int, int] = (2, 4), rows: tuple[int, int] = (8, 60)
) -> list[tuple[float, ...]]:
    """Draw rows from a random linear Gaussian network over the columns in order."""
    rng = random.Random(seed)
    n = rng.randint(*variables)
    slopes = [[rng.choice([0.0, rng.gauss(0, 1)]) for _ in range(v)] for v in range(n)]
    table: list[tuple[float, ...]] = []
    for _ in range(rng.randint(*rows)):
        row: list[float] = []
        for v in range(n):
            mean = sum(slope * value for slope, value in zip(slopes[v], row, strict=True))
            row.append(mean + rng.gauss(v, 1))
        table.append(tuple(row))
    return table


@dataclass(frozen=True, repr=False)
class TableInstance:
    """Random local costs, not made from any data, with an epsilon to try."""

    seed: int
    kind: str
    costs: tuple[dict[Parents, float], ...]
    epsilon: float

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.costs)

    @property
    def table(self) -> ScoreTable:
        """The same as a score table."""
        names = [f"V{v}" for v in range(self.n_variables)]
        return ScoreTable.from_candidates(names, self.costs)

    def __repr__(self) -> str:
        costs = [{tuple(sorted(p)): c for p, c in options.items()} for options in self.costs]
        return (
            f"TableInstance(seed={self.seed}, kind={self.kind!r}, epsilon={self.epsilon!r}, "
            f"costs=\n{pformat(costs, compact=True, width=100)})"
        )


KINDS = ("grid", "real", "equal", "huge", "disconnected", "unreachable", "no-empty-set")


def random_table(seed: int, variables: tuple[int, int] = (2, 8)) -> TableInstance:
    """Make random costs; the seed picks the kind of trouble.

    ==================  ==================================================================
    ``grid``            multiples of 1/4: many exact ties
    ``real``            any numbers: no ties
    ``equal``           every cost is the same
    ``huge``            costs around a million with small differences
    ``disconnected``    two groups of variables that share no candidate
    ``unreachable``     one variable is in nobody's parent set
    ``no-empty-set``    some variables cannot be without parents
    ==================  ==================================================================
    """
    rng = random.Random(seed)
    n = rng.randint(*variables)
    kind = KINDS[seed % len(KINDS)]
    most = {2: 2, 3: 4, 4: 8, 5: 12, 6: 14, 7: 12}.get(n, 10)
    if kind == "equal":
        most = min(most, 5)  # every DAG that can be made is in the set
    costs: list[dict[Parents, float]] = []
    for child in range(n):
        others = [v for v in range(n) if v != child]
        if kind == "disconnected":
            others = [v for v in others if (v < n // 2) == (child < n // 2)]
        if kind == "unreachable":
            others = [v for v in others if v != n - 1]
        sets = [frozenset[int]()]
        for _ in range(rng.randint(0, most)):
            size = min(len(others), rng.choice([1, 1, 1, 2, 2, 3]))
            sets.append(frozenset(rng.sample(others, size)))
        rng.shuffle(sets)
        if kind == "no-empty-set" and len(set(sets)) > 1 and rng.random() < 0.4:
            sets = [s for s in sets if s]
        costs.append({parents: random_cost(kind, len(parents), rng) for parents in sets})
    epsilon = rng.choice([0.0, 0.25, math.log(3), math.log(20), 5.0, 1e6])
    if n > 5:
        epsilon = min(epsilon, 2.0 if kind in ("grid", "equal") else 4.0)
    return TableInstance(seed, kind, tuple(costs), epsilon)


def random_cost(kind: str, n_parents: int, rng: random.Random) -> float:
    """Draw a cost; more parents are a little cheaper, so that cycles are tempting."""
    if kind == "equal":
        return 1.5
    if kind == "huge":
        return 1e6 + round(rng.uniform(0, 4), 2) - n_parents
    if kind == "real":
        return rng.uniform(0, 4) - n_parents
    return rng.randint(0, 16) / 4 - n_parents
