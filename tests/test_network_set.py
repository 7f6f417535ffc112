"""A plainly listed set of networks: counts, weights, draws, and there and back."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from crediblenet import reference
from crediblenet.exceptions import ParameterError, RunDirectoryError
from crediblenet.network_set import ListedSet, NetworkSet, grid_costs
from crediblenet.score_table import ScoreTable
from listed import GRID_BITS, listed_set, on_grid, random_results

NO = frozenset[int]()


@pytest.fixture
def table() -> ScoreTable:
    """Two variables, one of which may depend on the other."""
    return ScoreTable.from_candidates(["a", "b"], [{NO: 2.0}, {NO: 2.5, frozenset({0}): 1.0}])


def test_is_a_network_set(table: ScoreTable) -> None:
    """The listed set offers all that a credible set asks for."""
    assert isinstance(ListedSet(table, [[0, 1]]), NetworkSet)


def test_levels_and_order_are_those_of_brute_force() -> None:
    """Costs come in order, each with the number of networks that have it."""
    for instance, result, networks in random_results(range(60)):
        listed = result.network_set
        costs, counts = listed.levels()
        expected = sorted(networks.values())
        found = np.ldexp(np.repeat(costs, counts), -GRID_BITS)
        assert np.allclose(found, expected, rtol=0, atol=1e-12), instance
        assert [c for c, _ in listed.networks(int(costs[-1]))] == sorted(
            c for c, k in zip(costs.tolist(), counts, strict=True) for _ in range(k)
        ), instance


def test_candidate_log_weights_are_those_of_brute_force() -> None:
    """Each candidate weighs as much as the networks that use it, up to any cost."""
    for instance, result, networks in random_results(range(40)):
        table, best = result.table, min(networks.values())
        for epsilon in (0.0, 0.5, math.inf):
            limit = best + epsilon + 1e-6
            top = 2**62 if epsilon == math.inf else int(limit * 2**GRID_BITS)
            found = result.network_set.candidate_log_weights(top)
            for v in range(table.n_variables):
                for row in range(int(table.offsets[v]), int(table.offsets[v + 1])):
                    parents = frozenset(table.parent_set(row))
                    weights = [
                        math.exp(best - cost)
                        for g, cost in networks.items()
                        if g[v] == parents and cost <= limit
                    ]
                    expected = math.log(math.fsum(weights)) if weights else -math.inf
                    assert found[row] == pytest.approx(expected, rel=1e-11, abs=1e-11), instance


def test_weights_far_from_the_optimum_do_not_underflow() -> None:
    """A candidate that only bad networks use still has a finite log weight."""
    table = ScoreTable.from_candidates(["a", "b"], [{NO: 0.0}, {NO: 0.0, frozenset({0}): 5000.0}])
    assert ListedSet(table, [[0, 1], [0, 2]]).candidate_log_weights(2**62).tolist() == [
        0.0,
        0.0,
        -5000.0,
    ]


def test_blocks_hold_every_network_once() -> None:
    """Any block size gives the same networks, from any start."""
    for _, result, networks in random_results(range(10)):
        listed = result.network_set
        top = int(listed.levels()[0][-1])
        for size in (1, 3, 1000):
            blocks = list(listed.blocks(top, size, start=1))
            rows = [tuple(r) for _, block in blocks for r in block.tolist()]
            assert rows == [tuple(r.tolist()) for _, r in listed.networks(top)][1:]
            assert len(rows) == len(networks) - 1


def test_draws_follow_the_weights(table: ScoreTable) -> None:
    """A network is drawn as often as its weight says, and the seed decides the draws."""
    listed = ListedSet(table, [[0, 1], [0, 2]])
    draws = listed.sample(20_000, seed=3, max_cost=listed.max_cost)
    share = np.mean(draws[:, 1] == 1)
    expected = 1 / (1 + math.exp(-1.5))
    assert abs(share - expected) < 4 * math.sqrt(expected * (1 - expected) / 20_000)
    assert np.array_equal(draws, listed.sample(20_000, seed=3, max_cost=listed.max_cost))
    assert set(listed.sample(50, 0, listed.optimal_cost)[:, 1].tolist()) == {1}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 1], [0, 1]], "twice"),
        ([[0, 0]], "not a candidate of its variable"),
        ([[0]], "table of 2 candidate rows"),
    ],
)
def test_bad_networks_are_refused(table: ScoreTable, rows: list[list[int]], message: str) -> None:
    """Duplicates, foreign rows and wrong shapes are errors."""
    with pytest.raises(ParameterError, match=message):
        ListedSet(table, rows)


def test_there_and_back_through_arrow() -> None:
    """A set read from its table is the same set."""
    for _, result, _ in random_results(range(10)):
        listed = result.network_set
        assert isinstance(listed, ListedSet)
        again = ListedSet.from_arrow(result.table, listed.to_arrow())
        assert np.array_equal(again.rows, listed.rows)
        assert np.array_equal(again.costs, listed.costs)


def test_arrow_table_that_does_not_fit_is_refused(table: ScoreTable) -> None:
    """Costs that are not those of the score table, or no columns at all."""
    good = ListedSet(table, [[0, 1], [0, 2]]).to_arrow()
    wrong = {"listed": good["listed"].set_column(0, "cost", pa.array([1, 2]))}
    with pytest.raises(RunDirectoryError, match="not those of the scores"):
        ListedSet.from_arrow(table, wrong)
    with pytest.raises(RunDirectoryError, match="cannot be used"):
        ListedSet.from_arrow(table, {"listed": good["listed"].drop_columns(["candidates"])})
    with pytest.raises(RunDirectoryError, match="cannot be used"):
        ListedSet.from_arrow(table, {})


def test_score_files_are_rounded_to_the_grid() -> None:
    """Costs that are no multiples of the unit become the nearest one."""
    table = ScoreTable.from_candidates(["a"], [{NO: 0.1}])
    assert grid_costs(table).tolist() == [round(0.1 * 2**32)]
    assert listed_set(on_grid(table), 0.0)[1] == {(NO,): pytest.approx(0.1, abs=1e-8)}
    assert reference.networks_within(table, 0.0) == {(NO,): 0.1}
