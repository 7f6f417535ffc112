"""Reading ten million rows of twenty columns: time and memory, the answer asserted.

The rows are random with skewed columns, so that about half of them are distinct, and again
with uniform columns, so that nearly all are: the worst case for collapsing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

N_ROWS = 10_000_000
N_COLUMNS = 20
BATCH = 500_000
READ = """
import json, resource, sys, time
from crediblenet.data import as_dataset
start, cpu_start = time.perf_counter(), time.process_time()
data = as_dataset(sys.argv[1])
seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
counts = [[int(data.weights[row == code].sum()) for code in range(4)] for row in data.codes]
print(json.dumps({"rows": data.n_rows, "distinct": data.n_distinct, "counts": counts,
                  "seconds": seconds, "cpu_seconds": cpu_seconds, "peak_mb": peak}))
"""


def batches(probabilities: list[float]) -> list[NDArray[np.uint8]]:
    """Return the values 0 to 3 of all rows, some rows at a time."""
    random = np.random.default_rng(2024)
    edges = np.cumsum(np.array(probabilities) * 256)[:-1].astype(np.uint8)
    return [
        np.searchsorted(
            edges, random.integers(0, 256, (BATCH, N_COLUMNS), np.uint8), side="right"
        ).astype(np.uint8)
        for _ in range(N_ROWS // BATCH)
    ]


def write_csv(path: Path, values: list[NDArray[np.uint8]]) -> None:
    """Write rows as CSV with a header line."""
    text = np.full((BATCH, 2 * N_COLUMNS), ord(","), np.uint8)
    text[:, -1] = ord("\n")
    with path.open("wb") as file:
        file.write(",".join(f"X{k}" for k in range(N_COLUMNS)).encode() + b"\n")
        for batch in values:
            text[:, ::2] = batch + ord("0")
            file.write(text.tobytes())


@pytest.mark.parametrize(
    ("name", "probabilities", "cpu_seconds", "megabytes"),
    [
        ("skewed", [0.75, 0.125, 0.0625, 0.0625], 30, 1200),
        ("uniform", [0.25, 0.25, 0.25, 0.25], 45, 2500),
    ],
)
def test_ten_million_rows(
    tmp_path: Path, name: str, probabilities: list[float], cpu_seconds: float, megabytes: float
) -> None:
    """The counts of every column are right; work and memory stay within bounds."""
    path = tmp_path / "rows.csv"
    values = batches(probabilities)
    write_csv(path, values)
    # Two bits per column: a row is one number, and distinct rows are distinct numbers.
    shifts = np.arange(0, 2 * N_COLUMNS, 2, dtype=np.uint64)
    keys = np.concatenate([(batch.astype(np.uint64) << shifts).sum(axis=1) for batch in values])
    n_distinct = len(np.unique(keys))
    counts = sum(
        np.stack([np.bincount(column, minlength=4) for column in batch.T]) for batch in values
    )
    del values, keys
    result = subprocess.run(
        [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True
    )
    found = json.loads(result.stdout)
    print(
        f"{name}: {found['seconds']:.1f} s ({found['cpu_seconds']:.1f} s of CPU),"
        f" {found['peak_mb']:.0f} MB,"
        f" {found['distinct']:,} distinct rows"
    )
    assert found["rows"] == N_ROWS
    assert found["distinct"] == n_distinct
    assert found["counts"] == np.asarray(counts).tolist()
    # Of CPU, which other work on the machine does not lengthen.
    assert found["cpu_seconds"] < cpu_seconds
    assert found["peak_mb"] < megabytes
