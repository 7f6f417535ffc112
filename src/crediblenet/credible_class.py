"""One Markov equivalence class of a credible set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .cpdag import Cpdag
from .network import Network

__all__ = ["CredibleClass"]


@dataclass(frozen=True)
class CredibleClass:
    """The networks of a credible set that say the same about independence.

    Attributes
    ----------
    cost
        The cost of its networks in nats; the least one, where they differ (scores that are
        not score equivalent).
    size
        How many of its networks are in the credible set: all, unless arc constraints or
        such a score cut through the class.
    weight
        Its share of the posterior over the credible set.
    representative
        One of its networks with that cost.
    """

    cost: float
    size: int
    weight: float
    representative: Network
    _members: Callable[[], Iterator[Network]] | None = field(default=None, repr=False)

    def cpdag(self) -> Cpdag:
        """Return the graph that all networks of the class share."""
        return Cpdag(self.representative)

    def networks(self) -> Iterator[Network]:
        """Yield the networks of the class that are in the credible set."""
        if self._members is not None:
            yield from self._members()
            return
        for member in self.cpdag().members():
            yield Network._trusted(member.names, member.parent_sets, self.cost)
