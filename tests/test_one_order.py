"""The networks that fit one order: those that the reference lists, no two equivalent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import crediblenet as cn
from crediblenet import _core, reference
from crediblenet.enumeration.one_order import OneOrder
from crediblenet.enumeration.space import SearchSpace
from crediblenet.network_set import ListedSet
from instances import TableInstance, random_table
from listed import listed_set, on_grid

Instance = tuple[TableInstance, SearchSpace, ListedSet]


def instances(first: int) -> Iterator[Instance]:
    """Yield random tables with all networks within the limit."""
    for seed in range(first, first + 70):
        instance = random_table(seed, (2, 5))
        table = on_grid(instance.table)
        if reference.networks_within_by_sinks(table, 0.0):  # else every choice has a cycle
            space = SearchSpace.within(table, instance.epsilon)
            yield instance, space, listed_set(table, instance.epsilon)[0]


@pytest.mark.parametrize("first", range(0, 420, 70))
def test_networks_of_an_order(first: int) -> None:
    """All of them are found, and the lower bound is one that says something."""
    several = 0
    for instance, space, listed in instances(first):
        table = space.table
        best = listed.rows[int(np.argmin(listed.costs))]
        order = OneOrder.of_network(space, best)
        circuit, root = order.circuit()
        most = int(listed.costs.min()) + space.slack
        made = _core.CompiledSet.make(
            circuit, root, table.offsets, space.costs, most, 64, 8, _core.Control()
        )
        found = made.count(most, _core.Control())[0]
        along = set(order.rows.tolist())
        expected = [rows for rows in listed.rows.tolist() if set(rows) <= along]
        assert found == len(expected), instance
        assert best.tolist() in expected
        networks = [tuple(frozenset(table.parent_set(r)) for r in rows) for rows in expected]
        assert len({reference.markov_class(network) for network in networks}) == len(expected)
        assert order.least == listed.costs.min()
        assert 1 <= order.at_least(most) <= found, instance
        if instance.kind in ("grid", "equal"):  # whole steps, or nearly
            assert order.at_least(most) > found / 2, instance
        assert order.at_least(order.least - 1) == 0
        several += found > 2
    assert several > 10


@pytest.mark.parametrize("first", range(0, 420, 70))
def test_networks_of_a_wider_order(first: int) -> None:
    """They are credible, too, no two of them equivalent, and not fewer."""
    wider = 0
    for instance, space, listed in instances(first):
        table = space.table
        most = int(listed.costs.min()) + space.slack
        order = OneOrder.of_network(space, listed.rows[int(np.argmin(listed.costs))])
        other = order.widened(most, _core.Control(time_limit=1.0))
        assert other.at_least(most) >= order.at_least(most), instance
        along = set(other.rows.tolist())
        found = [rows for rows in listed.rows.tolist() if set(rows) <= along]
        assert other.at_least(most) <= len(found), instance
        networks = [tuple(frozenset(table.parent_set(r)) for r in rows) for rows in found]
        assert len({reference.markov_class(network) for network in networks}) == len(found)
        wider += other.at_least(most) > order.at_least(most)
    assert wider > 5


@pytest.mark.parametrize("first", range(0, 420, 70))
def test_no_candidate_along_the_order_is_missing(first: int) -> None:
    """With fewer parents than in the best network a variable closes no cycle in any order."""
    for instance, space, listed in instances(first):
        table = space.table
        best = listed.rows[int(np.argmin(listed.costs))].tolist()
        kept = set(OneOrder.of_network(space, np.array(best, dtype=np.uint32)).rows.tolist())
        for v, row in enumerate(best):
            for other in range(int(table.offsets[v]), int(table.offsets[v + 1])):
                near = space.costs[other] - space.costs[row] <= space.slack
                if near and set(table.parent_set(other)) <= set(table.parent_set(row)):
                    assert other in kept, instance


def test_a_complete_search_says_nothing_of_it() -> None:
    """It knows how many there are."""
    result = cn.find(cn.example("cancer").data)
    assert result.complete
    assert result.statistics["classes_at_least"] == 0
    assert not any("at least" in note for note in result.notes)
