"""Scores do not depend on threads or on the order of columns, and equivalent networks tie."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import crediblenet as cn
from crediblenet import reference
from crediblenet.score_kinds import SCORES
from crediblenet.score_table import ScoreTable
from instances import random_continuous_rows, random_data
from test_against_reference import dataset_of
from test_parent_limit import all_classes

EPSILON = math.log(20)


def wide_columns(seed: int, variables: int, rows: int) -> dict[str, list[int]]:
    """Make columns that depend on earlier ones, enough of them to keep threads busy."""
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for v in range(variables):
        arity = 2 + v % 3
        noise = rng.integers(0, arity, rows)
        copied = columns[rng.integers(v)] % arity if v else noise
        columns.append(np.where(rng.random(rows) < 0.7, copied, noise))
    return {f"V{v}": column.tolist() for v, column in enumerate(columns)}


def wide_numbers(seed: int, variables: int, rows: int) -> dict[str, list[float]]:
    """Make columns of numbers, each the sum of an earlier one and noise."""
    rng = np.random.default_rng(seed)
    columns = [rng.normal(size=rows)]
    for v in range(1, variables):
        columns.append(columns[rng.integers(v)] + rng.normal(size=rows))
    return {f"V{v}": column.tolist() for v, column in enumerate(columns)}


def assert_same(a: ScoreTable, b: ScoreTable) -> None:
    """See that two tables are equal to the last bit, and were made by the same work."""
    assert a.grid_bits == b.grid_bits
    assert np.array_equal(a.offsets, b.offsets)
    assert np.array_equal(a.parents, b.parents)
    assert np.array_equal(a.costs, b.costs)
    for counter in ("removed", "joint_sets_counted", "parent_sets_scored"):
        assert a.metadata[counter] == b.metadata[counter]


@pytest.mark.parametrize("name", SCORES)
def test_threads(name: str) -> None:
    """One, two and five threads make the same table and remove the same sets."""
    if SCORES[name].continuous:
        data: object = wide_numbers(3, 9, 60)
    else:
        data = wide_columns(3, 11, 300)
    one, two, five = (cn.score(data, score=name, epsilon=EPSILON, threads=t) for t in (1, 2, 5))
    assert len(one) > one.n_variables
    assert_same(one, two)
    assert_same(one, five)


@pytest.mark.parametrize("name", SCORES)
def test_order_of_columns(name: str) -> None:
    """The candidates move with their columns, and every cost stays the same number."""
    if SCORES[name].continuous:
        columns: dict[str, list[float]] | dict[str, list[int]] = wide_numbers(4, 7, 60)
    else:
        columns = wide_columns(4, 9, 200)
    names = list(columns)
    straight = cn.score(columns, score=name, epsilon=EPSILON)
    assert len(straight) > len(names)
    for seed in range(3):
        order = random.Random(seed).sample(names, len(names))
        turned = cn.score({v: columns[v] for v in order}, score=name, epsilon=EPSILON)
        assert turned.grid_bits == straight.grid_bits
        assert by_name(turned) == by_name(straight)


def by_name(table: ScoreTable) -> dict[tuple[str, frozenset[str]], float]:
    """Return the cost of each candidate by the names of child and parents."""
    return {
        (name, frozenset(table.names[p] for p in parents)): cost
        for child, name in enumerate(table.names)
        for parents, cost in table.candidates(child)
    }


@pytest.mark.parametrize("name", [name for name, kind in SCORES.items() if kind.equivalent])
def test_equivalent_networks_tie_exactly(name: str) -> None:
    """All networks of a class cost the same, bit for bit, on the grid."""
    for seed in range(12):
        if SCORES[name].continuous:
            rows = random_continuous_rows(seed, variables=(4, 4))
            table = cn.score(np.array(rows), score=name, epsilon=math.inf, threads=1)
        else:
            data = dataset_of(random_data(seed, variables=(4, 4), rows=(3, 200)))
            if data.constant:
                continue
            table = cn.score(data, score=name, ess=0.7, epsilon=math.inf, threads=1)
        costs = reference.costs_of_table(table)
        for members in all_classes(4):
            totals = {sum(costs[v][ps] for v, ps in enumerate(network)) for network in members}
            assert len(totals) == 1, (seed, members)


@pytest.mark.parametrize("name", [name for name, kind in SCORES.items() if not kind.equivalent])
def test_other_scores_do_not_tie(name: str) -> None:
    """The scores that are not called equivalent are not."""
    table = cn.score(
        dataset_of(random_data(23, variables=(3, 3), rows=(60, 60))), score=name, epsilon=math.inf
    )
    assert not table.score_equivalent
    costs = reference.costs_of_table(table)
    spreads = [
        max(totals) - min(totals)
        for members in all_classes(3)
        for totals in [[sum(costs[v][ps] for v, ps in enumerate(g)) for g in members]]
    ]
    assert max(spreads) > 1e-3
