"""In which order variables are shown: along the best network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx

if TYPE_CHECKING:
    from ..credible_set import CredibleSet

__all__ = ["best_graph", "best_order"]


def best_graph(result: CredibleSet) -> nx.DiGraph[int]:
    """Return the best network with columns as nodes."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(result.names)))
    for child, parents in enumerate(result.optimal.parent_sets):
        graph.add_edges_from((parent, child) for parent in parents)
    return graph


def best_order(result: CredibleSet) -> list[int]:
    """Return the variables along the best network, ties in column order."""
    return list(nx.lexicographical_topological_sort(best_graph(result)))
