"""One network per Markov equivalence class."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from . import _core
from .compiled_set import CompiledSet
from .members import Representatives
from .score_table import ScoreTable

__all__ = ["class_representatives"]

#: Networks looked at per block.
BLOCK = 1 << 16
#: More networks than this are not looked through for their classes.
MOST_NETWORKS = 2_000_000
#: The first classes of a larger set are looked for when so many or fewer are wanted.
FEW_CLASSES = 10_000


def class_representatives(table: ScoreTable, networks: CompiledSet) -> Representatives:
    """Return a function that lists one network per class, for score-equivalent costs.

    Every class is in the set as a whole, so its canonical member is there, and only that
    is taken: no class twice, none forgotten, and nothing has to be remembered.
    """
    return partial(_representatives, table, networks)


def _representatives(
    table: ScoreTable, networks: CompiledSet, max_cost: int, limit: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], bool]:
    """Return the costs and rows of the first classes, and whether these are all."""
    costs: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    rows: list[NDArray[np.int32]] = [np.empty((0, networks.n_variables), dtype=np.int32)]
    complete = networks.count(max_cost) <= MOST_NETWORKS
    if complete or limit <= FEW_CLASSES:
        found = looked_at = 0
        for block_costs, block_rows in networks.blocks(max_cost, BLOCK):
            flags = _core.are_canonical(table.parents[block_rows], 1, _core.Control())
            canonical = flags.astype(bool)
            costs.append(block_costs[canonical])
            rows.append(block_rows[canonical])
            found += int(canonical.sum())
            looked_at += len(block_costs)
            if found > limit or looked_at >= MOST_NETWORKS:
                complete = complete and found <= limit
                break
    return np.concatenate(costs)[:limit], np.concatenate(rows)[:limit], complete
