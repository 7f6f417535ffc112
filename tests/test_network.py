"""One network: its relations, and what is not a network."""

from __future__ import annotations

import networkx as nx
import pytest

from crediblenet import reference
from crediblenet.exceptions import ParameterError
from crediblenet.network import Network
from listed import random_results


def collider() -> Network:
    """Return a -> c <- b, c -> d."""
    return Network(("a", "b", "c", "d"), ((), (), (0, 1), (2,)), cost=1.5)


def test_relations() -> None:
    """Parents, children, ancestors, blanket, v-structures and order of a small network."""
    g = collider()
    assert g.parents == {"a": (), "b": (), "c": ("a", "b"), "d": ("c",)}
    assert g.edges == (("a", "c"), ("b", "c"), ("c", "d"))
    assert g.children("c") == ("d",)
    assert g.ancestors("d") == {"a", "b", "c"}
    assert g.is_ancestor("a", "d")
    assert not g.is_ancestor("d", "a")
    assert g.markov_blanket("a") == {"b", "c"}
    assert g.v_structures() == (("a", "c", "b"),)
    assert g.topological_order() == ("a", "b", "c", "d")
    assert g.has_edge("a", "c")
    assert not g.has_edge("c", "a")


def test_equality_ignores_the_cost() -> None:
    """The same structure is the same network."""
    assert collider() == Network(("a", "b", "c", "d"), ((), (), (1, 0), (2,)))
    assert len({collider(), Network(("a", "b", "c", "d"), ((), (), (0, 1), (2,)))}) == 1


def test_relations_agree_with_the_reference() -> None:
    """Every relation of every network of small sets, against plain definitions."""
    for instance, result, _ in random_results(range(12)):
        for g in result:
            plain = tuple(frozenset(s) for s in g.parent_sets)
            names = g.names
            for a, first in enumerate(names):
                for b, second in enumerate(names):
                    assert g.is_ancestor(first, second) == reference.ancestor(a, b)(plain), instance
                    blanket = reference.in_markov_blanket(a, b)(plain)
                    assert (first in g.markov_blanket(second)) == blanket, instance
            triples = {
                (frozenset({names.index(a), names.index(b)}), names.index(c))
                for a, c, b in g.v_structures()
            }
            assert triples == reference.v_structures(plain), instance


def test_networkx_graph_has_all_variables_and_the_cost() -> None:
    """Isolated variables are nodes too."""
    graph = Network(("a", "b", "c"), ((), (0,), ()), cost=2.0).to_networkx()
    assert list(graph.nodes) == ["a", "b", "c"]
    assert list(graph.edges) == [("a", "b")]
    assert graph.graph["cost"] == 2.0
    assert nx.is_directed_acyclic_graph(graph)


def test_from_parents_and_from_edges() -> None:
    """Both spellings make the same network."""
    parents = Network.from_parents({"a": (), "b": ("a",), "c": ("b", "a")})
    edges = Network.from_edges("abc", [("b", "c"), ("a", "b"), ("a", "c")])
    assert parents == edges


@pytest.mark.parametrize(
    ("names", "sets", "message"),
    [
        (("a", "b"), ((1,), (0,)), "'a' <- 'b' <- 'a'"),
        (("a", "b"), ((0,), ()), "'a' <- 'a'"),
        (("a", "b"), ((2,), ()), "parent number 2"),
        (("a", "b"), ((),), "needs 2 parent sets"),
        (("a", "a"), ((), ()), "name of its own"),
    ],
)
def test_what_is_not_a_network(
    names: tuple[str, ...], sets: tuple[tuple[int, ...], ...], message: str
) -> None:
    """Cycles, unknown parents and doubled names are errors that say where."""
    with pytest.raises(ParameterError, match=message):
        Network(names, sets)


def test_unknown_variables_are_named() -> None:
    """Asking for a variable that is not there says which there are."""
    with pytest.raises(ParameterError, match="no variable 'x'; the variables are a, b, c, d"):
        collider().has_edge("x", "a")
    with pytest.raises(ParameterError, match="parent 'x', which is not a variable"):
        Network.from_parents({"a": ["x"]})
    with pytest.raises(ParameterError, match="ends at no variable"):
        Network.from_edges(["a"], [("a", "x")])


def test_long_networks_have_short_representations() -> None:
    """A network of many variables does not fill the screen."""
    names = tuple(f"variable{i}" for i in range(100))
    assert len(repr(Network(names, ((),) * 100))) < 300
    assert str(collider()) == "[a][b][c|a:b][d|c]"
