"""What is run, and how late it ends."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..markdown import table
from ..scale.structures import draw

__all__ = ["DATA", "LIMITS", "LONG", "compare", "measure", "render"]

#: In seconds. The last is so long that two per cent of it are more than a second.
LIMITS = (1, 3, 10, 30, 60)
#: Few of the data are run with it.
LONGEST = 60

#: A command that keeps its limit ends within a second of it, or two per cent.
ALLOWED_SECONDS, ALLOWED_SHARE = 1.0, 0.02


def noise() -> NDArray[Any]:
    """Return few rows of many columns that have nothing to do with each other."""
    return np.random.default_rng(5).integers(0, 3, size=(60, 45))


#: Data and options, each with another stage that has no time to end.
DATA: Mapping[str, tuple[Callable[[], NDArray[Any]], tuple[str, ...]]] = {
    "45 columns of noise, any number of networks": (noise, ("--bayes-factor", "1e6")),
    "random, 100 variables": (
        lambda: draw("random, up to 3", 100, 1000, 1),
        ("--bayes-factor", "1e4", "--max-parents", "2"),
    ),
    "random, 200 variables": (
        lambda: draw("random, up to 2", 200, 1000, 1),
        ("--bayes-factor", "3", "--max-parents", "2"),
    ),
    "chest clinics, 200 variables": (
        lambda: draw("chest clinics", 200, 1000, 1),
        ("--bayes-factor", "3", "--max-parents", "2", "--score", "bdeu"),
    ),
    "grid, 400 variables, two parents": (
        lambda: draw("grid", 400, 1000, 1),
        ("--bayes-factor", "3", "--max-parents", "2"),
    ),
    "grid, 400 variables, three parents": (
        lambda: draw("grid", 400, 1000, 1),
        ("--bayes-factor", "3", "--max-parents", "3"),
    ),
}
#: These are also run with the longest limit: a search that it stops, and one that ends early but
#: finds so many different networks that exact averages would take longer than the search.
LONG = ("45 columns of noise, any number of networks", "random, 200 variables")


def compare() -> Iterator[dict[str, object]]:
    """Yield a row per data set and limit."""
    for name, (make, options) in DATA.items():
        for limit in LIMITS:
            if limit == LONGEST and name not in LONG:
                continue
            yield {"data": name, "limit": limit, **measure(make(), options, limit)}


def measure(codes: NDArray[Any], options: tuple[str, ...], limit: float) -> dict[str, Any]:
    """Run the command with all its files; seconds, processor seconds, and how it ended."""
    with TemporaryDirectory() as place:
        source, out = Path(place) / "data.csv", Path(place) / "run"
        header = ",".join(f"v{v}" for v in range(codes.shape[1]))
        np.savetxt(source, codes, fmt="%d", delimiter=",", header=header, comments="")
        command = [sys.executable, "-m", "crediblenet", "find", str(source), "--out", str(out)]
        command += [*options, "--time-limit", str(limit), "--many-values", "keep", "--quiet"]
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        paths = os.pathsep.join(part for part in sys.path if part)
        ended = subprocess.run(
            command, capture_output=True, check=False, env={**os.environ, "PYTHONPATH": paths}
        )
        seconds = time.monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        summary = out / "summary.json"
        about = json.loads(summary.read_text()) if summary.exists() else {}
    return {
        "seconds": round(seconds, 3),
        "cpu": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 3),
        "exit_code": ended.returncode,
        "stopped_by": about.get("stopped_by") or "",
        "networks": str(about.get("networks", "")),
        "said": ended.stderr.decode(errors="replace").strip().splitlines()[-1:] or [""],
    }


def is_kept(row: Mapping[str, str]) -> bool:
    """Tell whether a command ended in time."""
    limit = float(row["limit"])
    return float(row["seconds"]) <= limit + max(ALLOWED_SECONDS, ALLOWED_SHARE * limit)


def render(rows: list[dict[str, str]]) -> str:
    """Return a line per data set: how many seconds after each limit it ended."""
    if not rows:
        return "Not measured yet."
    by_data: dict[str, dict[str, str]] = {}
    for row in rows:
        late = float(row["seconds"]) - float(row["limit"])
        words = f"{late:+.2f}" if is_kept(row) else f"**{late:+.2f}**"
        by_data.setdefault(row["data"], {})[row["limit"]] = words + (
            "" if row["networks"] else ", no network yet"
        )
    head = ["data", *(f"limit {limit} s" for limit in LIMITS)]
    return table(
        head,
        [[name, *(late.get(str(limit), "") for limit in LIMITS)] for name, late in by_data.items()],
    )
