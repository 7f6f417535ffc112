"""In which order things are shown: variables along the best network, levels upwards."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import networkx as nx

if TYPE_CHECKING:
    from ..credible_set import CredibleSet

__all__ = ["CUSTOMARY_LEVELS", "best_graph", "best_order", "covered_levels"]

CUSTOMARY_LEVELS = (3.0, 20.0, 150.0)
"""The Bayes factors at which evidence is customarily called positive, strong, very strong."""


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


def covered_levels(result: CredibleSet) -> list[float]:
    """Return the customary Bayes factors that the set covers, and its own."""
    reach = result.bayes_factor
    levels = [f for f in CUSTOMARY_LEVELS if f <= reach * (1 + 1e-9)]
    known = any(math.isclose(f, reach, rel_tol=1e-9) for f in levels)
    return levels if known or not math.isfinite(reach) else [*levels, reach]
