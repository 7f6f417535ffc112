"""What the user should know about data that can be used."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from ..exceptions import DataWarning
from .labels import listed, shown

__all__ = ["constant_note", "dropped_note", "question_mark_note", "warn_user"]


def dropped_note(n_dropped: int, n_rows: int) -> str:
    """Say how many rows were left out."""
    verbs = ("lacks", "is") if n_dropped == 1 else ("lack", "are")
    return f"{n_dropped:,} of {n_rows:,} rows {verbs[0]} a value and {verbs[1]} left out"


def constant_note(names: Sequence[str]) -> str:
    """Say which columns have only one value."""
    if len(names) == 1:
        return f"column {shown(names[0])} has only one value: it stays isolated in every network"
    return f"columns {listed(names)} have only one value: they stay isolated in every network"


def question_mark_note(names: Sequence[str]) -> str:
    """Say in which columns a question mark, which often means no value, counts as one."""
    columns = f"column{'s' if len(names) > 1 else ''} {listed(names)}"
    return (
        f"{columns}: '?' counts as a value; if it means that one is missing, name it in "
        "missing_values"
    )


def warn_user(where: str, notes: Sequence[str]) -> None:
    """Issue each note as a warning, at the line that called `as_dataset` or its like."""
    for note in notes:
        warnings.warn(f"{where}: {note}", DataWarning, stacklevel=4)
