"""``python -m benchmarks.growth``: measure all runs, and write the page again."""

from __future__ import annotations

import argparse
import sys
import time

from ..paper.page import write_page
from ..paper.published import MissingFilesError
from ..rows import RESULTS, write_rows
from .runs import compare


def main() -> None:
    """Measure how seconds, nodes and memory grow."""
    argparse.ArgumentParser(
        prog="python -m benchmarks.growth", description=main.__doc__
    ).parse_args()
    began = time.perf_counter()
    try:
        written = write_rows(RESULTS / "growth.csv", compare())
        print(f"{written} runs, {time.perf_counter() - began:.0f} s")
        print(f"wrote {write_page(RESULTS)}")
    except MissingFilesError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
