"""What is searched: the same for every part, and for every process that works on one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..network_set import grid_costs
from ..score_table import TOLERANCE, ScoreTable

__all__ = ["SearchSpace"]


@dataclass(frozen=True)
class SearchSpace:
    """Candidates, and how far above the optimum networks matter.

    Attributes
    ----------
    table
        The candidates.
    slack
        How far above the optimum networks matter, in grid units.
    """

    table: ScoreTable
    slack: int

    @classmethod
    def within(cls, table: ScoreTable, epsilon: float) -> SearchSpace:
        """Return the space of the networks within epsilon nats of the optimum."""
        costs, starts = grid_costs(table), table.offsets[:-1]
        spread = np.maximum.reduceat(costs, starts) - np.minimum.reduceat(costs, starts)
        unit = float(np.ldexp(1.0, -table.grid_bits))
        # No network is farther from the optimum than the candidates are from the best.
        return cls(table, int(min((epsilon + TOLERANCE) / unit, float(spread.sum()))))

    @cached_property
    def costs(self) -> NDArray[np.int64]:
        """The costs of the candidates in grid units."""
        return grid_costs(self.table)

    @property
    def unit(self) -> float:
        """One grid unit in nats."""
        return float(np.ldexp(1.0, -self.table.grid_bits))
