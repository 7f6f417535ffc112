"""A score table that comes out of a file: nothing about it is believed before it is checked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .run_schema import MOST_VARIABLES, TABLE
from .score_table import ScoreTable
from .shapes import WHOLE, ShapeError

__all__ = ["check_description", "described_table"]


def check_description(about: Any, rows: int) -> None:
    """Raise ShapeError unless this describes a table that can have so many candidates.

    The candidates of a variable differ, and are sets of the others: a short file cannot make
    a few variables take any amount of memory.
    """
    TABLE(about, WHOLE)
    names = about["names"]
    n = len(names)
    if not 1 <= n <= MOST_VARIABLES or len(set(names)) != n:
        raise ShapeError(f"there must be 1 to {MOST_VARIABLES} variables with names of their own")
    if rows > n << (n - 1):
        raise ShapeError(f"{n} variables cannot have {rows:,} candidates")
    arities = about["metadata"].get("arities")
    if arities is not None and len(arities) != n:
        raise ShapeError(f"there are {len(arities)} numbers of states for {n} variables")


def described_table(
    about: dict[str, Any],
    offsets: NDArray[np.int64],
    parents: NDArray[np.uint64],
    costs: NDArray[np.float64],
) -> ScoreTable:
    """Make the table of a description that `check_description` let through.

    Raises
    ------
    ShapeError, ParameterError
        When a search could not go on with the table.
    """
    table = ScoreTable(
        names=tuple(about["names"]),
        offsets=offsets,
        parents=parents,
        costs=costs,
        score=about["score"],
        epsilon=math.inf if about["epsilon"] is None else float(about["epsilon"]),
        score_equivalent=about["score_equivalent"],
        grid_bits=about["grid_bits"],
        metadata=about["metadata"],
    )
    children = np.repeat(np.arange(table.n_variables), np.diff(table.offsets))
    words = table.parents[np.arange(len(table)), children // 64]
    if np.any(words >> (children % 64).astype(np.uint64) & np.uint64(1)):
        raise ShapeError("a variable is its own parent")
    used = table.n_variables % 64
    if used and np.any(table.parents[:, -1] >> np.uint64(used)):
        raise ShapeError("a parent is no variable")
    if not np.all(np.isfinite(table.costs)):
        raise ShapeError("a cost is not a finite number")
    # The cost of every network, in grid units, has to fit into 63 bits.
    largest = np.maximum.reduceat(np.abs(table.costs), table.offsets[:-1])
    if math.ldexp(math.fsum(np.minimum(largest, 1e200).tolist()), table.grid_bits) >= 2**62:
        raise ShapeError(f"the costs are too large for {table.grid_bits} bits after the point")
    return table
