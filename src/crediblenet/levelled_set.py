"""A compiled set that knows all of its distinct costs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import _core
from .compiled_set import CompiledSet
from .level_counts import LevelCounts, Spread
from .network_set import Enough, never
from .score_table import ScoreTable

__all__ = ["LevelledSet"]


class LevelledSet(CompiledSet):
    """A compiled set whose nodes all hold their levels: any rank can be listed."""

    def __init__(self, table: ScoreTable, compiled: _core.CompiledSet) -> None:
        super().__init__(table, compiled)
        self._levels = LevelCounts(*compiled.levels(), self._unit)

    @property
    def optimal_cost(self) -> int:
        """The least cost, in grid units."""
        return int(self._levels.costs[0])

    @property
    def max_cost(self) -> int:
        """The greatest cost, in grid units."""
        return int(self._levels.costs[-1])

    def levels(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return the distinct costs, ascending, and the exact number of networks at each."""
        return self._levels.costs, list(self._levels.counts)

    def steps(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return the distinct costs, ascending, and how many networks cost at most that."""
        return self._levels.costs, self._levels.running

    def count(self, max_cost: int) -> int:
        """Return exactly how many networks cost at most `max_cost`."""
        return self._levels.count(max_cost)

    def cost_at_rank(self, rank: int) -> int | None:
        """Return the cost of the network that `rank` others precede; None if there is none."""
        return self._levels.cost_at_rank(rank)

    def spread(self, max_cost: int) -> Spread:
        """Return how the weight is spread over the networks up to a cost."""
        return self._levels.spread(max_cost)

    def sample(
        self, count: int, seed: int, max_cost: int, is_enough: Enough = never
    ) -> NDArray[np.int32]:
        """Draw networks independently, each with probability proportional to its weight.

        The level is drawn by its weight, the network of the level uniformly by its rank.
        """
        random = np.random.default_rng(seed)
        rows = np.empty((count, self.n_variables), dtype=np.int32)
        for draw, rank in enumerate(drawn_ranks(self._levels, max_cost, count, random)):
            if is_enough(draw):
                return rows[:draw].copy()
            rows[draw] = self._compiled.list(rank, 1)[1][0]
        return rows

    def _listed(self, start: int, count: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        return self._compiled.list(start, count)


def drawn_ranks(
    levels: LevelCounts, max_cost: int, count: int, random: np.random.Generator
) -> list[int]:
    """Draw ranks of networks up to a cost, each with probability proportional to its weight."""
    logs = levels.log_weights[: levels.inside(max_cost)]
    weights = np.exp(logs - logs.max())
    drawn = random.choice(len(weights), size=count, p=weights / weights.sum())
    return [
        levels.running[level] - 1 - _below(random, levels.counts[level]) for level in drawn.tolist()
    ]


def _below(random: np.random.Generator, bound: int) -> int:
    """Return a uniform whole number below a bound of any size."""
    n_bytes = (bound.bit_length() + 7) // 8
    excess = 8 * n_bytes - bound.bit_length()
    while True:
        drawn = int.from_bytes(random.bytes(n_bytes), "little") >> excess
        if drawn < bound:
            return drawn
