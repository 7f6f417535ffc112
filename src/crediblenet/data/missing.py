"""Missing values: count them, say where they are, give them a state."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from .labels import listed, shown

__all__ = ["MissingValues", "missing_label", "missing_message"]

_COLUMNS_SHOWN = 5
_ROWS_KEPT = 3


class MissingValues:
    """The missing values of one column: how many, and where the first ones are."""

    def __init__(self) -> None:
        self.count = 0
        #: The first rows that lack the value.
        self.rows: list[int] = []
        #: The texts, other than an empty one, that were taken for a missing value.
        self.spellings: list[str] = []

    def add(self, is_missing: NDArray[np.bool_], first_row: int) -> None:
        """Take note of a batch whose first row has this number."""
        count = int(np.count_nonzero(is_missing))
        if count:
            self.count += count
            room = _ROWS_KEPT - len(self.rows)
            self.rows += (np.flatnonzero(is_missing)[:room] + first_row).tolist()


def missing_message(
    names: Sequence[str],
    columns: Sequence[MissingValues],
    places: Callable[[Sequence[int]], list[str]],
    n_incomplete: int,
    n_rows: int,
) -> str:
    """Say how many values are missing, and where the first ones are.

    Parameters
    ----------
    names, columns
        The columns and what each lacks.
    places
        Returns where rows are: "line 7" or "row 5".
    n_incomplete, n_rows
        How many rows lack a value, and how many there are.
    """
    affected = [(n, column) for n, column in zip(names, columns, strict=True) if column.count]
    parts = []
    for name, column in affected[:_COLUMNS_SHOWN]:
        where = places(column.rows)
        kind = where[0].partition(" ")[0] + ("s" if column.count > 1 else "")
        numbers = ", ".join(place.partition(" ")[2] for place in where)
        more = ", ..." if column.count > len(where) else ""
        parts.append(f"column {shown(name)} {column.count:,} ({kind} {numbers}{more})")
    if len(affected) > _COLUMNS_SHOWN:
        parts.append(f"{len(affected) - _COLUMNS_SHOWN:,} more columns")
    total = sum(column.count for column in columns)
    values = "1 missing value" if total == 1 else f"{total:,} missing values"
    message = f"{values} in {n_incomplete:,} of {n_rows:,} rows: {'; '.join(parts)}"
    spellings = sorted({text for _, column in affected for text in column.spellings})
    if spellings:
        message += f"; {listed(spellings)} means missing, unless states= declares it a value"
    return message


def missing_label(states: Collection[str]) -> str:
    """Return a label for the missing value that no state has yet.

    Examples
    --------
    >>> missing_label(("low", "high")), missing_label(("missing",))
    ('missing', 'missing 2')
    """
    label, k = "missing", 2
    while label in states:
        label, k = f"missing {k}", k + 1
    return label
