"""From a credible set to the data of its report."""

from __future__ import annotations

import math
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import __version__
from ..exceptions import LimitError
from ..levels import covered_levels
from ..log_space import exp_or_inf
from .account import facts, notices, score_in_words
from .data import (
    ClassSummary,
    CurveStep,
    EdgeSummary,
    LevelSummary,
    MarkovBlanket,
    ParentAlternative,
    ReportData,
    VariableSummary,
)
from .order import best_order

if TYPE_CHECKING:
    from ..credible_set import CredibleSet
    from ..edge_probabilities import EdgeProbabilities
    from ..estimate import FeatureMatrix

__all__ = ["report_data"]

# How much of each a page shows; it says so where there is more.
SHOWN_EDGES = 5000
SHOWN_CLASSES = 50
SHOWN_PARENT_SETS = 25
SHOWN_BLANKET = 50
SHOWN_STATES = 8

# A curve's step is left out when it would not move a pen this share of the picture.
FINEST_STEP = 1 / 800

CITATION = (
    "Zhenyu A. Liao, Charupriya Sharma, James Cussens and Peter van Beek (2019). Finding All "
    "Bayesian Network Structures within a Factor of Optimal. Proceedings of the AAAI Conference "
    "on Artificial Intelligence 33, 7892–7899. doi:10.1609/aaai.v33i01.33017892"
)


def report_data(result: CredibleSet, *, title: str | None = None) -> ReportData:
    """Gather all that a report on a credible set shows.

    Parameters
    ----------
    result
        A credible set.
    title
        What the data are called; the name of their file, unless given.

    Returns
    -------
    ReportData
        Numbers and names only; `crediblenet.report.render_report` makes the page.
    """
    edges = result.edge_probabilities()
    blankets = result.markov_blanket_probabilities()
    summaries = _edges(result, edges)
    classes = _classes(result)
    n_classes = result.n_classes
    command = result.statistics.get("command")
    now = datetime.now(timezone.utc)
    return ReportData(
        title=title or Path(result.statistics.get("source", "")).name or "Unnamed data",
        variables=_variables(result, blankets),
        order=tuple(best_order(result)),
        n_rows=result.n_rows,
        score=score_in_words(result),
        bayes_factor=result.bayes_factor,
        epsilon=result.epsilon,
        optimal_cost=result.optimal_cost,
        n_networks=result.n_networks,
        n_classes=n_classes,
        complete=result.complete,
        gap=result.gap,
        edges=tuple(summaries[:SHOWN_EDGES]),
        n_edges=len(summaries),
        classes=classes,
        levels=tuple(_level(result, factor) for factor in covered_levels(result)),
        curve=tuple(_curve(result)),
        notices=notices(result, edges, blankets),
        facts=facts(result),
        command=None if command is None else str(command),
        citation=CITATION,
        created=f"{now.day} {now:%B %Y, %H:%M} UTC",
        version=__version__,
    )


def _edges(result: CredibleSet, edges: EdgeProbabilities) -> list[EdgeSummary]:
    """Return every edge that some network has, most probable first."""
    levels = [
        result.at(bayes_factor=factor).edge_probabilities(compelled=False).matrix
        for factor in covered_levels(result)
    ]
    best = {
        (parent, child)
        for child, parents in enumerate(result.optimal.parent_sets)
        for parent in parents
    }
    compelled = edges.compelled
    found = [
        EdgeSummary(
            source=a,
            target=b,
            directed=float(edges.matrix[a, b]),
            adjacent=float(edges.adjacent.values[a, b]),
            compelled=None if compelled is None else float(compelled.values[a, b]),
            optimal=(a, b) in best,
            levels=tuple(float(matrix[a, b]) for matrix in levels),
        )
        for a, b in np.argwhere(edges.matrix > 0).tolist()
    ]
    # Ties up to rounding are in column order on every machine.
    return sorted(found, key=lambda e: (-round(e.directed, 9), e.source, e.target))


def _variables(result: CredibleSet, blankets: FeatureMatrix) -> tuple[VariableSummary, ...]:
    number = {name: v for v, name in enumerate(result.names)}
    about = result.data_summary
    labels = None if about is None else about.states
    arities = result.table.metadata.get("arities")
    variables = []
    for v, name in enumerate(result.names):
        sets = result.parent_set_probabilities(name)
        values = blankets.values[:, v]
        members = sorted(np.flatnonzero(values > 0).tolist(), key=lambda w: (-values[w], w))
        variables.append(
            VariableSummary(
                name=name,
                n_states=None if arities is None else int(arities[v]),
                states=() if labels is None else tuple(labels[v][:SHOWN_STATES]),
                parent_sets=tuple(
                    ParentAlternative(tuple(number[p] for p in s.parents), float(s.probability))
                    for s in sets[:SHOWN_PARENT_SETS]
                ),
                n_parent_sets=len(sets),
                blanket=MarkovBlanket(
                    members=tuple((w, float(values[w])) for w in members[:SHOWN_BLANKET]),
                    n_members=len(members),
                    standard_error=float(blankets.standard_errors[:, v].max()),
                ),
            )
        )
    return tuple(variables)


def _classes(result: CredibleSet) -> tuple[ClassSummary, ...]:
    number = {name: v for v, name in enumerate(result.names)}
    try:
        found = list(result.classes(limit=SHOWN_CLASSES))
    except LimitError:
        return ()  # too many to list: n_classes is None too, and the page says so
    summaries = []
    for c in found:
        graph = c.cpdag()
        summaries.append(
            ClassSummary(
                cost=c.cost,
                bayes_factor=exp_or_inf(c.cost - result.optimal_cost),
                weight=c.weight,
                size=c.size,
                directed=tuple(sorted((number[a], number[b]) for a, b in graph.directed)),
                undirected=tuple(sorted((number[a], number[b]) for a, b in graph.undirected)),
            )
        )
    return tuple(summaries)


def _level(result: CredibleSet, factor: float) -> LevelSummary:
    subset = result.at(bayes_factor=factor)
    return LevelSummary(factor, subset.n_networks, subset.n_classes)


def _curve(result: CredibleSet) -> list[CurveStep]:
    """Return the steps of deviation against rank that can be told apart in a picture."""
    costs, lasts = result.network_set.steps()
    inside = lasts.index(result.n_networks) + 1
    deviations = np.ldexp(
        (costs[:inside] - result.network_set.optimal_cost).astype(np.float64),
        -result.table.grid_bits,
    ).tolist()
    reach = max(deviations[-1], 1e-12)
    span = math.log(max(result.n_networks, 2))
    steps: list[CurveStep] = []
    drawn = (-1.0, -1.0)
    for k, (deviation, last) in enumerate(zip(deviations, lasts[:inside], strict=True)):
        first = lasts[k - 1] + 1 if k else 1
        point = (math.log(last) / span, deviation / reach)
        moved = max(abs(point[0] - drawn[0]), abs(point[1] - drawn[1]))
        if moved >= FINEST_STEP or k == inside - 1:
            steps.append(CurveStep(first, last, deviation))
            drawn = point
    return steps
