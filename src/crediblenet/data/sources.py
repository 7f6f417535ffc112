"""Where data come from: one protocol for files, tables and arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from ..exceptions import DataError, ParameterError
from .delimited import CsvSource, DatSource
from .labels import shown
from .options import DataOptions
from .tables import ParquetSource, from_array, from_frame, from_mapping
from .text_stream import inner_suffix

__all__ = ["Source", "open_source"]

_FORMAT_OF_SUFFIX = {".parquet": "parquet", ".pq": "parquet", ".dat": "dat"}


class Source(Protocol):
    """Columns of data in batches, and words for where things are."""

    #: What to call the source in a message.
    where: str
    names: tuple[str, ...]
    #: For each column, whether its type declares its states.
    categorical: tuple[bool, ...]
    #: How many states each column has, when the source says so.
    arities: tuple[int, ...] | None
    notes: tuple[str, ...]

    def batches(self) -> Iterator[list[pa.Array]]:
        """Yield all columns, some rows at a time."""

    def places(self, rows: Sequence[int]) -> list[str]:
        """Return where rows are, counting from 0: their lines, or their positions."""


def open_source(source: Any, options: DataOptions) -> Source:
    """Return the source of data that `as_dataset` was given, whatever it is."""
    if isinstance(source, str | os.PathLike):
        return _open_file(Path(os.fspath(source)), options)
    for option in ("format", "delimiter"):
        if getattr(options, option) is not None:
            raise ParameterError(f"{option}= is for files, not for data in memory")
    if isinstance(source, np.ndarray):
        return from_array(source, options.names)
    if options.names is not None:
        raise ParameterError("names= is for files and arrays; other data have names of their own")
    if isinstance(source, Mapping):
        return from_mapping(source)
    return from_frame(source)


def _open_file(path: Path, options: DataOptions) -> Source:
    if path.is_dir():
        raise DataError(f"{shown(str(path), limit=200)} is a directory, not a file")
    kind = options.format or _FORMAT_OF_SUFFIX.get(inner_suffix(path), "csv")
    if kind != "csv" and options.delimiter is not None:
        raise ParameterError("delimiter= is for CSV files")
    if kind == "parquet":
        if options.names is not None:
            raise ParameterError("names= is not for Parquet files, which have names")
        return ParquetSource(path)
    if kind == "dat":
        return DatSource(path, names=options.names, encoding=options.encoding)
    return CsvSource(
        path,
        header=options.header,
        names=options.names,
        delimiter=options.delimiter,
        encoding=options.encoding,
    )
