"""``python -m benchmarks.width``: measure all widths, and print the table."""

from __future__ import annotations

from ..rows import RESULTS, read_rows, write_rows
from .runs import compare, describe_raw, raw, render


def main() -> None:
    """Measure what a wider node set costs."""
    write_rows(RESULTS / "width.csv", compare())
    write_rows(RESULTS / "width-raw.csv", raw())
    print(describe_raw(read_rows(RESULTS / "width-raw.csv")))
    print(render(read_rows(RESULTS / "width.csv")))


if __name__ == "__main__":
    main()
