"""``python -m benchmarks.scale``: measure the runs that have no row yet, and write the page."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping
from pathlib import Path

from ..answers import same_answers, same_optimum
from ..paper.budget import Budget
from ..rows import RESULTS, read_rows
from .page import write_page
from .runs import PARENT_LIMITS, SCORES, SIZES, TIME_LIMIT, Run, run, runs
from .structures import STRUCTURES

TARGET = RESULTS / "scale.csv"


def main() -> None:
    """Measure hundreds of variables with a parent limit; a stopped measurement goes on."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=main.__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=list(SIZES), help="sizes")
    parser.add_argument(
        "--max-parents", type=int, nargs="+", default=list(PARENT_LIMITS), help="parent limits"
    )
    parser.add_argument("--score", nargs="+", choices=SCORES, default=list(SCORES), help="scores")
    parser.add_argument(
        "--structure", nargs="+", choices=STRUCTURES, default=list(STRUCTURES), help="structures"
    )
    parser.add_argument("--time-limit", type=float, default=TIME_LIMIT, help="seconds per row")
    parser.add_argument(
        "--budget", type=float, default=float("inf"), help="seconds for all rows together"
    )
    parser.add_argument(
        "--again", choices=("none", "incomplete", "all"), default="none", help="rows to replace"
    )
    options = parser.parse_args()
    rows = {key(row): row for row in read_rows(TARGET)}
    chosen = runs(options.n, options.max_parents, options.score, options.structure)
    waiting = [one for one in chosen if wanted(rows.get(key_of(one)), options.again)]
    budget = Budget(options.budget)
    for done, one in enumerate(waiting):
        limit = round(budget.time_limit(len(waiting) - done, options.time_limit), 1)
        print(
            f"{one.structure}, n = {one.variables}, {one.max_parents}, {one.score}: ",
            end="",
            flush=True,
        )
        row = {name: "" if v is None else str(v) for name, v in run(one, limit).items()}
        check_answer(rows.get(key(row)), row)
        rows[key(row)] = row
        write(TARGET, [rows[key_of(known)] for known in runs() if key_of(known) in rows])
        print(row["failed"] or f"complete: {row['complete']}, {row['total_wall']} s", flush=True)
    print(f"wrote {write_page(TARGET)}")


Key = tuple[str, ...]

#: The columns that say what was asked.
PROBLEM = ("structure", "variables", "max_parents", "score", "seed")


def key(row: Mapping[str, str]) -> Key:
    """Return what tells a row from the others."""
    return tuple(row[name] for name in PROBLEM)


def key_of(one: Run) -> Key:
    """Return the same for a run."""
    return (one.structure, str(one.variables), str(one.max_parents), one.score, str(one.seed))


def wanted(row: Mapping[str, str] | None, again: str) -> bool:
    """Tell whether a run is to be made, given its row so far."""
    return row is None or again == "all" or (again == "incomplete" and row["complete"] != "yes")


def check_answer(before: Mapping[str, str] | None, after: Mapping[str, str]) -> None:
    """Raise AssertionError when a new row and the stored one cannot both be right."""
    if before is not None:
        list(same_answers([before, after], PROBLEM, ["networks", "classes"]))
        same_optimum(before, after)


def write(path: Path, rows: list[dict[str, str]]) -> None:
    """Replace the file by the rows, as a whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".tmp")
    with beside.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    beside.replace(path)


if __name__ == "__main__":
    main()
