"""One class as a graph, against its members by definition."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from crediblenet import reference
from crediblenet.classes import pack_networks
from crediblenet.cpdag import Cpdag
from crediblenet.exceptions import ParameterError
from crediblenet.network import Network

Parents = tuple[frozenset[int], ...]


def network(parents: Parents) -> Network:
    """Return a network with variables v0, v1, ..."""
    names = tuple(f"v{i}" for i in range(len(parents)))
    return Network(names, tuple(tuple(sorted(s)) for s in parents))


def random_dag(rng: random.Random, n: int, chance: float) -> Parents:
    """Return a DAG along a random order of the variables."""
    order = rng.sample(range(n), n)
    parents: list[frozenset[int]] = [frozenset()] * n
    for i, child in enumerate(order):
        parents[child] = frozenset(p for p in order[:i] if rng.random() < chance)
    return tuple(parents)


def check(dag: Parents) -> None:
    """Compare everything that can be asked of a class with the list of its members."""
    members = {network(m) for m in reference.class_members(dag)}
    graph = Cpdag(network(dag))
    listed = list(graph.members())
    assert len(listed) == len(members) == graph.size, dag
    assert set(listed) == members, dag
    assert listed == list(graph.members())
    assert graph.canonical in members
    assert all(m in graph for m in members)
    expected = {
        (a, b): sum(m.has_edge(a, b) for m in members)
        for a, b in itertools.permutations(graph.names, 2)
    }
    assert graph.edge_counts() == {edge: count for edge, count in expected.items() if count}
    assert set(graph.directed) == {e for e, count in expected.items() if count == len(members)}
    assert all(draw in members for draw in graph.sample(3, seed=1))
    again = Cpdag.from_edges(graph.names, graph.directed, graph.undirected)
    assert again == graph
    assert hash(again) == hash(graph)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_small_class(n: int) -> None:
    """All classes with at most four variables."""
    dags: list[Parents] = list(reference.all_dags(n))
    for members in reference.group_by_class(dags).values():
        check(members[0])


@pytest.mark.parametrize("seed", range(40))
def test_random_classes(seed: int) -> None:
    """Random classes with 5 to 7 variables."""
    rng = random.Random(seed)
    check(random_dag(rng, rng.randint(5, 7), rng.choice([0.3, 0.5, 0.7])))


def test_graphs_of_different_classes_differ() -> None:
    """There are as many different graphs as classes."""
    assert len({Cpdag(network(dag)) for dag in reference.all_dags(4)}) == 185


def test_members_come_one_by_one() -> None:
    """The first members of a class of 25! networks come without the others."""
    k = 25
    graph = Cpdag(network(tuple(frozenset(range(i)) for i in range(k))))
    assert graph.size == math.factorial(k)
    first = list(itertools.islice(graph.members(), 1000))
    assert len(set(first)) == 1000
    assert set(graph.edge_counts().values()) == {math.factorial(k) // 2}


def test_wide_class() -> None:
    """A tree of 200 variables: members by their root, edges by the sides they separate."""
    rng = random.Random(1)
    n = 200
    parent = [rng.randrange(i) for i in range(1, n)]
    graph = Cpdag(network((frozenset(), *(frozenset({p}) for p in parent))))
    assert graph.size == n
    assert len(set(graph.members())) == n
    below = [1] * n
    for child in range(n - 1, 0, -1):
        below[parent[child - 1]] += below[child]
    counts = graph.edge_counts()
    for child in range(1, n):
        edge = (f"v{child}", f"v{parent[child - 1]}")
        assert counts[edge] == below[child]
        assert counts[edge[::-1]] == n - below[child]


def test_from_bits() -> None:
    """A network as bit sets gives the same graph."""
    dag: Parents = (frozenset(), frozenset({0}), frozenset({1}))
    assert Cpdag.from_bits(("v0", "v1", "v2"), pack_networks([dag])[0]) == Cpdag(network(dag))


def test_text_and_networkx() -> None:
    """What a user sees."""
    graph = Cpdag(
        Network.from_parents({"a": [], "b": [], "c": ["a", "b"], "d": ["c"], "e": [], "f": ["e"]})
    )
    assert str(graph) == "a -> c, b -> c, c -> d, e -- f"
    assert repr(graph) == "<Cpdag of 6 variables, 2 networks: a -> c, b -> c, c -> d, e -- f>"
    assert graph.v_structures() == (("a", "c", "b"),)
    drawn = graph.to_networkx()
    assert {(a, b): drawn.edges[a, b]["compelled"] for a, b in drawn.edges} == {
        ("a", "c"): True,
        ("b", "c"): True,
        ("c", "d"): True,
        ("e", "f"): False,
        ("f", "e"): False,
    }
    assert repr(Cpdag(Network(("x",), ((),)))) == "<Cpdag of 1 variables, 1 network: no edges>"
    assert graph != "a -> c"
    assert "a" not in graph
    assert Network.from_parents({"a": []}) not in graph


def test_errors() -> None:
    """Edges that belong to no class, and impossible requests, are refused."""
    square = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    with pytest.raises(ParameterError, match="no Markov equivalence class"):
        Cpdag.from_edges("abcd", [], square)
    with pytest.raises(ParameterError, match="no Markov equivalence class"):
        Cpdag.from_edges("ab", [("a", "b")], [])
    with pytest.raises(ParameterError, match="cycle"):
        Cpdag.from_edges("ab", [("a", "b"), ("b", "a")], [])
    with pytest.raises(ParameterError, match="not two variables"):
        Cpdag.from_edges("ab", [], [("a", "x")])
    with pytest.raises(ParameterError, match="cannot draw -1 networks"):
        Cpdag(Network(("a",), ((),))).sample(-1, seed=0)
