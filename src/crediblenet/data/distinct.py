"""Collapse rows to distinct rows with multiplicities, in bounded memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Codes", "RowCollapser", "Weights", "distinct_rows"]

# One row per variable, one column per row of data.
Codes = NDArray[np.uint16]
# How often each row of data occurs.
Weights = NDArray[np.int64]

_WORD_BITS = 64
# Rows that wait before they are collapsed: large enough to make sorting rare, small enough
# (2 bytes per value) not to matter beside the reader's own buffers.
_PENDING_ROWS = 1 << 20


def _packed(codes: Codes) -> list[NDArray[np.uint64]]:
    """Pack the columns into as few words as hold them, so that sorting words sorts rows.

    The first column takes the highest bits of the first word; a column never straddles two
    words. A column of zeros takes no bits at all.
    """
    words: list[NDArray[np.uint64]] = []
    free = 0
    for column in codes:
        bits = int(column.max(initial=0)).bit_length()
        if bits == 0:
            continue
        if bits > free:
            words.append(np.zeros(codes.shape[1], np.uint64))
            free = _WORD_BITS
        words[-1] <<= np.uint64(bits)
        words[-1] |= column
        free -= bits
    return words


def distinct_rows(codes: Codes, weights: Weights | None = None) -> tuple[Codes, Weights]:
    """Return the distinct rows in lexicographic order, and how often each occurs.

    Parameters
    ----------
    codes
        One row per variable.
    weights
        How often each row counts; once when not given. Zeros are allowed and vanish
        unless another copy of the row counts.

    Examples
    --------
    >>> codes, weights = distinct_rows(np.array([[1, 0, 1], [0, 2, 0]], np.uint16))
    >>> codes.tolist(), weights.tolist()
    ([[0, 1], [2, 0]], [1, 2])
    """
    if weights is None:
        weights = np.ones(codes.shape[1], np.int64)
    elif not weights.all():
        codes, weights = codes[:, weights > 0], weights[weights > 0]
    if codes.shape[1] == 0:
        return np.ascontiguousarray(codes), weights
    words = _packed(codes)
    if not words:
        return np.ascontiguousarray(codes[:, :1]), weights.sum(keepdims=True)
    order = np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(words[::-1])
    is_first = np.zeros(len(order), bool)
    is_first[0] = True
    for word in words:
        ordered = word[order]
        is_first[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(is_first)
    return np.ascontiguousarray(codes[:, order[starts]]), np.add.reduceat(weights[order], starts)


class RowCollapser:
    """Collects rows batch by batch and keeps only the distinct ones.

    New rows wait until they are as many as the distinct rows found so far, then all are
    sorted together. So every row takes part in a logarithmic number of sorts, and no more
    than twice the distinct rows (or `_PENDING_ROWS`) are held.
    """

    def __init__(self, n_variables: int) -> None:
        self._codes: Codes = np.zeros((n_variables, 0), np.uint16)
        self._weights: Weights = np.zeros(0, np.int64)
        self._pending: list[Codes] = []
        self._n_pending = 0

    def add(self, codes: Codes) -> None:
        """Take in further rows."""
        self._pending.append(codes)
        self._n_pending += codes.shape[1]
        if self._n_pending >= max(_PENDING_ROWS, self._codes.shape[1]):
            self._collapse()

    def result(self) -> tuple[Codes, Weights]:
        """Return the distinct rows and how often each occurs."""
        self._collapse()
        return self._codes, self._weights

    def _collapse(self) -> None:
        if not self._pending:
            return
        codes = np.concatenate([self._codes, *self._pending], axis=1)
        weights = np.concatenate([self._weights, np.ones(self._n_pending, np.int64)])
        self._pending, self._n_pending = [], 0
        self._codes = np.zeros((codes.shape[0], 0), np.uint16)
        self._codes, self._weights = distinct_rows(codes, weights)
