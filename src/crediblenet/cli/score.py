"""``crediblenet score``: candidate parent sets with their scores, as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..exceptions import ParameterError
from ..progress import Progress
from ..score_table import ScoreTable
from ..scores import read_data
from ..scores import score as score_data
from ..stopwatch import Stopwatch, peak_memory_mb
from . import options as o
from .display import make_display
from .main import app
from .text import plain

__all__ = ["score"]

WRITERS = {".jkl": ScoreTable.to_jkl, ".pss": ScoreTable.to_pss}

SCORE_EXAMPLES = """
[bold]Examples[/bold]

[cyan]crediblenet score data.csv -o scores.jkl[/cyan]
All that a network within a Bayes factor of 20 may use.

[cyan]crediblenet score data.csv --score bdeu --bayes-factor 150 -o scores.pss[/cyan]
For a larger set, in the format of URLearning.

[cyan]crediblenet find scores.jkl[/cyan]
Search without the data.
"""

File = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Where the scores go: .jkl (Jaakkola) or .pss (URLearning).",
        rich_help_panel=o.OUTPUT,
        show_default=False,
    ),
]


@app.command(epilog=SCORE_EXAMPLES)
def score(
    data: o.Data,
    out: File,
    bayes_factor: o.BayesFactor = None,
    epsilon: o.Epsilon = None,
    score: o.ScoreName = o.Score.bic,
    ess: o.Ess = 1.0,
    max_parents: o.MaxParents = None,
    require: o.Require = None,
    forbid: o.Forbid = None,
    tiers: o.Tiers = None,
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
    time_limit: o.TimeLimit = None,
    memory_limit: o.MemoryLimit = None,
    threads: o.Threads = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    no_progress: o.NoProgress = False,
    debug: o.Debug = False,  # noqa: ARG001 - read where errors are shown
) -> None:
    """Write the candidate parent sets of every variable, with their scores."""
    writer = WRITERS.get(out.suffix.lower())
    if writer is None:
        raise ParameterError(f"{out}: a score file ends in {' or '.join(WRITERS)}")
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
    clock = Stopwatch(time_limit)
    with make_display(quiet=quiet, no_progress=no_progress) as display:
        with clock.stage("data"):
            read = read_data(data, score.value, **chosen)
        with clock.stage("scores"):
            table = score_data(
                read,
                score=score.value,
                ess=ess,
                bayes_factor=bayes_factor,
                epsilon=epsilon,
                max_parents=max_parents,
                require=require or (),
                forbid=forbid or (),
                tiers=tiers,
                threads=threads,
                memory_limit=memory_limit,
                time_limit=clock.remaining(),
                progress=display,
            )
        display(Progress("files", message=str(out)))
        writer(table, out)
    if as_json:
        summary = {
            "variables": table.n_variables,
            "rows": read.n_rows,
            "score": table.score,
            "epsilon": table.epsilon,
            "candidate_parent_sets": len(table),
            "file": str(out),
            "notes": list(read.notes),
            "seconds": clock.seconds(),
            "peak_memory_mb": round(peak_memory_mb(), 1),
        }
        typer.echo(json.dumps(summary, allow_nan=False))
    elif not quiet:
        Console().print(
            plain(
                f"{len(table):,} candidate parent sets of {table.n_variables} variables in {out}; "
                f"crediblenet find {out} searches them"
            )
        )
