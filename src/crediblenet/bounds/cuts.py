"""The cuts of a relaxation: half cuts and local cuts together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .half_cuts import HalfCuts
from .local_cuts import LocalCuts

__all__ = ["Cuts"]


@dataclass(frozen=True)
class Cuts:
    """Inequalities beyond the clusters, of both kinds."""

    half: HalfCuts
    local: LocalCuts

    @staticmethod
    def none(words: int) -> Cuts:
        """Return no cut at all."""
        return Cuts(HalfCuts.none(words), LocalCuts.none(words))

    def __len__(self) -> int:
        return len(self.half) + len(self.local)

    def shares(self, problem: _core.Problem) -> NDArray[np.int64]:
        """Return for each row of the table its coefficients times the values, added up."""
        return self.half.shares(problem) + self.local.shares(problem)

    def worth(self, problem: _core.Problem) -> int:
        """Return what the cuts add to a bound: right sides times values, added up."""
        return self.half.worth(problem) + self.local.worth(problem)
