"""Measured figures in a CSV file; a row that is measured again replaces the old one."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["FOLDER", "read_rows", "store_row"]

FOLDER = Path(__file__).resolve().parents[1] / "results"


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file; none, where there is no file."""
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def store_row(path: Path, keys: Sequence[str], row: Mapping[str, object]) -> None:
    """Put a row in the place of the one with the same keys, or at the end."""
    new = {name: "" if value is None else str(value) for name, value in row.items()}
    rows = read_rows(path)
    places = [k for k, old in enumerate(rows) if all(old.get(key) == new[key] for key in keys)]
    if places:
        rows[places[0]] = new
    else:
        rows.append(new)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, list(new), lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
