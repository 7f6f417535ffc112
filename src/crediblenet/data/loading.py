"""Read data from anywhere and make a `Dataset` of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..exceptions import DataError, ParameterError
from .cutting import read_and_cut
from .dataset import ContinuousDataset, Dataset
from .discretization import Binning
from .distinct import distinct_rows
from .encoding import MISSING
from .labels import shown
from .missing import missing_label
from .notes import constant_note, dropped_note, question_mark_note, warn_user
from .options import DataOptions
from .reading import CodedTable, read_table
from .sources import Source, open_source
from .states import ColumnStates, settle_states

__all__ = ["as_dataset"]


def as_dataset(
    source: Any,
    *,
    header: bool = True,
    format: Literal["csv", "parquet", "dat"] | None = None,  # noqa: A002 (the option's name)
    names: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    states: Mapping[str, Iterable[object]] | str | PathLike[str] | None = None,
    missing: Literal["error", "drop", "state"] = "error",
    missing_values: Iterable[str] = (),
    discretize: str | Mapping[str, str | Binning | Sequence[float]] | None = None,
    bins: int | Mapping[str, int] = 5,
    many_values: Literal["error", "keep"] = "error",
) -> Dataset:
    """Read discrete data.

    Parameters
    ----------
    source
        The name of a file; a pandas, polars or pyarrow table; a two-dimensional or
        structured numpy array; a mapping from names to columns; or a `Dataset`, which is
        returned as it is. Files may be compressed (.gz, .bz2, .zst, .lz4).
    header
        Whether the first line of a CSV file holds the names. If not, they are V0, V1, ...
    format
        ``"csv"``, ``"parquet"`` or ``"dat"`` (GOBNILP's: names, arities, values, between
        blanks). By default the ending of the file's name says it.
    names
        Names for the columns of a text file or an array.
    delimiter
        What separates the values of a CSV file; a comma, or a tab in .tsv files.
    encoding
        How a text file is encoded.
    states
        The states of some columns, by name, or a JSON file that holds such a mapping. They
        count, in this order, whether they occur or not. Without it the states of a category
        type count, or else what occurs.
    missing
        What to do about missing values: ``"error"``; ``"drop"`` the rows that have one; or
        ``"state"``, a state of its own for each column that has any.
    missing_values
        Texts that mean a missing value, besides empty ones, NA, NaN, null and None.
    discretize
        Cut numeric columns with many distinct values into bins: ``"equal-width"``,
        ``"equal-frequency"`` or ``"kmeans"`` (which needs scikit-learn). A mapping from
        columns to methods or to the cuts themselves cuts just these columns; the
        `discretization` of another `Dataset` repeats what was done there.
    bins
        How many bins to make, for all columns or by column.
    many_values
        ``"keep"`` takes each value of a numeric column as a state, however many there are.

    Returns
    -------
    data : Dataset

    Raises
    ------
    DataError
        When the data cannot be used. The message names the file, line and column.

    Examples
    --------
    >>> import crediblenet.data
    >>> data = crediblenet.data.as_dataset({"a": [1, 2, 1], "b": ["x", "y", "y"]})
    >>> data.names, data.states
    (('a', 'b'), (('1', '2'), ('x', 'y')))
    >>> data.codes.tolist(), data.weights.tolist()
    ([[0, 0, 1], [0, 1, 1]], [1, 1, 1])
    """
    options = DataOptions(
        header=header,
        format=format,
        names=names,
        delimiter=delimiter,
        encoding=encoding,
        states=states,
        missing=missing,
        missing_values=missing_values,
        discretize=discretize,
        bins=bins,
        many_values=many_values,
    )
    if isinstance(source, Dataset):
        if options.changed():
            raise ParameterError(
                f"the data are read already; {options.changed()[0]}= has no effect"
            )
        return source
    if isinstance(source, ContinuousDataset):
        source = dict(zip(source.names, source.values.T, strict=True))
    return _load(open_source(source, options), options)


def _load(source: Source, options: DataOptions) -> Dataset:
    read = read_table if options.discretize is None else read_and_cut
    table = read(source, options)
    n_rows = int(table.weights.sum())
    if n_rows == 0:
        raise DataError(f"{source.where}: every one of {table.n_dropped:,} rows lacks a value")
    columns = [
        settle_states(
            name,
            texts,
            _counts(table, k)[: len(texts)],
            declared=table.declared[k],
            arity=source.arities[k] if source.arities else None,
            where=source.where,
        )
        for k, (name, texts) in enumerate(zip(source.names, table.texts, strict=True))
    ]
    if options.many_values == "error":
        _check_many_values(source, columns, n_rows)
    states, missing_state = _recode(table, columns)
    codes, weights = distinct_rows(table.codes, table.weights)
    notes = list(source.notes)
    if table.n_dropped:
        notes.append(dropped_note(table.n_dropped, n_rows + table.n_dropped))
    notes += [
        f"column {shown(name)}: cut into {binning}"
        for name, binning in table.discretization.items()
    ]
    notes += [note for column in columns for note in column.notes]
    doubtful = [
        name
        for name, column, declared in zip(source.names, columns, table.declared, strict=True)
        if "?" in column.states and not declared
    ]
    if doubtful:
        notes.append(question_mark_note(doubtful))
    constant = np.flatnonzero(codes.min(axis=1) == codes.max(axis=1)).tolist()
    warn_user(source.where, source.notes)
    if constant:
        notes.append(constant_note([source.names[k] for k in constant]))
        warn_user(source.where, notes[-1:])
    return Dataset(
        source.names, states, codes, weights, tuple(notes), table.discretization, missing_state
    )


def _counts(table: CodedTable, variable: int) -> NDArray[np.int64]:
    """Return how often each first code of a column occurs."""
    counts = np.zeros(MISSING + 1, np.int64)
    np.add.at(counts, table.codes[variable], table.weights)
    return counts


def _check_many_values(source: Source, columns: Sequence[ColumnStates], n_rows: int) -> None:
    many = [
        f"{shown(name)} ({len(column.states):,})"
        for name, column in zip(source.names, columns, strict=True)
        if column.many_values
    ]
    if not many:
        return
    shown_names = ", ".join(many[:5]) + (f" and {len(many) - 5:,} more" if len(many) > 5 else "")
    raise DataError(
        f"{source.where}: many distinct numbers in {n_rows:,} rows, in"
        f" column{'s' if len(many) > 1 else ''} {shown_names}: measurements, it seems. Cut them"
        " into bins with discretize='equal-frequency' (or 'equal-width', 'kmeans'), or take each"
        " number as a state with many_values='keep'"
    )


def _recode(
    table: CodedTable, columns: Sequence[ColumnStates]
) -> tuple[tuple[tuple[str, ...], ...], str | None]:
    """Replace first codes by final ones, in place; return all states and the missing one."""
    has_missing = [bool((codes == MISSING).any()) for codes in table.codes]
    label = None
    if any(has_missing):
        label = missing_label({state for column in columns for state in column.states})
    states = []
    for codes, column, missing in zip(table.codes, columns, has_missing, strict=True):
        if missing and label is not None:
            column.final_code[MISSING] = len(column.states)
            states.append((*column.states, label))
        else:
            states.append(column.states)
        codes[:] = column.final_code[codes]
    return tuple(states), label
