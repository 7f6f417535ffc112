"""Sets counted and seconds against the number of variables, the number of rows, and epsilon."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import matplotlib

from ..fitting import fit_exponential, fit_power
from ..paper.published import data_path
from .measure import Task, run
from .results import FOLDER, read_rows, store_row

__all__ = ["AXES", "RESULTS", "draw", "exponents", "measure_growth"]

RESULTS = FOLDER / "scores-growth.csv"
LEVEL = math.log(20)

Axis = Literal["variables", "rows", "epsilon"]


@dataclass(frozen=True)
class Series:
    """One line of the picture: a data set, and the values that one quantity takes."""

    axis: Axis
    file: str
    values: tuple[float, ...]

    def tasks(self) -> Iterator[tuple[float, Task]]:
        """Yield each value with what is to be scored; BIC, a Bayes factor of 20 elsewhere."""
        whole = Task(str(data_path(self.file)), "bic", LEVEL, threads=1)
        for value in self.values:
            if self.axis == "variables":
                yield value, replace(whole, columns=int(value))
            elif self.axis == "rows":
                yield value, replace(whole, rows=int(value))
            else:
                yield value, replace(whole, epsilon=value)


def halving(last: int, steps: int) -> tuple[float, ...]:
    """Return a number, half of it, and so on, the smallest first.

    >>> halving(100, 2)
    (25.0, 50.0, 100.0)
    """
    return tuple(float(last // 2**k) for k in range(steps, -1, -1))


EPSILONS = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
SERIES = (
    Series("variables", "alarm1000", (8, 12, 16, 20, 24, 28, 32, 37)),
    Series("variables", "hailfinder500", (12, 16, 20, 26, 32, 40, 48, 56)),
    Series("variables", "bands", (8, 12, 16, 20, 24, 28, 32, 36)),
    Series("rows", "letter", halving(20_000, 7)),
    Series("rows", "adult", halving(30_162, 8)),
    Series("rows", "nltcs", halving(3_236, 5)),
    Series("epsilon", "wine", EPSILONS),
    Series("epsilon", "alarm1000", EPSILONS),
    Series("epsilon", "horse", EPSILONS),
)
AXES: dict[Axis, str] = {
    "variables": "variables (the first n columns)",
    "rows": "rows (the first N rows)",
    "epsilon": "ε (nats)",
}


def measure_growth(path: Path = RESULTS) -> None:
    """Measure every point that is not in the file yet."""
    keys = ("axis", "file", "value")
    known = {tuple(row[key] for key in keys) for row in read_rows(path)}
    for series in SERIES:
        for value, task in series.tasks():
            about = {"axis": series.axis, "file": series.file, "value": f"{value:g}"}
            if tuple(about.values()) in known:
                continue
            row = {**about, **asdict(run(task))}
            store_row(path, keys, row)
            print(f"{series.file} {series.axis} {value:g}: {row['joint_sets']:,} sets", flush=True)


def points(axis: Axis, file: str, path: Path = RESULTS) -> list[dict[str, float]]:
    """Return what was measured of one line, in order."""
    rows = [row for row in read_rows(path) if (row["axis"], row["file"]) == (axis, file)]
    columns = ("value", "joint_sets", "candidates", "cpu")
    return sorted(
        ({name: float(row[name]) for name in columns} for row in rows),
        key=lambda point: point["value"],
    )


def exponents(path: Path = RESULTS) -> dict[tuple[Axis, str], tuple[float, float]]:
    """Return how sets and seconds grow along each line, by least squares.

    Along variables and rows: the power b of n^b or N^b. Along epsilon: the factor per nat.
    Points of less than 10 ms do not count for the seconds, as most of that is the start.
    """
    fitted: dict[tuple[Axis, str], tuple[float, float]] = {}
    for series in SERIES:
        line = points(series.axis, series.file, path)
        timed = [point for point in line if point["cpu"] >= 0.01]
        fitted[series.axis, series.file] = (
            slope(series.axis, line, "joint_sets"),
            slope(series.axis, timed, "cpu"),
        )
    return fitted


def slope(axis: Axis, line: Sequence[dict[str, float]], name: str) -> float:
    """Return the power, or along epsilon the factor per nat; not a number for too few points."""
    x = [point["value"] for point in line]
    y = [point[name] for point in line]
    if axis == "epsilon":
        rate = fit_exponential(x, y)
        return math.nan if rate is None else math.exp(rate.exponent)
    power = fit_power(x, y)
    return math.nan if power is None else power.exponent


def draw(target: Path, path: Path = RESULTS) -> None:
    """Draw sets counted and, dotted, candidates (above), and seconds (below)."""
    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, grid = pyplot.subplots(2, 3, figsize=(10, 6), layout="constrained", sharex="col")
    fitted = exponents(path)
    for column, (axis, label) in enumerate(AXES.items()):
        for series in SERIES:
            line = points(axis, series.file, path)
            if series.axis != axis or not line:
                continue
            x = [point["value"] for point in line]
            for row, (name, fit) in enumerate(
                zip(("joint_sets", "cpu"), fitted[axis, series.file], strict=True)
            ):
                power = f"×{fit:.2f} per nat" if axis == "epsilon" else f"power {fit:.1f}"
                text = series.file if math.isnan(fit) else f"{series.file}, {power}"
                (drawn,) = grid[row][column].plot(
                    x, [point[name] for point in line], "o-", markersize=3, label=text
                )
            candidates = [point["candidates"] for point in line]
            grid[0][column].plot(x, candidates, ":", color=drawn.get_color())
        for row, name in enumerate(("sets counted; dotted: candidates", "CPU seconds")):
            axes = grid[row][column]
            axes.set_yscale("log")
            if axis != "epsilon":
                axes.set_xscale("log")
            if axis == "variables":
                axes.set_xticks([8, 16, 32, 56], ["8", "16", "32", "56"])
                axes.minorticks_off()
            axes.legend(frameon=False, fontsize="x-small")
            axes.grid(alpha=0.3)
            if column == 0:
                axes.set_ylabel(name)
        grid[1][column].set_xlabel(label)
    target.parent.mkdir(parents=True, exist_ok=True)
    # No date and no version in the file: the same figures give the same bytes.
    figure.savefig(target, dpi=110, metadata={"Software": None})
    pyplot.close(figure)
