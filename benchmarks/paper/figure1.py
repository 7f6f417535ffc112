"""Figure 1 of the paper: how far from the optimum the k-th best network is."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import matplotlib
import numpy as np
from numpy.typing import NDArray

from .jobs import BAYES_FACTORS, SIZES, Job, table2_jobs

__all__ = ["draw", "figure1_jobs", "read_levels", "write_levels"]

NETWORKS = max(SIZES)

Levels = Sequence[tuple[float, int]]


def figure1_jobs() -> Iterator[Job]:
    """Yield the jobs that the figure needs; they are jobs of Table 2, too."""
    return (job for job in table2_jobs() if job.request == "k" and job.value == NETWORKS)


def write_levels(folder: Path, file: str, levels: Levels) -> None:
    """Save the distances from the optimum and how many networks are at each."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{file}.csv").open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["epsilon", "networks"])
        writer.writerows((f"{epsilon:.9g}", networks) for epsilon, networks in levels)


def read_levels(path: Path) -> NDArray[np.float64]:
    """Return the distance of each of the best networks, the best one first."""
    with path.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    distances = [float(row["epsilon"]) for row in rows]
    # Ties beyond the last rank can be any number of networks.
    counts = [min(int(row["networks"]), NETWORKS) for row in rows]
    return np.repeat(distances, counts)[:NETWORKS]


def draw(folder: Path, target: Path) -> list[str]:
    """Draw what was measured, and return the names of the data sets in it."""
    matplotlib.use("agg")
    from matplotlib import pyplot

    files = [job.file for job in figure1_jobs() if (folder / f"{job.file}.csv").is_file()]
    if not files:
        return files
    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    for number, file in enumerate(files):
        distances = read_levels(folder / f"{file}.csv")
        style = ("-", "-.")[number // 10]
        axes.step(np.arange(1, len(distances) + 1), distances, style, where="post", label=file)
    for level in BAYES_FACTORS:
        axes.axhline(math.log(level), color="0.4", linestyle="--", linewidth=0.9)
        axes.annotate(
            f"BF {level}",
            (1.0, math.log(level)),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            verticalalignment="center",
        )
    axes.set(
        xlabel="k",
        ylabel="ε of the k-th best network (nats)",
        xlim=(0, NETWORKS),
        ylim=(0, None),
    )
    axes.legend(loc="upper left", ncols=2, frameon=False, fontsize="small")
    target.parent.mkdir(parents=True, exist_ok=True)
    # No date and no version in the file: the same figures give the same bytes.
    figure.savefig(target, dpi=110, metadata={"Software": None})
    pyplot.close(figure)
    return files
