"""What of a result is looked at, with costs recomputed from the data."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from ..credible_set import CredibleSet
from ..network import Network as ResultNetwork
from ..reference import Network, is_acyclic, markov_class
from .recomputation import RecomputedCosts

__all__ = ["Listed", "ListedClass", "Listing"]


@dataclass(frozen=True)
class Listed:
    """A network of the result, with its recomputed cost."""

    where: str
    network: Network
    stated_cost: float
    cost: float


@dataclass(frozen=True)
class ListedClass(Listed):
    """A class of the result; the network is its representative."""

    size: int
    weight: float


class Listing:
    """The networks and classes of a result, as far as they are looked at.

    Parameters
    ----------
    result
        The result.
    costs
        What networks cost according to the data.
    limit
        Look at no more than so many networks, and so many classes.
    """

    def __init__(self, result: CredibleSet, costs: RecomputedCosts, limit: int) -> None:
        self.result = result
        self.networks = []
        for number, network in enumerate(islice(result.networks(), limit + 1), start=1):
            parents = plain(network)
            stated = math.nan if network.cost is None else network.cost
            self.networks.append(
                Listed(f"network {number}", parents, stated, costs.network(parents))
            )
        self.classes = []
        listed_classes = () if result.n_classes is None else islice(result.classes(), limit + 1)
        for number, found in enumerate(listed_classes, start=1):
            parents = plain(found.representative)
            cost = costs.network(parents)
            self.classes.append(
                ListedClass(f"class {number}", parents, found.cost, cost, found.size, found.weight)
            )
        # One more than the limit was asked for, to see whether there are more.
        self.all_networks = len(self.networks) <= limit
        self.all_classes = result.n_classes is not None and len(self.classes) <= limit
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
            members[markov_class(listed.network)].append(listed.cost)
        return dict(members)

    def notes(self) -> list[str]:
        """Return what the reader of a report has to know."""
        notes = []
        if not self.all_networks:
            notes.append(
                f"only the best {len(self.networks):,} of {self.result.n_networks:,} networks "
                f"were looked at"
            )
        if self.result.n_classes is None:
            notes.append("the result lists no classes")
        elif not self.all_classes:
            notes.append(
                f"only the best {len(self.classes):,} of {self.result.n_classes:,} classes were "
                f"looked at"
            )
        if not self.result.complete:
            notes.append(
                f"the search was stopped by {self.result.stopped_by}: there may be better networks"
            )
        return notes


def plain(network: ResultNetwork) -> Network:
    """Return a network in the form of the reference."""
    return tuple(map(frozenset, network.parent_sets))
