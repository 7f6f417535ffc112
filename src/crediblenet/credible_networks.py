"""A credible set as a sequence of networks by increasing cost."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import overload

import numpy as np
from numpy.typing import NDArray

from .credible_base import CredibleBase
from .exceptions import LimitError, ParameterError
from .network import Network
from .posterior import Effort

__all__ = ["CredibleNetworks"]

# No slice makes a list longer than this; iterate over `networks()` instead.
_LONGEST_SLICE = 10_000_000


class CredibleNetworks(CredibleBase):
    """The networks one by one: listed, picked by rank, drawn, looked up."""

    def networks(self, limit: int | None = None, start: int = 0) -> Iterator[Network]:
        """Yield the networks by increasing cost.

        Networks of equal cost come in a fixed order, which is the same for every number of
        threads, for every subset that `at` gives, and after saving and loading.

        Parameters
        ----------
        limit
            Stop after so many; None for all.
        start
            How many to skip.
        """
        if start < 0 or (limit is not None and limit < 0):
            raise ParameterError("limit and start must not be negative")
        return self._networks(limit, start)

    def _networks(self, limit: int | None, start: int) -> Iterator[Network]:
        if limit == 0:
            return
        found = self._members.network_set.networks(self._max_cost, start)
        for number, (cost, rows) in enumerate(found, 1):
            yield self._members.network(cost, rows)
            if number == limit:
                return

    @property
    def optimal(self) -> Network:
        """An optimal network."""
        return next(self.networks(limit=1))

    def __iter__(self) -> Iterator[Network]:
        return self.networks()

    def __len__(self) -> int:
        """Return the number of networks, where it fits an index; see `n_networks`."""
        count = self.n_networks
        if count > sys.maxsize:
            raise OverflowError(
                f"the set has {count:,} networks, more than len() can say; use n_networks"
            )
        return count

    def __bool__(self) -> bool:
        return True

    @overload
    def __getitem__(self, index: int) -> Network: ...
    @overload
    def __getitem__(self, index: slice) -> list[Network]: ...
    def __getitem__(self, index: int | slice) -> Network | list[Network]:
        """Return a network by its rank, or a list of them for a slice."""
        count = self.n_networks
        if isinstance(index, slice):
            # slice.indices works with whole numbers of any size.
            start, stop, step = index.indices(count)
            wanted = range(start, stop, step)
            low, high = (start, stop) if step > 0 else (stop + 1, start + 1)
            if high - low > _LONGEST_SLICE:
                raise LimitError(
                    f"the slice spans {high - low:,} networks; iterate over networks() instead"
                )
            found = list(self.networks(limit=max(0, high - low), start=low))
            return [found[rank - low] for rank in wanted]
        rank = index + count if index < 0 else index
        if not 0 <= rank < count:
            raise IndexError(f"there are {count:,} networks, no number {index}")
        return next(self.networks(limit=1, start=rank))

    def sample(self, count: int, seed: int = 0) -> list[Network]:
        """Draw networks from the posterior over the set, independently, with replacement.

        Exact for the plain weights however large the set is; with another prior the
        networks must be few enough to list.

        Raises
        ------
        LimitError
            When a prior asks for listing and there are too many networks.
        """
        if count < 1:
            raise ParameterError(f"the number of samples must be at least 1, not {count}")
        posterior = self._posterior()
        if posterior.is_plain:
            rows = self.network_set.sample(count, seed, self._max_cost)
        else:
            weighted = posterior.networks(Effort().limit)
            if weighted is None:
                raise LimitError(
                    f"{self.n_networks:,} networks are too many to draw from with this prior; "
                    'use prior "dags" and weight the draws, or a smaller Bayes factor'
                )
            chosen = np.random.default_rng(seed).choice(
                len(weighted.rows), size=count, p=weighted.weights
            )
            rows = weighted.rows[chosen]
        costs = self._members.costs(rows)
        return [self._members.network(int(c), r) for c, r in zip(costs, rows, strict=True)]

    def cost_of(self, network: Network) -> float | None:
        """Return the cost of a network by the scores of this result.

        None when a parent set is not among the candidates: it was pruned, or is forbidden.
        The variables may be in another order.

        Raises
        ------
        ParameterError
            When the network has other variables.
        """
        rows = self._rows_of(network)
        if rows is None:
            return None
        return int(self._members.costs(rows[None])[0]) * self._members.unit

    def _rows_of(self, network: Network) -> NDArray[np.int32] | None:
        if set(network.names) != set(self.names):
            raise ParameterError("the network has other variables than the result")
        place = {name: v for v, name in enumerate(self.names)}
        rows = []
        for name, parents in network.parents.items():
            row = self._members.candidate(place[name], frozenset(place[p] for p in parents))
            if row is None:
                return None
            rows.append((place[name], row))
        return np.array([row for _, row in sorted(rows)], dtype=np.int32)

    def __contains__(self, network: object) -> bool:
        """Say whether a network is in the set; in a partial set, whether it was found."""
        if not isinstance(network, Network) or set(network.names) != set(self.names):
            return False
        rows = self._rows_of(network)
        if rows is None or int(self._members.costs(rows[None])[0]) > self._max_cost:
            return False
        if self.complete:
            return True
        found = self.network_set.networks(self._max_cost)
        return any(np.array_equal(rows, other) for _, other in found)
