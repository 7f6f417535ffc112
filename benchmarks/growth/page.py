"""How it grows, as Markdown and as a picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import matplotlib

from ..fitting import Fit, fit_exponential, fit_power
from ..markdown import count, table
from ..rows import read_rows
from .runs import SAMPLED

__all__ = ["draw", "render"]

Row = dict[str, str]
Fitter = Callable[[Sequence[float], Sequence[float]], Fit | None]

#: Series, its column, its name, how it is fitted, and how the exponent is written.
GROWING: tuple[tuple[str, str, str, Fitter, str], ...] = (
    ("variables", "n", "the number of variables n", fit_power, "n^{}"),
    ("rows", "n_rows", "the number of rows N", fit_power, "N^{}"),
    ("epsilon", "epsilon", "ε", fit_exponential, "e^({} ε)"),
)
#: What is measured, and how it is called.
MEASURED = {
    "scores_cpu": "scores, CPU s",
    "search_cpu": "search, CPU s",
    "nodes": "nodes",
    "peak_memory_mb": "peak memory, MB",
}
#: A figure below this is not told apart from nothing, and cannot be fitted.
LEAST = {"scores_cpu": 0.002, "search_cpu": 0.002, "nodes": 1, "peak_memory_mb": 1}


def render(path: Path, picture: Path) -> str:
    """Return the section from the rows in a file; draws the picture that it shows."""
    rows = read_rows(path)
    if not rows:
        return "Not measured yet."
    draw(rows, picture)
    parts = [
        f"![Seconds, nodes and memory against variables, rows and epsilon](images/{picture.name})",
        f"Fitted by least squares of logarithms, to {completed(rows)}; in brackets the share of "
        "the variance that the fit explains. Peak memory includes the interpreter and its "
        "libraries; what is fitted is how much comes on top of them.",
        fits(rows),
    ]
    for series, column, name, _, _ in GROWING:
        parts += [f"### Against {name}", points(rows, series, column)]
    return "\n\n".join([*parts, "### Against the number of threads", threads(rows)])


def fits(rows: list[Row]) -> str:
    """Return the exponents: a line per series and data set."""
    lines = []
    for series, column, _, fit, form in GROWING:
        for data in data_sets(rows, series):
            own = [row for row in done(rows, series) if row["data"] == data]
            cells = []
            for figure in MEASURED:
                known = [row for row in own if fitted(row, figure) >= LEAST[figure]]
                found = fit(
                    [float(row[column]) for row in known], [fitted(row, figure) for row in known]
                )
                cells.append(
                    f"{form.format(f'{found.exponent:.2f}')} ({found.r_squared:.2f})"
                    if found
                    else ""
                )
            lines.append([f"{data}, {series}", *cells])
    return table(["data, what grows", *MEASURED.values()], lines)


def fitted(row: Row, figure: str) -> float:
    """Return a figure as it is fitted: memory without what is there before the data."""
    base = float(row["base_memory_mb"]) if figure == "peak_memory_mb" else 0.0
    return float(row[figure]) - base


def completed(rows: list[Row]) -> str:
    """Say which runs are fitted."""
    own = [row for row in rows if row["grows"] != "threads"]
    complete = sum(row["complete"] == "yes" for row in own)
    if complete == len(own):
        return f"all {complete} runs"
    return (
        f"the {complete} of {len(own)} runs that were complete (the hardest are missing, so that "
        "the exponents are rather too small)"
    )


def points(rows: list[Row], series: str, column: str) -> str:
    """Return the figures of a series; unfinished runs say so."""
    lines = []
    for row in rows:
        if row["grows"] != series:
            continue
        size = row[column] or row["variables" if series == "variables" else "rows"]
        name = f"{row['data']} {row['seed']}" if row["data"] == SAMPLED else row["data"]
        lines.append(
            [
                name,
                f"{float(size):,g}" if series == "epsilon" else count(size),
                count(row["candidates"]),
                count(row["networks"]),
                *(row[figure] for figure in ("scores_cpu", "search_cpu")),
                count(row["nodes"]),
                row["peak_memory_mb"],
                "no, in scores" if row["failed"] else row["complete"],
            ]
        )
    head = ["data", series, "candidates", "networks", *MEASURED.values(), "complete"]
    return table(head, lines)


def threads(rows: list[Row]) -> str:
    """Return seconds by the clock with one thread and with two."""
    by_problem: dict[tuple[str, float], dict[str, Row]] = {}
    for row in done(rows, "threads"):
        by_problem.setdefault((row["data"], float(row["epsilon"])), {})[row["threads"]] = row
    lines = []
    for (data, epsilon), runs in by_problem.items():
        if set(runs) != {"1", "2"}:
            continue
        one, two = runs["1"], runs["2"]
        cells = [f"{data}, BF {math.exp(epsilon):.0f}"]
        for stage in ("scores_wall", "search_wall"):
            faster = float(one[stage]) / max(1e-4, float(two[stage]))
            cells += [one[stage], two[stage], f"{faster:.2f}"]
        cells += [count(one["nodes"]), count(two["nodes"])]
        cells += [one["peak_memory_mb"], two["peak_memory_mb"]]
        lines.append(cells)
    head = ["data", "scores, 1 thread", "2 threads", "times faster"]
    head += ["search, 1 thread", "2 threads", "times faster"]
    head += ["nodes, 1 thread", "2 threads", "peak memory, MB, 1 thread", "2 threads"]
    return "Seconds by the clock.\n\n" + table(head, lines)


def draw(rows: list[Row], target: Path) -> None:
    """Draw seconds, nodes and memory against what grows, a line per data set."""
    matplotlib.use("agg")
    from matplotlib import pyplot

    shown = {"search_cpu": "CPU seconds", "nodes": "nodes", "peak_memory_mb": "memory, MB"}
    figure, grid = pyplot.subplots(
        len(shown), len(GROWING), figsize=(10, 8), layout="constrained", sharex="col"
    )
    # A data set has one colour in all panels.
    colours = {
        data: f"C{number}" for number, data in enumerate(dict.fromkeys(r["data"] for r in rows))
    }
    for across, (series, column, name, _, _) in enumerate(GROWING):
        for down, (measured, unit) in enumerate(shown.items()):
            axes = grid[down][across]
            for data in data_sets(rows, series):
                own = [row for row in done(rows, series) if row["data"] == data]
                x = [float(row[column]) for row in own]
                for column_shown, style in curves(measured) if own else ():
                    y = [max(LEAST[column_shown], float(row[column_shown])) for row in own]
                    label = f"{data}, {column_shown.partition('_')[0]}"
                    axes.plot(x, y, style, color=colours[data], label=label)
            axes.set_yscale("log")
            if series != "epsilon":
                axes.set_xscale("log")
            if down == len(shown) - 1:
                axes.set_xlabel(name)
            if across == 0:
                axes.set_ylabel(unit)
            if down == 0 and axes.get_legend_handles_labels()[0]:
                axes.legend(frameon=False, fontsize="x-small")
    target.parent.mkdir(parents=True, exist_ok=True)
    # No date and no version in the file: the same figures give the same bytes.
    figure.savefig(target, dpi=110, metadata={"Software": None})
    pyplot.close(figure)


def curves(measured: str) -> tuple[tuple[str, str], ...]:
    """Return the columns in a panel and their styles: search and scores share one."""
    if measured == "search_cpu":
        return (("search_cpu", "o"), ("scores_cpu", "x"))
    return ((measured, "o"),)


def data_sets(rows: Iterable[Row], series: str) -> list[str]:
    """Return the data sets of a series, in order of appearance."""
    return list(dict.fromkeys(row["data"] for row in rows if row["grows"] == series))


def done(rows: Iterable[Row], series: str) -> list[Row]:
    """Return the runs of a series that were complete."""
    return [row for row in rows if row["grows"] == series and row["complete"] == "yes"]
