"""A set of networks as the search hands it over: compiled, or plainly listed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from . import _core
from .exceptions import ParameterError, RunDirectoryError
from .level_counts import LevelCounts, Spread
from .score_table import ScoreTable

__all__ = ["ListedSet", "NetworkSet", "grid_costs", "network_set_kinds"]


#: Says whether so many draws are enough.
Enough = Callable[[int], bool]


def never(drawn: int) -> bool:
    """Say that no number of draws is enough but the one that was asked for."""
    del drawn
    return False


@runtime_checkable
class NetworkSet(Protocol):
    """What a credible set needs to know of its networks.

    Costs are whole numbers of grid units, ``2**-grid_bits`` nats each, so that sums
    are exact. A network is a row of candidates: for each variable, which row of the
    `ScoreTable` holds its parent set.
    """

    @property
    def n_variables(self) -> int:
        """The number of variables."""

    @property
    def optimal_cost(self) -> int:
        """The least cost, in grid units."""

    @property
    def max_cost(self) -> int:
        """The greatest cost, in grid units."""

    def count(self, max_cost: int) -> int:
        """Return exactly how many networks cost at most `max_cost`."""

    def cost_at_rank(self, rank: int) -> int | None:
        """Return the cost of the network that `rank` others precede; None if there is none."""

    def spread(self, max_cost: int) -> Spread:
        """Return how the weight is spread over the networks up to a cost."""

    def steps(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return costs, ascending, and how many networks cost at most that, for pictures.

        Every distinct cost, if they are not too many; the least and the greatest always.
        """

    def levels(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return the distinct costs, ascending, and the exact number of networks at each.

        Raises
        ------
        LimitError
            When there are too many distinct costs to list them.
        """

    def candidate_log_weights(
        self, max_cost: int, control: _core.Control | None = None
    ) -> NDArray[np.float64]:
        """Return for each row of the table the log weight of the networks that use it.

        The weight of a network is exp(-(cost - optimal_cost) * 2**-grid_bits); networks
        that cost more than `max_cost` do not count; -inf when there are none. Where that can
        take long, the control stops it.
        """

    def networks(self, max_cost: int, start: int = 0) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """Yield (cost, candidate row of each variable) by increasing cost, lazily."""

    def blocks(
        self, max_cost: int, size: int, start: int = 0
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """Yield the same as (costs, candidate rows) arrays of at most `size` networks."""

    def sample(
        self, count: int, seed: int, max_cost: int, is_enough: Enough = never
    ) -> NDArray[np.int32]:
        """Draw networks independently, each with probability proportional to its weight.

        Where a draw can take long, there may be fewer: `is_enough` is asked after each, with
        the number of draws so far.
        """


# How each kind of set is read back from a run directory. A set that can be saved has a
# `kind`, and a method `to_arrow` that returns Arrow tables by name; its kind's loader makes
# the set again from the score table and those tables.
Loader = Callable[[ScoreTable, Mapping[str, pa.Table]], NetworkSet]
network_set_kinds: dict[str, Loader] = {}


def grid_costs(table: ScoreTable) -> NDArray[np.int64]:
    """Return the table's costs in whole grid units."""
    return np.rint(np.ldexp(table.costs, table.grid_bits)).astype(np.int64)


class ListedSet:
    """A set of networks that are all written down.

    Parameters
    ----------
    table
        The candidates that the networks are made of.
    rows
        One line per network, one candidate row per variable.

    Raises
    ------
    ParameterError
        When there is no network, one is there twice, or a row is not a candidate of
        its variable.

    Examples
    --------
    >>> import numpy as np
    >>> table = ScoreTable(
    ...     names=("a", "b"),
    ...     offsets=np.array([0, 1, 3]),
    ...     parents=np.array([[0], [1], [0]], dtype=np.uint64),
    ...     costs=np.array([2.0, 1.0, 2.5]),
    ... )
    >>> networks = ListedSet(table, [[0, 2], [0, 1]])
    >>> [cost / 2**32 for cost, rows in networks.networks(networks.max_cost)]
    [3.0, 4.5]
    """

    kind: ClassVar[str] = "listed"

    def __init__(self, table: ScoreTable, rows: NDArray[np.int32] | list[list[int]]) -> None:
        rows = np.ascontiguousarray(rows, dtype=np.int32)
        n = table.n_variables
        if rows.ndim != 2 or rows.shape[1] != n or not len(rows):
            raise ParameterError(f"networks must be a table of {n} candidate rows each, not empty")
        if np.any(rows < table.offsets[:-1]) or np.any(rows >= table.offsets[1:]):
            raise ParameterError("a network uses a row that is not a candidate of its variable")
        costs = grid_costs(table)[rows].sum(axis=1)
        # Ties are broken by the candidate rows, which makes the order a fixed one.
        order = np.lexsort((*rows.T[::-1], costs))
        self.costs: NDArray[np.int64] = costs[order]
        self.rows: NDArray[np.int32] = rows[order]
        if np.any(np.all(self.rows[1:] == self.rows[:-1], axis=1)):
            raise ParameterError("a network is listed twice")
        self._n_candidates = len(table)
        self._unit = float(np.ldexp(1.0, -table.grid_bits))

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return int(self.rows.shape[1])

    @property
    def optimal_cost(self) -> int:
        """The least cost, in grid units."""
        return int(self.costs[0])

    @property
    def max_cost(self) -> int:
        """The greatest cost, in grid units."""
        return int(self.costs[-1])

    def blocks(
        self, max_cost: int, size: int, start: int = 0
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """Yield (costs, candidate rows) arrays of at most `size` networks, by cost."""
        end = self.count(max_cost)
        for first in range(start, end, size):
            last = min(first + size, end)
            yield self.costs[first:last], self.rows[first:last]

    def count(self, max_cost: int) -> int:
        """Return how many networks cost at most `max_cost`."""
        return int(np.searchsorted(self.costs, max_cost, side="right"))

    @cached_property
    def _levels(self) -> LevelCounts:
        costs, counts = np.unique(self.costs, return_counts=True)
        return LevelCounts(costs, [int(c) for c in counts], self._unit)

    def levels(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return the distinct costs, ascending, and the number of networks at each."""
        return self._levels.costs, list(self._levels.counts)

    def steps(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return the distinct costs, ascending, and how many networks cost at most that."""
        return self._levels.costs, self._levels.running

    def cost_at_rank(self, rank: int) -> int | None:
        """Return the cost of the network that `rank` others precede; None if there is none."""
        return int(self.costs[rank]) if rank < len(self.costs) else None

    def spread(self, max_cost: int) -> Spread:
        """Return how the weight is spread over the networks up to a cost."""
        return self._levels.spread(max_cost)

    def candidate_log_weights(
        self, max_cost: int, control: _core.Control | None = None
    ) -> NDArray[np.float64]:
        """Return for each row of the table the log weight of the networks that use it."""
        del control  # listed networks are soon weighed
        end = self.count(max_cost)
        # Weights are taken relative to the best network that uses the candidate, or they
        # would underflow where that one is far from the optimum.
        best = np.full(self._n_candidates, np.iinfo(np.int64).max)
        total = np.zeros(self._n_candidates)
        for column in self.rows[:end].T:
            used, first = np.unique(column, return_index=True)
            best[used] = self.costs[first]  # costs ascend, so the first user is the best
            weights = np.exp((best[column] - self.costs[:end]) * self._unit)
            total += np.bincount(column, weights=weights, minlength=self._n_candidates)
        result = np.full(self._n_candidates, -np.inf)
        used = np.flatnonzero(total)
        result[used] = np.log(total[used]) - (best[used] - self.optimal_cost) * self._unit
        return result

    def networks(self, max_cost: int, start: int = 0) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """Yield (cost, candidate row of each variable) by increasing cost."""
        for i in range(start, self.count(max_cost)):
            yield int(self.costs[i]), self.rows[i]

    def sample(
        self, count: int, seed: int, max_cost: int, is_enough: Enough = never
    ) -> NDArray[np.int32]:
        """Draw networks independently, each with probability proportional to its weight."""
        del is_enough  # these are soon drawn
        end = self.count(max_cost)
        cumulative = np.cumsum(np.exp((self.optimal_cost - self.costs[:end]) * self._unit))
        uniform = np.random.default_rng(seed).random(count) * cumulative[-1]
        chosen = np.searchsorted(cumulative, uniform, side="right")
        return np.asarray(self.rows[np.minimum(chosen, end - 1)], dtype=np.int32)

    def to_arrow(self) -> dict[str, pa.Table]:
        """Return the networks as one table, `listed`: cost in grid units, candidate rows."""
        flat = pa.array(self.rows.reshape(-1))
        listed = {
            "cost": pa.array(self.costs),
            "candidates": pa.FixedSizeListArray.from_arrays(flat, self.n_variables),
        }
        return {"listed": pa.table(listed)}

    @classmethod
    def from_arrow(cls, table: ScoreTable, stored: Mapping[str, pa.Table]) -> ListedSet:
        """Make the set again from what `to_arrow` returned.

        Raises
        ------
        RunDirectoryError
            When the networks do not fit the score table.
        """
        try:
            networks = stored["listed"]
            column = networks.column("candidates").combine_chunks()
            rows = np.asarray(column.flatten().to_numpy(zero_copy_only=False), dtype=np.int32)
            listed = cls(table, rows.reshape(networks.num_rows, -1))
            costs = networks.column("cost").to_numpy()
        except (KeyError, ValueError, ParameterError, pa.ArrowInvalid) as error:
            raise RunDirectoryError(f"the listed networks cannot be used: {error}") from error
        if not np.array_equal(costs, listed.costs):
            raise RunDirectoryError("the costs of the listed networks are not those of the scores")
        return listed


network_set_kinds[ListedSet.kind] = ListedSet.from_arrow
