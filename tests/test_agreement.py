"""What all networks agree on, against counting over listed networks."""

from __future__ import annotations

import numpy as np

from crediblenet.agreement import agreement
from crediblenet.credible_set import CredibleSet
from crediblenet.network_set import ListedSet
from crediblenet.score_table import ScoreTable


def three_networks() -> CredibleSet:
    """Three equally probable networks over d, c, b and a.

    Their edges: a -> b in all; c and b adjacent in all, in both directions; a -> c in two
    of them; d is linked to nothing.
    """
    a, b, c = 1 << 3, 1 << 2, 1 << 1
    table = ScoreTable(
        names=("d", "c", "b", "a"),
        offsets=np.array([0, 1, 4, 6, 7]),
        parents=np.array([[0], [b], [a], [a | b], [a], [a | c], [0]], dtype=np.uint64),
        costs=np.zeros(7),
    )
    networks = [[0, 1, 4, 6], [0, 2, 5, 6], [0, 3, 4, 6]]
    return CredibleSet(table, ListedSet(table, networks), 0.0)


def test_pairs_are_sorted_by_what_the_networks_say() -> None:
    """Certain edges, certain adjacencies, doubtful edges and absent ones are told apart."""
    found = agreement(three_networks().edge_probabilities())
    assert [(p.source, p.target) for p in found.directed] == [("a", "b")]
    assert [(p.source, p.target) for p in found.adjacent] == [("b", "c")]
    assert [(p.source, p.target) for p in found.contested] == [("a", "c")]
    assert found.n_absent == 3
    (doubt,) = found.contested
    np.testing.assert_allclose([doubt.adjacency, doubt.forward, doubt.backward], [2 / 3, 2 / 3, 0])
    (bond,) = found.adjacent
    np.testing.assert_allclose([bond.adjacency, bond.forward, bond.backward], [1, 2 / 3, 1 / 3])


def test_the_most_probable_come_first() -> None:
    """No more pairs than asked for."""
    found = agreement(three_networks().edge_probabilities())
    assert found.most_probable(5) == list(found.contested)
    assert found.most_probable(0) == []


def test_certain_means_every_network() -> None:
    """A pair that nearly all of the weight connects is contested all the same."""
    a = 1 << 0
    table = ScoreTable(
        names=("a", "b"),
        offsets=np.array([0, 1, 3]),
        parents=np.array([[0], [a], [0]], dtype=np.uint64),
        costs=np.array([0.0, 0.0, 6.0]),
    )
    found = agreement(
        CredibleSet(table, ListedSet(table, [[0, 1], [0, 2]]), 6.0).edge_probabilities()
    )
    assert (found.directed, found.adjacent, found.n_absent) == ((), (), 0)
    (pair,) = found.contested
    assert 0.99 < pair.adjacency < 1
