"""``python -m benchmarks.width``: measure all widths, and print the table."""

from __future__ import annotations

import argparse

from ..rows import RESULTS, read_rows, write_rows
from . import one_width
from .runs import compare, describe_raw, raw, render


def main() -> None:
    """Measure what a wider node set costs."""
    argparse.ArgumentParser(
        prog="python -m benchmarks.width",
        description="Measure the same data at several widths of node sets, and print the tables.",
    ).parse_args()
    write_rows(RESULTS / "width.csv", compare())
    write_rows(RESULTS / "width-raw.csv", raw())
    write_rows(RESULTS / "width-one.csv", one_width.compare())
    print(one_width.describe(read_rows(RESULTS / "width-one.csv")))
    print(describe_raw(read_rows(RESULTS / "width-raw.csv")))
    print(render(read_rows(RESULTS / "width.csv")))


if __name__ == "__main__":
    main()
