"""Charts of edge probabilities and scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..exceptions import ParameterError
from ..levels import covered_levels
from ..report.order import best_order
from ..report.text import count, significant, superscript
from .style import (
    ACCENT,
    FAINT,
    INK,
    LEVEL_MARKS,
    LINE,
    PAPER,
    SHADES,
    SOFT,
    Picture,
    frame,
    label,
    number,
)

if TYPE_CHECKING:
    from ..credible_set import CredibleSet

__all__ = ["plot_edges", "plot_levels", "plot_scores"]

_LOGARITHMIC_FROM = 200  # networks
_NUMBERED_UP_TO = 14  # variables; beyond, numbers do not fit the squares


def plot_edges(result: CredibleSet) -> Picture:
    """Draw the matrix of edge probabilities, sources down and targets across.

    Variables are in the order of the best network, so its own edges lie above the diagonal.

    Parameters
    ----------
    result
        A credible set.

    Returns
    -------
    Picture
        A matplotlib figure.
    """
    order = best_order(result)
    matrix: NDArray[np.float64] = result.edge_probabilities(compelled=False).matrix[
        np.ix_(order, order)
    ]
    n = len(order)
    side = min(12.0, max(3.4, 0.42 * n + 1.4))
    figure = Picture(figsize=(side + 0.9, side), layout="constrained")
    axes = figure.add_subplot()
    shown = np.ma.masked_where(matrix <= 0, matrix)
    axes.set_facecolor("#f6f7f9")
    squares = axes.imshow(shown, cmap=SHADES, vmin=0, vmax=1)
    names = [label(result.names[v]) for v in order]
    size = 9 if n <= 30 else 6
    axes.set_xticks(range(n), names, rotation=90, fontsize=size)
    axes.set_yticks(range(n), names, fontsize=size)
    axes.set_xticks(np.arange(n + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(n + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=LINE, linewidth=0.6)
    axes.tick_params(which="both", length=0, colors=SOFT)
    axes.spines[:].set_visible(False)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xlabel("to", color=SOFT)
    axes.set_ylabel("from", color=SOFT)
    if n <= _NUMBERED_UP_TO:
        for (row, column), p in np.ndenumerate(matrix):
            if p > 0:
                color = PAPER if p > 0.5 else INK
                axes.text(column, row, number(p), ha="center", va="center", fontsize=8, color=color)
    bar = figure.colorbar(squares, ax=axes, shrink=0.6)
    bar.set_label("probability of the edge", color=SOFT)
    bar.ax.tick_params(colors=SOFT, labelsize=8)
    bar.ax.spines[:].set_visible(False)
    return figure


def plot_scores(result: CredibleSet) -> Picture:
    """Draw how far the k-th best network is from the optimum, with Bayes factors dashed.

    This is Figure 1 of Liao, Sharma, Cussens and van Beek (2019) for any data. Ranks are
    spaced by their logarithm when there are more than 200 networks.

    Parameters
    ----------
    result
        A credible set.

    Returns
    -------
    Picture
        A matplotlib figure.
    """
    deviations, last_ranks = _ranks(result)
    firsts = [1, *(k + 1 for k in last_ranks[:-1])]
    logarithmic = last_ranks[-1] > _LOGARITHMIC_FROM
    # math.log10 takes whole numbers of any size, which floats do not hold.
    place = math.log10 if logarithmic else float
    figure = Picture(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.add_subplot()
    xs = [place(k) for pair in zip(firsts, last_ranks, strict=True) for k in pair]
    axes.plot(xs, np.repeat(deviations, 2), color=ACCENT, linewidth=1.8, drawstyle="steps-post")
    top = max(float(deviations[-1]), result.epsilon if math.isfinite(result.epsilon) else 0.0)
    axes.set_ylim(0, max(1.06 * top, 1e-6))
    axes.set_xlim(xs[0], max(xs[-1], xs[0] + 1e-6))
    for factor in covered_levels(result):
        if 0 < math.log(factor) <= 1.06 * top:
            axes.axhline(math.log(factor), color=SOFT, linewidth=0.9, linestyle=(0, (5, 3)))
            axes.annotate(
                f"BF {significant(factor)}",
                (1.01, math.log(factor)),
                xycoords=("axes fraction", "data"),
                va="center",
                fontsize=9,
                color=INK,
            )
    if logarithmic:
        powers = range(0, math.floor(xs[-1]) + 1, 1 + math.floor(xs[-1]) // 10)
        axes.set_xticks(list(powers), ["1" if p == 0 else f"10{superscript(p)}" for p in powers])
    axes.set_xlabel(f"rank k of the network (of {count(last_ranks[-1])})")
    axes.set_ylabel("deviation ε from the optimum")
    frame(axes)
    return figure


def _ranks(result: CredibleSet) -> tuple[NDArray[np.float64], list[int]]:
    """Return each distinct deviation from the optimum with the last rank that has it."""
    costs, last = result.network_set.steps()
    deviations = np.ldexp(
        (costs - result.network_set.optimal_cost).astype(np.float64), -result.table.grid_bits
    )
    inside = last.index(result.n_networks) + 1
    return deviations[:inside], last[:inside]


def plot_levels(
    result: CredibleSet, levels: Sequence[float] | None = None, *, edges: int = 20
) -> Picture:
    """Draw how edge probabilities move between Bayes factors.

    Parameters
    ----------
    result
        A credible set.
    levels
        Bayes factors, none beyond that of the set; 3, 20, 150 and the set's own, as far as
        it reaches, unless given.
    edges
        How many edges to show: those that move most.

    Returns
    -------
    Picture
        A matplotlib figure.
    """
    factors = list(levels) if levels is not None else covered_levels(result)
    if not factors:
        raise ParameterError("give at least one Bayes factor")
    if edges < 1:
        raise ParameterError(f"edges must be at least 1, not {edges}")
    matrices = np.stack(
        [result.at(bayes_factor=f).edge_probabilities(compelled=False).matrix for f in factors]
    )
    travel = matrices.max(axis=0) - matrices.min(axis=0)
    possible = np.argwhere(matrices.max(axis=0) > 0).tolist()
    possible.sort(key=lambda e: (-travel[tuple(e)], -matrices[-1][tuple(e)], e))
    chosen = possible[:edges]
    figure = Picture(figsize=(6.4, 1.1 + 0.28 * max(1, len(chosen))), layout="constrained")
    axes = figure.add_subplot()
    spread = np.linspace(-0.2, 0.2, len(factors)) if len(factors) > 1 else np.zeros(1)
    for row, (a, b) in enumerate(chosen):
        axes.plot(matrices[:, a, b], row + spread, color=FAINT, linewidth=1.2, zorder=1)
    for k, factor in enumerate(factors):
        marker, color = LEVEL_MARKS[k % len(LEVEL_MARKS)]
        axes.scatter(
            [matrices[k, a, b] for a, b in chosen],
            [row + spread[k] for row in range(len(chosen))],
            marker=marker,
            color=color,
            s=22,
            zorder=2,
            label=f"Bayes factor {significant(factor)}",
        )
    words = [f"{label(result.names[a])} → {label(result.names[b])}" for a, b in chosen]
    axes.set_yticks(range(len(chosen)), words)
    axes.set_ylim(max(1, len(chosen)) - 0.5, -0.5)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("probability of the edge")
    axes.grid(axis="x", color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    frame(axes)
    figure.legend(loc="outside upper center", ncols=len(factors), frameon=False, fontsize=9)
    return figure
