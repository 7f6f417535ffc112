"""What all methods of a credible set work with."""

from __future__ import annotations

from .members import Members
from .network_set import NetworkSet
from .posterior import Posterior
from .prior import Prior
from .score_table import ScoreTable

__all__ = ["CredibleBase"]


class CredibleBase:
    """The networks of a credible set and their weights, as its other parts see them."""

    table: ScoreTable
    complete: bool
    prior: Prior
    _members: Members
    _max_cost: int  # in grid units: what is more costly is not in the set

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.table.names

    @property
    def n_networks(self) -> int:
        """The exact number of networks."""
        return self._members.count(self._max_cost)

    @property
    def network_set(self) -> NetworkSet:
        """The networks as the search handed them over, in grid units."""
        return self._members.network_set

    def _posterior(self) -> Posterior:
        return Posterior(self._members, self._max_cost, self.prior)
