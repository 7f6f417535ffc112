"""What several test modules need: where the data sets are, and which seeds to try."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest


def find_data_directory() -> Path | None:
    """Return where the data sets of the paper are, or None."""
    named = os.environ.get("CREDIBLENET_DATA")
    if named:
        return Path(named)
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return beside if beside.is_dir() else None


@pytest.fixture(scope="session")
def data_file() -> Callable[[str], Path]:
    """Return a function from a data set's name to its file, which skips when there is none."""
    directory = find_data_directory()

    def find(name: str) -> Path:
        if directory is None:
            pytest.skip(
                "the data sets of the paper are not here: put them in ../shared/data "
                "or say where they are with CREDIBLENET_DATA"
            )
        path = directory / f"{name}.csv"
        if not path.is_file():
            pytest.skip(f"there is no {path}")
        return path

    return find
