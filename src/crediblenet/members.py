"""The networks and classes of a set, listed once when somebody asks, and kept."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import _core
from .class_set import ClassSet, list_classes
from .classes import Bits, class_sizes, group_networks
from .exceptions import LimitError
from .log_space import log_counts
from .network import Network
from .network_set import NetworkSet, grid_costs
from .progress import run_watched
from .representatives import ClassEffort, Representatives
from .score_table import ScoreTable
from .searched_classes import SearchedClasses

__all__ = ["CLASS_LIMIT", "ClassList", "Listing", "Members"]

# No more networks than this are listed to group them into classes.
CLASS_LIMIT = 500_000
# Classes made at a time when they are listed one by one: few at first, then more.
FIRST_BLOCK, LAST_BLOCK = 64, 1 << 14
# Under a limit: steps of the class-level search that take as long as to list a network, and
# the bytes that are allowed for one, per variable.
STEPS_PER_LISTED, BYTES_PER_LISTED = 100, 200
# So few networks are drawn, however long that takes.
LEAST_DRAWN = 20


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
    listing
        The networks that the classes were grouped from; None when the class-level search
        found one network per class.
    member_of
        The class of each listed network.
    """

    costs: NDArray[np.int64]
    rows: NDArray[np.int32]
    sizes: list[int]
    log_weights: NDArray[np.float64]
    listing: Listing | None = None
    member_of: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.costs)

    def first(self, count: int) -> ClassList:
        """Return the best classes alone."""
        return ClassList(
            self.costs[:count], self.rows[:count], self.sizes[:count], self.log_weights[:count]
        )


class Members:
    """The networks and classes behind a credible set and all of its subsets.

    Parameters
    ----------
    table
        The candidates.
    network_set
        The networks.
    whole_classes
        Whether a Markov equivalence class is in the set as a whole or not at all, and all
        of its networks cost the same.
    representatives
        One network per class, from the class-level search; for whole classes only.
    """

    def __init__(
        self,
        table: ScoreTable,
        network_set: NetworkSet,
        whole_classes: bool = False,
        representatives: Representatives | None = None,
    ) -> None:
        self.table = table
        self.network_set = network_set
        self.whole_classes = whole_classes
        self.unit = float(np.ldexp(1.0, -table.grid_bits))
        self._grid_costs = grid_costs(table)
        search = representatives if whole_classes else None
        self._search = None if search is None else SearchedClasses(search)
        self._parent_sets: dict[int, tuple[int, ...]] = {}
        # By greatest cost; None where there was no time.
        self._candidate_log_weights: dict[int, NDArray[np.float64] | None] = {}
        self._weighing: _core.Control | None = None
        self._listing: Listing | None = None
        self._draw: tuple[tuple[int, int, int], NDArray[np.int32]] | None = None
        self._class_of: NDArray[np.int64] | None = None
        self._class_list: tuple[int, ClassList] | None = None  # by greatest cost
        #: No more networks or classes than this are listed, and drawn, whoever asks.
        self.most_listed = self.most_drawn = sys.maxsize
        #: How many could be listed in the time there is: what counting classes may take.
        self.listed_in_time = sys.maxsize
        #: How long weighing all networks without listing them may take, and drawing, in seconds.
        self.seconds_each = math.inf

    @property
    def has_class_search(self) -> bool:
        """Whether classes can be had without listing the networks."""
        return self._search is not None

    def parent_set(self, row: int) -> tuple[int, ...]:
        """Return the parents in a row of the table; few rows are used, so each is kept."""
        found = self._parent_sets.get(row)
        if found is None:
            found = self._parent_sets[row] = self.table.parent_set(row)
        return found

    def network(self, cost: int, rows: NDArray[np.int32]) -> Network:
        """Return a network by its cost in grid units and its candidate rows."""
        sets = tuple(self.parent_set(row) for row in rows.tolist())
        return Network._trusted(self.table.names, sets, cost * self.unit)

    def candidate(self, variable: int, parents: frozenset[int]) -> int | None:
        """Return the row of a variable's parent set, None when it is not in the table."""
        words = np.zeros(self.table.parents.shape[1], dtype=np.uint64)
        for parent in parents:
            words[parent // 64] |= np.uint64(1 << parent % 64)
        start, end = int(self.table.offsets[variable]), int(self.table.offsets[variable + 1])
        found = np.flatnonzero(np.all(self.table.parents[start:end] == words, axis=1))
        return start + int(found[0]) if len(found) else None

    def bits(self, rows: NDArray[np.int32]) -> Bits:
        """Return networks as bit sets, (networks, variables, words)."""
        return self.table.parents[rows]

    def costs(self, rows: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the costs of networks in grid units."""
        return np.asarray(self._grid_costs[rows].sum(axis=1), dtype=np.int64)

    def count(self, max_cost: int) -> int:
        """Return the exact number of networks up to a cost."""
        return self.network_set.count(max_cost)

    def deviations(self, costs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how far costs in grid units are above the optimum, in nats."""
        return np.asarray((costs - self.network_set.optimal_cost) * self.unit, dtype=np.float64)

    def candidate_log_weights(self, max_cost: int) -> NDArray[np.float64]:
        """Return the log weight of each candidate up to a cost; every variable asks again.

        Raises
        ------
        LimitError
            When there are too many networks, or the run leaves no time for it.
        """
        if max_cost not in self._candidate_log_weights:
            self._candidate_log_weights[max_cost] = self._weighed(max_cost)
        found = self._candidate_log_weights[max_cost]
        if found is None:
            raise LimitError("the networks cannot be weighed exactly in the time that is left")
        return found

    def _weighed(self, max_cost: int) -> NDArray[np.float64] | None:
        control = self._weighing = _core.Control(self.seconds_each)
        try:
            return run_watched(
                lambda: self.network_set.candidate_log_weights(max_cost, control),
                control,
                "averages",
            )
        except LimitError:
            return None
        finally:
            self._weighing = None

    def listing(self, max_cost: int, limit: int) -> Listing | None:
        """Return every network up to a cost, None when they are more than `limit`."""
        count = self.count(max_cost)
        if count > min(limit, self.most_listed):
            return None
        if self._listing is None or len(self._listing) < count:
            blocks = list(self.network_set.blocks(max_cost, 1 << 16))
            self._listing = Listing(
                np.concatenate([costs for costs, _ in blocks]),
                np.concatenate([rows for _, rows in blocks]),
            )
        return Listing(self._listing.costs[:count], self._listing.rows[:count])

    def drawn(self, max_cost: int, count: int, seed: int) -> NDArray[np.int32]:
        """Return networks drawn with probability exp(-cost); the last draw is kept."""
        key = (max_cost, count, seed)
        if self._draw is None or self._draw[0] != key:
            began = time.perf_counter()

            def is_enough(drawn: int) -> bool:
                # Both can change meanwhile: see `list_at_most`.
                late = time.perf_counter() - began > self.seconds_each
                return drawn >= self.most_drawn or (late and drawn >= LEAST_DRAWN)

            most = min(count, self.most_drawn)
            self._draw = (key, self.network_set.sample(most, seed, max_cost, is_enough))
        return self._draw[1]

    def class_of(self, listing: Listing) -> NDArray[np.int64]:
        """Return the class of each listed network.

        Classes are numbered by their first network, so the classes of the networks up to
        a smaller cost are the first ones again, and one numbering serves every subset.
        """
        if self._class_of is None or len(self._class_of) < len(listing):
            self._class_of = group_networks(self.bits(listing.rows))
        return self._class_of[: len(listing)]

    def classes_up_to(self, max_cost: int, effort: ClassEffort | None = None) -> ClassSet | None:
        """Return all classes up to a cost from the class-level search, perhaps more.

        None when there is no such search.

        Raises
        ------
        LimitError
            When it takes more than the effort allows, by default what the run allows.
        """
        if self._search is None:
            return None
        effort = effort or self._class_effort(self.most_listed, self.listed_in_time)
        return self._search.up_to(max_cost, effort)

    def _class_effort(self, listed: int, in_time: int) -> ClassEffort:
        """Return the effort for classes that is about that of listing networks.

        It has the memory of so many, and the time of so many.
        """
        memory = listed * BYTES_PER_LISTED * self.table.n_variables
        return ClassEffort(
            steps=min(ClassEffort.steps, STEPS_PER_LISTED * in_time),
            memory=min(ClassEffort.memory, memory),
        )

    def list_at_most(self, count: int, draws: int, in_time: int, seconds: float) -> None:
        """List, draw and weigh no more than this from now on; what is under way ends."""
        if draws > self.most_drawn:
            self._draw = None
        self.most_listed, self.most_drawn, self.listed_in_time = count, draws, in_time
        self.seconds_each = seconds
        if self._weighing is not None:
            self._weighing.exhaust()  # not `interrupt`, which would end everything
        if self._search is not None:
            self._search.stop()

    def class_count(self, max_cost: int) -> int:
        """Return the exact number of classes up to a cost.

        Raises
        ------
        LimitError
            When they cannot be counted; the message says why.
        """
        found = self.classes_up_to(max_cost)
        if found is not None:
            return found.count(max_cost)
        listing = self.listing(max_cost, CLASS_LIMIT)
        if listing is None:
            most = min(CLASS_LIMIT, self.most_listed)
            raise LimitError(f"there are more than {most:,} networks to list and compare")
        return int(self.class_of(listing).max()) + 1

    def class_list(self, max_cost: int, limit: int) -> ClassList | None:
        """Return every class up to a cost, None when they are too many to list.

        The limit is on classes if there is a class-level search, on networks otherwise.
        """
        limit = min(limit, self.most_listed)
        if self._search is None:
            listing = self.listing(max_cost, limit)
            return None if listing is None else self._grouped(listing)
        if self._class_list is None or self._class_list[0] < max_cost:
            try:
                found = self._search.up_to(max_cost, self._class_effort(limit, limit))
                count = found.count(max_cost)
                if count > limit:
                    return None
                listed = list_classes(found, max_cost, count)
            except LimitError:
                return None
            self._class_list = max_cost, self._whole(*listed)
        classes = self._class_list[1]
        end = int(np.searchsorted(classes.costs, max_cost, side="right"))
        return None if end > limit else classes.first(end)

    def class_blocks(self, max_cost: int, classes: ClassSet) -> Iterator[ClassList]:
        """Yield the classes of a set up to a cost, in growing blocks by increasing cost."""
        start, end, size = 0, classes.count(max_cost), FIRST_BLOCK
        while start < end:
            block = self._whole(*next(classes.blocks(max_cost, min(size, end - start), start)))
            yield block
            start += len(block)
            size = min(2 * size, LAST_BLOCK)

    def known_classes(self, max_cost: int) -> int | None:
        """Return the number of classes up to a cost if they were counted before."""
        found = None if self._search is None else self._search.known(max_cost)
        if found is not None:
            return found.count(max_cost)
        count = self.count(max_cost)
        if self._class_of is not None and count <= len(self._class_of):
            return int(self._class_of[:count].max()) + 1
        return None

    def class_statistics(self, max_cost: int) -> dict[str, float]:
        """Return what finding the classes took, if they were counted before."""
        found = None if self._search is None else self._search.known(max_cost)
        return {} if found is None else found.statistics

    def first_classes(self, max_cost: int, count: int) -> ClassList | None:
        """Return the `count` best classes of a set that has too many to list."""
        if self._search is None:
            return None
        found = self._search.known(max_cost)
        listed = self._search.first(max_cost, count) if found is None else None
        if listed is not None:
            if len(listed.costs) < count:
                return None  # there may be more of them
            return self._whole(listed.costs, listed.rows)
        assert found is not None  # noqa: S101 - one of the two is there
        try:
            return self._whole(*list_classes(found, max_cost, count))
        except LimitError:
            return None

    def no_classes(self) -> ClassList:
        """Return a list without any class."""
        rows = np.zeros((0, self.table.n_variables), dtype=np.int32)
        return ClassList(np.zeros(0, dtype=np.int64), rows, [], np.zeros(0))

    def _whole(self, costs: NDArray[np.int64], rows: NDArray[np.int32]) -> ClassList:
        """Return classes that are in the set as a whole, each given by one network."""
        sizes = class_sizes(self.bits(rows))
        return ClassList(costs, rows, sizes, log_counts(sizes) - self.deviations(costs))

    def _grouped(self, listing: Listing) -> ClassList:
        """Group listed networks by class: only networks of the set count."""
        member_of = self.class_of(listing)
        _, first = np.unique(member_of, return_index=True)
        best = listing.costs[first]
        above_best = (best[member_of] - listing.costs) * self.unit
        sums = np.bincount(member_of, weights=np.exp(above_best))
        return ClassList(
            costs=best,
            rows=listing.rows[first],
            sizes=np.bincount(member_of).tolist(),
            log_weights=np.log(sums) - self.deviations(best),
            listing=listing,
            member_of=member_of,
        )
