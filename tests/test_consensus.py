"""One graph for a whole set."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from crediblenet.credible_set import CredibleSet
from crediblenet.exceptions import ParameterError
from crediblenet.network_set import ListedSet
from crediblenet.score_table import ScoreTable
from listed import random_results


def test_edges_above_the_threshold() -> None:
    """Exactly the edges that reach it, with their probabilities, and all variables."""
    for instance, found, _ in random_results(range(40)):
        edges = found.edge_probabilities()
        assert edges.compelled is not None
        for threshold in (0.1, 0.5, 1.0):
            graph = found.consensus(threshold)
            assert list(graph.nodes) == list(found.names), instance
            assert {edge: graph.edges[edge]["probability"] for edge in graph.edges} == {
                (e.source, e.target): e.probability
                for e in edges
                if e.probability >= threshold - 1e-12
            }, instance
            assert graph.graph["acyclic"] == nx.is_directed_acyclic_graph(graph)
            compelled = found.consensus(threshold, kind="compelled")
            assert compelled.number_of_edges() == np.sum(
                edges.compelled.values >= threshold - 1e-12
            )
            adjacent = found.consensus(threshold, kind="adjacent")
            assert not adjacent.is_directed()
            assert adjacent.number_of_edges() == (
                np.sum(edges.adjacent.values >= threshold - 1e-12) / 2
            )


def test_a_consensus_may_run_in_a_circle() -> None:
    """Each edge of a circle can be in two networks of three; the graph says so."""
    one = {frozenset(): 0.0, frozenset({1}): 0.0}
    two = {frozenset(): 0.0, frozenset({2}): 0.0}
    three = {frozenset(): 0.0, frozenset({0}): 0.0}
    table = ScoreTable.from_candidates("abc", [one, two, three])
    listed = ListedSet(table, [[1, 3, 4], [1, 2, 5], [0, 3, 5]])
    graph = CredibleSet(table, listed, 0.0).consensus(0.6)
    assert sorted(graph.edges) == [("a", "c"), ("b", "a"), ("c", "b")]
    assert graph.graph["acyclic"] is False


def test_the_optimal_network_in_shades() -> None:
    """Its edges with their probabilities: the more certain, the darker."""
    for _, found, _ in random_results(range(40)):
        graph = found.optimal_graph()
        assert set(graph.edges) == set(found.optimal.edges)
        assert graph.graph["cost"] == found.optimal_cost
        shades = sorted(
            (d["probability"], -int(d["color"][1:3], 16)) for *_, d in graph.edges.data()
        )
        assert [shade for _, shade in shades] == sorted(shade for _, shade in shades)


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.5, float("nan")])
def test_impossible_thresholds(threshold: float) -> None:
    """A threshold is a probability, and not zero."""
    _, found, _ = next(random_results(range(10, 11)))
    with pytest.raises(ParameterError, match="threshold must be"):
        found.consensus(threshold)


def test_impossible_kind() -> None:
    """There are three kinds of edges."""
    _, found, _ = next(random_results(range(10, 11)))
    with pytest.raises(ParameterError, match="directed, adjacent or compelled"):
        found.consensus(kind="loose")  # type: ignore[arg-type]
