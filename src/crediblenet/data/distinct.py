"""Collapse rows to distinct rows with multiplicities, in bounded memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Codes", "RowCollapser", "Weights", "distinct_rows"]

# One row per variable, one column per row of data.
Codes = NDArray[np.uint16]
# How often each row of data occurs.
Weights = NDArray[np.int64]
# Rows packed into 64-bit words: one row of the array per word, one column per row of data.
Words = NDArray[np.uint64]

_WORD_BITS = 64
# Rows that wait before they are collapsed: enough to make sorting rare, few enough (2 bytes
# per value) not to matter beside the distinct rows.
_PENDING_ROWS = 1 << 20


class _Layout:
    """Where each column lies in the words, such that sorting words sorts rows.

    The first column takes the highest bits of the first word, and no column straddles two
    words. Equal layouts have equal `bits`.
    """

    def __init__(self, bits: tuple[int, ...]) -> None:
        self.bits = bits
        self.n_words = 1
        self._places: list[tuple[int, int]] = []
        free = _WORD_BITS
        for width in bits:
            if width > free:
                self.n_words += 1
                free = _WORD_BITS
            free -= width
            self._places.append((self.n_words - 1, free))

    @classmethod
    def for_codes(cls, codes: Codes) -> _Layout:
        """Return the narrowest layout that holds the codes."""
        return cls(tuple(int(column.max(initial=0)).bit_length() for column in codes))

    def pack(self, codes: Codes) -> Words:
        """Return rows as words."""
        words = np.zeros((self.n_words, codes.shape[1]), np.uint64)
        for column, (word, shift) in zip(codes, self._places, strict=True):
            words[word] |= column.astype(np.uint64) << np.uint64(shift % _WORD_BITS)
        return words

    def unpack(self, words: Words) -> Codes:
        """Return the rows that `pack` made words of."""
        codes = np.empty((len(self.bits), words.shape[1]), np.uint16)
        for k, (width, (word, shift)) in enumerate(zip(self.bits, self._places, strict=True)):
            mask = np.uint64((1 << width) - 1)
            codes[k] = (words[word] >> np.uint64(shift % _WORD_BITS)) & mask
        return codes


def _sorted_distinct(words: Words, weights: Weights | None) -> tuple[Words, Weights]:
    """Return the distinct rows in order, and the sum of the weights of each."""
    if words.shape[1] == 0:
        return words, np.zeros(0, np.int64)
    if weights is None and len(words) == 1:
        # The common case, for which numpy has a fast path: no permutation is needed.
        values, counts = np.unique(words[0], return_counts=True)
        return values[None, :], counts.astype(np.int64, copy=False)
    # A stable sort is linear when two sorted parts are to be merged.
    order = np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(words[::-1])
    is_first = np.ones(len(order), bool)
    is_first[1:] = False
    for word in words:
        ordered = word[order]
        is_first[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(is_first)
    if weights is None:
        counts = np.diff(starts, append=len(order))
    else:
        counts = np.add.reduceat(weights[order], starts)
    return words[:, order[starts]], counts.astype(np.int64, copy=False)


def distinct_rows(codes: Codes, weights: Weights | None = None) -> tuple[Codes, Weights]:
    """Return the distinct rows in lexicographic order, and how often each occurs.

    Parameters
    ----------
    codes
        One row per variable.
    weights
        How often each row counts; once when not given.

    Examples
    --------
    >>> codes, weights = distinct_rows(np.array([[1, 0, 1], [0, 2, 0]], np.uint16))
    >>> codes.tolist(), weights.tolist()
    ([[0, 1], [2, 0]], [1, 2])
    """
    layout = _Layout.for_codes(codes)
    words, weights = _sorted_distinct(layout.pack(codes), weights)
    return layout.unpack(words), weights


class RowCollapser:
    """Collects rows batch by batch and keeps only the distinct ones, packed.

    New rows wait until they are as many as the distinct rows found so far; then they are
    sorted and merged. So every row takes part in a logarithmic number of merges, and never
    more than twice the distinct rows (or `_PENDING_ROWS`) are held.
    """

    def __init__(self, n_variables: int) -> None:
        self._layout = _Layout((0,) * n_variables)
        self._words: Words = np.zeros((1, 0), np.uint64)
        self._weights: Weights = np.zeros(0, np.int64)
        self._pending: list[Words] = []
        self._n_pending = 0

    def add(self, codes: Codes) -> None:
        """Take in further rows."""
        self._widen(_Layout.for_codes(codes).bits)
        self._pending.append(self._layout.pack(codes))
        self._n_pending += codes.shape[1]
        if self._n_pending >= max(_PENDING_ROWS, self._words.shape[1]):
            self._merge()

    def result(self) -> tuple[Codes, Weights]:
        """Return the distinct rows in lexicographic order, and how often each occurs."""
        self._merge()
        return self._layout.unpack(self._words), self._weights

    def _widen(self, bits: tuple[int, ...]) -> None:
        """Make room for larger codes, which keeps the order of the rows."""
        widest = tuple(map(max, self._layout.bits, bits))
        if widest != self._layout.bits:
            old, self._layout = self._layout, _Layout(widest)
            self._words = self._layout.pack(old.unpack(self._words))
            self._pending = [self._layout.pack(old.unpack(words)) for words in self._pending]

    def _merge(self) -> None:
        if not self._pending:
            return
        new, counts = _sorted_distinct(np.concatenate(self._pending, axis=1), None)
        self._pending, self._n_pending = [], 0
        self._words, self._weights = _sorted_distinct(
            np.concatenate([self._words, new], axis=1), np.concatenate([self._weights, counts])
        )
