"""The numbers in a column, whether it holds numbers or texts that denote numbers."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .encoding import coded
from .labels import parse_number, texts_of

__all__ = ["NotANumberError", "column_numbers"]


class NotANumberError(ValueError):
    """A value is no number: which, and in which row of the batch."""

    def __init__(self, text: str, row: int) -> None:
        super().__init__(text)
        self.text = text
        self.row = row


def column_numbers(column: pa.Array, missing_texts: frozenset[str]) -> NDArray[np.float64]:
    """Return the numbers of a batch, NaN where a value is missing.

    Raises
    ------
    NotANumberError
        For the first value that is neither a number nor missing.
    """
    indices, values = coded(column)
    kind = values.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = pc.cast(values, pa.float64()).to_numpy(zero_copy_only=False)
    else:
        texts = [text.strip() for text in texts_of(values)]
        present = [None if text in missing_texts else text for text in texts]
        try:
            # Fast, but it does not know every spelling that Python knows.
            array = pc.cast(pa.array(present, pa.large_string()), pa.float64())
            numbers = array.to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            numbers = np.array([_number(text) for text in present], np.float64)
            not_numbers = {k for k, text in enumerate(present) if text and math.isnan(numbers[k])}
            for row, k in enumerate(indices.tolist()):
                if k in not_numbers:
                    raise NotANumberError(texts[k], row) from None
    return np.append(numbers, np.nan)[indices]


def _number(text: str | None) -> float:
    number = None if text is None else parse_number(text)
    return math.nan if number is None else float(number)
