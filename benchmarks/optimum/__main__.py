"""``python -m benchmarks.optimum``: confirm the optima, and print the table."""

from __future__ import annotations

import argparse
import itertools

from ..rows import RESULTS, read_rows, write_rows
from .runs import confirm, data_sets, render


def main() -> None:
    """Compare the optimum of each data set with that of an independent exact method."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.optimum",
        description="Find the optimum of each data set of the paper by methods that share nothing "
        "with the search, as far as they end in time; fail when it is another.",
    )
    parser.add_argument("--only", nargs="+", metavar="FILE", default=None)
    parser.add_argument("--time-limit", type=float, metavar="S", default=120.0, help="per data set")
    chosen = parser.parse_args()
    files = chosen.only or data_sets()
    rows = itertools.chain.from_iterable(
        confirm(files, score, chosen.time_limit) for score in ("bic", "bdeu")
    )
    write_rows(RESULTS / "optimum.csv", rows)
    print(render(read_rows(RESULTS / "optimum.csv")))


if __name__ == "__main__":
    main()
