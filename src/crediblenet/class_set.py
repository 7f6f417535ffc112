"""The Markov equivalence classes of a set, each by one network: compiled, or listed."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from . import _core
from .compiled_set import LONGEST, MOST_LEVELS
from .counted_set import counted_set
from .exceptions import LimitError
from .level_counts import LevelCounts
from .score_table import ScoreTable

__all__ = ["ClassSet", "ListedClasses", "LocalClasses", "ProductOfClasses", "list_classes"]

#: Children of a node in the tree over the local classes of a block.
FAN_OUT = 64
#: Bytes that a distinct cost of a node takes.
LEVEL_BYTES = 32


class ClassSet(Protocol):
    """What a credible set needs to know of its classes; costs are in grid units.

    A class is given by one of its networks, as a row of candidates; see `NetworkSet`.
    """

    @property
    def statistics(self) -> dict[str, float]:
        """What finding the classes took."""

    @property
    def n_variables(self) -> int:
        """The number of variables."""

    def log_weight(self, max_cost: int, best: int) -> float:
        """Return the log of the weight of all classes up to a cost; one that costs `best` has 1."""

    def count(self, max_cost: int) -> int:
        """Return how many classes cost at most `max_cost`."""

    def blocks(
        self, max_cost: int, size: int, start: int = 0
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """Yield (costs, candidate rows) of at most `size` classes at a time, by cost.

        Raises
        ------
        LimitError
            When they have too many distinct costs to be put in order.
        """


def list_classes(
    classes: ClassSet, max_cost: int, count: int, start: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return costs and candidate rows of classes by cost: `count` of them, or all there are.

    Raises
    ------
    LimitError
        When they have too many distinct costs to be put in order.
    """
    found = [(np.empty(0, np.int64), np.empty((0, classes.n_variables), np.int32))]
    end = min(start + count, classes.count(max_cost))
    while start < end:
        found.append(next(classes.blocks(max_cost, end - start, start)))
        start += len(found[-1][0])
    if len(found) <= 2:
        return found[-1]
    costs, rows = zip(*found, strict=True)
    return np.concatenate(costs), np.concatenate(rows)


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

    The product is a compiled set again, so that counting by cost and listing from any rank
    are those of the networks: its variables are the blocks, its candidates the local classes.

    Parameters
    ----------
    blocks
        The local classes; together the blocks hold each variable once. Each local class
        must be in a class within the limit.
    max_cost
        The limit, in grid units.
    grid_bits
        Costs are multiples of ``2**-grid_bits``.
    memory
        Bytes that distinct costs may take; where they take more, classes are counted without.
    control
        What building the circuit is watched and stopped through.
    statistics
        What finding the classes took.
    """

    def __init__(
        self,
        blocks: Sequence[LocalClasses],
        max_cost: int,
        grid_bits: int,
        memory: int,
        control: _core.Control,
        statistics: dict[str, float],
    ) -> None:
        self.statistics = statistics
        self._blocks = blocks
        self._unit = float(np.ldexp(1.0, -grid_bits))
        # By cost, so that the nodes above have few distinct costs in common.
        self._orders = [np.argsort(block.costs, kind="stable") for block in blocks]
        self._offsets = np.cumsum([0, *(len(block.costs) for block in blocks)]).astype(np.int64)
        self.n_variables = sum(len(block.members) for block in blocks)
        costs = np.concatenate(
            [block.costs[order] for block, order in zip(blocks, self._orders, strict=True)]
        )
        compiled = _core.CompiledSet.from_arrays(
            *_circuit(self._offsets),
            self._offsets,
            costs,
            max_cost,
            min(MOST_LEVELS, memory // LEVEL_BYTES),
            LONGEST,
            control,
        )
        words = max(1, -(-len(blocks) // 64))
        table = ScoreTable(
            names=tuple(str(number) for number in range(len(blocks))),
            offsets=self._offsets,
            parents=np.broadcast_to(np.zeros(1, dtype=np.uint64), (len(costs), words)),
            costs=np.ldexp(costs.astype(np.float64), -grid_bits),
            grid_bits=grid_bits,
        )
        self._choices = counted_set(table, compiled)

    def log_weight(self, max_cost: int, best: int) -> float:
        """Return the log of the weight of all classes up to a cost; one that costs `best` has 1."""
        above = (self._choices.optimal_cost - best) * self._unit
        return self._choices.spread(max_cost).log_weight - above

    def count(self, max_cost: int) -> int:
        """Return how many classes cost at most `max_cost`."""
        return self._choices.count(max_cost)

    def blocks(
        self, max_cost: int, size: int, start: int = 0
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """Yield (costs, candidate rows) of at most `size` classes at a time, by cost.

        Raises
        ------
        LimitError
            When they have too many distinct costs to be put in order.
        """
        try:
            for costs, chosen in self._choices.blocks(max_cost, size, start):
                yield costs, self._networks(chosen)
        except LimitError as error:
            reason = "there are too many distinct costs to put the classes in order"
            raise LimitError(reason) from error

    def _networks(self, chosen: NDArray[np.int32]) -> NDArray[np.int32]:
        """Put together the candidate rows of local classes, given by number."""
        networks = np.empty((len(chosen), self.n_variables), dtype=np.int32)
        for k, (block, order) in enumerate(zip(self._blocks, self._orders, strict=True)):
            local = order[chosen[:, k] - self._offsets[k]]
            networks[:, block.members] = block.rows[block.codes[local]]
        return networks


def _circuit(
    offsets: NDArray[np.int64],
) -> tuple[NDArray[np.uint8], NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]:
    """Return a product of choices between consecutive candidates, as `to_arrays` does.

    A choice is a tree with few children per node: to list the networks of one cost, only
    those branches are followed that have it. The products of the fewest networks are made
    first, since each node of the circuit lists its distinct costs: with the blocks in any
    order, each of them would repeat nearly all of those of the whole.
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

    tops: list[tuple[int, int]] = []  # how many networks there are without a limit, and the node
    for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        level = np.arange(start, end, dtype=np.uint32)
        while len(level) > 1:
            lengths = np.full(-(-len(level) // FAN_OUT), FAN_OUT, dtype=np.uint32)
            lengths[-1] = len(level) - FAN_OUT * (len(lengths) - 1)
            first = made
            add(1, lengths, level)
            level = np.arange(first, made, dtype=np.uint32)
        tops.append((end - start, int(level[0])))
    heapq.heapify(tops)
    while len(tops) > 1:
        (some, first_top), (others, second_top) = heapq.heappop(tops), heapq.heappop(tops)
        both = np.array([first_top, second_top], dtype=np.uint32)
        add(2, np.array([2], dtype=np.uint32), both)
        heapq.heappush(tops, (some * others, made - 1))
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
    unit
        One grid unit in nats.
    """

    def __init__(self, costs: NDArray[np.int64], rows: NDArray[np.int32], unit: float) -> None:
        self.costs, self.rows, self.unit = costs, rows, unit
        self.n_variables = rows.shape[1]
        self.statistics: dict[str, float] = {}

    def first(self, count: int) -> ListedClasses:
        """Return the best classes, so many of them or all."""
        return ListedClasses(self.costs[:count], self.rows[:count], self.unit)

    def log_weight(self, max_cost: int, best: int) -> float:
        """Return the log of the weight of all classes up to a cost; one that costs `best` has 1."""
        costs, counts = np.unique(self.costs, return_counts=True)
        levels = LevelCounts(costs, counts.tolist(), self.unit)
        return levels.spread(max_cost).log_weight - float(costs[0] - best) * self.unit

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
