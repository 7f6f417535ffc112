"""The consensus network as a picture."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

from ..consensus import Kind
from ..exceptions import ParameterError
from ..report.order import best_graph
from .style import INK, PAPER, SHADES, SOFT, Picture, label, number

if TYPE_CHECKING:
    from ..credible_set import CredibleSet
    from ..edge_probabilities import EdgeProbabilities

__all__ = ["Kind", "plot"]

# In inches, so that boxes, bends and the numbers on them share one scale.
_BOX_HEIGHT, _CHARACTER, _PADDING = 0.30, 0.082, 0.26
_GAP, _LAYER, _MARGIN, _NUMBER = 0.45, 0.95, 0.3, 0.22
_BENDS = (0.0, 0.15, -0.15, 0.3, -0.3, 0.45, -0.45, 0.65, -0.65)
_SWEEPS = 8


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float


@dataclass(frozen=True)
class _Link:
    source: int
    target: int
    probability: float
    arrow: bool


def plot(result: CredibleSet, threshold: float = 0.5, *, kind: Kind = "directed") -> Picture:
    """Draw the edges that are at least as probable as a threshold.

    Width, shade and line style say how probable an edge is, and so does its number. With
    directed edges, a line without an arrowhead joins variables that are adjacent with at
    least that probability although neither direction reaches it. Variables stand in the
    same places whatever the threshold, so that pictures can be compared.

    Parameters
    ----------
    result
        A credible set.
    threshold
        Draw edges from this probability on, above 0 and up to 1.
    kind
        ``"directed"``, ``"adjacent"`` (either direction) or ``"compelled"`` (a direction
        that the whole equivalence class shares).

    Returns
    -------
    Picture
        A matplotlib figure.

    Raises
    ------
    ParameterError
        When the threshold is no probability, or the kind is none of these.
    """
    if not 0 < threshold <= 1:
        raise ParameterError(f"threshold must be above 0 and at most 1, not {threshold}")
    edges = result.edge_probabilities(compelled=kind == "compelled")
    links = _links(edges, threshold, kind)
    boxes = _place(result.names, _skeleton(result, edges))
    return _draw(result.names, boxes, links)


def _skeleton(result: CredibleSet, edges: EdgeProbabilities) -> nx.DiGraph[int]:
    """Return the network that gives the layers.

    The likelier direction of every pair that is more likely adjacent than not; these may
    run in a circle, and then the best network serves.
    """
    directed = edges.directed.values
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(result.names)))
    for a, b in np.argwhere(np.triu(edges.adjacent.values) >= 0.5).tolist():
        graph.add_edge(*((a, b) if directed[a, b] >= directed[b, a] else (b, a)))
    return graph if nx.is_directed_acyclic_graph(graph) else best_graph(result)


def _links(edges: EdgeProbabilities, threshold: float, kind: Kind) -> list[_Link]:
    """Choose what to draw, least probable first so that the rest lies on top."""
    means = {"directed": edges.directed, "adjacent": edges.adjacent, "compelled": edges.compelled}
    if kind not in means:
        raise ParameterError(f"kind must be one of {', '.join(means)}, not {kind!r}")
    mean = means[kind]
    assert mean is not None  # noqa: S101 - asked for above
    # Sums of weights reach a round threshold, above all 1, only up to rounding.
    reached = threshold - 1e-9
    links = []
    for a, b in itertools.permutations(range(len(edges.names)), 2):
        p, reverse = float(mean.values[a, b]), float(mean.values[b, a])
        adjacent = float(edges.adjacent.values[a, b])
        if kind != "adjacent" and p >= reached:
            links.append(_Link(a, b, p, arrow=True))
        elif a < b and adjacent >= reached:
            open_direction = kind == "directed" and reverse < reached
            if kind == "adjacent" or open_direction:
                links.append(_Link(a, b, adjacent, arrow=False))
    return sorted(links, key=lambda link: link.probability)


def _place(names: Sequence[str], graph: nx.DiGraph[int]) -> dict[int, _Box]:
    """Put variables in the layers of a network, in rows that are centred on the page.

    Inside a layer variables stand where their neighbours stand on average: the usual
    barycentre rule against crossings (Sugiyama, Tagawa and Toda 1981). Variables without
    an edge would stretch the first layer and get rows of their own underneath.
    """
    lonely = sorted(v for v in graph if graph.degree(v) == 0)
    joined = graph.subgraph(v for v in graph if graph.degree(v) > 0)
    rows = [sorted(layer) for layer in nx.topological_generations(joined)]
    for sweep in range(_SWEEPS):
        near = joined.pred if sweep % 2 == 0 else joined.succ
        where = {v: (k + 0.5) / len(row) for row in rows for k, v in enumerate(row)}
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wish = {v: float(np.mean([where[u] for u in near[v]] or [where[v]])) for v in row}
            row.sort(key=lambda v, wish=wish: (wish[v], v))  # type: ignore[misc]
            where |= {v: (k + 0.5) / len(row) for k, v in enumerate(row)}
    per_row = max([len(row) for row in rows] + [4])
    rows += [lonely[k : k + per_row] for k in range(0, len(lonely), per_row)]

    widths = {v: _CHARACTER * len(label(names[v])) + _PADDING for v in graph}
    totals = [sum(widths[v] for v in row) + _GAP * (len(row) - 1) for row in rows]
    page = max(totals)
    boxes = {}
    for depth, (row, total) in enumerate(zip(rows, totals, strict=True)):
        x = (page - total) / 2
        for v in row:
            boxes[v] = _Box(x + widths[v] / 2, -_LAYER * depth, widths[v])
            x += widths[v] + _GAP
    return boxes


def _bend(boxes: dict[int, _Box], link: _Link, choices: Sequence[float]) -> float:
    """Return the bend, of a few, that meets the fewest other boxes on its way."""
    a, b = boxes[link.source], boxes[link.target]
    others = [box for v, box in boxes.items() if v not in (link.source, link.target)]

    def met(bend: float) -> int:
        x, y = np.array([_along(a, b, bend, t) for t in np.linspace(0.05, 0.95, 31)]).T
        return sum(
            int(np.any((abs(x - o.x) < o.width / 2) & (abs(y - o.y) < _BOX_HEIGHT / 2)))
            for o in others
        )

    return min(choices, key=lambda bend: (met(bend), abs(bend)))


def _along(a: _Box, b: _Box, bend: float, t: float) -> tuple[float, float]:
    """Return a point of the line from one box to another, t of the way along.

    matplotlib's arc3 is a quadratic curve whose control point lies off the middle by bend
    times the distance, at a right angle.
    """
    control_x = (a.x + b.x) / 2 + bend * (b.y - a.y)
    control_y = (a.y + b.y) / 2 + bend * (a.x - b.x)
    u = 1 - t
    return (
        u * u * a.x + 2 * u * t * control_x + t * t * b.x,
        u * u * a.y + 2 * u * t * control_y + t * t * b.y,
    )


def _number_places(curves: Sequence[tuple[_Box, _Box, float]]) -> list[tuple[float, float]]:
    """Return where each line's number goes: near its middle, off the numbers so far."""
    taken: list[tuple[float, float]] = []
    for a, b, bend in curves:
        choices = [_along(a, b, bend, t) for t in (0.5, 0.4, 0.6, 0.32, 0.68)]
        free = (c for c in choices if all(math.dist(c, other) > _NUMBER for other in taken))
        taken.append(next(free, choices[0]))
    return taken


def _draw(names: Sequence[str], boxes: dict[int, _Box], links: Sequence[_Link]) -> Picture:
    pairs = {(link.source, link.target) for link in links}
    bends = [
        _bend(boxes, k, (0.12, 0.24, 0.4) if (k.target, k.source) in pairs else _BENDS)
        for k in links
    ]
    curves = [
        (boxes[k.source], boxes[k.target], bend) for k, bend in zip(links, bends, strict=True)
    ]
    middles = [_along(*curve, 0.5) for curve in curves]
    left = min([b.x - b.width / 2 for b in boxes.values()] + [x for x, _ in middles]) - _MARGIN
    right = max([b.x + b.width / 2 for b in boxes.values()] + [x for x, _ in middles]) + _MARGIN
    bottom = min([b.y for b in boxes.values()] + [y for _, y in middles]) - _BOX_HEIGHT - _MARGIN
    top = max([b.y for b in boxes.values()] + [y for _, y in middles]) + _BOX_HEIGHT + _MARGIN
    figure = Picture(figsize=(right - left, top - bottom))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(left, right), ylim=(bottom, top))
    axes.set_axis_off()
    # Arrows end at the outlines of the boxes, which matplotlib knows only once it has drawn
    # the boxes: so boxes lie below arrows.
    texts = {
        v: axes.text(
            box.x,
            box.y,
            label(names[v]),
            ha="center",
            va="center",
            fontsize=9,
            color=INK,
            zorder=2,
            bbox={"boxstyle": "round,pad=0.45", "fc": PAPER, "ec": SOFT, "lw": 0.9},
        )
        for v, box in boxes.items()
    }
    places = _number_places(curves)
    for link, (a, b, bend), place in zip(links, curves, places, strict=True):
        p = link.probability
        axes.annotate(
            "",
            xy=(b.x, b.y),
            xytext=(a.x, a.y),
            zorder=3,
            arrowprops={
                "arrowstyle": "-|>" if link.arrow else "-",
                "mutation_scale": 9 + 5 * p,
                "lw": 0.7 + 2.3 * p,
                "color": SHADES(0.25 + 0.75 * p),
                "linestyle": "-" if p >= 0.95 else (0, (4, 1.6)) if p >= 0.5 else (0, (1, 1.6)),
                "connectionstyle": f"arc3,rad={bend}",
                "patchA": texts[link.source].get_bbox_patch(),
                "patchB": texts[link.target].get_bbox_patch(),
                "shrinkA": 0,
                "shrinkB": 1,
            },
        )
        axes.text(
            *place,
            number(p),
            fontsize=7.5,
            color=SOFT,
            ha="center",
            va="center",
            zorder=4,
            bbox={"boxstyle": "round,pad=0.12", "fc": PAPER, "ec": "none"},
        )
    return figure
