"""The same data at several widths, and a table of what each takes."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import crediblenet as cn

from ..answers import same_answers
from ..isolated import run_isolated
from ..markdown import table
from ..paper.published import data_path

__all__ = ["compare", "describe_raw", "measure", "raw", "render"]

#: Data sets of the paper, with the limit on the parents that keeps a run to seconds.
DATA = {"hepatitis": 3, "alarm1000": 2, "hailfinder500": 2}
#: One more variable makes two words of one; nearly nothing else changes.
COLUMNS = {1: 64, 2: 65}
REPEATS = 5


def compare() -> Iterator[dict[str, object]]:
    """Yield a row per data set and width; AssertionError when a width changes what is found."""
    return same_answers(_rows(), ["data"], ["candidates", "networks"])


def _rows() -> Iterator[dict[str, object]]:
    for file, parents in DATA.items():
        for words, columns in COLUMNS.items():
            figures = run_isolated(measure, 600, file=file, parents=parents, columns=columns)
            yield {"data": file, "words": words, **figures}


def measure(file: str, parents: int, columns: int) -> dict[str, Any]:
    """Score and search with one thread; the median of CPU seconds, and what was found."""
    whole = cn.as_dataset(data_path(file), header=False)
    codes = np.repeat(whole.codes, whole.weights, axis=1).T
    constant = np.zeros((len(codes), columns - codes.shape[1]), dtype=codes.dtype)
    data = cn.as_dataset(np.hstack([codes, constant]), many_values="keep")
    spent: dict[str, list[float]] = {"scores": [], "search": []}
    for _ in range(REPEATS):
        began = time.process_time()
        scored = cn.score(data, max_parents=parents, bayes_factor=3, threads=1)
        between = time.process_time()
        found = cn.find(scored, bayes_factor=3, threads=1)
        spent["scores"].append(between - began)
        spent["search"].append(time.process_time() - between)
    return {
        "candidates": len(scored) - constant.shape[1],
        "networks": str(found.n_networks),
        **{stage: round(statistics.median(times), 4) for stage, times in spent.items()},
    }


def raw() -> Iterator[dict[str, object]]:
    """Yield nanoseconds per set in a loop over sets of one word, and over plain integers."""
    here = Path(__file__).parent
    with TemporaryDirectory() as place:
        program = Path(place) / "raw"
        options = ["-std=c++20", "-O3", f"-I{here.parents[1] / 'cpp'}"]
        subprocess.run(["c++", *options, here / "raw.cpp", "-o", program], check=True)
        said = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    one_word, integers = said.split()
    yield {"one_word": one_word, "integers": integers}


def describe_raw(rows: list[dict[str, str]]) -> str:
    """Say what the loop took."""
    if not rows:
        return "not measured yet"
    row = rows[0]
    return (
        f"a loop over sets takes {float(row['one_word']):.1f} ns per set, and the same loop over "
        f"plain 64-bit integers {float(row['integers']):.1f} ns"
    )


def render(rows: list[dict[str, str]]) -> str:
    """Return a table of CPU seconds and their ratio to one word."""
    rows = [row for row in rows if not row.get("failed")]
    one = {row["data"]: row for row in rows if row["words"] == "1"}
    lines = []
    for row in rows:
        cells = [row["data"], row["words"], row["candidates"], row["networks"]]
        for stage in ("scores", "search"):
            ratio = float(row[stage]) / float(one[row["data"]][stage])
            cells += [row[stage], f"{ratio:.2f}"]
        lines.append(cells)
    head = ["data", "words", "candidates", "networks", "scores, CPU s", "ratio"]
    return table([*head, "search, CPU s", "ratio"], lines)
