"""A core that knows node sets of one word only, against the one that chooses the width.

Both are the same sources; one is built with a CREDIBLENET_MOST_WORDS of 1, which leaves
`with_width` of cpp/types.h nothing to choose. So the ratio of their times is what choosing the
width when a run begins costs up to 64 variables.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import crediblenet

from ..markdown import table

__all__ = ["compare", "describe"]

ROOT = Path(__file__).parents[2]
#: The two cores are measured in turn, so often.
TURNS = 5

_MEASURE = """
import json, sys
from benchmarks.width.runs import DATA, measure
print(json.dumps({file: measure(file, parents, 64) for file, parents in DATA.items()}))
"""


def build(place: Path) -> None:
    """Put a package with such a core into a directory."""
    options = ["-DCREDIBLENET_MOST_WORDS=1", f"-DPython_EXECUTABLE={sys.executable}"]
    built = place / "built"
    subprocess.run(["cmake", "-S", ROOT, "-B", built, *options], check=True)
    subprocess.run(["cmake", "--build", built, "--target", "_core"], check=True)
    package = Path(crediblenet.__file__).parent
    without_core = shutil.ignore_patterns("_core*.so", "__pycache__")
    shutil.copytree(package, place / "crediblenet", ignore=without_core)
    (core,) = built.glob("_core*.so")
    shutil.copy(core, place / "crediblenet")


def compare() -> Iterator[dict[str, object]]:
    """Yield a row per data set: medians of CPU seconds of both cores.

    Raises
    ------
    AssertionError
        When they do not find the same.
    """
    with TemporaryDirectory() as name:
        place = Path(name)
        build(place)
        packages = {"chosen": Path(crediblenet.__file__).parents[1], "only_one": place}
        seen: list[tuple[str, str, dict[str, Any]]] = []
        for _ in range(TURNS):
            for core, package in packages.items():
                figures = measured_with(package)
                seen += [(core, file, row) for file, row in figures.items()]
    for file in dict.fromkeys(file for _, file, _ in seen):
        rows = {core: [r for c, f, r in seen if (c, f) == (core, file)] for core in packages}
        answers = {(r["candidates"], r["networks"]) for both in rows.values() for r in both}
        assert len(answers) == 1, (file, answers)
        yield {
            "data": file,
            **{
                f"{stage}_{core}": round(statistics.median(r[stage] for r in rows[core]), 4)
                for stage in ("scores", "search")
                for core in packages
            },
        }


def measured_with(package: Path) -> dict[str, dict[str, Any]]:
    """Measure all data sets in a process that imports the package from a directory."""
    environment = {**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{ROOT}"}
    said = subprocess.run(
        [sys.executable, "-c", _MEASURE],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return dict(json.loads(said))


def describe(rows: list[dict[str, str]]) -> str:
    """Return a table of both, and the ratio of the core that chooses to the other one."""
    lines = []
    for row in rows:
        cells = [row["data"]]
        for stage in ("scores", "search"):
            chosen, only = row[f"{stage}_chosen"], row[f"{stage}_only_one"]
            cells += [chosen, only, f"{float(chosen) / float(only):.2f}"]
        lines.append(cells)
    head = ["data"]
    for stage in ("scores", "search"):
        head += [f"{stage}, width chosen, CPU s", "one word only", "ratio"]
    return table(head, lines)
