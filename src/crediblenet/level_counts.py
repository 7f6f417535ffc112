"""The distinct costs of a set of networks, and how many networks have each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from .log_space import log_counts, log_sum_exp

__all__ = ["LevelCounts", "Spread"]


@dataclass(frozen=True)
class Spread:
    """How the weight exp(-deviation) is spread over the networks up to a cost.

    Attributes
    ----------
    log_weight
        Log of the weight of all of them together.
    mean_deviation
        Their mean distance from the optimum in nats, by weight.
    greatest_cost
        The cost of the worst of them, in grid units.
    """

    log_weight: float
    mean_deviation: float
    greatest_cost: int


@dataclass(frozen=True)
class LevelCounts:
    """Distinct costs in grid units, ascending, and the number of networks at each.

    Examples
    --------
    >>> import numpy as np
    >>> levels = LevelCounts(np.array([5, 7]), [2, 10**20], unit=0.5)
    >>> levels.count(6), levels.cost_at_rank(1), levels.cost_at_rank(2)
    (2, 5, 7)
    >>> levels.cost_at_rank(10**21) is None
    True
    """

    costs: NDArray[np.int64]
    counts: Sequence[int]
    unit: float

    @cached_property
    def running(self) -> list[int]:
        """How many networks cost at most that, for each cost."""
        return list(accumulate(self.counts))

    @cached_property
    def log_weights(self) -> NDArray[np.float64]:
        """Log of the weight of the networks of each cost."""
        return np.asarray(log_counts(self.counts) - self.deviations, dtype=np.float64)

    @cached_property
    def deviations(self) -> NDArray[np.float64]:
        """How far each cost is from the least one, in nats."""
        return np.asarray((self.costs - self.costs[0]) * self.unit, dtype=np.float64)

    def inside(self, max_cost: int) -> int:
        """Return how many of the distinct costs are at most `max_cost`."""
        return int(np.searchsorted(self.costs, max_cost, side="right"))

    def count(self, max_cost: int) -> int:
        """Return how many networks cost at most `max_cost`."""
        inside = self.inside(max_cost)
        return self.running[inside - 1] if inside else 0

    def cost_at_rank(self, rank: int) -> int | None:
        """Return the cost of the network that so many precede, None if there is none."""
        level = bisect_right(self.running, rank)
        return int(self.costs[level]) if level < len(self.costs) else None

    def spread(self, max_cost: int) -> Spread:
        """Return how the weight is spread over the networks up to a cost."""
        inside = self.inside(max_cost)
        log_weights = self.log_weights[:inside]
        total = log_sum_exp(log_weights)
        shares = np.exp(log_weights - total)
        mean = float(np.add.reduce(shares * self.deviations[:inside]))
        return Spread(total, mean, int(self.costs[inside - 1]))
