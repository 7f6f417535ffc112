"""Where to split a part: networks without an arc, and networks with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..score_table import ScoreTable
from .part import Keep
from .relaxation import Relaxation

__all__ = ["Arc", "decisive_arc", "even_arc", "halves", "undecided_arcs"]

#: Shares of an arc that are nearer to 0 or 1 than this are taken for 0 or 1.
DECIDED = 1e-6
#: No more arcs are tried than one for so many variables after the best; a rise below the smallest,
#: in nats, counts as that.
VARIABLES_PER_VAIN_TRY = 20
SMALL_RISE = 1e-3


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


def decisive_arc(table: ScoreTable, keep: Keep, arcs: Sequence[Arc], relaxation: Relaxation) -> Arc:
    """Return the arc of some that raises the bounds of both halves most, by its product.

    (Strong branching: Achterberg, Koch and Martin 2005.)
    """
    best, most, last = arcs[0], 0.0, 0
    patience = table.n_variables / VARIABLES_PER_VAIN_TRY
    pairs = (halves(table, keep, arc) for arc in arcs)
    for number, (without, with_arc) in enumerate(relaxation.rises(pairs)):
        gain = max(without, SMALL_RISE) * max(with_arc, SMALL_RISE)
        if gain > most:
            best, most, last = arcs[number], gain, number
        elif number - last >= patience:
            break
    return best


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
