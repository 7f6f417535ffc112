"""Code further rows with the states of a data set that was read before."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..exceptions import DataError
from .dataset import Dataset
from .discretization import Binning
from .distinct import Codes
from .encoding import MISSING, ColumnEncoder
from .labels import listed, shown
from .numeric import NotANumberError, column_numbers
from .options import DataOptions
from .sources import Source, open_source

__all__ = ["encode_rows"]


def encode_rows(data: Dataset, source: Any, options: DataOptions) -> Codes:
    """Return the codes of all rows of a source; see `Dataset.encode`."""
    opened = open_source(source, options)
    absent = [name for name in data.names if name not in opened.names]
    if absent:
        raise DataError(
            f"{opened.where}: there is no column {listed(absent)}; there are {listed(opened.names)}"
        )
    columns = [
        _Column(data, k, opened.names.index(name), options.missing_texts)
        for k, name in enumerate(data.names)
    ]
    batches = []
    n_rows = 0
    for batch in opened.batches():
        codes = np.stack([column.encode(batch, n_rows, opened) for column in columns])
        batches.append(codes)
        n_rows += codes.shape[1]
    if not batches:
        return np.zeros((data.n_variables, 0), np.uint16)
    return np.concatenate(batches, axis=1)


class _Column:
    """One variable: where its values are in the source, and how they are coded."""

    def __init__(
        self, data: Dataset, variable: int, position: int, missing_texts: frozenset[str]
    ) -> None:
        self._name = data.names[variable]
        self._states = data.states[variable]
        self._binning = data.discretization.get(self._name)
        self._position = position
        self._missing_texts = missing_texts
        has_missing = data.missing_state is not None and data.missing_state in self._states
        self._missing_code = len(self._states) - 1 if has_missing else None
        self._encoder = ColumnEncoder(missing_texts, self._states)

    def encode(self, batch: list[pa.Array], first_row: int, source: Source) -> NDArray[np.uint16]:
        values = batch[self._position]
        if self._binning is not None:
            codes = self._cut(values, self._binning, first_row, source)
        else:
            codes = self._encoder.encode(values, first_row)
            if self._encoder.rejected is not None:
                self._fail(*self._encoder.rejected, source)
        missing = codes == MISSING
        if missing.any():
            if self._missing_code is None:
                row = int(np.flatnonzero(missing)[0]) + first_row
                self._fail(
                    f"a value is missing, but there are only the states {listed(self._states)}",
                    row,
                    source,
                )
            codes[missing] = self._missing_code
        return codes

    def _cut(
        self, values: pa.Array, binning: Binning, first_row: int, source: Source
    ) -> NDArray[np.uint16]:
        try:
            numbers = column_numbers(values, self._missing_texts)
        except NotANumberError as error:
            self._fail(f"value {shown(error.text)} is no number", first_row + error.row, source)
        return np.where(np.isnan(numbers), np.uint16(MISSING), binning.codes(numbers))

    def _fail(self, what: str, row: int, source: Source) -> NoReturn:
        place = source.places([row])[0]
        raise DataError(f"{source.where}, {place}, column {shown(self._name)}: {what}")
