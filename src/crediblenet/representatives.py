"""One network per Markov equivalence class."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from . import _core
from .classes import group_networks
from .compiled_set import CompiledSet
from .members import Representatives
from .score_table import ScoreTable

__all__ = ["class_representatives"]

#: Networks looked at per block.
BLOCK = 1 << 16
#: More networks than so many times the classes that may be listed are not looked through.
NETWORKS_PER_CLASS = 4
#: Of a larger set, so many classes and no more can be had, from the first networks.
FEW_CLASSES = 10_000
FIRST_BLOCK, FIRST_NETWORKS = 1 << 14, 1 << 20

Found = tuple[NDArray[np.int64], NDArray[np.int32], bool]


def class_representatives(table: ScoreTable, networks: CompiledSet) -> Representatives:
    """Return a function that lists one network per class, for score-equivalent costs.

    Its result is a tuple of costs, candidate rows and whether that is all; the classes
    come in order of cost, so that what is left out of a partial list costs no less.
    """
    return partial(_representatives, table, networks)


def _representatives(table: ScoreTable, networks: CompiledSet, max_cost: int, limit: int) -> Found:
    if networks.count(max_cost) <= NETWORKS_PER_CLASS * limit:
        return _all_classes(table, networks, max_cost, limit)
    if limit <= FEW_CLASSES:
        return _first_classes(table, networks, max_cost, limit)
    return np.empty(0, np.int64), np.empty((0, networks.n_variables), np.int32), False


def _all_classes(table: ScoreTable, networks: CompiledSet, max_cost: int, limit: int) -> Found:
    """Look through all networks for the canonical ones.

    Every class is in the set as a whole, so its canonical member is there, and only that
    is taken: no class twice, none forgotten, and nothing has to be remembered.
    """
    costs: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    rows: list[NDArray[np.int32]] = [np.empty((0, networks.n_variables), dtype=np.int32)]
    found = 0
    for block_costs, block_rows in networks.blocks(max_cost, BLOCK):
        flags = _core.are_canonical(table.parents[block_rows], 1, _core.Control())
        canonical = flags.astype(bool)
        costs.append(block_costs[canonical])
        rows.append(block_rows[canonical])
        found += int(canonical.sum())
        if found > limit:
            break
    return np.concatenate(costs)[:limit], np.concatenate(rows)[:limit], found <= limit


def _first_classes(table: ScoreTable, networks: CompiledSet, max_cost: int, limit: int) -> Found:
    """Take the classes of the first networks, each by its first network.

    All networks of a class cost the same, so a class that does not occur among the first
    networks costs at least as much as the last of them. (Canonical members will not do
    here: the first million networks may share a choice that is not canonical.)
    """
    costs = np.empty(0, dtype=np.int64)
    rows = np.empty((0, networks.n_variables), dtype=np.int32)
    looked_at = 0
    for block_costs, block_rows in networks.blocks(max_cost, FIRST_BLOCK):
        group = group_networks(table.parents[np.concatenate([rows, block_rows])])
        numbers, first = np.unique(group, return_index=True)
        fresh = first[numbers >= len(rows)] - len(rows)  # groups are numbered as they appear
        costs = np.concatenate([costs, block_costs[fresh]])
        rows = np.concatenate([rows, block_rows[fresh]])
        looked_at += len(block_rows)
        if len(rows) >= limit or looked_at >= FIRST_NETWORKS:
            break
    return costs[:limit], rows[:limit], False
