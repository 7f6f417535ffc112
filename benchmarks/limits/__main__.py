"""``python -m benchmarks.limits``: run all data with all limits, and print the table."""

from __future__ import annotations

import argparse

from ..rows import RESULTS, read_rows, write_rows
from .runs import compare, render


def main() -> None:
    """Measure how far beyond its limit each command ends."""
    argparse.ArgumentParser(
        prog="python -m benchmarks.limits",
        description="Run all data with all limits, and print how late each ended.",
    ).parse_args()
    write_rows(RESULTS / "limits.csv", compare())
    print(render(read_rows(RESULTS / "limits.csv")))


if __name__ == "__main__":
    main()
