"""Where the marks of the report's static pictures go: numbers here, markup in the template."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..levels import CUSTOMARY_LEVELS
from .data import CurveStep, EdgeSummary, ReportData
from .text import count, significant

__all__ = [
    "HeatMap",
    "HeatMapCell",
    "ScoreChart",
    "Tick",
    "heat_map",
    "moving_edges",
    "probability_step",
    "score_chart",
]

_LOGARITHMIC_FROM = 200  # networks; below, ranks are told apart on an even scale
_STEPS = 10


def probability_step(probability: float) -> int:
    """Return which shade stands for a probability: 1 to 10, or 0 below one in a hundred."""
    return 0 if probability < 0.01 else min(_STEPS, math.ceil(_STEPS * probability))


@dataclass(frozen=True)
class Tick:
    """A mark on an axis."""

    at: float
    label: str


@dataclass(frozen=True)
class ScoreChart:
    """Deviation from the optimum against rank, with Bayes factors as horizontal lines.

    Attributes
    ----------
    left, right, top, bottom
        The plotting area, inside a picture of `width` by `height`.
    path
        The step curve, in SVG's notation.
    marks
        (x, y, words) for each step, for the reader who points at it.
    logarithmic
        Whether ranks are spaced by their logarithm.
    """

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    path: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    levels: tuple[Tick, ...]
    marks: tuple[tuple[float, float, str], ...]
    logarithmic: bool


def _round_ticks(limit: float, about: int) -> list[float]:
    """Return multiples of 1, 2 or 5 times a power of ten, from 0 up to the limit."""
    if limit <= 0:
        return [0.0]
    step = 10.0 ** math.floor(math.log10(limit / about))
    for factor in (1, 2, 5, 10):
        if limit / (step * factor) <= about:
            step *= factor
            break
    return [k * step for k in range(math.floor(limit / step + 1e-9) + 1)]


def _rank_ticks(last: int, logarithmic: bool) -> list[int]:
    """Return the ranks to name on the axis."""
    if not logarithmic:
        ticks = sorted({1, *(round(t) for t in _round_ticks(last, 8) if t >= 1)})
        return [t for t in ticks if t == 1 or t > 0.06 * last]
    powers = len(str(last)) - 1
    return [10**p for p in range(0, powers + 1, 1 + powers // 8)]


def _step_words(step: CurveStep) -> str:
    ranks = (
        f"Network {count(step.first)}"
        if step.first == step.last
        else f"Networks {count(step.first)} to {count(step.last)}"
    )
    if step.deviation <= 0:
        return f"{ranks}: optimal"
    factor = significant(math.exp(step.deviation)) if step.deviation < 700 else "beyond 10³⁰⁰"
    return f"{ranks}: ε = {significant(step.deviation, 4)}, Bayes factor {factor}"


def score_chart(data: ReportData, width: float = 1080, height: float = 360) -> ScoreChart:
    """Lay out the figure of deviation ε from the optimum against rank k."""
    left, right, top, bottom = 56.0, width - 74.0, 16.0, height - 48.0
    # A thinned curve still ends at the last network.
    last = max((step.last for step in data.curve), default=1)
    reach = max([step.deviation for step in data.curve] + [data.epsilon, 1e-9])
    if not math.isfinite(reach):
        reach = max([step.deviation for step in data.curve], default=1.0) or 1.0
    logarithmic = last > _LOGARITHMIC_FROM
    y_limit = reach * 1.06

    def x(rank: int) -> float:
        if last == 1:
            return left
        # math.log takes integers of any size; they need not fit in a float.
        share = math.log(rank) / math.log(last) if logarithmic else (rank - 1) / (last - 1)
        return round(left + share * (right - left), 2)

    def y(deviation: float) -> float:
        return round(bottom - deviation / y_limit * (bottom - top), 2)

    corners: list[tuple[float, float]] = []
    for step in data.curve:
        if corners:
            corners.append((x(step.first), corners[-1][1]))
        corners += [(x(step.first), y(step.deviation)), (x(step.last), y(step.deviation))]
    shown = {f: math.log(f) for f in CUSTOMARY_LEVELS if math.log(f) <= y_limit}
    if data.epsilon <= y_limit and all(abs(v - data.epsilon) > 1e-6 for v in shown.values()):
        shown[data.bayes_factor] = data.epsilon
    return ScoreChart(
        width=width,
        height=height,
        left=left,
        right=right,
        top=top,
        bottom=bottom,
        path=_path(corners),
        x_ticks=tuple(Tick(x(k), count(k)) for k in _rank_ticks(last, logarithmic)),
        y_ticks=tuple(Tick(y(v), f"{v:g}") for v in _round_ticks(y_limit, 5)),
        levels=tuple(Tick(y(v), f"BF {significant(f)}") for f, v in sorted(shown.items()) if v > 0),
        marks=tuple(
            (round((x(s.first) + x(s.last)) / 2, 2), y(s.deviation), _step_words(s))
            for s in data.curve
        ),
        logarithmic=logarithmic,
    )


def _path(corners: Sequence[tuple[float, float]]) -> str:
    distinct = [c for i, c in enumerate(corners) if i == 0 or c != corners[i - 1]]
    return "M" + " L".join(f"{cx:g},{cy:g}" for cx, cy in distinct) if distinct else ""


@dataclass(frozen=True)
class HeatMapCell:
    """One edge's square: where, how dark, which edge, and the number if there is room."""

    x: float
    y: float
    step: int
    edge: int
    label: str


@dataclass(frozen=True)
class HeatMap:
    """The edge probability matrix: rows are sources, columns are targets."""

    size: float
    cell: float
    margin: float
    order: tuple[int, ...]
    cells: tuple[HeatMapCell, ...]
    numbers: bool


def heat_map(data: ReportData) -> HeatMap:
    """Lay out the edge probability matrix, sources and targets in the best network's order.

    In that order the best network's own edges lie above the diagonal, so that what lies
    below it shows at a glance where other networks disagree.
    """
    n = len(data.order)
    cell = 40.0 if n <= 12 else 26.0 if n <= 25 else 15.0 if n <= 60 else 10.0
    longest = max((len(v.name) for v in data.variables), default=1)
    margin = 12.0 + 6.6 * min(longest, 16)
    place = {variable: k for k, variable in enumerate(data.order)}
    numbers = cell >= 40
    cells = tuple(
        HeatMapCell(
            x=margin + cell * place[edge.target],
            y=margin + cell * place[edge.source],
            step=probability_step(edge.directed),
            edge=index,
            label=_short(edge.directed) if numbers else "",
        )
        for index, edge in enumerate(data.edges)
        if edge.directed > 0
    )
    return HeatMap(margin + cell * n + 1, cell, margin, data.order, cells, numbers)


def _short(probability: float) -> str:
    """Write a probability in the space of a square: no leading zero."""
    if probability >= 1 - 1e-9:
        return "1"
    if probability < 0.005:
        return "<.01"
    return ">.99" if probability >= 0.995 else f"{probability:.2f}"[1:]


def moving_edges(edges: Iterable[EdgeSummary], at_most: int) -> list[EdgeSummary]:
    """Return the edges whose probability changes most between levels, most first."""
    moving = [e for e in edges if e.levels and max(e.levels) - min(e.levels) >= 0.0005]
    moving.sort(key=lambda e: (min(e.levels) - max(e.levels), e.source, e.target))
    return moving[:at_most]
