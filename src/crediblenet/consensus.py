"""One graph that sums up a credible set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import networkx as nx
import numpy as np

from .exceptions import ParameterError

if TYPE_CHECKING:
    from .credible_set import CredibleSet
    from .edge_probabilities import EdgeProbabilities

__all__ = ["Kind", "consensus_graph", "optimal_graph"]

Kind = Literal["directed", "adjacent", "compelled"]


def consensus_graph(
    result: CredibleSet, threshold: float = 0.5, kind: Kind = "directed"
) -> nx.Graph[Any]:
    """Return the edges that are at least as probable as a threshold, as a networkx graph.

    Every variable is a node; edges have the attributes ``probability`` (that of the kind
    asked for), ``directed`` (where there is a direction), ``adjacent`` and ``compelled``.
    The graph attribute ``acyclic`` says whether the edges make a network: more probable
    than not they may be, each for itself, and still run in a circle together.

    Parameters
    ----------
    result
        The credible set.
    threshold
        The least probability, above 0 and up to 1.
    kind
        ``"directed"`` and ``"compelled"`` give a ``DiGraph``, ``"adjacent"`` a ``Graph``.

    Raises
    ------
    ParameterError
        When the threshold is no probability, or the kind is none of these.
    """
    if not 0 < threshold <= 1:
        raise ParameterError(f"threshold must be above 0 and at most 1, not {threshold}")
    edges = result.edge_probabilities()
    values = {
        "directed": edges.directed.values,
        "adjacent": np.triu(edges.adjacent.values),
        "compelled": edges.compelled.values if edges.compelled is not None else None,
    }.get(kind)
    if values is None:
        raise ParameterError(f"kind must be directed, adjacent or compelled, not {kind!r}")
    graph: nx.Graph[Any] = nx.Graph() if kind == "adjacent" else nx.DiGraph()
    graph.graph.update(threshold=threshold, kind=kind, bayes_factor=result.bayes_factor)
    graph.add_nodes_from(result.names)
    # A certain edge may sum to a little less than one.
    for a, b in np.argwhere(values >= threshold - 1e-12).tolist():
        attributes = _attributes(edges, a, b)
        if kind == "adjacent":
            del attributes["directed"], attributes["compelled"]
        graph.add_edge(
            result.names[a], result.names[b], probability=float(values[a, b]), **attributes
        )
    if kind != "adjacent":
        graph.graph["acyclic"] = nx.is_directed_acyclic_graph(graph)
    return graph


def optimal_graph(result: CredibleSet) -> nx.DiGraph[Any]:
    """Return the best network with the probability of each edge, and a colour for it.

    Colours run from light grey (nearly none of the networks has the edge) to black (all do),
    so they mean the same in print and to a reader who sees no colours.
    """
    edges = result.edge_probabilities()
    best = result.optimal
    graph: nx.DiGraph[Any] = nx.DiGraph()
    graph.graph["cost"] = best.cost
    graph.add_nodes_from(best.names)
    for child, parents in enumerate(best.parent_sets):
        for parent in parents:
            share = float(edges.directed.values[parent, child])
            level = round(190 * (1 - min(1.0, share)))
            graph.add_edge(
                best.names[parent],
                best.names[child],
                probability=share,
                color=f"#{level:02x}{level:02x}{level:02x}",
                **_attributes(edges, parent, child),
            )
    return graph


def _attributes(edges: EdgeProbabilities, a: int, b: int) -> dict[str, float]:
    found = {
        "directed": float(edges.directed.values[a, b]),
        "adjacent": float(edges.adjacent.values[a, b]),
    }
    if edges.compelled is not None:
        found["compelled"] = float(edges.compelled.values[a, b])
    return found
