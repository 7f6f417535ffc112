"""What any non-negative multipliers of inequalities prove, in whole grid units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .clusters import Clusters
from .local_cuts import LocalCuts

__all__ = ["Proof", "proof"]


class Proof(NamedTuple):
    """A lower bound on the cost of networks.

    Attributes
    ----------
    lower
        No acyclic network of the problem costs less.
    reduced
        For each row of the table: a network that uses it costs at least ``lower`` plus
        this. Only rows of the problem are meaningful.
    least
        For each variable, the least cost of a candidate less its multipliers.
    """

    lower: int
    reduced: NDArray[np.int64]
    least: NDArray[np.int64]


def proof(
    problem: _core.Problem,
    variable: NDArray[np.int64],
    clusters: Clusters,
    cuts: LocalCuts | None = None,
) -> Proof:
    """Return what the multipliers prove for the candidates of a problem.

    Let a_C be a candidate's coefficient in inequality C, m_C >= 0 the multiplier, and
    reduced = cost - (sum of m_C a_C) - u_i, with u_i the least such value of its variable i.
    Then for every acyclic network
    cost = sum of u_i + sum of reduced + sum of m_C (left side of C),
    where the left side is at least the right side, and nothing reduced is negative.

    Parameters
    ----------
    problem
        The candidates.
    variable
        The variable of each row of the table.
    clusters, cuts
        The inequalities with their multipliers.
    """
    reduced = problem.reduced_costs(clusters.members, clusters.k, clusters.values)
    worth = clusters.worth(problem)
    if cuts is not None:
        reduced -= cuts.shares(problem)
        worth += cuts.worth(problem)
    rows = problem.rows().astype(np.int64)
    first_rows = np.flatnonzero(np.diff(variable[rows], prepend=-1))
    least = np.minimum.reduceat(reduced[rows], first_rows)
    reduced[rows] -= least[variable[rows]]
    return Proof(int(least.sum()) + worth, reduced, least)
