"""``crediblenet report`` and ``crediblenet verify``: what can be done with a finished run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..exceptions import VerificationError
from ..run_directory import load
from ..verification import Verification, verify_run
from . import options as o
from .main import app
from .text import plain

__all__ = ["report", "verify"]

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


@app.command()
def report(
    run_dir: o.RunDirectory,
    out: ReportFile = None,
    quiet: o.Quiet = False,
    debug: o.Debug = False,  # noqa: ARG001 - read where errors are shown
) -> None:
    """Make report.html from a finished run, again or for the first time."""
    written = load(run_dir).report(run_dir / "report.html" if out is None else out)
    if not quiet:
        Console().print(plain(written), soft_wrap=True)


@app.command()
def verify(
    run_dir: o.RunDirectory,
    data: o.Data,
    score: KnownScore = None,
    ess: KnownEss = None,
    no_header: o.NoHeader = False,
    format: o.FileFormat = None,  # noqa: A002 - the option's name
    delimiter: o.Delimiter = None,
    encoding: o.Encoding = o.DEFAULT_ENCODING,
    states: o.States = None,
    missing: o.MissingValues = o.Missing.error,
    missing_values: o.MissingTexts = None,
    discretize: o.DiscretizeMethod = None,
    bins: o.Bins = o.DEFAULT_BINS,
    many_values: o.KeepMany = o.ManyValues.error,
    limit: Most = 100_000,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,  # noqa: ARG001 - read where errors are shown
) -> None:
    """Check a finished run against the data, without searching.

    Every network and class is acyclic, within the distance, distinct, and of the stated cost
    and size, computed anew by the plain formulas; and the probabilities add up. The data
    are read as they were for the run, unless other options are given here.
    """
    chosen = o.data_options(
        no_header=no_header,
        format=format,
        delimiter=delimiter,
        encoding=encoding,
        states=states,
        missing=missing,
        missing_values=missing_values,
        discretize=discretize,
        bins=bins,
        many_values=many_values,
    )
    known = None if score is None else score.value
    try:
        show(verify_run(run_dir, data, score=known, ess=ess, limit=limit, **chosen), as_json, quiet)
    except VerificationError as error:
        show(error.verification, as_json, quiet)
        raise


def show(verification: Verification, as_json: bool, quiet: bool) -> None:
    """Print a verification, whatever came of it."""
    if as_json:
        typer.echo(json.dumps(verification.to_dict(), allow_nan=False))
    elif not quiet:
        for line in str(verification).splitlines():
            Console().print(plain(line), soft_wrap=True)
