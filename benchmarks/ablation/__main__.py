"""``python -m benchmarks.ablation``: measure, and write the page again."""

from __future__ import annotations

import argparse
import sys
import time

from ..paper.page import write_page
from ..paper.published import MissingFilesError
from ..rows import RESULTS, write_rows
from . import engine, rules

COMPARISONS = {"rules": rules.compare, "engine": engine.compare}


def main() -> None:
    """Leave out what is named: rules, parts of the engine, or both."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=main.__doc__)
    parser.add_argument("what", nargs="*", metavar="WHAT", help=" or ".join(COMPARISONS))
    options = parser.parse_args()
    unknown = set(options.what) - set(COMPARISONS)
    if unknown:
        parser.error(f"nothing is called {', '.join(sorted(unknown))}")
    try:
        for what in options.what or COMPARISONS:
            began = time.perf_counter()
            written = write_rows(RESULTS / "ablation" / f"{what}.csv", COMPARISONS[what]())
            print(f"{what}: {written} rows, {time.perf_counter() - began:.0f} s", flush=True)
        print(f"wrote {write_page(RESULTS)}")
    except MissingFilesError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
