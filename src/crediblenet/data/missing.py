"""Missing values: say where they are, drop their rows, or make them a state."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .encoding import ColumnEncoder
from .labels import listed, shown
from .sources import Source

__all__ = ["missing_label", "missing_message"]

_COLUMNS_SHOWN = 5


def missing_message(
    source: Source, encoders: Sequence[ColumnEncoder], n_rows: int, n_incomplete: int
) -> str:
    """Say how many values are missing, where the first ones are, and the ways out."""
    total = sum(encoder.n_missing for encoder in encoders)
    affected = [
        (name, encoder)
        for name, encoder in zip(source.names, encoders, strict=True)
        if encoder.n_missing
    ]
    parts = []
    for name, encoder in affected[:_COLUMNS_SHOWN]:
        places = source.places(encoder.missing_rows)
        kind = places[0].partition(" ")[0]
        numbers = ", ".join(place.partition(" ")[2] for place in places)
        more = ", ..." if encoder.n_missing > len(places) else ""
        plural = "s" if len(places) > 1 or more else ""
        parts.append(f"column {shown(name)} {encoder.n_missing:,} ({kind}{plural} {numbers}{more})")
    if len(affected) > _COLUMNS_SHOWN:
        parts.append(f"{len(affected) - _COLUMNS_SHOWN:,} more columns")
    values = "1 missing value" if total == 1 else f"{total:,} missing values"
    message = (
        f"{source.where}: {values} in {n_incomplete:,} of {n_rows:,} rows:"
        f" {'; '.join(parts)}. Leave these rows out with missing='drop', or take a missing value"
        " as a state of its own with missing='state'"
    )
    spellings = sorted({text for _, encoder in affected for text in encoder.missing_spellings})
    if spellings:
        message += f"; if {listed(spellings)} is a value like any other, declare it with states="
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
