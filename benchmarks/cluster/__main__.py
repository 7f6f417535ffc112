"""``python -m benchmarks.cluster``: measure, simulate, and print the tables of docs/cluster.md."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from contextlib import ExitStack

from distributed import Client, LocalCluster

from ..markdown import table
from ..paper.published import MissingFilesError
from ..rows import RESULTS, read_rows, write_rows
from .runs import SIMULATED, measure

#: Where the figures are kept.
FILE = RESULTS / "cluster.csv"


def main() -> None:
    """Measure what a cluster costs on this machine, and simulate what a larger one gains."""
    argparse.ArgumentParser(
        prog="python -m benchmarks.cluster", description=main.__doc__
    ).parse_args()
    try:
        with ExitStack() as stack:
            write_rows(FILE, measure(*(stack.enter_context(local(n)) for n in (1, 2))))
    except MissingFilesError as error:
        sys.exit(f"error: {error}")
    print(as_table())


def local(workers: int) -> Client:
    """Start a cluster on this machine."""
    cluster = LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    )
    return Client(cluster, set_as_default=False)


def as_table() -> str:
    """Return the figures for people: seconds by the clock, CPU seconds, and simulated ones."""
    ways = ("1 thread", "1 worker", "2 threads", "2 workers")
    simulated = [f"simulated {workers}" for workers in SIMULATED]
    rows = read_rows(FILE)
    measured = table(
        ["search", *ways, *(f"{way}, CPU" for way in ways)],
        (
            [row["row"], *digits(row, ways), *digits(row, [f"{w}, CPU" for w in ways])]
            for row in rows
        ),
    )
    foreseen = table(
        ["search", "parts", "longest", *(f"{workers} workers" for workers in SIMULATED)],
        ([row["row"], row["parts"], *digits(row, ["longest", *simulated])] for row in rows),
    )
    return f"{measured}\n\n{foreseen}"


def digits(row: dict[str, str], columns: Iterable[str]) -> list[str]:
    """Return seconds with two digits."""
    return [f"{float(row[column]):.2f}" for column in columns]


if __name__ == "__main__":
    main()
