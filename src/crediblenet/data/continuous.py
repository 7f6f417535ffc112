"""Read data from anywhere and make a `ContinuousDataset` of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..exceptions import DataError, ParameterError
from ..reading_limits import check_limits
from .dataset import ContinuousDataset, Dataset
from .labels import shown
from .missing import MissingValues, missing_message
from .notes import constant_note, dropped_note, warn_user
from .numeric import NotANumberError, column_numbers
from .options import DataOptions
from .sources import Source, open_source

__all__ = ["as_continuous"]


def as_continuous(
    source: Any,
    *,
    header: bool = True,
    format: Literal["csv", "parquet", "dat"] | None = None,  # noqa: A002 (the option's name)
    names: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    missing: Literal["error", "drop"] = "error",
    missing_values: Iterable[str] = (),
) -> ContinuousDataset:
    """Read continuous data: every value must be a finite number.

    Parameters
    ----------
    source
        Anything that `as_dataset` reads, or a `ContinuousDataset`, which is returned as it
        is.
    header, format, names, delimiter, encoding, missing_values
        As for `as_dataset`.
    missing
        What to do about missing values: ``"error"``, or ``"drop"`` the rows that have one.

    Returns
    -------
    data : ContinuousDataset

    Raises
    ------
    DataError
        When the data cannot be used. The message names the file, line and column.

    Examples
    --------
    >>> from crediblenet.data import as_continuous
    >>> data = as_continuous({"a": [1, 2.5, 4], "b": ["1e3", "7", "-0.5"]})
    >>> data.values.tolist()
    [[1.0, 1000.0], [2.5, 7.0], [4.0, -0.5]]
    """
    options = DataOptions(
        header=header,
        format=format,
        names=names,
        delimiter=delimiter,
        encoding=encoding,
        missing=missing,
        missing_values=missing_values,
    )
    if options.missing == "state":
        raise ParameterError("missing='state' is for discrete data; continuous data have no states")
    if isinstance(source, ContinuousDataset):
        if options.changed():
            raise ParameterError(
                f"the data are read already; {options.changed()[0]}= has no effect"
            )
        return source
    if isinstance(source, Dataset):
        raise ParameterError("the data are discrete already; read them with as_continuous instead")
    return _load(open_source(source, options), options)


def _load(source: Source, options: DataOptions) -> ContinuousDataset:
    missing = [MissingValues() for _ in source.names]
    batches: list[NDArray[np.float64]] = []
    n_rows = 0
    for batch in source.batches():
        numbers = np.empty((len(batch[0]), len(missing)))
        for k, column in enumerate(batch):
            numbers[:, k] = _numbers(source, k, column, options.missing_texts, n_rows)
            missing[k].add(np.isnan(numbers[:, k]), n_rows)
            check_limits()
        n_rows += len(numbers)
        batches.append(numbers)
    if n_rows == 0:
        raise DataError(f"{source.where}: there are no rows")
    values = np.concatenate(batches)
    notes = list(source.notes)
    incomplete = np.isnan(values).any(axis=1)
    n_dropped = int(np.count_nonzero(incomplete))
    if n_dropped:
        if options.missing == "error":
            what = missing_message(source.names, missing, source.places, n_dropped, n_rows)
            raise DataError(f"{source.where}: {what}. Leave these rows out with missing='drop'")
        if n_dropped == n_rows:
            raise DataError(f"{source.where}: every one of {n_rows:,} rows lacks a value")
        values = values[~incomplete]
        notes.append(dropped_note(n_dropped, n_rows))
    warn_user(source.where, source.notes)
    constant = ContinuousDataset(source.names, values).constant
    if constant:
        notes.append(constant_note([source.names[k] for k in constant]))
        warn_user(source.where, notes[-1:])
    return ContinuousDataset(source.names, values, tuple(notes))


def _numbers(
    source: Source,
    variable: int,
    column: pa.Array,
    missing_texts: frozenset[str],
    first_row: int,
) -> NDArray[np.float64]:
    """Return the numbers of a batch of one column; raise DataError for any other value."""
    try:
        numbers = column_numbers(column, missing_texts)
        infinite = np.flatnonzero(np.isinf(numbers))
        if not len(infinite):
            return numbers
        what, row = "the value is infinite", int(infinite[0])
    except NotANumberError as error:
        what, row = f"{shown(error.text)} is no number", error.row
    place = source.places([first_row + row])[0]
    raise DataError(f"{source.where}, {place}, column {shown(source.names[variable])}: {what}")
