"""The Markov equivalence classes of a set, each by one network: compiled, or listed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from . import _core

__all__ = ["ClassSet", "ListedClasses", "LocalClasses", "ProductOfClasses"]

#: Children of a node in the tree over the local classes of a block.
FAN_OUT = 64


class ClassSet(Protocol):
    """What a credible set needs to know of its classes; costs are in grid units.

    A class is given by one of its networks, as a row of candidates; see `NetworkSet`.
    """

    @property
    def statistics(self) -> dict[str, float]:
        """What finding the classes took."""

    def levels(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return the distinct costs, ascending, and the exact number of classes at each."""

    def count(self, max_cost: int) -> int:
        """Return how many classes cost at most `max_cost`."""

    def blocks(
        self, max_cost: int, size: int, start: int = 0
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """Yield (costs, candidate rows) of at most `size` classes at a time, by cost."""


@dataclass(frozen=True)
class LocalClasses:
    """The local classes of one block of variables, one choice of parent sets for each.

    Attributes
    ----------
    members
        The variables of the block.
    rows
        Candidate rows that occur.
    codes
        For each class and member, an index of `rows`.
    costs
        Of each class within the block, in grid units.
    """

    members: NDArray[np.uint16]
    rows: NDArray[np.uint32]
    codes: NDArray[np.integer[Any]]
    costs: NDArray[np.int64]


class ProductOfClasses:
    """Classes as the product of the local classes of blocks, under a common cost limit.

    The product is a circuit again, so that counting by cost and listing from any rank are
    those of the networks: its variables are the blocks, its candidates the local classes.

    Parameters
    ----------
    blocks
        The local classes; together the blocks hold each variable once. Each local class
        must be in a class within the limit.
    max_cost
        The limit, in grid units.
    control
        What building the circuit is watched and stopped through.
    statistics
        What finding the classes took.
    """

    def __init__(
        self,
        blocks: Sequence[LocalClasses],
        max_cost: int,
        control: _core.Control,
        statistics: dict[str, float],
    ) -> None:
        self.statistics = statistics
        self._blocks = blocks
        # By cost, so that the nodes above have few distinct costs in common.
        self._orders = [np.argsort(block.costs, kind="stable") for block in blocks]
        self._offsets = np.cumsum([0, *(len(block.costs) for block in blocks)])
        self._n_variables = sum(len(block.members) for block in blocks)
        costs = [block.costs[order] for block, order in zip(blocks, self._orders, strict=True)]
        self._compiled = _core.CompiledSet.from_arrays(
            *_circuit(self._offsets),
            self._offsets.astype(np.int64),
            np.concatenate(costs),
            max_cost,
            2**62,
            0,
            control,
        )
        self._costs, self._counts = self._compiled.levels()

    def levels(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return the distinct costs, ascending, and the exact number of classes at each."""
        return self._costs, self._counts

    def count(self, max_cost: int) -> int:
        """Return how many classes cost at most `max_cost`."""
        return sum(self._counts[: int(np.searchsorted(self._costs, max_cost, side="right"))])

    def blocks(
        self, max_cost: int, size: int, start: int = 0
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """Yield (costs, candidate rows) of at most `size` classes at a time, by cost."""
        end = self.count(max_cost)
        while start < end:
            costs, chosen = self._compiled.list(start, min(size, end - start))
            yield costs, self._networks(chosen)
            start += len(costs)

    def _networks(self, chosen: NDArray[np.int32]) -> NDArray[np.int32]:
        """Put together the candidate rows of local classes, given by number."""
        networks = np.empty((len(chosen), self._n_variables), dtype=np.int32)
        for k, (block, order) in enumerate(zip(self._blocks, self._orders, strict=True)):
            local = order[chosen[:, k] - self._offsets[k]]
            networks[:, block.members] = block.rows[block.codes[local]]
        return networks


def _circuit(
    offsets: NDArray[np.int64],
) -> tuple[NDArray[np.uint8], NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]:
    """Return a product of choices between consecutive candidates, as `to_arrays` does.

    A choice is a tree with few children per node: to list the networks of one cost, only
    those branches are followed that have it.
    """
    n_leaves = int(offsets[-1])
    n_children: list[NDArray[np.uint32]] = []
    children: list[NDArray[np.uint32]] = []
    kinds: list[NDArray[np.uint8]] = []
    made = n_leaves

    def add(kind: int, lengths: NDArray[np.uint32], below: NDArray[np.uint32]) -> None:
        nonlocal made
        kinds.append(np.full(len(lengths), kind, dtype=np.uint8))
        n_children.append(lengths)
        children.append(below)
        made += len(lengths)

    tops = []
    for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        level = np.arange(start, end, dtype=np.uint32)
        while len(level) > 1:
            lengths = np.full(-(-len(level) // FAN_OUT), FAN_OUT, dtype=np.uint32)
            lengths[-1] = len(level) - FAN_OUT * (len(lengths) - 1)
            first = made
            add(1, lengths, level)
            level = np.arange(first, made, dtype=np.uint32)
        tops.append(int(level[0]))
    root = tops[0]
    for top in tops[1:]:
        add(2, np.array([2], dtype=np.uint32), np.array([root, top], dtype=np.uint32))
        root = made - 1
    counts = np.concatenate([np.zeros(n_leaves, dtype=np.uint32), *n_children])
    first_child = np.cumsum(counts, dtype=np.uint64) - counts
    first_child[:n_leaves] = np.arange(n_leaves)
    return (
        np.concatenate([np.zeros(n_leaves, dtype=np.uint8), *kinds]),
        first_child.astype(np.uint64),
        counts,
        np.concatenate([np.empty(0, dtype=np.uint32), *children]),
    )


class ListedClasses:
    """Classes that are all written down, by increasing cost.

    Parameters
    ----------
    costs
        In grid units, ascending.
    rows
        The candidate rows of one network for each.
    """

    def __init__(self, costs: NDArray[np.int64], rows: NDArray[np.int32]) -> None:
        self.costs, self.rows = costs, rows
        self.statistics: dict[str, float] = {}

    def levels(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return the distinct costs, ascending, and the exact number of classes at each."""
        costs, counts = np.unique(self.costs, return_counts=True)
        return costs, [int(c) for c in counts]

    def count(self, max_cost: int) -> int:
        """Return how many classes cost at most `max_cost`."""
        return int(np.searchsorted(self.costs, max_cost, side="right"))

    def blocks(
        self, max_cost: int, size: int, start: int = 0
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """Yield (costs, candidate rows) of at most `size` classes at a time, by cost."""
        end = self.count(max_cost)
        for first in range(start, end, size):
            last = min(first + size, end)
            yield self.costs[first:last], self.rows[first:last]
