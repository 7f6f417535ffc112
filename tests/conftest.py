"""What several test modules need: where the data sets are, and which seeds to try."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from distributed import Client, LocalCluster


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


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """Two worker processes, which are replaced when they die."""
    from clusters import two_workers

    with two_workers() as started:
        yield started


@pytest.fixture(scope="module")
def client(cluster: LocalCluster) -> Iterator[Client]:
    """Return a connection to the cluster."""
    from distributed import Client

    with Client(cluster, set_as_default=False) as connection:
        yield connection


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Split small tables here as the workers do."""
    import small_attempts

    for name, value in small_attempts.CONSTANTS.items():
        monkeypatch.setattr(name, value)
