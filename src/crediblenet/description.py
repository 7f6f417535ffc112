"""A credible set in words, for the terminal and the notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from .agreement import Agreement, PairOpinion, agreement

if TYPE_CHECKING:
    from .credible_set import CredibleSet

__all__ = ["as_html", "as_text", "doubt", "what_stopped"]

_SHOWN = 5

_STOPPED = {
    "time": "the time limit",
    "memory": "the memory limit",
    "limit": "the limit on how many are kept",
    "interrupted": "an interruption",
}


def what_stopped(result: CredibleSet) -> str:
    """Return what ended a search early, in words."""
    return _STOPPED.get(result.stopped_by or "", "a limit")


def doubt(result: CredibleSet) -> str:
    """Return what an optimum that is not proved means for the networks found.

    With a better network the limit would be lower by as much: what is within epsilon less
    the gap of the best one found is credible whatever else there is.
    """
    sure = result.epsilon - result.gap
    so = (
        "then the networks found may not be credible at all"
        if sure < 0
        else f"then only those within {sure:.4g} nats of the best one found are sure to be credible"
    )
    return f"a network up to {result.gap:.4g} nats better may exist, and {so}"


def as_text(result: CredibleSet) -> str:
    """Return what the set is, its best network, and what is sure and unsure in it.

    Nothing is listed for this: the number of classes appears when it is known already.
    """
    best = result.optimal
    found = agreement(result.edge_probabilities(compelled=False))
    certain, uncertain = _edges(found)
    lines = [
        f"<CredibleSet of {_size(result)}",
        f"  within a Bayes factor of {result.bayes_factor:.6g} (epsilon {result.epsilon:.6g})"
        f" of the best; {_state(result)}",
        f"  {_score(result)}",
        f"  best network, cost {result.optimal_cost:.6f}: {_cut(str(best))}",
        f"  most certain: {_list(certain)}",
        f"  most uncertain: {_list(uncertain)}",
    ]
    return "\n".join(lines) + ">"


def as_html(result: CredibleSet) -> str:
    """Return the same for a notebook; names are shown as text, whatever they contain."""
    found = agreement(result.edge_probabilities(compelled=False))
    certain, uncertain = _edges(found)
    rows = {
        "Set": f"{_size(result)} within a Bayes factor of {result.bayes_factor:.6g}"
        f" (ε = {result.epsilon:.6g}) of the best",
        "Search": _state(result),
        "Score": _score(result),
        "Best network": f"cost {result.optimal_cost:.6f}: {_cut(str(result.optimal), 600)}",
        "Most certain edges": _list(certain),
        "Most uncertain edges": _list(uncertain),
    }
    cells = "".join(
        f'<tr><th style="text-align:left">{escape(head)}</th>'
        f'<td style="text-align:left">{escape(text)}</td></tr>'
        for head, text in rows.items()
    )
    return f"<table><caption>Credible set</caption>{cells}</table>"


def _size(result: CredibleSet) -> str:
    count = result.n_networks
    size = "1 network" if count == 1 else f"{count:,} networks"
    known = result.known_classes
    if known is not None:
        size += " in 1 class" if known == 1 else f" in {known:,} classes"
    return f"{size} of {len(result.names)} variables"


def _state(result: CredibleSet) -> str:
    if result.complete:
        return "complete"
    state = f"incomplete, stopped by {what_stopped(result)}: there may be more"
    if result.gap > 0:
        state += f", and better ones by up to {result.gap:.4g} nats"
    return state


def _score(result: CredibleSet) -> str:
    rows = "" if result.n_rows is None else f" on {result.n_rows:,} rows"
    prior = {"dags": "networks", "classes": "classes"}[result.prior.over]
    weights = f"prior over {prior}"
    if not result.prior.is_uniform_over_parents:
        weights += " and on parent sets"
    return f"{result.score} score{rows}, {weights}"


def _edges(found: Agreement) -> tuple[list[PairOpinion], list[PairOpinion]]:
    """Return the pairs most surely adjacent, and those that are most in doubt."""
    certain = [*found.directed, *found.adjacent, *found.most_probable(_SHOWN)]
    return certain[:_SHOWN], list(found.contested[:_SHOWN])


def _list(pairs: list[PairOpinion]) -> str:
    shown = (
        f"{pair.source} {'->' if pair.forward > 0.999 * pair.adjacency else '--'} "
        f"{pair.target} {pair.adjacency:.3f}"
        for pair in pairs
    )
    return "; ".join(shown) or "none"


def _cut(text: str, length: int = 160) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."
