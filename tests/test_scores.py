"""The pruned tables hold exactly what rule R1 leaves of the full lattice."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from crediblenet import reference
from crediblenet.data import Dataset
from crediblenet.score_kinds import RULES, SCORES
from crediblenet.score_table import TOLERANCE, ScoreTable
from crediblenet.scores import score
from instances import random_data

EPSILONS = (0.0, math.log(3), math.log(20), math.log(150))


def dataset(rows: Sequence[Sequence[int]]) -> Dataset:
    """Return small numbers as a data set, without warnings about constant columns."""
    columns = [tuple(map(str, column)) for column in zip(*rows, strict=True)]
    states = tuple(tuple(sorted(set(column))) for column in columns)
    coded = [[states[v].index(x) for x in column] for v, column in enumerate(columns)]
    codes, weights = np.unique(np.array(coded, dtype=np.uint16), axis=1, return_counts=True)
    return Dataset(
        names=tuple(f"V{v}" for v in range(len(columns))),
        states=states,
        codes=np.ascontiguousarray(codes),
        weights=weights.astype(np.int64),
    )


def as_dicts(table: ScoreTable) -> list[dict[frozenset[int], float]]:
    """Return the candidates of each variable as a dictionary."""
    return [
        {frozenset(parents): cost for parents, cost in table.candidates(v)}
        for v in range(table.n_variables)
    ]


def undominated(costs: dict[frozenset[int], float], epsilon: float) -> dict[frozenset[int], float]:
    """Return what rule R1 leaves."""
    return {
        parents: cost
        for parents, cost in costs.items()
        if all(
            cost <= other + epsilon + TOLERANCE
            for subset, other in costs.items()
            if subset < parents
        )
    }


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", [name for name, kind in SCORES.items() if not kind.continuous])
def test_pruned_tables_equal_the_filtered_lattice(name: str, seed: int) -> None:
    """Whatever rules are used, R1 leaves the same table, the right one."""
    instance = random_data(seed)
    ess = (0.1, 1.0, 10.0)[seed % 3]
    full = reference.local_costs(instance.rows, name, ess=ess)
    data = dataset(instance.rows)
    for epsilon in EPSILONS:
        expected = [undominated(costs, epsilon) for costs in full]
        for rules in [("R1",), *(("R1", rule) for rule in RULES[1:]), RULES]:
            table = score(data, score=name, ess=ess, epsilon=epsilon, rules=rules, threads=1)
            got = as_dicts(table)
            assert [set(c) for c in got] == [set(c) for c in expected], (instance, rules)
            for mine, theirs in zip(got, expected, strict=True):
                for parents, cost in mine.items():
                    assert cost == pytest.approx(theirs[parents], abs=1e-9), (instance, rules)
