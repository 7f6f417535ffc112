"""Memory depends on the distinct rows, not on the rows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from crediblenet.data import as_dataset

N_COLUMNS = 20
MEASURE = """
import resource, sys
from crediblenet.data import as_dataset
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
data = as_dataset(sys.argv[1])
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(data.n_rows, data.n_distinct, after - before)
"""


def write_rows(path: Path, n_rows: int, n_distinct: int) -> None:
    """Write the same distinct rows again and again."""
    random = np.random.default_rng(5)
    text = np.full((n_distinct, 2 * N_COLUMNS), ord(","), np.uint8)
    text[:, ::2] = random.integers(ord("0"), ord("4"), (n_distinct, N_COLUMNS))
    text[:, -1] = ord("\n")
    with path.open("wb") as file:
        file.write(",".join(f"X{k}" for k in range(N_COLUMNS)).encode() + b"\n")
        for _ in range(n_rows // n_distinct):
            file.write(text.tobytes())


def megabytes_to_read(path: Path, n_rows: int, n_distinct: int) -> float:
    """Return by how much the peak of memory grows when a process reads a file."""
    result = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True
    )
    found_rows, found_distinct, kilobytes = map(int, result.stdout.split())
    assert (found_rows, found_distinct) == (n_rows, n_distinct)
    return kilobytes / 1024


def test_memory_is_bounded(tmp_path: Path) -> None:
    """Four times the rows take no more memory.

    Holding them would take 57 MB more as codes of two bytes, and far more as texts.
    """
    path = tmp_path / "data.csv"
    write_rows(path, 500_000, 1_000)
    few = megabytes_to_read(path, 500_000, 1_000)
    write_rows(path, 2_000_000, 1_000)
    many = megabytes_to_read(path, 2_000_000, 1_000)
    assert many < few + 50


def test_more_rows_than_are_held(tmp_path: Path) -> None:
    """Rows that are collapsed in several rounds are all counted."""
    path = tmp_path / "data.csv"
    write_rows(path, 2_400_000, 60_000)
    data = as_dataset(path)
    assert data.n_rows == 2_400_000
    assert data.n_distinct == 60_000
    assert set(data.weights.tolist()) == {40}
