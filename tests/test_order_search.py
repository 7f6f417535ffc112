"""The first network of a search: there always is one, whatever the costs and the order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import crediblenet as cn
from crediblenet import _core
from crediblenet.enumeration import search


def chain(n: int, *, reverse: bool, values: Any) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """Return columns in one order or the other, and arcs from each column to the one before."""
    names = [f"v{i:02}" for i in range(n)]
    data = pd.DataFrame(values, columns=names)
    arcs = list(zip(names[1:], names[:-1], strict=True))
    return (data[names[::-1]] if reverse else data), arcs


@pytest.mark.parametrize("n", [4, 20, 30])
def test_required_arcs_against_the_order_of_columns(n: int) -> None:
    """Few orders have a candidate for everyone, and single moves do not lead to them."""
    values = np.random.default_rng(n).integers(0, 2, (200, n))
    found = []
    for reverse in (False, True):
        data, arcs = chain(n, reverse=reverse, values=values)
        result = cn.find(data, bayes_factor=3, max_parents=2, require=arcs)
        assert result.complete
        found.append((result.optimal_cost, result.n_networks))
    assert found[0] == found[1]


@pytest.mark.parametrize("n", [4, 20, 26])
def test_negative_costs(n: int) -> None:
    """Nobody without a candidate makes up for it by being cheap otherwise."""
    values = np.random.default_rng(n).normal(0, 1e-3, (200, n))
    found = []
    for reverse in (False, True):
        data, arcs = chain(n, reverse=reverse, values=values)
        result = cn.find(data, score="bic-g", bayes_factor=3, max_parents=2, require=arcs)
        assert result.optimal_cost < 0
        assert result.complete
        found.append(result.n_networks)
    assert found[0] == found[1]


@pytest.mark.parametrize("score", ["bic", "bic-g"])
def test_a_search_that_is_stopped_at_once_has_a_network(score: str) -> None:
    """Also where the columns as they come have no candidate for everyone."""
    generator = np.random.default_rng(6)
    discrete = generator.integers(0, 2, (100, 6))
    values = discrete if score == "bic" else generator.normal(0, 1e-3, (100, 6))
    data, arcs = chain(6, reverse=False, values=values)
    table = cn.score(data, score=score, bayes_factor=3, require=arcs[:1])
    result = search(table, table.epsilon, time_limit=0)
    assert result.stopped_by == "time"
    cost, rows = next(result.network_set.networks(result.network_set.max_cost))
    assert len(rows) == 6
    assert cost == result.optimal_cost


def test_parent_sets_without_a_network() -> None:
    """If nobody can come first there is no network, and the core says so."""
    offsets = np.array([0, 1, 2])
    parents = np.array([[2], [1]], dtype=np.uint64)
    problem = _core.Problem.make(offsets, parents, np.array([-5, -7]))
    with pytest.raises(ValueError, match="no order admits a candidate"):
        problem.order_search(3, 1, np.zeros(0), _core.Control())
