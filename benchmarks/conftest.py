"""Where the data sets of the paper are, for the benchmarks."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_file() -> Callable[[str], Path]:
    """Return a function from a data set's name to its file, which skips when there is none."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    directory = Path(os.environ.get("CREDIBLENET_DATA", beside))

    def find(name: str) -> Path:
        path = directory / f"{name}.csv"
        if not path.is_file():
            pytest.skip(
                f"there is no {path}: put the data sets of the paper in ../shared/data or say "
                "where they are with CREDIBLENET_DATA"
            )
        return path

    return find
