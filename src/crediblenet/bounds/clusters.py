"""Cluster inequalities: among some variables, a few have few parents inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core

__all__ = ["Clusters"]

#: Clusters with k up to this are separated. k = 2 closes most of the gap that k = 1
#: leaves; k = 3 changed no bound on the fourteen tables it was tried on.
MAX_K = 2


@dataclass(frozen=True)
class Clusters:
    """Some cluster inequalities; see ``cpp/bounds/clusters.h`` for why every network obeys them.

    Attributes
    ----------
    members
        The variables of each, as words of a bit set.
    k
        How many members must count: have fewer than k parents among the members.
    values
        The multiplier of each in a bound, in grid units.
    """

    members: NDArray[np.uint64]
    k: NDArray[np.uint32]
    values: NDArray[np.int64]

    #: What a solver multiplies a row by.
    scale: ClassVar[float] = 1.0
    #: The largest multiplier that the core takes, so that no sum overflows.
    most: ClassVar[int] = 2**50

    @staticmethod
    def none(words: int) -> Clusters:
        """Return no inequality at all."""
        return Clusters(
            np.zeros((0, words), np.uint64), np.zeros(0, np.uint32), np.zeros(0, np.int64)
        )

    @staticmethod
    def violated(
        problem: _core.Problem,
        x: NDArray[np.float64],
        least: float,
        limit: int,
        control: _core.Control,
        most_parallel: float = 1.0,
    ) -> Clusters:
        """Return clusters that a point breaks by more than the least, which may be negative.

        Of those with nearly the same left side, one is chosen, unless `most_parallel` is 1.
        """
        members, k, _ = problem.violated_clusters(x, MAX_K, least, most_parallel, limit, control)
        return Clusters(members, k, np.zeros(len(k), np.int64))

    @staticmethod
    def annealed(
        problem: _core.Problem,
        x: NDArray[np.float64],
        walks: int,
        seed: int,
        least: float,
        limit: int,
        control: _core.Control,
        most_parallel: float = 1.0,
    ) -> Clusters:
        """Return clusters with k = 1 that a point breaks and that `violated` may not find.

        The same seed gives the same ones.
        """
        members, k, _ = problem.annealed_clusters(
            x, walks, seed, least, most_parallel, limit, control
        )
        return Clusters(members, k, np.zeros(len(k), np.int64))

    def __len__(self) -> int:
        return len(self.k)

    def with_more(self, others: Clusters) -> Clusters:
        """Return these and others."""
        return Clusters(
            np.concatenate([self.members, others.members]),
            np.concatenate([self.k, others.k]),
            np.concatenate([self.values, others.values]),
        )

    def only(self, keep: NDArray[np.bool_]) -> Clusters:
        """Return those that are flagged."""
        return Clusters(self.members[keep], self.k[keep], self.values[keep])

    def signatures(self) -> list[bytes]:
        """Return for each cluster what tells it from others."""
        return [
            words.tobytes() + k.tobytes() for words, k in zip(self.members, self.k, strict=True)
        ]

    def coefficients(self, problem: _core.Problem, rows: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """Return the coefficient of each of these rows in each inequality: 0 or 1."""
        return problem.counting(rows, self.members, self.k)

    def right_sides(self, _problem: _core.Problem) -> NDArray[np.int64]:
        """Return how much each left side is at least."""
        return self.k.astype(np.int64)

    def worth(self, problem: _core.Problem) -> int:
        """Return what the inequalities add to a bound: right sides times values, added up."""
        return int(self.right_sides(problem) @ self.values)
