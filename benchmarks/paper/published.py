"""Where the data sets are, and the figures of the paper and of its program."""

from __future__ import annotations

import csv
import os
from functools import cache
from pathlib import Path
from typing import Literal

__all__ = ["MissingFilesError", "data_directory", "data_path", "read_table"]

ROOT = Path(__file__).resolve().parents[2]


class MissingFilesError(Exception):
    """The data sets or the published tables are not where they are looked for."""


def data_directory() -> Path:
    """Return the folder of the data sets.

    Raises
    ------
    MissingFilesError
        When there is no such folder.
    """
    return _directory("CREDIBLENET_DATA", ROOT.parent / "shared" / "data", "the data sets")


def data_path(file: str) -> Path:
    """Return the file of one data set.

    Raises
    ------
    MissingFilesError
        When it is not there.
    """
    path = data_directory() / f"{file}.csv"
    if not path.is_file():
        raise MissingFilesError(f"there is no {path}")
    return path


@cache
def read_table(name: Literal["table1", "table2", "peer"]) -> tuple[dict[str, str], ...]:
    """Return a published table, line by line: column name to text.

    Raises
    ------
    MissingFilesError
        When it is not there.
    """
    beside_data = data_directory().parent / "expected"
    folder = _directory("CREDIBLENET_EXPECTED", beside_data, "the figures of the paper")
    path = folder / f"{name}.csv"
    if not path.is_file():
        raise MissingFilesError(f"there is no {path}")
    with path.open(newline="", encoding="utf-8") as lines:
        return tuple(csv.DictReader(lines))


def _directory(variable: str, usual: Path, what: str) -> Path:
    """Return a folder that an environment variable names, or the usual one."""
    folder = Path(os.environ.get(variable) or usual)
    if not folder.is_dir():
        raise MissingFilesError(
            f"there is no {folder}: put {what} there, or name their folder with {variable}"
        )
    return folder
