"""ReportData to one self-contained HTML page."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from ..atomic_file import atomic_text_file
from .charts import heat_map, moving_edges, probability_step, score_chart
from .data import ClassSummary, ReportData
from .text import count, decimal, isolate, percent, probability, significant, visible

__all__ = ["embed_json", "prepare", "render_report", "write_report"]

_MOVING_EDGES_SHOWN = 30
_CERTAIN = 1.0 - 1e-9


def prepare() -> None:
    """Compile the templates beforehand: that takes longer than to fill them."""
    environment = _environment()
    for name in environment.list_templates(extensions=["html"]):
        environment.get_template(name)


def render_report(data: ReportData) -> str:
    """Return the report as the text of one HTML page that needs no other file."""
    style, layout = _asset("report.css"), _layout_library()
    script = _asset("drawing.js") + _asset("report.js")
    chart, heat = score_chart(data), heat_map(data)
    moving = moving_edges(data.edges, _MOVING_EDGES_SHOWN)
    template = _environment().get_template("report.html")
    return template.render(
        data=data,
        names=[visible(v.name) for v in data.variables],
        chart=chart,
        heat=heat,
        moving=moving,
        n_moving=len(moving_edges(data.edges, len(data.edges))),
        differences=[_differences(data.classes[0], c) for c in data.classes],
        summary=_summary(data),
        payload=embed_json(_payload(data, [list(m) for m in chart.marks])),
        script=Markup(script),  # noqa: S704 - the package's own file
        style=Markup(style),  # noqa: S704 - the package's own file
        layout=Markup(layout),  # noqa: S704 - the package's own file
        layout_license=Markup(_asset("vendor/dagre.LICENSE")),  # noqa: S704 - likewise
        content_policy=_content_policy(scripts=(layout, script), style=style),
    )


def write_report(data: ReportData, path: str | os.PathLike[str]) -> Path:
    """Write the report to a file, whole or not at all, and return its path.

    Raises
    ------
    FormatError
        When the disk refuses.
    """
    text = render_report(data)
    with atomic_text_file(path) as file:
        file.write(text)
    return Path(path)


def embed_json(value: Any) -> Markup:
    r"""Return JSON that is safe between ``<script type="application/json">`` tags.

    No text can end the element or begin a comment: ``<``, ``>`` and ``&`` are written as
    escapes, and everything beyond ASCII too, which covers the line separators U+2028/9.

    Examples
    --------
    >>> print(embed_json({"name": "</script><!--"}))
    {"name":"\u003c/script\u003e\u003c!--"}
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - escaped above


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("crediblenet"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "count": count,
        "decimal": decimal,
        "isolate": isolate,
        "percent": percent,
        "probability": probability,
        "significant": significant,
        "step": probability_step,
        "visible": visible,
    }
    return environment


def _asset(name: str) -> str:
    """Read a file of the package that goes into the page as it is."""
    text = (resources.files("crediblenet") / "templates" / name).read_text("utf-8")
    if "</script" in text.lower() or "</style" in text.lower():
        raise ValueError(f"templates/{name} would end the element it is put into")
    return text


def _layout_library() -> str:
    """Read the layout library, without the pointer to a source map that is not there."""
    lines = _asset("vendor/dagre.min.js").splitlines()
    return "\n".join(line for line in lines if not line.startswith("//# sourceMappingURL"))


def _content_policy(scripts: Iterable[str], style: str) -> str:
    """Allow these scripts and this style sheet by their digests, and nothing else.

    The page has no inline handlers and no style attributes, so the browser itself
    refuses whatever might slip in through data. Pictures in ``data:`` addresses are
    needed to save the graph as PNG.
    """

    def digest(text: str) -> str:
        return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"

    return (
        f"default-src 'none'; script-src {' '.join(map(digest, scripts))}; "
        f"style-src {digest(style)}; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _summary(data: ReportData) -> dict[str, Any]:
    """Work out the few numbers that the first lines of the report are about."""
    pairs = {frozenset((e.source, e.target)): e.adjacent for e in data.edges}
    best = data.classes[0] if data.classes else None
    open_direction = {
        frozenset((e.source, e.target))
        for e in data.edges
        if e.adjacent >= _CERTAIN and e.directed < _CERTAIN
    } - {frozenset((e.source, e.target)) for e in data.edges if e.directed >= _CERTAIN}
    return {
        "pairs": len(data.variables) * (len(data.variables) - 1) // 2,
        "certain_pairs": sum(p >= _CERTAIN for p in pairs.values()),
        "certain_edges": sum(e.directed >= _CERTAIN for e in data.edges),
        "open_direction": len(open_direction),
        "contested_pairs": sum(0.05 <= p <= 0.95 for p in pairs.values()),
        "absent_pairs": len(data.variables) * (len(data.variables) - 1) // 2 - len(pairs),
        "best_weight": best.weight if best else None,
        "shown_weight": sum(c.weight for c in data.classes),
    }


def _differences(best: ClassSummary, other: ClassSummary) -> list[tuple[str, int, str, int]]:
    """Say how a class's graph differs from the best one's: (what, a, mark, b)."""

    def marks(summary: ClassSummary) -> dict[frozenset[int], tuple[int, str, int]]:
        found = {frozenset(e): (e[0], "→", e[1]) for e in summary.directed}
        return found | {frozenset(e): (min(e), "—", max(e)) for e in summary.undirected}

    ours, theirs = marks(best), marks(other)
    changes = [("with", *theirs[pair]) for pair in theirs.keys() - ours.keys()]
    changes += [("without", *ours[pair]) for pair in ours.keys() - theirs.keys()]
    changes += [
        ("now", *theirs[pair]) for pair in ours.keys() & theirs.keys() if ours[pair] != theirs[pair]
    ]
    rank = {"with": 0, "without": 1, "now": 2}
    return sorted(changes, key=lambda c: (rank[c[0]], c[1], c[3]))


def _rounded(value: float) -> float:
    """Drop the digits that no picture shows, but never turn a possibility into 0 or 1."""
    return float(f"{value:.6g}") if value < 0.9999 else value


def _payload(data: ReportData, marks: list[Any]) -> dict[str, Any]:
    """Gather what the page's script needs."""
    return {
        "variables": [
            {
                "name": visible(v.name),
                "states": [visible(s) for s in v.states],
                "nStates": v.n_states,
                "parentSets": [[_rounded(a.probability), *a.parents] for a in v.parent_sets],
                "nParentSets": v.n_parent_sets,
                "blanket": [[m, _rounded(p)] for m, p in v.blanket.members] if v.blanket else None,
                "nBlanket": v.blanket.n_members if v.blanket else 0,
                "blanketError": _rounded(v.blanket.standard_error) if v.blanket else 0,
            }
            for v in data.variables
        ],
        "edges": [
            [
                e.source,
                e.target,
                _rounded(e.directed),
                _rounded(e.adjacent),
                None if e.compelled is None else _rounded(e.compelled),
                int(e.optimal),
                *map(_rounded, e.levels),
            ]
            for e in data.edges
        ],
        "levels": [significant(level.bayes_factor) for level in data.levels],
        "classes": [{"directed": c.directed, "undirected": c.undirected} for c in data.classes],
        "curve": marks,
    }
