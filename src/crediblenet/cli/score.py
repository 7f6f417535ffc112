"""``crediblenet score``: candidate parent sets with their scores, as a file."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from ..exceptions import ParameterError
from ..progress import Progress
from ..score_table import ScoreTable
from ..scores import read_data
from ..scores import score as score_data
from ..stopwatch import Stopwatch, peak_memory_mb
from . import options as o
from .console import ResultConsole, print_json
from .display import make_display
from .groups import DataOptions, OutputOptions, ResourceOptions, ScoreOptions, with_groups
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
@with_groups
def score(
    data: o.Data,
    *,
    out: File,
    bayes_factor: o.BayesFactor = None,
    epsilon: o.Epsilon = None,
    scoring: ScoreOptions,
    reading: DataOptions,
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Write the candidate parent sets of every variable, with their scores."""
    writer = WRITERS.get(out.suffix.lower())
    if writer is None:
        raise ParameterError(f"{out}: a score file ends in {' or '.join(WRITERS)}")
    clock = Stopwatch(resources.time_limit)
    with make_display(quiet=output.quiet, no_progress=output.no_progress) as display:
        with clock.stage("data"):
            read = read_data(data, scoring.score.value, **reading.keywords())
        with clock.stage("scores"):
            table = score_data(
                read,
                bayes_factor=bayes_factor,
                epsilon=epsilon,
                progress=display,
                **scoring.keywords(),
                **asdict(replace(resources, time_limit=clock.remaining())),
            )
        display(Progress("files", message=str(out)))
        writer(table, out)
    if output.as_json:
        summary = {
            "variables": table.n_variables,
            "rows": read.n_rows,
            "score": table.score,
            "epsilon": table.epsilon,
            "candidate_parent_sets": len(table),
            "file": str(out),
            "notes": list(read.notes),
            "seconds": clock.seconds(),
            "memory_forecast": table.metadata["memory_forecast"],
            "peak_memory_mb": round(peak_memory_mb(), 1),
        }
        print_json(summary)
    elif not output.quiet:
        ResultConsole().print(
            plain(
                f"{len(table):,} candidate parent sets of {table.n_variables} variables in {out}; "
                f"crediblenet find {out} searches them"
            )
        )
