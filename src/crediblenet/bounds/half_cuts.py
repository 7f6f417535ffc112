"""Half cuts: halves of sums of cluster inequalities, rounded up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .clusters import Clusters

__all__ = ["HalfCuts"]


@dataclass(frozen=True)
class HalfCuts:
    """Some half cuts; see ``cpp/bounds/half_cuts.h`` for why every network obeys them.

    Attributes
    ----------
    offsets
        The clusters of cut c are those from ``offsets[c]`` to ``offsets[c + 1]``.
    members, k
        The clusters, one after the other.
    choices
        The variables whose choice of one parent set is part of the sum, for each cut.
    values
        The multiplier of each cut in a bound, in grid units.
    """

    offsets: NDArray[np.int64]
    members: NDArray[np.uint64]
    k: NDArray[np.uint32]
    choices: NDArray[np.uint64]
    values: NDArray[np.int64]

    @staticmethod
    def none(words: int) -> HalfCuts:
        """Return no cut at all."""
        no_sets = np.zeros((0, words), np.uint64)
        no_values = np.zeros(0, np.int64)
        return HalfCuts(np.zeros(1, np.int64), no_sets, np.zeros(0, np.uint32), no_sets, no_values)

    @staticmethod
    def violated(
        problem: _core.Problem,
        x: NDArray[np.float64],
        clusters: Clusters,
        limit: int,
        control: _core.Control,
    ) -> HalfCuts:
        """Return cuts made of these clusters that a point breaks."""
        offsets, used, choices, _ = problem.violated_half_cuts(
            x, clusters.members, clusters.k, limit, control
        )
        no_values = np.zeros(len(choices), np.int64)
        return HalfCuts(offsets, clusters.members[used], clusters.k[used], choices, no_values)

    def __len__(self) -> int:
        return len(self.choices)

    def with_more(self, others: HalfCuts) -> HalfCuts:
        """Return these and others."""
        return HalfCuts(
            np.append(self.offsets, self.offsets[-1] + others.offsets[1:]),
            np.concatenate([self.members, others.members]),
            np.concatenate([self.k, others.k]),
            np.concatenate([self.choices, others.choices]),
            np.concatenate([self.values, others.values]),
        )

    def only(self, keep: NDArray[np.bool_]) -> HalfCuts:
        """Return those that are flagged."""
        lengths = np.diff(self.offsets)
        clusters = np.repeat(keep, lengths)
        offsets = np.append(0, np.cumsum(lengths[keep])).astype(np.int64)
        return HalfCuts(
            offsets,
            self.members[clusters],
            self.k[clusters],
            self.choices[keep],
            self.values[keep],
        )

    def signatures(self) -> list[bytes]:
        """Return for each cut what tells it from others, and from single clusters."""
        return [
            self.members[a:b].tobytes() + self.k[a:b].tobytes() + choices.tobytes()
            for a, b, choices in zip(self.offsets[:-1], self.offsets[1:], self.choices, strict=True)
        ]

    def coefficients(self, problem: _core.Problem, rows: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the coefficient of each of these rows in each cut."""
        return problem.half_cut_coefficients(rows, self.offsets, self.members, self.k, self.choices)

    def right_sides(self, problem: _core.Problem) -> NDArray[np.int64]:
        """Return how much each cut's left side is at least."""
        return problem.half_cut_right_sides(self.offsets, self.members, self.k, self.choices)

    def shares(self, problem: _core.Problem) -> NDArray[np.int64]:
        """Return for each row of the table its coefficients times the values, added up."""
        return problem.half_cut_shares(
            self.offsets, self.members, self.k, self.choices, self.values
        )

    def worth(self, problem: _core.Problem) -> int:
        """Return what the cuts add to a bound: right sides times values, added up."""
        return int(self.right_sides(problem) @ self.values)
