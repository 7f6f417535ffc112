"""Which of two ways bounds a part: a program over subsets, or linear programs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _core

__all__ = ["Block", "blocks", "subset_seconds", "suits_subsets"]

Block = NDArray[np.uint32]

#: Seconds for a subset program over n variables, divided by n * 2^n, and for a relaxation,
#: divided by the number of candidates: rough, to choose between the two.
SUBSET_SECONDS = 5e-9
LINEAR_SECONDS = 5e-5


def blocks(problem: _core.Problem) -> list[Block]:
    """Return the strongly connected blocks of more than one variable."""
    component = problem.components()
    sizes = np.bincount(component)
    return [np.flatnonzero(component == c).astype(np.uint32) for c in np.flatnonzero(sizes > 1)]


def subset_seconds(sizes: list[int], control: _core.Control | None = None) -> float:
    """Return about how long subset programs over blocks of such sizes take.

    Infinity when they cannot be run: the largest block is too large, or its table is more than
    the control allows.

    >>> subset_seconds([20]) < subset_seconds([20, 22]) < subset_seconds([100])
    True
    """
    largest = max(sizes, default=0)
    if largest > _core.max_subset_block:
        return float("inf")
    if control is not None and not control.fits(_core.subset_program_bytes(largest)):
        return float("inf")
    return float(sum(SUBSET_SECONDS * n * 2**n for n in sizes))


def suits_subsets(
    sizes: list[int], n_candidates: int, control: _core.Control | None = None
) -> bool:
    """Tell whether subset programs are likely faster than a linear relaxation."""
    return subset_seconds(sizes, control) <= LINEAR_SECONDS * n_candidates
