"""``crediblenet find`` and ``crediblenet demo``: the main job."""

from __future__ import annotations

import itertools
import json
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from ..credible_set import CredibleSet
from ..edge_probabilities import EdgeProbabilities
from ..examples import example
from ..find import find as find_networks
from ..progress import Progress
from ..run_directory import check_free
from . import options as o
from .display import Display, make_display
from .main import app
from .summary import print_summary, print_truth

__all__ = ["demo", "find"]

DEFAULT_DIRECTORY = "crediblenet-run"

FIND_EXAMPLES = """
[bold]Examples[/bold]

[cyan]crediblenet find data.csv[/cyan]
All networks within a Bayes factor of 20, by BIC; results in ./crediblenet-run.

[cyan]crediblenet find data.csv --score bdeu --ess 1 --bayes-factor 3 --out run3[/cyan]
Another score, a smaller set, a chosen place.

[cyan]crediblenet find data.csv --k-classes 100 --max-parents 3[/cyan]
The hundred best equivalence classes with at most three parents.

[cyan]crediblenet find data.csv --forbid "Wet->Rain" --tiers tiers.txt[/cyan]
Only networks that respect what is known already.

[cyan]crediblenet find data.csv --missing drop --discretize equal-frequency --bins 4[/cyan]
Data with gaps and numbers.

[cyan]crediblenet find scores.jkl --json --quiet[/cyan]
From a score file, for a script.
"""


@app.command(epilog=FIND_EXAMPLES)
def find(
    source: o.Source,
    bayes_factor: o.BayesFactor = None,
    epsilon: o.Epsilon = None,
    factor: o.Factor = None,
    k: o.K = None,
    k_classes: o.KClasses = None,
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
    limit: o.Limit = None,
    time_limit: o.TimeLimit = None,
    memory_limit: o.MemoryLimit = None,
    threads: o.Threads = None,
    out: o.Out = None,
    overwrite: o.Overwrite = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    no_progress: o.NoProgress = False,
    plots: o.Plots = False,
    debug: o.Debug = False,  # noqa: ARG001 - read where errors are shown
) -> None:
    """Find every network that the data cannot rule out, and what they agree on.

    Without options: all networks within a Bayes factor of 20 of the best one, by the BIC
    score, with all cores and no limit.
    """
    data_options = o.data_options(
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
    directory = run_directory(out, as_json=as_json, overwrite=overwrite)
    with make_display(quiet=quiet, no_progress=no_progress) as display:
        result = find_networks(
            source,
            score=score.value,
            ess=ess,
            bayes_factor=bayes_factor,
            epsilon=epsilon,
            factor=factor,
            k=k,
            k_classes=k_classes,
            max_parents=max_parents,
            require=require or (),
            forbid=forbid or (),
            tiers=tiers,
            limit=limit,
            time_limit=time_limit,
            memory_limit=memory_limit,
            threads=threads,
            progress=display,
            **data_options,
        )
        edges = average(result, display)
        write_results(result, directory, display, overwrite=overwrite, plots=plots)
    is_data = source.suffix.lower() not in (".jkl", ".pss")
    data = source if is_data else None
    conclude(result, edges, directory, data, as_json=as_json, quiet=quiet)


@app.command()
def demo(
    name: o.ExampleName = "asia",
    bayes_factor: o.BayesFactor = None,
    score: o.ScoreName = o.Score.bic,
    out: o.Out = None,
    overwrite: o.Overwrite = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    no_progress: o.NoProgress = False,
    debug: o.Debug = False,  # noqa: ARG001 - read where errors are shown
) -> None:
    """Run [bold]find[/bold] on built-in data, and compare with the network behind them."""
    sample = example(name)
    directory = run_directory(out, as_json=as_json, overwrite=overwrite)
    with make_display(quiet=quiet, no_progress=no_progress) as display:
        result = find_networks(
            sample.data, score=score.value, bayes_factor=bayes_factor, progress=display
        )
        result.statistics["source"] = f"{name}, built-in example data"
        edges = average(result, display)
        write_results(result, directory, display, overwrite=overwrite)
        data = None if directory is None else sample.write_csv(directory / f"{name}.csv")
    if not (as_json or quiet):
        print_truth(Console(), sample, edges)
    conclude(result, edges, directory, data, as_json=as_json, quiet=quiet)


def run_directory(out: Path | None, *, as_json: bool, overwrite: bool) -> Path | None:
    """Return where the results go: as told, else a free name here, or nowhere for a script."""
    if out is None and as_json:
        return None
    if out is None:
        names = itertools.chain([""], (f"-{number}" for number in itertools.count(2)))
        candidates = (Path(DEFAULT_DIRECTORY + name) for name in names)
        out = next(path for path in candidates if not path.exists())
    check_free(out, overwrite=overwrite)
    return out


def average(result: CredibleSet, display: Display) -> EdgeProbabilities:
    """Return the edge probabilities, and note how long they took."""
    display(Progress("averages"))
    started = time.perf_counter()
    edges = result.edge_probabilities()
    result.seconds["averages"] = time.perf_counter() - started
    result.seconds["total"] = result.seconds.pop("total") + result.seconds["averages"]
    return edges


def write_results(
    result: CredibleSet,
    directory: Path | None,
    display: Display,
    *,
    overwrite: bool,
    plots: bool = False,
) -> None:
    """Save the run, its report and, if wanted, its pictures."""
    if directory is None:
        return
    result.statistics["command"] = shlex.join(["crediblenet", *sys.argv[1:]])
    display(Progress("files", message=str(directory)))
    result.save(directory, overwrite=overwrite)
    result.report(directory / "report.html")
    if plots:
        save_plots(result, directory)


def save_plots(result: CredibleSet, directory: Path) -> None:
    """Save every picture as PDF, for print, and as PNG, for slides."""
    pictures: dict[str, Any] = {
        "consensus": result.plot,
        "edges": result.plot_edges,
        "scores": result.plot_scores,
        "levels": result.plot_levels,
    }
    for name, draw in pictures.items():
        figure = draw()
        for ending in ("pdf", "png"):
            figure.savefig(directory / f"{name}.{ending}")


def conclude(
    result: CredibleSet,
    edges: EdgeProbabilities,
    directory: Path | None,
    data: Path | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say what was found, and end with the exit code that fits."""
    if as_json:
        typer.echo(json.dumps(result.summary(), allow_nan=False))
    elif not quiet:
        print_summary(Console(), result, edges, directory, data)
    if result.stopped_by == "interrupted":
        raise typer.Exit(130)
    if not result.complete:
        raise typer.Exit(3)
