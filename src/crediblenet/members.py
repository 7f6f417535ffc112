"""The networks and classes of a set, listed once when somebody asks, and kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .network_batch import block_slices, equivalence_keys
from .network_set import NetworkSet, grid_costs, network_blocks
from .score_table import ScoreTable

__all__ = ["ClassList", "Listing", "Members", "Representatives"]

# What the class-level search offers: costs, one network per class, whether that is all.
Representatives = Callable[[int, int], tuple[NDArray[np.int64], NDArray[np.int32], bool]]


@dataclass(frozen=True)
class Listing:
    """Every network up to some cost: costs in grid units, candidate rows."""

    costs: NDArray[np.int64]
    rows: NDArray[np.int32]

    def __len__(self) -> int:
        """Return the number of networks."""
        return len(self.costs)


@dataclass(frozen=True)
class ClassList:
    """Every Markov equivalence class up to some cost, by increasing cost.

    Attributes
    ----------
    costs
        The least cost of a network of the class, in grid units.
    rows
        The candidate rows of a network with that cost.
    sizes
        How many networks of the class are in the set.
    log_weights
        Log of the sum of exp(-(cost - optimal cost)) over those networks.
    members
        For classes that were grouped from a list of networks, the class of each
        network; None when the class-level search found one network per class.
    """

    costs: NDArray[np.int64]
    rows: NDArray[np.int32]
    sizes: list[int]
    log_weights: NDArray[np.float64]
    members: NDArray[np.intp] | None

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.costs)


class Members:
    """The networks and classes behind a credible set and all of its subsets.

    Parameters
    ----------
    table
        The candidates.
    network_set
        The networks.
    """

    def __init__(
        self,
        table: ScoreTable,
        network_set: NetworkSet,
        representatives: Representatives | None = None,
    ) -> None:
        self.table = table
        self.network_set = network_set
        self._representatives = representatives
        self._parent_sets: dict[int, tuple[int, ...]] = {}
        self.unit = float(np.ldexp(1.0, -table.grid_bits))
        self._grid_costs = grid_costs(table)
        costs, counts = network_set.levels()
        self.level_costs = costs
        self.level_counts = counts
        self._listing: Listing | None = None
        self._class_of: NDArray[np.intp] | None = None

    def parent_set(self, row: int) -> tuple[int, ...]:
        """Return the parents in a row of the table; few rows are used, so each is kept."""
        found = self._parent_sets.get(row)
        if found is None:
            found = self._parent_sets[row] = self.table.parent_set(row)
        return found

    def costs(self, rows: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the costs of networks in grid units."""
        return np.asarray(self._grid_costs[rows].sum(axis=1), dtype=np.int64)

    def n_levels(self, max_cost: int) -> int:
        """Return how many distinct costs are at most `max_cost`."""
        return int(np.searchsorted(self.level_costs, max_cost, side="right"))

    def count(self, max_cost: int) -> int:
        """Return the exact number of networks up to a cost."""
        return sum(self.level_counts[: self.n_levels(max_cost)])

    def deviations(self, costs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how far costs in grid units are above the optimum, in nats."""
        return np.asarray((costs - self.network_set.optimal_cost) * self.unit, dtype=np.float64)

    def listing(self, max_cost: int, limit: int) -> Listing | None:
        """Return every network up to a cost, None when they are more than `limit`."""
        count = self.count(max_cost)
        if count > limit:
            return None
        if self._listing is None or len(self._listing) < count:
            blocks = list(network_blocks(self.network_set, max_cost, 1 << 16))
            self._listing = Listing(
                np.concatenate([costs for costs, _ in blocks]),
                np.concatenate([rows for _, rows in blocks]),
            )
        return Listing(self._listing.costs[:count], self._listing.rows[:count])

    def class_of(self, listing: Listing) -> NDArray[np.intp]:
        """Return the class of each listed network.

        Classes are numbered by their first network, so the classes of the networks up to
        a smaller cost are the first ones again, and one numbering serves every subset.
        """
        if self._class_of is None or len(self._class_of) < len(listing):
            self._class_of = class_numbers(self.table.parents, listing.rows)
        return self._class_of[: len(listing)]

    def class_list(self, max_cost: int, limit: int) -> ClassList | None:
        """Return every class up to a cost, None when they are too many to list."""
        listing = self.listing(max_cost, limit)
        return None if listing is None else self._group(listing)

    def _group(self, listing: Listing) -> ClassList:
        """Group listed networks by class."""
        member = self.class_of(listing)
        _, first = np.unique(member, return_index=True)
        sizes = np.bincount(member)
        best = listing.costs[first]
        above_best = (best[member] - listing.costs) * self.unit
        sums = np.bincount(member, weights=np.exp(above_best))
        return ClassList(
            costs=best,
            rows=listing.rows[first],
            sizes=[int(s) for s in sizes],
            log_weights=np.log(sums) - self.deviations(best),
            members=member,
        )


def class_numbers(parents: NDArray[np.uint64], rows: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the Markov equivalence class of each network, numbered by first appearance."""
    n, words = rows.shape[1], parents.shape[1]
    keys = [equivalence_keys(parents[rows[block]]) for block in block_slices(len(rows), n * words)]
    _, first, inverse = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.intp)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse]
