"""A credible set seen as a whole: levels, one graph, and next to another result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from .comparison import Comparison, compare
from .consensus import Kind, consensus_graph, optimal_graph
from .levels import Levels, levels_of
from .network_formats.bnlearn import strength_table

if TYPE_CHECKING:
    import networkx as nx

    from .credible_set import CredibleSet

__all__ = ["CredibleViews"]


def _set(views: CredibleViews) -> CredibleSet:
    """Return the same object as what it always is: only a credible set has these views."""
    return cast("CredibleSet", views)


class CredibleViews:
    """The methods of a credible set that sum it up."""

    def levels(self, bayes_factors: Sequence[float] | None = None) -> Levels:
        """Return how many networks and which edge probabilities several Bayes factors give.

        Parameters
        ----------
        bayes_factors
            None beyond that of the set; 3, 20, 150 and the set's own, as far as it
            reaches, unless given.
        """
        return levels_of(_set(self), bayes_factors)

    def compare(self, other: CredibleSet) -> Comparison:
        """Return what differs from another result over the same variables."""
        return compare(_set(self), other)

    def consensus(self, threshold: float = 0.5, *, kind: Kind = "directed") -> nx.Graph[Any]:
        """Return the edges that are at least as probable as a threshold, as a graph.

        See `crediblenet.consensus.consensus_graph`.
        """
        return consensus_graph(_set(self), threshold, kind)

    def optimal_graph(self) -> nx.DiGraph[Any]:
        """Return the best network as a graph, edges with their probabilities and a colour."""
        return optimal_graph(_set(self))

    def strength_table(self) -> pa.Table:
        """Return the columns from, to, strength, direction of R bnlearn's custom.strength."""
        return strength_table(_set(self).edge_probabilities(compelled=False))
