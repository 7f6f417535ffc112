"""Tables that are in memory already, and Parquet files: batches of Arrow columns."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet
from numpy.typing import NDArray

from ..exceptions import DataError
from .dataset import check_names
from .labels import shown

__all__ = ["ParquetSource", "TableSource", "from_array", "from_frame", "from_mapping"]

# Rows handed over at once: enough to make the cost per batch vanish, few enough that the
# codes of a batch stay small beside the table.
_BATCH_ROWS = 1 << 18
# What Arrow raises for values that it has no type for.
_CONVERSION_ERRORS = (pa.ArrowException, OverflowError, ValueError, TypeError)


class TableSource:
    """Columns that are in memory."""

    arities: tuple[int, ...] | None = None
    notes: tuple[str, ...] = ()

    def __init__(
        self,
        where: str,
        names: Sequence[str],
        columns: Sequence[pa.Array | pa.ChunkedArray],
        categorical: Sequence[bool] | None = None,
    ) -> None:
        self.where = where
        self.names = tuple(names)
        self.categorical = tuple(categorical or (False,) * len(self.names))
        check_names(self.names, where)
        if len(self.names) != len(columns):
            raise DataError(f"{where}: {len(self.names):,} names for {len(columns):,} columns")
        lengths = [len(column) for column in columns]
        for name, length in zip(self.names, lengths, strict=True):
            if length != lengths[0]:
                raise DataError(
                    f"{where}: column {shown(name)} has {length:,} rows, but column"
                    f" {shown(self.names[0])} has {lengths[0]:,}"
                )
        self._columns = list(columns)

    def places(self, rows: Sequence[int]) -> list[str]:
        """Return where rows are: their positions, counting from 0."""
        return [f"row {row}" for row in rows]

    def batches(self) -> Iterator[list[pa.Array]]:
        """Yield the columns in pieces of bounded length."""
        table = pa.Table.from_arrays(self._columns, [str(k) for k in range(len(self.names))])
        for batch in table.unify_dictionaries().to_batches(max_chunksize=_BATCH_ROWS):
            yield batch.columns


class ParquetSource:
    """A Parquet file, read in pieces."""

    arities: tuple[int, ...] | None = None
    notes: tuple[str, ...] = ()

    def __init__(self, path: Path) -> None:
        self.where = f"file {shown(str(path), limit=200)}"
        try:
            self._file = pyarrow.parquet.ParquetFile(path)
            schema = self._file.schema_arrow
            self.names = _without_index(schema)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            self._fail(error)
        check_names(self.names, self.where)
        if len(self.names) < len(schema.names):
            schema = pa.schema([schema.field(name) for name in self.names], schema.metadata)
        self.categorical = _declared_by_schema(schema)

    def places(self, rows: Sequence[int]) -> list[str]:
        """Return where rows are: their positions, counting from 0."""
        return [f"row {row}" for row in rows]

    def batches(self) -> Iterator[list[pa.Array]]:
        """Yield the columns in pieces of bounded length."""
        try:
            for batch in self._file.iter_batches(batch_size=_BATCH_ROWS):
                yield batch.select(list(self.names)).columns
        except (pa.ArrowException, OSError) as error:
            self._fail(error)

    def _fail(self, error: Exception) -> NoReturn:
        if isinstance(error, OSError) and error.errno is not None:
            raise DataError(f"{self.where} cannot be read: {os.strerror(error.errno)}") from error
        reason = shown(str(error), limit=200)
        raise DataError(f"{self.where} cannot be read as Parquet: {reason}") from error


def _pandas_metadata(schema: pa.Schema) -> dict[str, Any]:
    """Return what pandas wrote down about the columns; nothing if somebody else wrote it."""
    try:
        metadata = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
    except (ValueError, RecursionError):
        return {}
    return metadata if isinstance(metadata, dict) else {}


def _without_index(schema: pa.Schema) -> tuple[str, ...]:
    """Return the names of the columns that are no index of pandas: who reads one sees none."""
    index = _pandas_metadata(schema).get("index_columns")
    # One that only counts is a description, and no column.
    hidden = {name for name in index if isinstance(name, str)} if isinstance(index, list) else set()
    names = tuple(name for name in schema.names if name not in hidden)
    return names or tuple(schema.names)


def _declared_by_schema(schema: pa.Schema) -> tuple[bool, ...]:
    """Say for each column whether its dictionary declares states.

    An Arrow dictionary may be a mere encoding. It is a declaration when it is ordered (so
    polars writes an Enum) or when pandas wrote down that the column was categorical.
    """
    written_by_pandas: dict[str, str] = {}
    try:
        for column in _pandas_metadata(schema).get("columns", ()):
            written_by_pandas[str(column["field_name"])] = str(column["pandas_type"])
    except (KeyError, TypeError):
        written_by_pandas = {}  # foreign metadata: nothing is known
    return tuple(
        pa.types.is_dictionary(field.type)
        and (field.type.ordered or written_by_pandas.get(field.name) == "categorical")
        for field in schema
    )


def _column_from_values(values: Sequence[Any]) -> pa.Array:
    """Make a column of Python values of whatever types."""
    try:
        return pa.array(values, from_pandas=True)
    except _CONVERSION_ERRORS:
        return _column_from_texts(values)


def _column_from_texts(values: Sequence[Any]) -> pa.Array:
    """Make a column of what Python prints for each value."""
    return pa.array([_text(value) for value in values], pa.large_string())


def _text(value: object) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, bytes) else str(value).encode("utf-8", "backslashreplace")
    return text.decode("utf-8", "backslashreplace")


def _column_from_vector(vector: NDArray[Any]) -> pa.Array:
    """Make a column of a one-dimensional array of whatever type."""
    mask = np.ma.getmaskarray(vector) if isinstance(vector, np.ma.MaskedArray) else None
    plain = np.asarray(vector)
    if plain.dtype.kind in "iubU" or (plain.dtype.kind == "f" and plain.dtype.itemsize in (4, 8)):
        with contextlib.suppress(*_CONVERSION_ERRORS):  # text may hold half a surrogate pair
            return pa.array(plain, mask=mask)
    values: list[Any] = plain.astype(object).tolist()
    if mask is not None:
        values = [None if hidden else value for value, hidden in zip(values, mask, strict=True)]
    return _column_from_texts(values)


def _given(names: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(map(str, names))


def from_array(array: NDArray[Any], names: Sequence[str] | None) -> TableSource:
    """Take a two-dimensional array, one column per variable, or a structured array."""
    where = "the array"
    if array.dtype.names is not None:
        columns = [_column_from_vector(array[name].ravel()) for name in array.dtype.names]
        return TableSource(where, _given(names) or array.dtype.names, columns)
    if array.ndim != 2:
        raise DataError(
            f"{where} has {array.ndim} dimensions, but two are needed: rows and columns"
        )
    names = _given(names) or tuple(f"V{k}" for k in range(array.shape[1]))
    check_names(names, where)
    if len(names) != array.shape[1]:
        raise DataError(f"{where}: {len(names):,} names for {array.shape[1]:,} columns")
    return TableSource(where, names, [_column_from_vector(column) for column in array.T])


def from_mapping(columns: Mapping[Any, Any]) -> TableSource:
    """Take a mapping from names to columns of values."""
    arrays = []
    for name, values in columns.items():
        if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
            raise DataError(f"the mapping: column {shown(str(name))} is no sequence of values")
        is_vector = isinstance(values, np.ndarray) and values.ndim == 1
        arrays.append(
            _column_from_vector(values) if is_vector else _column_from_values(list(values))
        )
    return TableSource("the mapping", [str(name) for name in columns], arrays)


def from_frame(frame: Any) -> TableSource:
    """Take a pandas, polars, pyarrow or other table that narwhals knows."""
    where = f"the {type(frame).__module__.partition('.')[0]} {type(frame).__name__}"
    try:
        wrapped = nw.from_native(frame)
        if isinstance(wrapped, nw.LazyFrame):
            wrapped = wrapped.collect()
        names = [str(name) for name in wrapped.columns]
    except TypeError:
        raise DataError(
            f"data of type {shown(type(frame).__name__)} cannot be used; give a file name, a"
            " pandas, polars or pyarrow table, a numpy array or a mapping of columns"
        ) from None
    except nw.exceptions.NarwhalsError as error:
        # Two columns of one name, most likely: let our own check find the words.
        native_names = getattr(frame, "column_names", getattr(frame, "columns", ()))
        check_names(tuple(str(name) for name in native_names), where)
        raise DataError(f"{where}: {shown(str(error), limit=200)}") from error
    check_names(tuple(names), where)
    if isinstance(frame, pa.Table):
        declared = _declared_by_schema(frame.schema)
    else:
        # A category type of pandas lists its states whether ordered or not; in polars only
        # an Enum does, since a Categorical shares its list with other columns.
        pandas_like = wrapped.implementation.is_pandas_like()
        declared = tuple(
            dtype == nw.Enum or (pandas_like and dtype == nw.Categorical)
            for dtype in wrapped.schema.values()
        )
    columns = [_column_from_series(series) for series in wrapped.iter_columns()]
    return TableSource(where, names, columns, declared)


def _column_from_series(series: nw.Series[Any]) -> pa.Array | pa.ChunkedArray:
    native = series.to_native()
    if isinstance(native, pa.ChunkedArray):
        return native
    if series.dtype == nw.Object:
        return _column_from_values(series.to_list())
    try:
        column = series.to_arrow()
    except _CONVERSION_ERRORS:
        return _column_from_values(series.to_list())
    if isinstance(column.type, pa.BaseExtensionType):
        # The stored form of an interval or a period is not what its owner calls it.
        return _column_from_texts(series.to_list())
    if pa.types.is_dictionary(column.type) and isinstance(
        column.type.value_type, pa.BaseExtensionType
    ):
        labels = [str(category) for category in native.cat.categories]
        return pa.DictionaryArray.from_arrays(column.indices, labels)
    return column
