"""``crediblenet report`` and ``crediblenet verify``: what can be done with a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..exceptions import VerificationError
from ..run_directory import load
from ..verification import Verification, verify_run
from . import options as o
from .console import ResultConsole, print_json
from .groups import DataOptions, with_groups
from .main import app
from .text import plain

__all__ = ["report", "verify"]

REPORT_EXAMPLES = """
[bold]Examples[/bold]

[cyan]crediblenet report crediblenet-run[/cyan]
Makes crediblenet-run/report.html again.

[cyan]crediblenet report crediblenet-run -o talk.html[/cyan]
The same, in a place of your own.
"""

VERIFY_EXAMPLES = """
[bold]Examples[/bold]

[cyan]crediblenet verify crediblenet-run data.csv[/cyan]
Checks a run against the data that it was made from.

[cyan]crediblenet verify crediblenet-run data.csv --score bdeu --ess 1[/cyan]
A run from a score file does not know its score; this says it.

[cyan]crediblenet verify crediblenet-run data.csv --limit 1000 --json[/cyan]
The thousand best networks and classes only, for a script.
"""

ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Where the report goes. [dim](default: RUN_DIR/report.html)[/dim]",
        rich_help_panel=o.OUTPUT,
    ),
]
KnownScore = Annotated[
    o.Score | None,
    typer.Option(
        "--score",
        metavar="NAME",
        help="What the costs are, if the run was made from a score file.",
        rich_help_panel=o.SCORE,
    ),
]
KnownEss = Annotated[
    float | None,
    typer.Option(
        "--ess", metavar="ALPHA", help="Likewise, for bdeu and bds.", rich_help_panel=o.SCORE
    ),
]
Most = Annotated[
    int,
    typer.Option(
        "--limit",
        metavar="N",
        help="Check at most the N best networks, and classes.",
        rich_help_panel=o.LIMITS,
    ),
]


@app.command(epilog=REPORT_EXAMPLES)
def report(
    run_dir: o.RunDirectory,
    out: ReportFile = None,
    quiet: o.Quiet = False,
    debug: o.Debug = False,  # noqa: ARG001 - read where errors are shown
) -> None:
    """Make report.html from a finished run, again or for the first time."""
    written = load(run_dir).report(run_dir / "report.html" if out is None else out)
    if not quiet:
        ResultConsole().print(plain(written), soft_wrap=True)


@app.command(epilog=VERIFY_EXAMPLES)
@with_groups
def verify(
    run_dir: o.RunDirectory,
    data: o.Data,
    *,
    score: KnownScore = None,
    ess: KnownEss = None,
    reading: DataOptions,
    limit: Most = 100_000,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,  # noqa: ARG001 - read where errors are shown
) -> None:
    """Check a finished run against the data, without searching.

    Every network and class is acyclic, within the distance, distinct, and of
    the stated cost and size, computed anew by the plain formulas; and the
    probabilities add up. The data are read as they were for the run, unless
    other options are given here.
    """
    chosen = reading.keywords()
    known = None if score is None else score.value
    try:
        show(verify_run(run_dir, data, score=known, ess=ess, limit=limit, **chosen), as_json, quiet)
    except VerificationError as error:
        show(error.verification, as_json, quiet)
        raise


def show(verification: Verification, as_json: bool, quiet: bool) -> None:
    """Print a verification, whatever came of it."""
    if as_json:
        print_json(verification.to_dict())
    elif not quiet:
        for line in str(verification).splitlines():
            ResultConsole().print(plain(line), soft_wrap=True)
