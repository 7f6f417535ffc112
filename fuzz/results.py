"""What was fuzzed, with which version, and for how long: ``fuzz/results.csv``."""

from __future__ import annotations

import csv
import platform
from importlib.metadata import version
from pathlib import Path

from crediblenet import __version__

__all__ = ["RESULTS", "read_results", "record", "results_table"]

RESULTS = Path(__file__).parent / "results.csv"
COLUMNS = ("reader", "cases", "seconds", "crediblenet", "python", "atheris")


def read_results() -> list[dict[str, str]]:
    """Return the lines, one for each reader."""
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def record(reader: str, cases: int, seconds: float) -> None:
    """Write down that a reader had so many cases without a finding, in place of the last time."""
    lines = (
        [line for line in read_results() if line["reader"] != reader] if RESULTS.exists() else []
    )
    values = (
        reader,
        str(cases),
        f"{seconds:.0f}",
        __version__,
        platform.python_version(),
        version("atheris"),
    )
    lines.append(dict(zip(COLUMNS, values, strict=True)))
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(lines, key=lambda line: line["reader"]))


def results_table() -> str:
    """Return the table of ``docs/trust.md``."""
    lines = ["| reader | cases | seconds of a processor |", "|---|---|---|"]
    results = read_results()
    lines += [f"| {r['reader']} | {int(r['cases']):,} | {int(r['seconds']):,} |" for r in results]
    total = sum(int(r["cases"]) for r in results)
    seconds = sum(int(r["seconds"]) for r in results)
    return "\n".join([*lines, f"| all | {total:,} | {seconds:,} |"])
