"""A compiled set that has more distinct costs than can be held."""

from __future__ import annotations

import contextlib
import math

import numpy as np
from numpy.typing import NDArray

from . import _core
from .compiled_set import MOST_LEVELS, CompiledSet
from .exceptions import LimitError
from .level_counts import LevelCounts, Spread
from .levelled_set import LevelledSet, drawn_ranks
from .log_space import log_sum_exp
from .network_set import Enough, grid_costs, never
from .score_table import ScoreTable

__all__ = ["FoldedSet"]

#: The first part of the set that is looked at for its best networks, as a share of the
#: distance between the best and the worst, how much larger the next part is, and the least.
FIRST_PART, NEXT_PART, SMALLEST_PART = 0.25, 1.25, 2.0**-20
#: Coarse costs that draws are made from, and how far they are apart at most, in nats. With
#: more of them fewer draws are thrown away, but they take more memory.
COARSE, WIDEST = 64, 2.0**-3
#: Draws made at a time, per draw that is still wanted.
DRAWS = 4


class FoldedSet(CompiledSet):
    """A compiled set that counts from both ends: see cpp/enumeration/fold.h.

    Counts and probabilities are as exact as those of any set, but each takes another pass.
    The best networks are listed from smaller sets, as far as these know their levels.
    """

    def __init__(self, table: ScoreTable, compiled: _core.CompiledSet) -> None:
        super().__init__(table, compiled)
        whole = compiled.count(2**62, _core.Control())
        self._size, self._max_cost = whole
        self._counted = {self._max_cost: whole}  # how many, and the cost of the worst
        self._log_weights: dict[int, NDArray[np.float64]] = {}
        self._part: LevelledSet | None = None
        self._share = FIRST_PART
        self._is_last_part = False  # the next larger one has too many levels
        self._coarse: tuple[_core.CompiledSet, int] | None = None

    @property
    def optimal_cost(self) -> int:
        """The least cost, in grid units."""
        return self._compiled.least_cost

    @property
    def max_cost(self) -> int:
        """The greatest cost, in grid units."""
        return self._max_cost

    def levels(self) -> tuple[NDArray[np.int64], list[int]]:
        """Raise an error: there are too many distinct costs.

        Raises
        ------
        LimitError
            Always; `count` and `steps` can be had.
        """
        raise LimitError("the set has too many distinct costs to list them")

    def steps(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return some costs, ascending, and how many networks cost at most that."""
        known = {greatest: count for count, greatest in self._counted.values() if count}
        if self._part is not None:
            known.update(zip(*_plain(self._part.steps()), strict=True))
        costs = sorted(known)
        return np.array(costs, dtype=np.int64), [known[cost] for cost in costs]

    def count(self, max_cost: int) -> int:
        """Return exactly how many networks cost at most `max_cost`."""
        if self._part is not None and max_cost <= self._part.max_cost:
            return self._part.count(max_cost)
        return self._count(max_cost)[0]

    def _count(self, max_cost: int) -> tuple[int, int]:
        limit = min(max_cost, self._max_cost)
        if limit not in self._counted:
            self._counted[limit] = self._compiled.count(limit, _core.Control())
        return self._counted[limit]

    def cost_at_rank(self, rank: int) -> int | None:
        """Return the cost of the network that `rank` others precede; None if there is none.

        Raises
        ------
        LimitError
            When the part of the set that holds it has too many distinct costs.
        """
        if rank >= self._size:
            return None
        return self._best_part(rank + 1).cost_at_rank(rank)

    def candidate_log_weights(
        self, max_cost: int, control: _core.Control | None = None
    ) -> NDArray[np.float64]:
        """Return for each row of the table the log weight of the networks that use it."""
        del control  # nothing could take the place of these weights: drawing needs them, too
        limit = min(max_cost, self._max_cost)
        if limit not in self._log_weights:
            self._log_weights[limit] = super().candidate_log_weights(limit)
        return self._log_weights[limit]

    def spread(self, max_cost: int) -> Spread:
        """Return how the weight is spread over the networks up to a cost.

        Every network has one candidate of each variable, so their weights add up to that of
        all networks, and their mean costs to the mean cost.
        """
        logs = self.candidate_log_weights(max_cost)
        total = log_sum_exp(logs[: int(self._table.offsets[1])])
        used = np.isfinite(logs)
        above = self._above_best() * self._unit
        mean = float(np.add.reduce(np.exp(logs[used] - total) * above[used]))
        return Spread(total, mean, self._count(max_cost)[1])

    def sample(
        self, count: int, seed: int, max_cost: int, is_enough: Enough = never
    ) -> NDArray[np.int32]:
        """Draw networks independently, each with probability proportional to its weight.

        Drawn are networks by costs that are rounded down to a coarse grid, of which there are
        few levels. One whose true weight is w, and whose rounded cost has the weight W >= w,
        is kept with probability w / W, and never if it costs more than `max_cost`: what is
        kept has the right distribution (rejection sampling).
        """
        random = np.random.default_rng(seed)
        coarse, width = self._coarse_set()
        levels = LevelCounts(*coarse.levels(), width * self._unit)
        top = (max_cost - self.optimal_cost) // width
        costs = grid_costs(self._table)
        kept: list[NDArray[np.int32]] = []
        while len(kept) < count and not is_enough(len(kept)):
            wanted = DRAWS * (count - len(kept))
            for rank in drawn_ranks(levels, top, wanted, random):
                if is_enough(len(kept)):
                    break
                rounded, network = coarse.list(rank, 1)
                above = int(costs[network[0]].sum()) - self.optimal_cost
                lost = (above - int(rounded[0]) * width) * self._unit
                if random.random() < math.exp(-lost) and above <= max_cost - self.optimal_cost:
                    kept.append(network[0])
        return np.array(kept[:count], dtype=np.int32).reshape(-1, self.n_variables)

    def _listed(self, start: int, count: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        part = self._best_part(start + 1)
        if not self._is_last_part:
            with contextlib.suppress(LimitError):  # then there are fewer at a time
                part = self._best_part(start + count)
        return part._listed(start, min(count, part.count(part.max_cost) - start))

    def _coarse_set(self) -> tuple[_core.CompiledSet, int]:
        """Return the circuit with rounded costs, and the width of the grid.

        Costs are taken relative to those of an optimal network before they are rounded, so
        that what networks have in common with it loses nothing.
        """
        if self._coarse is None:
            slack = self._max_cost - self.optimal_cost
            width = max(1, min(slack // COARSE, math.floor(WIDEST / self._unit)))
            compiled = _core.CompiledSet.from_arrays(
                *self._compiled.to_arrays(),
                self._table.offsets,
                self._above_best() // width,
                slack // width,
                2**62,
                0,
                _core.Control(),
            )
            self._coarse = compiled, width
        return self._coarse

    def _above_best(self) -> NDArray[np.int64]:
        """Return how far each candidate is above that of one optimal network."""
        best = next(self.networks(self.optimal_cost))[1]
        costs = grid_costs(self._table)
        return costs - np.repeat(costs[best], np.diff(self._table.offsets))

    def _best_part(self, count: int) -> LevelledSet:
        """Return a part of the set with at least its `count` best networks, and all levels.

        Raises
        ------
        LimitError
            When there is none with few enough levels.
        """
        while self._part is None or self._part.count(self._part.max_cost) < count:
            most = self.optimal_cost + math.ceil(self._share * (self._max_cost - self.optimal_cost))
            part = None
            if not self._is_last_part:
                part = self._compiled.levelled_within(most, MOST_LEVELS, _core.Control())
            if part is not None:
                self._part = LevelledSet(self._table, part)
                self._share *= NEXT_PART
            elif self._part is None and self._share > SMALLEST_PART:
                self._share /= 2
            else:
                self._is_last_part = True
                raise LimitError(
                    f"the best {count:,} networks have too many distinct costs to be put in order"
                )
        return self._part


def _plain(steps: tuple[NDArray[np.int64], list[int]]) -> tuple[list[int], list[int]]:
    return steps[0].tolist(), steps[1]
