"""``python -m benchmarks.cluster``: measure, simulate, and print the table of docs/cluster.md."""

from __future__ import annotations

import argparse
import sys
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
    """Return the figures for people."""
    measured = ("1 thread", "1 worker", "2 threads", "2 workers")
    simulated = [f"simulated {workers}" for workers in SIMULATED]
    head = ["search", "parts", "longest part", *measured, *simulated]
    rows = [
        [row["row"], row["parts"]]
        + [f"{float(row[name]):.2f}" for name in ("longest", *measured, *simulated)]
        for row in read_rows(FILE)
    ]
    return table(head, rows)


if __name__ == "__main__":
    main()
