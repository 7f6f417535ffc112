"""Turn the values of one column into codes, batch by batch."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .labels import canonical_form, listed, shown, texts_of
from .missing import MissingValues

__all__ = ["MAX_STATES", "MISSING", "ColumnEncoder", "coded"]

#: The code of a missing value while a table is read.
MISSING = 65_535
#: Codes are 16 bits wide, and one of them means missing.
MAX_STATES = 65_535

# No label of a category is longer; a longer text is a document, or a quote never closed.
_MAX_LABEL_LENGTH = 10_000


def coded(column: pa.Array) -> tuple[NDArray[np.int64], pa.Array]:
    """Return a column as positions in an array of distinct values; -1 where a value is missing."""
    if not pa.types.is_dictionary(column.type):
        try:
            column = column.dictionary_encode()
        except pa.ArrowNotImplementedError:  # nested values and other rare types
            texts = [None if value is None else str(value) for value in column.to_pylist()]
            column = pa.array(texts, pa.large_string()).dictionary_encode()
    indices = _or_minus_one(column.indices)
    dictionary = column.dictionary
    if dictionary.null_count:
        # A dictionary may itself hold a null: the same as no value.
        holds = dictionary.is_valid().to_numpy(zero_copy_only=False)
        position = np.append(np.where(holds, np.cumsum(holds) - 1, -1), -1)
        indices, dictionary = position[indices], dictionary.drop_null()
    return indices, dictionary


def _or_minus_one(indices: pa.Array) -> NDArray[np.int64]:
    if indices.null_count == 0:
        # Not `to_numpy`, which spends 0.3 s on importing pandas where that is installed.
        return np.from_dlpack(indices).astype(np.int64, copy=False)
    filled = indices.cast(pa.int64()).fill_null(-1)
    return np.asarray(filled.to_numpy(zero_copy_only=False))


class ColumnEncoder:
    """Gives each distinct value of a column a code, in order of appearance.

    Parameters
    ----------
    missing_texts
        The texts that mean a missing value.
    declared
        The states that the user declared, whose order then gives the codes.
    categorical
        Whether the column's own type declares its states.
    """

    def __init__(
        self,
        missing_texts: Collection[str],
        declared: Sequence[str] | None = None,
        *,
        categorical: bool = False,
    ) -> None:
        self._missing_texts = frozenset(missing_texts)
        self._declared = declared is not None
        self._categorical = categorical and declared is None
        self._dictionary: pa.Array | None = None
        self._code_of_position = np.zeros(0, np.uint16)
        self._codes = {text: code for code, text in enumerate(declared or ())}
        self._is_learned = np.zeros(0, bool)
        #: What is missing so far.
        self.missing = MissingValues()
        #: Whether there are more distinct values than codes.
        self.overflows = False
        #: What is wrong with the first value that has no code, and its row.
        self.rejected: tuple[str, int] | None = None

    @property
    def texts(self) -> list[str]:
        """The distinct values so far; the position of each is its code."""
        return list(self._codes)

    @property
    def declares_states(self) -> bool:
        """Whether `texts` are declared states, occurring or not."""
        return self._declared or self._categorical

    def encode(self, column: pa.Array, first_row: int) -> NDArray[np.uint16]:
        """Return the codes of a batch whose first row has this number."""
        indices, dictionary = coded(column)
        if self._dictionary is None or not dictionary.equals(self._dictionary):
            self._begin_dictionary(dictionary)
        occurs = np.zeros(len(dictionary) + 1, bool)
        occurs[indices] = True
        if not self._is_learned[occurs].all():
            self._learn(dictionary, occurs, indices, first_row)
        codes = self._code_of_position[indices]
        if not self.overflows:
            self.missing.add(codes == MISSING, first_row)
        return codes

    def _begin_dictionary(self, dictionary: pa.Array) -> None:
        if self._categorical and self._dictionary is not None:
            # Pieces of a file that list different states declare none of them.
            self._categorical = False
        self._dictionary = dictionary
        # The last entry is for position -1: no value.
        self._code_of_position = np.full(len(dictionary) + 1, MISSING, np.uint16)
        self._is_learned = np.zeros(len(dictionary) + 1, bool)
        self._is_learned[-1] = True
        if self._categorical:
            for text in texts_of(dictionary):
                self._code_of(text)

    def _learn(
        self,
        dictionary: pa.Array,
        occurs: NDArray[np.bool_],
        indices: NDArray[np.int64],
        first_row: int,
    ) -> None:
        """Find codes for the entries of a batch's dictionary that occur in the batch."""
        for position, text in enumerate(texts_of(dictionary)):
            if not occurs[position] or self._is_learned[position]:
                continue
            code = self._code_of(text)
            if code is None and not self.overflows and self.rejected is None:
                row = int(np.flatnonzero(indices == position)[0]) + first_row
                self.rejected = (self._objection(text), row)
            self._code_of_position[position] = MISSING if code is None else code
        self._is_learned |= occurs

    def _objection(self, text: str) -> str:
        if self._declared:
            return f"value {shown(text)} is none of the states {listed(self._codes)}"
        return f"a value is longer than {_MAX_LABEL_LENGTH:,} characters"

    def _code_of(self, text: str) -> int | None:
        code = self._codes.get(text)
        if code is not None:
            return code
        if self._declared and (code := self._codes.get(canonical_form(text))) is not None:
            return code
        stripped = text.strip()
        if stripped in self._missing_texts and not self._categorical:
            if stripped and stripped not in self.missing.spellings:
                self.missing.spellings.append(stripped)
            return MISSING
        if self._declared or len(text) > _MAX_LABEL_LENGTH:
            return None
        if len(self._codes) >= MAX_STATES:
            self.overflows = True
            return None
        return self._codes.setdefault(text, len(self._codes))
