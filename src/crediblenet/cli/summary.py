"""What a finished run says: the optimum, the agreement, the doubts, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..agreement import Agreement, PairOpinion, agreement
from ..credible_set import CredibleSet
from ..description import doubt, what_stopped
from ..edge_probabilities import EdgeProbabilities
from ..examples import Example
from ..report.account import few_rows
from .text import plain, safe, shorten

__all__ = ["print_summary", "print_truth"]

#: How many pairs a list shows before it says how many more there are.
SHOWN = 8
LIKELY = 0.5


def print_summary(
    console: Console,
    result: CredibleSet,
    edges: EdgeProbabilities,
    out: Path | None,
    data: Path | None,
) -> None:
    """Print the summary of a run.

    Parameters
    ----------
    console
        Where to.
    result, edges
        What was found.
    out
        Where the files are, None if none were written.
    data
        The data file, None for a score file or built-in data.
    """
    found = agreement(edges)
    show(console, "", headline(result))
    so_far = "" if result.complete else " found so far"
    show(console, f"The best network{so_far}", best_network(result))
    if result.complete or result.n_networks > 1:
        show(console, f"All of them{so_far} agree", agreed(found))
    show(console, f"Edges that only some of them{so_far} have", open_edges(found))
    show(console, "Worth knowing", worth_knowing(result))
    show(console, "Files", files(out))
    show(console, "What next", next_steps(result, out, data))


def show(console: Console, title: str, lines: Sequence[Text | Table]) -> None:
    """Print a block with a title, or nothing if there is nothing to say.

    Lines of text are never broken, so that a path or a command can be copied.
    """
    if not lines:
        return
    console.print()
    if title:
        console.print(Text(title, style="bold"))
    for line in lines:
        if isinstance(line, Text):
            console.print(Text("  " if title else "") + line, soft_wrap=True)
        else:
            console.print(Padding(line, (0, 0, 0, 2)))


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 network``, ``2,000 networks``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def headline(result: CredibleSet) -> list[Text | Table]:
    """Return the one sentence that most people want, and what it rests on."""
    size = counted(result.n_networks, "network")
    if result.n_classes is not None:
        size += f" in {counted(result.n_classes, 'equivalence class', 'equivalence classes')}"
    level = f"within a Bayes factor of {result.bayes_factor:.6g} of the best"
    rows = "" if result.n_rows is None else f", {result.n_rows:,} rows"
    about = Text(
        f"{len(result.names)} variables{rows}, score {result.score.upper()}, "
        f"epsilon {result.epsilon:.6g}, {result.seconds['total']:.3g} s"
    )
    if result.complete:
        return [Text.assemble(("Complete. ", "bold green"), f"{size} {level}."), about]
    stopped = Text.assemble(
        ("Not complete", "bold yellow"), f", stopped by {what_stopped(result)}."
    )
    if result.gap == 0:
        return [stopped, Text(f"At least {size} {level}; there may be more."), about]
    unproved = Text(f"The optimum is not proved: {doubt(result)}.")
    return [stopped, Text(f"{size} found {level} one found."), about, unproved]


def best_network(result: CredibleSet) -> list[Text | Table]:
    """Return the optimum: its cost, its share, and its edges."""
    edges = [f"{safe(a)} → {safe(b)}" for a, b in result.optimal.edges]
    share = 100 * result.coverage().best_weight
    cost = f"cost {result.optimal_cost:.6f}, {counted(len(edges), 'edge')}"
    lines: list[Text | Table] = [Text(f"{cost}, {share:.3g}% of the weight of the set")]
    return [*lines, Text(some(edges))] if edges else lines


def some(items: Sequence[str], limit: int = 3 * SHOWN) -> str:
    """Join the first items, saying how many more there are."""
    more = f", and {len(items) - limit:,} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


def worth_knowing(result: CredibleSet) -> list[Text | Table]:
    """Return what the report warns of as well, and the notes of the run."""
    warnings = [f"{notice.title}: {notice.text}" for notice in few_rows(result)]
    return [plain(text) for text in (*warnings, *result.notes)]


def agreed(found: Agreement) -> list[Text | Table]:
    """Return what every network has, and what none has."""
    lines: list[Text | Table] = []
    if found.directed:
        arrows = [f"{safe(p.source)} → {safe(p.target)}" for p in found.directed]
        lines.append(Text(f"on {counted(len(arrows), 'directed edge')}: {some(arrows)}"))
    if found.adjacent:
        bonds = [f"{safe(p.source)} — {safe(p.target)}" for p in found.adjacent]
        noun = counted(len(bonds), "edge")
        lines.append(Text(f"on {noun}, but not on the direction: {some(bonds)}"))
    if found.n_absent:
        verb = "has" if found.n_absent == 1 else "have"
        pairs = counted(found.n_absent, "pair")
        lines.append(Text(f"that {pairs} of variables {verb} no direct link"))
    return lines


def open_edges(found: Agreement) -> list[Text | Table]:
    """Return the most probable and the most contested edges, or all if they are few."""
    count = len(found.contested)
    if not count:
        return []
    if count <= 2 * SHOWN:
        return [pair_table("", found.most_probable(count))]
    return [
        pair_table("most probable", found.most_probable(SHOWN)),
        pair_table("most contested", found.contested[:SHOWN]),
        Text(f"{count:,} such edges in all: edges.csv, or the report, has them"),
    ]


def pair_table(title: str, pairs: Sequence[PairOpinion]) -> Table:
    """Return a table of pairs with the probability of an edge and of each direction."""
    table = Table(box=None, pad_edge=False)
    table.add_column(f"edge, {title}" if title else "edge", overflow="fold", min_width=22)
    for heading in ("probability", "→", "←"):
        table.add_column(heading, justify="right")
    for pair in pairs:
        table.add_row(
            Text(f"{shorten(pair.source)} — {shorten(pair.target)}"),
            f"{pair.adjacency:.3f}",
            f"{pair.forward:.3f}",
            f"{pair.backward:.3f}",
        )
    return table


def files(out: Path | None) -> list[Text | Table]:
    """Return where the results are."""
    if out is None:
        return []
    lines = [plain(f"{out}{'' if str(out).endswith('/') else '/'}")]
    names = sorted(path.name for path in out.iterdir() if not path.name.startswith("."))
    return [*lines, plain(", ".join(names))]


def next_steps(result: CredibleSet, out: Path | None, data: Path | None) -> list[Text | Table]:
    """Return commands that make sense now."""
    steps = []
    if out is not None:
        if (out / "report.html").exists():
            steps.append(f"open {out / 'report.html'} in a browser")
        if data is not None:
            command = shlex.join(["crediblenet", "verify", str(out), str(data)])
            steps.append(f"{command}   checks every figure, without a search")
        steps.append(f"python: import crediblenet; result = crediblenet.load({str(out)!r})")
    if not result.complete:
        steps.append(
            "give it more time or memory, or ask for less: --bayes-factor 3, --max-parents"
        )
    return [plain(step) for step in steps]


def print_truth(console: Console, sample: Example, edges: EdgeProbabilities) -> None:
    """Print how probable the edges of the network are that the data were drawn from."""
    known = {frozenset(edge) for edge in sample.truth.edges}
    found = agreement(edges)
    false = [
        f"{safe(p.source)} — {safe(p.target)} ({p.adjacency:.3f})"
        for p in (*found.directed, *found.adjacent, *found.contested)
        if frozenset((p.source, p.target)) not in known and p.adjacency >= LIKELY
    ]
    rows = len(sample.columns[sample.truth.names[0]])
    table = Table(box=None, pad_edge=False)
    for heading in ("true edge", "probability", "of this direction"):
        table.add_column(heading, justify="left" if heading == "true edge" else "right")
    for a, b in sample.truth.edges:
        forward, backward = edges[a, b].value, edges[b, a].value
        table.add_row(Text(f"{safe(a)} → {safe(b)}"), f"{forward + backward:.3f}", f"{forward:.3f}")
    show(console, "The data", [Text(f"{sample.about}: {rows:,} rows drawn from a known network")])
    show(console, "Against the truth", [table])
    show(console, "Likely edges that are not in it", [Text(some(false))] if false else [])
