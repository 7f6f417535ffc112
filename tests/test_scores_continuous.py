"""BGe and the Gaussian BIC: the tables against the plain definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import crediblenet as cn
from brute_force import AllNetworks
from crediblenet import reference
from instances import random_continuous_rows
from test_against_reference import EPSILONS, assert_same_credible_set


@pytest.mark.parametrize("score", ["bge", "bic-g"])
@pytest.mark.parametrize("first_seed", range(0, 100, 50))
def test_pruned_tables_lose_nothing(score: str, first_seed: int) -> None:
    """Rule R1 leaves exactly the credible set of all parent sets, at every level."""
    for seed in range(first_seed, first_seed + 50):
        rows = random_continuous_rows(seed)
        costs = reference.local_costs(rows, score)
        whole = AllNetworks.of(costs)
        for epsilon in EPSILONS:
            table = cn.score(np.array(rows), score=score, epsilon=epsilon, threads=1)
            kept = reference.costs_of_table(table)
            for options, plain in zip(kept, costs, strict=True):
                for parents, cost in options.items():
                    assert cost == pytest.approx(plain[parents], abs=1e-8), (seed, parents)
            about = f"{score}, epsilon {epsilon}, seed {seed}"
            assert_same_credible_set(AllNetworks.of(kept), whole, epsilon, about)
            removed = table.metadata["removed"]
            assert not any(count for rule, count in removed.items() if rule != "R1")


@pytest.mark.parametrize("score", ["bge", "bic-g"])
def test_nothing_pruned(score: str) -> None:
    """With epsilon infinite every parent set is there."""
    rows = random_continuous_rows(5, variables=(4, 4))
    table = cn.score(np.array(rows), score=score, epsilon=math.inf)
    expected = reference.local_costs(rows, score)
    found = reference.costs_of_table(table)
    for options, plain in zip(found, expected, strict=True):
        assert options == pytest.approx(plain, abs=1e-8)


def test_weight_of_the_prior_mean() -> None:
    """`ess` is the weight of the prior mean: other weights, other costs."""
    rows = np.array(random_continuous_rows(7, variables=(3, 3)))
    light, heavy = (cn.score(rows, score="bge", ess=e, epsilon=math.inf) for e in (1.0, 10.0))
    assert not np.allclose(light.costs, heavy.costs)


def test_linear_dependence() -> None:
    """A column that others add up to is named, with the ways out; BGe takes it."""
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 50))
    data = {"a": a, "b": b, "sum": a + b}
    with pytest.raises(cn.DataError, match=r"(a|b|sum) is a linear function of other variables"):
        cn.score(data, score="bic-g", epsilon=math.inf)
    assert len(cn.score(data, score="bge", epsilon=math.inf)) == 12


@pytest.mark.parametrize("score", ["bge", "bic-g"])
def test_equivalent_networks_cost_the_same_however_negative(score: str) -> None:
    """Sums are exact where costs near zero become large and negative with a parent.

    Each column is the one before and a little noise, and costs nothing by itself.
    """
    generator = np.random.default_rng(2)
    first = generator.normal(0, (2 * math.pi * math.e) ** -0.5, 200_000)
    columns = [first]
    while len(columns) < 4:
        columns.append(columns[-1] + generator.normal(0, 1e-4, len(first)))
    result = cn.find(np.column_stack(columns), score=score, epsilon=0.0)
    assert result.optimal_cost < -1e6
    sizes = [one.size for one in result.classes()]
    assert len(sizes) == 1
    assert sum(1 for _ in result.networks()) == sizes[0] == result.n_networks
    assert len({network.cost for network in result.networks()}) == 1


def test_the_order_of_rows_does_not_matter() -> None:
    """Not even for columns that are nearly the same, where little is left of a scatter."""
    generator = np.random.default_rng(4)
    first = generator.normal(size=100_000)
    rows = np.column_stack([first, first + generator.normal(0, 1e-5, len(first))])
    one = cn.find(rows, score="bic-g", epsilon=0.0)
    other = cn.find(generator.permutation(rows), score="bic-g", epsilon=0.0)
    assert one.optimal_cost == pytest.approx(other.optimal_cost, abs=1e-6)
