"""What a finished run says: the optimum, the agreement, the doubts, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..agreement import Agreement, PairOpinion, agreement
from ..credible_set import CredibleSet
from ..edge_probabilities import EdgeProbabilities
from ..examples import Example
from .text import plain, safe, shorten

__all__ = ["print_summary", "print_truth"]

#: How many pairs a list shows before it says how many more there are.
SHOWN = 8
LIKELY = 0.5
STOPPED = {
    "time": "the time limit",
    "memory": "the memory limit",
    "limit": "the limit on the number kept",
    "interrupted": "an interruption",
}


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
    console.print(
        Group(
            *headline(result),
            *section("The best network", best_network(result)),
            *section("All of them agree", agreed(found)),
            *section("Edges that only some of them have", open_edges(found)),
            *section("Worth knowing", [plain(note) for note in result.notes]),
            *section("Files", files(out)),
            *section("What next", next_steps(result, out, data)),
        ),
        soft_wrap=True,
    )


def section(title: str, lines: Sequence[RenderableType]) -> list[RenderableType]:
    """Return a titled block, or nothing if there is nothing to say."""
    if not lines:
        return []
    return [Text(), Text(title, style="bold"), *(Padding(line, (0, 0, 0, 2)) for line in lines)]


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 network``, ``2,000 networks``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def headline(result: CredibleSet) -> list[RenderableType]:
    """Return the one sentence that most people want."""
    size = counted(result.n_networks, "network")
    if result.n_classes is not None:
        size += f" in {counted(result.n_classes, 'equivalence class', 'equivalence classes')}"
    level = f"within a Bayes factor of {result.bayes_factor:.6g} of the best"
    if result.complete:
        return [Text(), Text.assemble(("Complete. ", "bold green"), f"{size} {level}.")]
    why = STOPPED.get(result.stopped_by or "", "a limit")
    lines: list[RenderableType] = [
        Text(),
        Text.assemble(("Not complete", "bold yellow"), f", stopped by {why}. "),
        Text(f"At least {size} {level} found so far."),
    ]
    if result.gap > 0:
        lines.append(Text(f"The optimum may be up to {result.gap:.6g} nats better than shown."))
    return lines


def best_network(result: CredibleSet) -> list[RenderableType]:
    """Return the optimum: its cost, its share, and its parent sets."""
    best = result.optimal
    edges = [f"{safe(a)} → {safe(b)}" for a, b in best.edges]
    share = result.coverage().best_weight
    lines = [
        Text(
            f"{result.score.upper()} cost {result.optimal_cost:.6f} nats, "
            f"{counted(len(edges), 'edge')}, {share:.1%} of the weight of the set"
        )
    ]
    if edges:
        lines.append(Text(some(edges)))
    return [*lines]


def some(items: Sequence[str], limit: int = 3 * SHOWN) -> str:
    """Join the first items, saying how many more there are."""
    more = f", and {len(items) - limit:,} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


def agreed(found: Agreement) -> list[RenderableType]:
    """Return what every network has, and what none has."""
    lines: list[RenderableType] = []
    if found.directed:
        arrows = [f"{safe(p.source)} → {safe(p.target)}" for p in found.directed]
        lines.append(Text(f"on {counted(len(arrows), 'directed edge')}: {some(arrows)}"))
    if found.adjacent:
        bonds = [f"{safe(p.source)} — {safe(p.target)}" for p in found.adjacent]
        noun = counted(len(bonds), "edge")
        lines.append(Text(f"on {noun} without its direction: {some(bonds)}"))
    if found.n_absent:
        pairs = counted(found.n_absent, "pair")
        lines.append(Text(f"that {pairs} of variables have no direct link"))
    return lines


def open_edges(found: Agreement) -> list[RenderableType]:
    """Return tables of the most probable and of the most contested edges."""
    if not found.contested:
        return []
    lines: list[RenderableType] = [
        pair_table("most probable", found.most_probable(SHOWN)),
    ]
    if len(found.contested) > SHOWN:
        lines += [
            pair_table("most contested", found.contested[:SHOWN]),
            Text(f"{len(found.contested):,} such edges in all"),
        ]
    return lines


def pair_table(title: str, pairs: Sequence[PairOpinion]) -> Table:
    """Return a table of pairs with the probability of an edge and of each direction."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("edge", overflow="fold")
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


def files(out: Path | None) -> list[RenderableType]:
    """Return where the results are."""
    if out is None:
        return []
    lines = [plain(f"{out}{'' if str(out).endswith('/') else '/'}")]
    names = sorted(path.name for path in out.iterdir() if not path.name.startswith("."))
    return [*lines, plain(", ".join(names))]


def next_steps(result: CredibleSet, out: Path | None, data: Path | None) -> list[RenderableType]:
    """Return commands that make sense now."""
    steps = []
    if out is not None:
        if (out / "report.html").exists():
            steps.append(f"open {out / 'report.html'} in a browser")
        if data is not None:
            steps.append(f"crediblenet verify {out} {data}   checks every figure, without a search")
        steps.append(f'python: import crediblenet; result = crediblenet.load("{out}")')
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
    console.print(
        Group(
            Text(),
            Text(f"The data: {sample.about}.", style="bold"),
            Text(f"{rows:,} rows drawn from a known network."),
            *section("Against the truth", [table]),
            *section("Likely edges that are not in it", [Text(some(false))] if false else []),
        )
    )
