"""What of a result is looked at, with costs recomputed from the data."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from ..reference import Network, is_acyclic, markov_class
from .claims import Claims
from .recomputation import RecomputedCosts

__all__ = ["Listed", "ListedClass", "Listing"]


@dataclass(frozen=True)
class Listed:
    """A network of the result, with its recomputed cost."""

    where: str
    network: Network
    stated_cost: float
    cost: float

    @cached_property
    def class_key(self) -> Hashable:
        """What it shares with the Markov equivalent networks, and with no other."""
        return markov_class(self.network)


@dataclass(frozen=True)
class ListedClass(Listed):
    """A class of the result; the network is its representative."""

    size: int
    weight: float


class Listing:
    """The networks and classes of a result, as far as they are looked at.

    Parameters
    ----------
    claims
        What the result says.
    costs
        What networks cost according to the data.
    limit
        Look at no more than so many networks, and so many classes.
    """

    def __init__(self, claims: Claims, costs: RecomputedCosts, limit: int) -> None:
        self.claims = claims
        self.n_rows = costs.n_rows
        # One more than the limit is asked for, to see whether there are more.
        networks = islice(claims.networks(), limit + 1)
        self.networks = [
            Listed(f"network {k}", network, stated, costs.network(network))
            for k, (network, stated) in enumerate(networks, start=1)
        ]
        lists_classes = claims.n_classes is not None or claims.n_listed_classes > 0
        classes = islice(claims.classes(), limit + 1) if lists_classes else ()
        self.classes = [
            ListedClass(f"class {k}", c.network, c.cost, costs.network(c.network), c.size, c.weight)
            for k, c in enumerate(classes, start=1)
        ]
        self.all_networks = len(self.networks) <= limit
        #: Whether every class that the result lists is here, and whether that is all.
        self.all_listed_classes = lists_classes and len(self.classes) <= limit
        self.all_classes = self.all_listed_classes and claims.n_listed_classes == claims.n_classes
        del self.networks[limit:], self.classes[limit:]

    @property
    def everything(self) -> Sequence[Listed]:
        """Networks and representatives of classes."""
        return [*self.networks, *self.classes]

    @cached_property
    def best_cost(self) -> float:
        """The least cost of anything listed that has no cycle."""
        acyclic = [listed.cost for listed in self.everything if is_acyclic(listed.network)]
        return min(acyclic, default=math.inf)

    @cached_property
    def costs_by_class(self) -> dict[Hashable, list[float]]:
        """The costs of the networks listed, by class."""
        members: defaultdict[Hashable, list[float]] = defaultdict(list)
        for listed in self.networks:
            members[listed.class_key].append(listed.cost)
        return dict(members)

    def notes(self) -> list[str]:
        """Return what the reader of a report has to know."""
        notes = []
        if not self.all_networks:
            notes.append(
                f"only the best {len(self.networks):,} of {self.claims.n_networks:,} networks "
                f"were looked at"
            )
        if not self.classes:
            notes.append("the result lists no classes")
        elif self.claims.n_classes is None:
            notes.append(
                f"only the best {len(self.classes):,} classes were looked at; how many there are "
                f"is not known"
            )
        elif not self.all_classes:
            notes.append(
                f"only the best {len(self.classes):,} of {self.claims.n_classes:,} classes were "
                f"looked at"
            )
        if not self.claims.complete:
            notes.append(
                f"the search was stopped by {self.claims.stopped_by}: there may be better networks"
            )
        return notes
