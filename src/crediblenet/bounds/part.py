"""A part of the search space, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .clusters import Clusters
from .local_cuts import LocalCuts

__all__ = ["Keep", "Part", "Strong"]

#: Which rows of a score table are left.
Keep = NDArray[np.bool_]


@dataclass(frozen=True)
class Strong:
    """Where the relaxation with cuts ended.

    Attributes
    ----------
    clusters, cuts
        Inequalities with their multipliers.
    x
        The relaxed solution.
    """

    clusters: Clusters
    cuts: LocalCuts
    x: NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """Some of the candidates; the networks made of them are a part of the search space.

    Attributes
    ----------
    keep
        Which rows of the table belong to the part.
    lower
        No network of the part costs less, in grid units.
    exact
        Whether every candidate is in a network within the limit, and `lower` is the cost
        of one.
    share
        How much of the search space it is, by the number of splits: for progress.
    clusters, x
        Where the linear relaxation ended: inequalities with their multipliers, and the
        relaxed solution.
    strong
        Where the relaxation with cuts ended, for this part or one around it.
    cuts_fail
        Whether cuts were tried and closed too little of the gap.
    cuts_only
        Whether without cuts the relaxation is too loose for a search over subsets.
    given_up
        How many parts around it were too large to be compiled as a whole, though no better
        bound was to be had.
    waits
        Whether hardly a gap is left, so that it is compiled when no other part has one.
    """

    keep: Keep
    lower: int
    exact: bool = False
    share: float = 1.0
    clusters: Clusters | None = None
    x: NDArray[np.float64] | None = None
    strong: Strong | None = None
    cuts_fail: bool = False
    cuts_only: bool = False
    given_up: int = 0
    waits: bool = False
