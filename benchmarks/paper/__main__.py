"""``python -m benchmarks.paper``: measure, resume, and write the page of the documentation."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from . import table1, wrong_rules
from .budget import Budget, easiest_first
from .explain import explain
from .figure1 import figure1_jobs
from .jobs import Job, table1_jobs, table2_jobs
from .machine import note_machine
from .page import write_page
from .published import MissingFilesError
from .results import Results
from .runner import Limits, run_jobs

RESULTS = Path(__file__).resolve().parents[1] / "results"
#: Seconds for one row and for all rows: both tables together take less than 3 hours.
LIMITS = {"table1": (600.0, 4000.0), "table2": (900.0, 6600.0)}


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper",
        description="Measure the tables and the figure of the paper. What was measured before "
        "is kept: an interrupted run goes on where it was.",
    )
    parser.add_argument(
        "what",
        choices=("table1", "table2", "figure1", "explain", "wrong_rules", "page"),
        help="what to measure; explain: try other settings where Table 2 differs; wrong_rules: "
        "what a slip in a pruning rule loses; page: only write docs/benchmarks.md from what was "
        "measured",
    )
    parser.add_argument("--only", nargs="+", metavar="FILE", help="these data sets, in this order")
    parser.add_argument(
        "--values", nargs="+", type=int, metavar="V", help="these Bayes factors, or k"
    )
    parser.add_argument(
        "--time-limit",
        type=float,
        metavar="S",
        help="per row; 600 for Table 1, 900 for the others",
    )
    parser.add_argument(
        "--budget",
        type=float,
        metavar="S",
        help="for all rows together, the easy ones first; 4000 for Table 1, 6600 for the others",
    )
    parser.add_argument("--memory-limit", type=float, default=12.0, metavar="GB", help="per row")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument(
        "--again",
        choices=("none", "incomplete", "all"),
        default="none",
        help="run jobs again that have a result",
    )
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="DIR")
    return parser.parse_args()


def chosen_jobs(options: argparse.Namespace, results: Results) -> Iterator[Job]:
    """Yield the jobs that were asked for, the easy ones first."""
    makers = {"table1": table1_jobs, "table2": table2_jobs, "figure1": figure1_jobs}
    jobs = easiest_first(makers[options.what](), results)
    if options.values:
        jobs = [job for job in jobs if job.value in options.values]
    if not options.only:
        yield from jobs
        return
    unknown = set(options.only) - {job.file for job in jobs}
    if unknown:
        raise SystemExit(f"{options.what} has no data set {', '.join(sorted(unknown))}")
    for file in options.only:
        yield from (job for job in jobs if job.file == file)


def main() -> None:
    """Do what the command line says."""
    options = arguments()
    try:
        if options.what == "explain":
            explain(options.results)
        elif options.what == "wrong_rules":
            wrong_rules.run(options.results)
        elif options.what != "page":
            # Figure 1 is made from jobs of Table 2.
            name = "table1" if options.what == "table1" else "table2"
            results = Results(options.results / f"{name}.csv")
            time_limit, seconds = LIMITS[name]
            limits = Limits(options.time_limit or time_limit, options.memory_limit, options.threads)
            budget = Budget(options.budget or seconds)
            note_machine(options.results / "machine.json")
            run_jobs(chosen_jobs(options, results), results, limits, options.again, budget)
            if options.what == "table1":
                explaining = [rounded for _, rounded in table1.differing(results)]
                run_jobs(explaining, results, limits, "none", budget)
        print(f"wrote {write_page(options.results)}")
    except MissingFilesError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
