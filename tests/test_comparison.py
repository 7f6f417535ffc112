"""Two results side by side."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from crediblenet import reference
from crediblenet.credible_set import CredibleSet
from crediblenet.exceptions import ParameterError
from crediblenet.score_table import ScoreTable
from instances import random_data
from listed import bic_table, listed_set, random_results


def result_of(rows: tuple[tuple[int, ...], ...], epsilon: float = math.log(20)) -> CredibleSet:
    """Return the credible set of some rows."""
    table = bic_table(rows)
    return CredibleSet(table, listed_set(table, epsilon)[0], epsilon)


def test_half_the_data_against_all() -> None:
    """Probabilities are those of each result, changes their difference."""
    rows = random_data(3, variables=(4, 4), rows=(100, 200)).rows
    first, second = result_of(rows[:40]), result_of(rows)
    comparison = first.compare(second)
    p = first.edge_probabilities(compelled=False).matrix
    q = second.edge_probabilities(compelled=False).matrix
    assert np.array_equal(comparison.first.values, p)
    assert np.array_equal(comparison.second.values, q)
    frame = comparison.to_pandas()
    assert frame.change.abs().is_monotonic_decreasing
    assert len(frame) == np.count_nonzero(np.maximum(p, q))
    assert "Edges that changed most" in repr(comparison)
    cost = second.cost_of(first.optimal)
    assert cost is not None
    expected = math.exp(cost - second.optimal_cost)
    assert comparison.first_optimum_in_second == pytest.approx(expected)


def test_distance_of_optima_is_that_of_their_classes() -> None:
    """Pairs that are adjacent in one class only, or directed differently."""
    results = [r for _, r, _ in random_results(range(60)) if len(r.names) == 4]
    assert len(results) > 5
    for first, second in pairwise(results):
        kinds = []
        for r in (first, second):
            g = tuple(frozenset(s) for s in r.optimal.parent_sets)
            compelled = reference.compelled_edges(g)
            kinds.append(
                {
                    frozenset((a, b)): (a, b) if (a, b) in compelled else None
                    for b, parents in enumerate(g)
                    for a in parents
                }
            )
        pairs = kinds[0].keys() | kinds[1].keys()
        expected = sum(kinds[0].get(p, 0) != kinds[1].get(p, 0) for p in pairs)
        assert first.compare(second).distance_of_optima == expected


def test_the_order_of_the_variables_plays_no_part() -> None:
    """A result compared with itself, columns turned round, shows no change."""
    rows = random_data(3, variables=(4, 4), rows=(100, 200)).rows
    first = result_of(rows)
    turned = result_of(tuple(row[::-1] for row in rows))
    table = turned.table
    names = tuple(reversed(first.names))
    renamed = ScoreTable(
        names, table.offsets, table.parents, table.costs, "bic", math.inf, True, table.grid_bits
    )
    second = CredibleSet(renamed, listed_set(renamed, turned.epsilon)[0], turned.epsilon)
    comparison = first.compare(second)
    np.testing.assert_allclose(comparison.first.values, comparison.second.values, rtol=1e-12)
    assert comparison.distance_of_optima == 0
    assert comparison.first_optimum_in_second == pytest.approx(1.0)
    assert first.optimal in second


def test_other_variables_are_refused() -> None:
    """Results must be about the same variables."""
    first = result_of(((0, 1), (1, 0), (1, 1)))
    second = result_of(((0, 1, 1), (1, 0, 1), (1, 1, 0)))
    with pytest.raises(ParameterError, match="different variables: 'V2'"):
        first.compare(second)
    with pytest.raises(ParameterError, match="other variables"):
        first.cost_of(second.optimal)


def test_candidates_that_are_not_there() -> None:
    """A network with a pruned parent set has no cost, and is infinitely worse."""
    rows = random_data(3, variables=(4, 4), rows=(100, 200)).rows
    first = result_of(rows)
    sparse = ScoreTable.from_candidates(first.names, [{frozenset(): 1.0} for _ in first.names])
    second = CredibleSet(sparse, listed_set(sparse, 1.0)[0], 1.0)
    assert second.cost_of(first.optimal) is None
    assert first.compare(second).first_optimum_in_second == math.inf
    assert first.optimal not in second


def test_membership() -> None:
    """A network is in the set when its cost is within; other objects never are."""
    for instance, found, networks in random_results(range(20)):
        smaller = found.at(epsilon=found.epsilon / 2)
        for g in found:
            assert g in found, instance
            best = min(networks.values())
            assert (g in smaller) == (g.cost <= best + smaller.epsilon + 1e-6), instance  # type: ignore[operator]
        part = CredibleSet(found.table, found.network_set, found.epsilon, complete=False)
        assert found.optimal in part
        assert "text" not in found
