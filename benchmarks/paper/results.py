"""Measured figures: a CSV file that grows by one row per finished job."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Literal

from .jobs import BAYES_FACTORS, Job

__all__ = ["Results", "Row"]

#: A row: column name to text, as in the file.
Row = dict[str, str]

JOB_COLUMNS = tuple(field.name for field in fields(Job))
FIGURES = (
    "status",
    "reason",
    "n",
    "rows",
    "candidates",
    "largest_candidate",
    "scores_wall",
    "scores_cpu",
    "bounds_wall",
    "enumeration_wall",
    "search_wall",
    "search_cpu",
    "classes_wall",
    "classes_cpu",
    "networks",
    "classes",
    "collider_patterns",
    "epsilon",
    "last_levels",
    "optimal_cost",
    "complete",
    "stopped_by",
    "gap",
    "nodes",
    "share_done",
    "peak_memory_mb",
    "total_wall",
    "time_limit",
    "load",
    "version",
    "measured",
)
COLUMNS = (*JOB_COLUMNS, *FIGURES)


class Results:
    """The rows of one file; the last row of a job is the one that counts.

    Parameters
    ----------
    path
        The file; made with the first row.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows: dict[tuple[str, ...], Row] = {}
        self._has_columns = False
        if path.is_file():
            with path.open(newline="", encoding="utf-8") as lines:
                reader = csv.DictReader(lines)
                for row in reader:
                    self._rows[tuple(row[name] for name in JOB_COLUMNS)] = complete_row(row)
                self._has_columns = reader.fieldnames == list(COLUMNS)

    def get(self, job: Job) -> Row | None:
        """Return the row of a job, None when it was not run."""
        return self._rows.get(job.key)

    def of(self, jobs: Iterable[Job]) -> list[Row]:
        """Return the rows of those jobs that were run."""
        return [row for row in map(self.at_least, jobs) if row is not None]

    def at_least(self, job: Job) -> Row | None:
        """Return the row of a job; of one that did not end, with the best bound on its networks.

        What lies within a smaller Bayes factor lies within a larger one, too.
        """
        row = self.get(job)
        if row is None or row["complete"] == "yes" or job.request != "bayes_factor":
            return row
        smaller = (
            self.get(replace(job, value=value)) for value in BAYES_FACTORS if value < job.value
        )
        counts = [int(other["networks"]) for other in smaller if other and other["networks"]]
        most = max([int(row["networks"] or 0), *counts])
        return row | {"networks": str(most)} if most else row

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows.values())

    def append(self, job: Job, figures: Mapping[str, Any]) -> None:
        """Add the row of a finished job, to the file at once."""
        unknown = set(figures) - set(FIGURES)
        if unknown:
            raise ValueError(f"no columns for {', '.join(sorted(unknown))}")
        values = job.to_record() | dict(figures)
        row = complete_row({name: text(value) for name, value in values.items()})
        if not self._has_columns:
            # A new file, or one of an earlier version with fewer columns.
            self._write(self._rows.values(), "w")
        self._write([row], "a")
        self._rows[job.key] = row

    def _write(self, rows: Iterable[Row], mode: Literal["w", "a"]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open(mode, newline="", encoding="utf-8") as lines:
            writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
            if mode == "w":
                writer.writeheader()
            writer.writerows(rows)
        self._has_columns = True


def complete_row(row: Row) -> Row:
    """Return a row with every column, in their order; empty where nothing is known."""
    return {name: row.get(name) or "" for name in COLUMNS}


def text(value: Any) -> str:
    """Return a value as it is written."""
    return "" if value is None else str(value)
