"""``crediblenet find`` and ``crediblenet demo``: the main job."""

from __future__ import annotations

import itertools
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from threading import main_thread
from typing import Any

import typer

from ..credible_set import CredibleSet
from ..directory_lock import is_locked
from ..edge_probabilities import EdgeProbabilities
from ..examples import Example, example
from ..find import find as find_networks
from ..interruption import raises_interrupt
from ..progress import Progress
from ..run_directory import save
from ..run_place import RunPlace, claim
from . import options as o
from .console import ResultConsole, print_json
from .display import Display, make_display
from .groups import DataOptions, OutputOptions, ResourceOptions, ScoreOptions, with_groups
from .main import INTERRUPTED, app, told
from .startup import limits
from .summary import print_summary, print_truth

__all__ = ["demo", "find"]

DEFAULT_DIRECTORY = "crediblenet-run"

#: After Ctrl-C, no more networks than this are listed, and drawn.
FEW = (1000, 500)
#: And no longer than this is taken to weigh all of them, and to draw some, in seconds.
SOON = 0.02

#: Dots per inch of saved pictures: sharp on a projector.
SLIDE_DPI = 200

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

[cyan]crediblenet find data.csv --cluster tcp://10.0.0.1:8786[/cyan]
On more than one machine: the Dask cluster with its scheduler there.

[cyan]crediblenet find scores.jkl --json --quiet[/cyan]
From a score file, for a script.
"""

DEMO_EXAMPLES = """
[bold]Examples[/bold]

[cyan]crediblenet demo[/cyan]
The chest clinic: 2,000 patients, 8 variables.

[cyan]crediblenet demo cancer --bayes-factor 150 --out cancer-run[/cyan]
Another network, a larger set, a chosen place.
"""


@app.command(epilog=FIND_EXAMPLES)
@with_groups
def find(
    source: o.Source,
    *,
    bayes_factor: o.BayesFactor = None,
    epsilon: o.Epsilon = None,
    factor: o.Factor = None,
    k: o.K = None,
    k_classes: o.KClasses = None,
    scoring: ScoreOptions,
    reading: DataOptions,
    limit: o.Limit = None,
    resources: ResourceOptions,
    cluster: o.Cluster = None,
    out: o.Out = None,
    overwrite: o.Overwrite = False,
    plots: o.Plots = False,
    output: OutputOptions,
) -> None:
    """Find every network that the data cannot rule out, and what they agree on.

    Without options: a Bayes factor of 20, the BIC score, all cores, no limits.
    """
    directory = run_directory(out, as_json=output.as_json)
    is_data = source.suffix.lower() not in (".jkl", ".pss")
    with claimed(directory, overwrite=overwrite) as place, connected(cluster) as client:
        with make_display(quiet=output.quiet, no_progress=output.no_progress) as display:
            result = find_networks(
                source,
                bayes_factor=bayes_factor,
                epsilon=epsilon,
                factor=factor,
                k=k,
                k_classes=k_classes,
                limit=limit,
                out=place,
                progress=display,
                client=client,
                **scoring.keywords(),
                **limits(resources),
                **reading.keywords(),
            )
            more = partial(save_plots, result) if plots else None
            with hurried(result) as pressed:
                edges = average(result, display)
                write_results(result, place, display, more)
        conclude(result, edges, directory, source if is_data else None, output, pressed)


@app.command(epilog=DEMO_EXAMPLES)
@with_groups
def demo(
    name: o.ExampleName = "asia",
    *,
    bayes_factor: o.BayesFactor = None,
    score: o.ScoreName = o.Score.bic,
    out: o.Out = None,
    overwrite: o.Overwrite = False,
    output: OutputOptions,
) -> None:
    """Run [bold]find[/bold] on built-in data, and compare with the network behind them."""
    sample = example(name)
    directory = run_directory(out, as_json=output.as_json)
    data = None if directory is None else directory / f"{name}.csv"
    with claimed(directory, overwrite=overwrite) as place:
        with make_display(quiet=output.quiet, no_progress=output.no_progress) as display:
            result = find_networks(
                sample.data,
                score=score.value,
                bayes_factor=bayes_factor,
                out=place,
                progress=display,
            )
            result.statistics["source"] = f"{name}, built-in example data"
            edges = average(result, display)
            write_results(result, place, display, partial(write_example, sample))
        if not (output.as_json or output.quiet):
            print_truth(ResultConsole(), sample, edges)
        conclude(result, edges, directory, data, output)


def run_directory(out: Path | None, *, as_json: bool) -> Path | None:
    """Return where the results go: as told, else a free name here, or nowhere for a script."""
    if out is not None or as_json:
        return out
    names = itertools.chain([""], (f"-{number}" for number in itertools.count(2)))
    candidates = (Path(DEFAULT_DIRECTORY + name) for name in names)
    return next(path for path in candidates if not path.exists() and not is_locked(path))


def claimed(directory: Path | None, *, overwrite: bool) -> AbstractContextManager[RunPlace | None]:
    """Keep a directory for this run, if there is one."""
    return nullcontext() if directory is None else claim(directory, overwrite=overwrite)


def connected(address: str | None) -> AbstractContextManager[Any]:
    """Connect to a cluster, if there is one."""
    if address is None:
        return nullcontext()
    from ..cluster import connect

    return connect(address)


@contextmanager
def hurried(result: CredibleSet) -> Iterator[list[int]]:
    """Save what was found, even if Ctrl-C is pressed meanwhile; the second time it ends all.

    Gives a list that is empty as long as it was not pressed. What has not begun by then is
    done for few networks only.
    """
    pressed: list[int] = []

    def note(number: int, _: object) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)
        result.list_at_most(*FEW, seconds_each=SOON)

    before = signal.getsignal(signal.SIGINT)
    if not raises_interrupt(before) or threading.current_thread() is not main_thread():
        yield pressed  # somebody else takes care of Ctrl-C, or nobody hears of it here
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


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
    place: RunPlace | None,
    display: Display,
    more: Callable[[Path], None] | None = None,
) -> None:
    """Save the run, its report and what else is wanted, unless that is done already."""
    if place is None or place.is_finished:
        return
    result.statistics["command"] = shlex.join(["crediblenet", *sys.argv[1:]])
    display(Progress("files", message=str(place.target)))

    save(result, place, more=more)


def write_example(sample: Example, directory: Path) -> None:
    """Save the data of an example."""
    sample.write_csv(directory / f"{sample.name}.csv")


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
            figure.savefig(directory / f"{name}.{ending}", dpi=SLIDE_DPI)


def conclude(
    result: CredibleSet,
    edges: EdgeProbabilities,
    directory: Path | None,
    data: Path | None,
    output: OutputOptions,
    pressed: Sequence[int] = (),
) -> None:
    """Say what was found, and end with the exit code that fits."""
    if output.as_json:
        print_json(result.summary())
    elif not output.quiet:
        print_summary(ResultConsole(), result, edges, directory, data)
    told.result = True
    if result.stopped_by == "interrupted" or pressed:
        raise typer.Exit(INTERRUPTED)
    if not result.complete:
        raise typer.Exit(3)
