"""Read all batches of a source into first codes, rows collapsed on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from ..exceptions import DataError
from ..reading_limits import check_limits
from .discretization import Binning
from .distinct import Codes, RowCollapser, Weights
from .encoding import MAX_STATES, MISSING, ColumnEncoder
from .labels import canonical_labels, listed, shown
from .missing import missing_message
from .options import DataOptions
from .sources import Source
from .states import has_many_values

__all__ = ["CodedTable", "check_values", "fail_for_missing", "make_encoders", "read_table"]


@dataclass(frozen=True)
class CodedTable:
    """Distinct rows in first codes: those of `ColumnEncoder`, `MISSING` where there is no value.

    Attributes
    ----------
    codes, weights
        The distinct rows and how often each occurs.
    texts
        For each column its values, in the order of the codes.
    declared
        For each column whether its texts are declared states.
    n_dropped
        Rows that were left out because a value is missing.
    discretization
        The columns that were cut.
    """

    codes: Codes
    weights: Weights
    texts: list[list[str]]
    declared: list[bool]
    n_dropped: int = 0
    discretization: Mapping[str, Binning] = field(default_factory=dict)


def make_encoders(source: Source, options: DataOptions) -> list[ColumnEncoder]:
    """Return one encoder for each column of a source."""
    declared = options.declared_states(source.names)
    return [
        ColumnEncoder(options.missing_texts, declared.get(name), categorical=categorical)
        for name, categorical in zip(source.names, source.categorical, strict=True)
    ]


def read_table(source: Source, options: DataOptions) -> CodedTable:
    """Read a source, collapsing rows as they come, so that memory is bounded.

    Raises
    ------
    DataError
        When there are no rows, or a column has more values than codes, or a value that is
        not declared, or one is missing and that is an error.
    """
    encoders = make_encoders(source, options)
    collapser = RowCollapser(len(encoders))
    n_rows = 0
    for batch in source.batches():
        codes = np.empty((len(encoders), len(batch[0])), np.uint16)
        for k, (encoder, column) in enumerate(zip(encoders, batch, strict=True)):
            codes[k] = encoder.encode(column, n_rows)
            check_limits()
        n_rows += codes.shape[1]
        check_values(source, encoders, n_rows)
        collapser.add(codes)
    if n_rows == 0:
        raise DataError(f"{source.where}: there are no rows")
    codes, weights = collapser.result()
    n_dropped = 0
    if any(encoder.missing.count for encoder in encoders) and options.missing != "state":
        incomplete = (codes == MISSING).any(axis=0)
        n_dropped = int(weights[incomplete].sum())
        if options.missing == "error":
            fail_for_missing(source, encoders, n_dropped, n_rows)
        codes, weights = codes[:, ~incomplete], weights[~incomplete]
    return CodedTable(
        codes,
        weights,
        [encoder.texts for encoder in encoders],
        [encoder.declares_states for encoder in encoders],
        n_dropped,
    )


def fail_for_missing(
    source: Source, encoders: list[ColumnEncoder], n_incomplete: int, n_rows: int
) -> NoReturn:
    """Raise DataError that says what is missing where, and the two ways out."""
    columns = [encoder.missing for encoder in encoders]
    what = missing_message(source.names, columns, source.places, n_incomplete, n_rows)
    raise DataError(
        f"{source.where}: {what}. Leave these rows out with missing='drop', or take a missing"
        " value as a state of its own with missing='state'"
    )


def check_values(source: Source, encoders: list[ColumnEncoder], n_rows: int) -> None:
    """Raise DataError when a value is rejected, or there are more values than codes."""
    for name, encoder in zip(source.names, encoders, strict=True):
        if encoder.rejected is not None:
            objection, row = encoder.rejected
            place = source.places([row])[0]
            raise DataError(f"{source.where}, {place}, column {shown(name)}: {objection}")
    if any(encoder.overflows for encoder in encoders):
        names = [
            name for name, encoder in zip(source.names, encoders, strict=True) if encoder.overflows
        ]
        labels = [canonical_labels(e.texts) for e in encoders if e.overflows]
        advice = (
            "cut them into bins with discretize='equal-frequency'"
            if all(numeric and has_many_values(texts, n_rows) for texts, numeric in labels)
            else "leave such columns out"
        )
        raise DataError(
            f"{source.where}: more than {MAX_STATES:,} distinct values in"
            f" column{'s' if len(names) > 1 else ''} {listed(names)}; {advice}"
        )
