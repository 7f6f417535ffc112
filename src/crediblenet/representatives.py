"""One network per Markov equivalence class, found without comparing networks.

Classes are found block by block (docs/algorithm.md, section 6): a block is a strongly
connected component of the arcs that some network of the set has, and the classes of the
set are the product of the local classes of its blocks, under the common cost limit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from . import _core
from .class_set import ClassSet, ListedClasses, LocalClasses, ProductOfClasses, list_classes
from .classes import group_networks
from .compiled_set import CompiledSet
from .exceptions import LimitError
from .network_batch import ancestors
from .network_set import grid_costs
from .progress import run_watched
from .score_table import ScoreTable
from .threads import thread_count

__all__ = ["ClassEffort", "FoundClasses", "Representatives", "StoredClasses"]

#: Of a set with too many classes to count, the best ones are looked for among so many of
#: the first networks, in blocks of this size.
FIRST_NETWORKS, FIRST_BLOCK = 1 << 20, 1 << 14
#: Steps that looking for all classes of a cheaper subset may take before that.
FIRST_STEPS = 20_000_000
#: Bytes that a local class takes, and more for each variable of its block.
CLASS_BYTES, MEMBER_BYTES = 250, 2


@dataclass(frozen=True)
class ClassEffort:
    """How much work may go into finding classes.

    Attributes
    ----------
    steps
        Nodes of the circuit that are passed; eight to thirty million take a second of one core.
    memory
        Bytes that the local classes may take.
    seconds
        How long it may take.
    """

    steps: int = 300_000_000
    memory: int = 10**9
    seconds: float = float("inf")

    def covers(self, other: ClassEffort) -> bool:
        """Whether what this effort was too small for is too much for the other, too."""
        return (
            self.steps >= other.steps
            and self.memory >= other.memory
            and self.seconds >= other.seconds
        )


class Representatives(Protocol):
    """One network per class of a set that holds its classes as a whole."""

    def find(self, max_cost: int, effort: ClassEffort) -> ClassSet:
        """Return every class up to a cost.

        Raises
        ------
        LimitError
            When that takes more than the effort allows; the message says why.
        """

    def first(self, max_cost: int, count: int) -> ListedClasses:
        """Return the best classes: `count` of them, unless they are fewer or hard to find."""

    def stop(self) -> None:
        """End a search that is under way, as if its effort were used up."""


class FoundClasses:
    """The classes of a compiled set with score-equivalent costs.

    Parameters
    ----------
    table
        The candidates.
    networks
        The networks: every one within its cost limit.
    threads
        How many threads to use; all cores by default.

    Examples
    --------
    >>> import crediblenet as cn
    >>> from crediblenet.enumeration import search
    >>> table = cn.score(cn.example("cancer").data, bayes_factor=20)
    >>> networks = search(table, table.epsilon).network_set
    >>> classes = FoundClasses(table, networks).find(networks.max_cost, ClassEffort())
    >>> networks.count(networks.max_cost), classes.count(networks.max_cost)
    (5, 2)
    """

    def __init__(
        self, table: ScoreTable, networks: CompiledSet, threads: int | None = None
    ) -> None:
        self._table = table
        self._networks = networks
        self._threads = threads
        self._running: _core.Control | None = None

    def find(self, max_cost: int, effort: ClassEffort) -> ClassSet:
        """Return every class up to a cost, as the product of the classes of blocks.

        Raises
        ------
        LimitError
            When that takes more than the effort allows; the message says why.
        """
        control = self._running = _core.Control(time_limit=effort.seconds)
        try:
            return run_watched(
                lambda: self._find(min(max_cost, self._networks.max_cost), effort, control),
                control,
                "averages",
            )
        finally:
            self._running = None

    def stop(self) -> None:
        """End a search that is under way, as if its effort were used up."""
        running = self._running
        if running is not None:
            running.exhaust()

    def _find(self, max_cost: int, effort: ClassEffort, control: _core.Control) -> ClassSet:
        steps, memory = effort.steps, effort.memory
        found: list[LocalClasses] = []
        leaves = walked = 0
        for members in self._blocks:
            limit = max_cost - self._networks.optimal_cost + self._context_cost(members)
            if len(members) == 1:
                found.append(self._single(members, limit))
                continue
            most = memory // (CLASS_BYTES + MEMBER_BYTES * len(members))
            local = self._walk(members, limit, steps, most, control)
            steps -= local["steps"]
            memory -= len(local["costs"]) * (CLASS_BYTES + MEMBER_BYTES * len(members))
            leaves += local["leaves"]
            walked += len(local["costs"])
            found.append(LocalClasses(members, local["rows"], local["codes"], local["costs"]))
        statistics: dict[str, float] = {
            "class_blocks": len(found),
            "largest_class_block": max(len(block.members) for block in found),
            "class_leaves": leaves,
        }
        if walked:
            statistics["leaves_per_class"] = leaves / walked
        return ProductOfClasses(
            _within(found, max_cost),
            max_cost,
            self._table.grid_bits,
            effort.memory,
            control,
            statistics,
        )

    def _walk(
        self,
        members: NDArray[np.uint16],
        limit: int,
        steps: int,
        most: int,
        control: _core.Control,
    ) -> dict[str, Any]:
        """Find the local classes of one block."""
        where = f"in a block of {len(members):,} variables"
        try:
            threads = thread_count(self._threads)
            local = self._networks.local_classes(
                self._context, members, limit, steps, most, threads, control
            )
        except LimitError as error:
            raise LimitError(f"{where}, after {control.found:,} classes: {error}") from error
        if not local["complete"]:
            raise LimitError(
                f"{where} there are more than {most:,} classes"
                if local["steps"] <= steps
                else f"{where} not all classes were found in {steps:,} steps"
            )
        return local

    @cached_property
    def _context(self) -> NDArray[np.uint32]:
        """The candidate rows of the best network."""
        _, rows = next(self._networks.networks(self._networks.max_cost))
        return rows.astype(np.uint32)

    @cached_property
    def _grid_costs(self) -> NDArray[np.int64]:
        return grid_costs(self._table)

    def _context_cost(self, members: NDArray[np.uint16]) -> int:
        return int(self._grid_costs[self._context[members]].sum())

    def _single(self, members: NDArray[np.uint16], limit: int) -> LocalClasses:
        """Return the parent sets of a variable that is a block by itself: each is a class."""
        start, end = self._table.offsets[int(members[0]) : int(members[0]) + 2].tolist()
        rows = self._networks.used_rows
        rows = rows[(rows >= start) & (rows < end)]
        rows = rows[self._grid_costs[rows] <= limit].astype(np.uint32)
        codes = np.arange(len(rows))[:, None]
        return LocalClasses(members, rows, codes, self._grid_costs[rows])

    @cached_property
    def _blocks(self) -> list[NDArray[np.uint16]]:
        """The strongly connected components of the arcs that some network has."""
        table, used = self._table, self._networks.used_rows
        # Rows are in the order of their variables, and every variable uses at least one.
        first = np.searchsorted(used, table.offsets[:-1])
        parents = np.bitwise_or.reduceat(table.parents[used], first, axis=0)
        reach = ancestors(parents[None])[0]
        together = (reach & reach.T) | np.eye(table.n_variables, dtype=np.bool_)
        return [
            np.flatnonzero(together[v]).astype(np.uint16)
            for v in range(table.n_variables)
            if together[v].argmax() == v
        ]

    def first(self, max_cost: int, count: int) -> ListedClasses:
        """Return the best classes: from cheaper subsets, or from the first networks.

        Subsets of the networks up to smaller costs are searched as a whole, larger and
        larger ones, until there are enough classes or it takes too much work.
        """
        wanted = count
        while True:
            try:
                last = self._networks.cost_at_rank(wanted - 1)
                most = max_cost if last is None else min(last, max_cost)
                classes = self.find(most, ClassEffort(steps=FIRST_STEPS))
                if classes.count(max_cost) >= count or most == max_cost:
                    return self._listed(*list_classes(classes, max_cost, count))
            except LimitError:
                return self._of_first_networks(max_cost, count)
            wanted = 8 * max(wanted, self._networks.count(most))

    def _of_first_networks(self, max_cost: int, limit: int) -> ListedClasses:
        """Take the classes of the first networks, each by its first network.

        All networks of a class cost the same, so a class that does not occur among the
        first networks costs at least as much as the last of them. (Canonical members will
        not do here: the first million networks may share a choice that is not canonical.)
        """
        costs = np.empty(0, dtype=np.int64)
        rows = np.empty((0, self._table.n_variables), dtype=np.int32)
        looked_at = 0
        for block_costs, block_rows in self._networks.blocks(max_cost, FIRST_BLOCK):
            group = group_networks(self._table.parents[np.concatenate([rows, block_rows])])
            numbers, first = np.unique(group, return_index=True)
            fresh = first[numbers >= len(rows)] - len(rows)  # numbered as they appear
            costs = np.concatenate([costs, block_costs[fresh]])
            rows = np.concatenate([rows, block_rows[fresh]])
            looked_at += len(block_rows)
            if len(rows) >= limit or looked_at >= FIRST_NETWORKS:
                break
        return self._listed(costs, rows).first(limit)

    def _listed(self, costs: NDArray[np.int64], rows: NDArray[np.int32]) -> ListedClasses:
        return ListedClasses(costs, rows, float(np.ldexp(1.0, -self._table.grid_bits)))


class StoredClasses:
    """The classes of a run that was read back, every one.

    Parameters
    ----------
    listed
        What is stored.
    """

    def __init__(self, listed: ListedClasses) -> None:
        self._listed = listed

    def find(self, max_cost: int, effort: ClassEffort) -> ClassSet:  # noqa: ARG002
        """Return every class up to a cost, which takes no effort."""
        return self._listed

    def stop(self) -> None:
        """Do nothing: there is never a search under way."""

    def first(self, max_cost: int, count: int) -> ListedClasses:
        """Return the best classes, `count` of them unless they are fewer."""
        return self._listed.first(min(count, self._listed.count(max_cost)))


def _within(blocks: list[LocalClasses], max_cost: int) -> list[LocalClasses]:
    """Return the local classes that are in a class within the limit.

    All are, if the networks are all that there are. Of a search that was stopped, the member
    that stands for a class may be missing, and with it the cheapest classes of a block.
    """
    if any(len(block.costs) == 0 for block in blocks):
        raise LimitError("the search was stopped before it found whole classes")
    least = [int(block.costs.min()) for block in blocks]
    room = max_cost - sum(least)
    if room < 0:
        raise LimitError("the search was stopped before it found whole classes")
    return [
        replace(block, codes=block.codes[near], costs=block.costs[near])
        for block, lowest in zip(blocks, least, strict=True)
        for near in [block.costs - lowest <= room]
    ]
