"""Measured rows as CSV files; all rows of a file have the same columns."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["RESULTS", "read_rows", "write_rows"]

#: Where the measured figures are kept.
RESULTS = Path(__file__).resolve().parent / "results"


def write_rows(path: Path, rows: Iterable[Mapping[str, object]]) -> int:
    """Write rows as they come, each at once; return how many.

    Raises
    ------
    ValueError
        When a row has a column that the first one does not have.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with path.open("w", newline="", encoding="utf-8") as lines:
        writer: csv.DictWriter[str] | None = None
        for row in rows:
            if writer is None:
                writer = csv.DictWriter(lines, list(row), lineterminator="\n")
                writer.writeheader()
            writer.writerow({name: "" if value is None else value for name, value in row.items()})
            lines.flush()
            written += 1
    return written


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file, as text; none when there is no file."""
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))
