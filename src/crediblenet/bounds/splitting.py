"""Where to split a part: networks without an arc, and networks with it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..score_table import ScoreTable
from .part import Keep

__all__ = ["Arc", "even_arc", "halves", "undecided_arcs"]

#: Shares of an arc that are nearer to 0 or 1 than this are taken for 0 or 1.
DECIDED = 1e-6


class Arc(NamedTuple):
    """An arc of a network."""

    parent: int
    child: int


def undecided_arcs(table: ScoreTable, keep: Keep, x: NDArray[np.float64], most: int) -> list[Arc]:
    """Return some arcs whose shares in a relaxed solution are nearest to a half, nearest first.

    None of those that have the share 0 or 1, or are in all or none of the candidates; and of an
    arc and its reverse only the first, since what is said of one mostly holds for the other.
    """
    rows = np.flatnonzero(keep)
    bits, starts = _parent_bits(table, rows), _first_rows(table, keep)
    number = np.add.reduceat(bits.astype(np.int64), starts)
    is_open = (number > 0) & (number < np.diff(np.append(starts, len(rows)))[:, None])
    share = np.add.reduceat(bits * x[rows, None], starts)
    doubt = np.where(is_open, np.minimum(share, 1 - share), 0.0)
    nearest = np.argsort(-doubt, axis=None, kind="stable")[: 2 * most]
    children, parents = np.unravel_index(nearest[doubt.flat[nearest] >= DECIDED], doubt.shape)
    arcs: dict[frozenset[int], Arc] = {}
    for parent, child in zip(parents.tolist(), children.tolist(), strict=True):
        arcs.setdefault(frozenset((parent, child)), Arc(parent, child))
    return list(arcs.values())[:most]


def even_arc(table: ScoreTable, keep: Keep) -> Arc:
    """Return an arc that half of the candidates have, of the variable with most of them.

    Raises
    ------
    ValueError
        When every variable has a single candidate.
    """
    starts = _first_rows(table, keep)
    rows = np.flatnonzero(keep)
    counts = np.diff(np.append(starts, len(rows)))
    child = int(np.argmax(counts))
    own = rows[starts[child] : starts[child] + counts[child]]
    with_parent = _parent_bits(table, own).sum(axis=0)
    balance = np.minimum(with_parent, len(own) - with_parent)
    parent = int(np.argmax(balance))
    if balance[parent] == 0:
        raise ValueError("a part with a single network cannot be split")
    return Arc(parent, child)


def halves(table: ScoreTable, keep: Keep, arc: Arc) -> tuple[Keep, Keep]:
    """Return what is left without an arc, and with it."""
    own = np.zeros(len(keep), dtype=bool)
    own[table.offsets[arc.child] : table.offsets[arc.child + 1]] = True
    word, bit = divmod(arc.parent, 64)
    has = ((table.parents[:, word] >> np.uint64(bit)) & np.uint64(1)).astype(bool)
    return keep & ~(own & has), keep & ~(own & ~has)


def _first_rows(table: ScoreTable, keep: Keep) -> NDArray[np.int64]:
    """Return where the rows of each variable begin, among those that are left."""
    before = np.append(0, np.cumsum(keep))
    return np.asarray(before[table.offsets[:-1]], np.int64)


def _parent_bits(table: ScoreTable, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return for each of these rows which variables are parents: 0 or 1."""
    words = np.ascontiguousarray(table.parents[rows])
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    return bits[:, : table.n_variables]
