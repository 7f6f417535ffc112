"""Local cuts: inequalities that make the relaxation exact on a few variables at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core

__all__ = ["LocalCuts"]


@dataclass(frozen=True)
class LocalCuts:
    """Some local cuts; see ``cpp/bounds/local_cuts.h`` for why every network obeys them.

    Attributes
    ----------
    members
        The variables of each cut.
    offsets
        The weights of cut c are those from ``offsets[c]`` to ``offsets[c + 1]``.
    variables, parents, weights
        Each weight, and the choice of parents among the members that it is for.
    values
        The multiplier of each cut in a bound, in grid units.
    """

    members: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    variables: NDArray[np.uint32]
    parents: NDArray[np.uint64]
    weights: NDArray[np.uint32]
    values: NDArray[np.int64]

    #: What a solver multiplies a row by. Coefficients are whole numbers up to 1,000, and beside
    #: those of clusters, which are 0 or 1, the simplex method would lose its digits.
    scale: ClassVar[float] = 2.0**-10
    #: The largest multiplier that the core takes, so that no sum overflows.
    most: ClassVar[int] = 2**50 // 1000

    @staticmethod
    def none(words: int) -> LocalCuts:
        """Return no cut at all."""
        no_sets, no_numbers = np.zeros((0, words), np.uint64), np.zeros(0, np.uint32)
        no_values = np.zeros(0, np.int64)
        return LocalCuts(no_sets, np.zeros(1, np.int64), no_numbers, no_sets, no_numbers, no_values)

    @staticmethod
    def violated(
        problem: _core.Problem,
        x: NDArray[np.float64],
        variables: int,
        limit: int,
        control: _core.Control,
    ) -> LocalCuts:
        """Return cuts on so many variables each that a point breaks."""
        members, offsets, of, parents, weights, _ = problem.violated_local_cuts(
            x, variables, limit, control
        )
        return LocalCuts(members, offsets, of, parents, weights, np.zeros(len(members), np.int64))

    def __len__(self) -> int:
        return len(self.members)

    def with_more(self, others: LocalCuts) -> LocalCuts:
        """Return these and others."""
        return LocalCuts(
            np.concatenate([self.members, others.members]),
            np.append(self.offsets, self.offsets[-1] + others.offsets[1:]),
            np.concatenate([self.variables, others.variables]),
            np.concatenate([self.parents, others.parents]),
            np.concatenate([self.weights, others.weights]),
            np.concatenate([self.values, others.values]),
        )

    def only(self, keep: NDArray[np.bool_]) -> LocalCuts:
        """Return those that are flagged."""
        lengths = np.diff(self.offsets)
        kept = np.repeat(keep, lengths)
        return LocalCuts(
            self.members[keep],
            np.append(0, np.cumsum(lengths[keep])).astype(np.int64),
            self.variables[kept],
            self.parents[kept],
            self.weights[kept],
            self.values[keep],
        )

    def signatures(self) -> list[bytes]:
        """Return for each cut what tells it from others, and from those of other kinds."""
        return [
            b"local"
            + self.variables[a:b].tobytes()
            + self.parents[a:b].tobytes()
            + self.weights[a:b].tobytes()
            for a, b in zip(self.offsets[:-1], self.offsets[1:], strict=True)
        ]

    def coefficients(self, problem: _core.Problem, rows: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the coefficient of each of these rows in each cut."""
        return problem.local_cut_coefficients(
            rows, self.members, self.offsets, self.variables, self.parents, self.weights
        )

    def right_sides(self, problem: _core.Problem) -> NDArray[np.int64]:
        """Return how much each cut's left side is at least."""
        return problem.local_cut_right_sides(
            self.members, self.offsets, self.variables, self.parents, self.weights
        )

    def shares(self, problem: _core.Problem) -> NDArray[np.int64]:
        """Return for each row of the table its coefficients times the values, added up."""
        return problem.local_cut_shares(
            self.members, self.offsets, self.variables, self.parents, self.weights, self.values
        )

    def worth(self, problem: _core.Problem) -> int:
        """Return what the cuts add to a bound: right sides times values, added up."""
        return int(self.right_sides(problem) @ self.values)
