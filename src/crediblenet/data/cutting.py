"""Read a source whose numeric columns are to be cut into bins.

The cuts depend on all rows, so rows cannot be collapsed before the end: a column is held as
16-bit codes, or as 64-bit numbers once it has more distinct values than there are codes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..exceptions import DataError
from ..reading_limits import check_limits
from .discretization import Binning, make_binning
from .distinct import distinct_rows
from .encoding import MAX_STATES, MISSING, ColumnEncoder
from .labels import canonical_labels, parse_number, shown
from .numeric import NotANumberError, column_numbers
from .options import DataOptions
from .reading import CodedTable, check_values, fail_for_missing, make_encoders
from .sources import Source
from .states import has_many_values

__all__ = ["read_and_cut"]

# All rows of one column: codes, or numbers when there are too many of them for codes.
_Rows: TypeAlias = NDArray[np.uint16] | NDArray[np.float64]


def read_and_cut(source: Source, options: DataOptions) -> CodedTable:
    """Read a source and cut its columns as the options say.

    Like `read_table`, which is for data that are not to be cut, and raises the same errors.
    """
    methods = options.cut_methods(source.names)
    encoders = make_encoders(source, options)
    buffers = [
        _ColumnBuffer(encoder, options.missing_texts, may_be_cut=name in methods)
        for name, encoder in zip(source.names, encoders, strict=True)
    ]
    n_rows = 0
    for batch in source.batches():
        for name, buffer, column in zip(source.names, buffers, batch, strict=True):
            check_limits()
            try:
                buffer.add(column, n_rows)
            except NotANumberError as error:
                raise DataError(
                    f"{source.where}, column {shown(name)}: more than {MAX_STATES:,} distinct"
                    f" values, and {shown(error.text)} is no number, so they cannot be cut"
                ) from None
        n_rows += len(batch[0])
        check_values(source, encoders, n_rows)
    if n_rows == 0:
        raise DataError(f"{source.where}: there are no rows")
    columns = [buffer.whole() for buffer in buffers]
    n_dropped = 0
    if any(encoder.missing.count for encoder in encoders) and options.missing != "state":
        incomplete = np.logical_or.reduce([_is_missing(column) for column in columns])
        n_dropped = int(np.count_nonzero(incomplete))
        if options.missing == "error":
            fail_for_missing(source, encoders, n_dropped, n_rows)
        columns = [column[~incomplete] for column in columns]
    texts = [encoder.texts for encoder in encoders]
    declared = [encoder.declares_states for encoder in encoders]
    discretization: dict[str, Binning] = {}
    by_name = isinstance(options.discretize, Mapping)
    for k, name in enumerate(source.names):
        # Unless the user named it, a column with declared states is no measurement.
        if name not in methods or (declared[k] and not by_name):
            continue
        where = f"{source.where}, column {shown(name)}"
        if by_name or _is_measurement(columns[k], texts[k]):
            codes, binning = _cut(columns[k], texts[k], methods[name], options.bins_of(name), where)
            columns[k], texts[k], declared[k] = codes, list(binning.labels), True
            discretization[name] = binning
    codes, weights = distinct_rows(np.stack(columns))
    return CodedTable(codes, weights, texts, declared, n_dropped, discretization)


class _ColumnBuffer:
    """All rows of one column."""

    def __init__(
        self, encoder: ColumnEncoder, missing_texts: frozenset[str], *, may_be_cut: bool
    ) -> None:
        self._encoder = encoder
        self._missing_texts = missing_texts
        self._may_be_cut = may_be_cut
        self._codes: list[NDArray[np.uint16]] = []
        self._numbers: list[NDArray[np.float64]] | None = None

    def add(self, column: pa.Array, first_row: int) -> None:
        """Take in further rows; raise NotANumberError for a text among too many values."""
        if self._numbers is None:
            codes = self._encoder.encode(column, first_row)
            if not (self._encoder.overflows and self._may_be_cut):
                self._codes.append(codes)
                return
            values = column_numbers(pa.array(self._encoder.texts), self._missing_texts)
            lookup = np.append(values, np.nan)  # the last one is for MISSING
            self._numbers = [lookup[codes] for codes in self._codes]
            self._codes = []
            self._encoder.overflows = False
        numbers = column_numbers(column, self._missing_texts)
        self._encoder.missing.add(np.isnan(numbers), first_row)
        self._numbers.append(numbers)

    def whole(self) -> _Rows:
        """Return the codes or the numbers of all rows, and let go of them."""
        if self._numbers is None:
            codes, self._codes = np.concatenate(self._codes), []
            return codes
        numbers, self._numbers = np.concatenate(self._numbers), []
        return numbers


def _is_missing(column: _Rows) -> NDArray[np.bool_]:
    return np.isnan(column) if column.dtype == np.float64 else column == MISSING


def _is_measurement(rows: _Rows, texts: Sequence[str]) -> bool:
    """Say whether a column holds numbers, and so many that it must be cut."""
    if rows.dtype == np.float64:
        return True
    counts = np.bincount(rows[rows != MISSING], minlength=len(texts))
    labels, numeric = canonical_labels([texts[k] for k in np.flatnonzero(counts).tolist()])
    return numeric and has_many_values(labels, int(counts.sum()))


def _cut(
    rows: _Rows, texts: Sequence[str], method: str | Binning, bins: int, where: str
) -> tuple[NDArray[np.uint16], Binning]:
    """Return the bin of each row, `MISSING` where there is no value, and the cuts."""
    missing = _is_missing(rows)
    if rows.dtype == np.float64:
        numbers: NDArray[np.float64] = rows.astype(np.float64, copy=False)
    else:
        occurring = np.unique(rows[~missing]).tolist()
        lookup = np.full(MISSING + 1, np.nan)
        for code in occurring:
            number = parse_number(texts[code])
            if number is None:
                raise DataError(f"{where}: {shown(texts[code])} is no number, so it has no bin")
            lookup[code] = float(number)
        numbers = lookup[rows]
    ordered = np.sort(numbers[~missing])
    if len(ordered) == 0 and not isinstance(method, Binning):
        raise DataError(f"{where}: there is no value to cut")
    if not np.isfinite(ordered).all():
        raise DataError(f"{where}: infinite values cannot be cut into bins")
    binning = make_binning(method, ordered, bins)
    return np.where(missing, np.uint16(MISSING), binning.codes(numbers)), binning
