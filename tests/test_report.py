"""The report as text: what it says, that data stay text, that it stands alone and stays small."""

from __future__ import annotations

import itertools
import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import report_examples as examples
from crediblenet.report import render_report, write_report
from crediblenet.report.charts import heat_map, moving_edges, score_chart
from crediblenet.report.data import CurveStep, ReportData
from crediblenet.report.render import embed_json
from crediblenet.report.text import count, percent, probability, significant, visible

GOLD = Path(__file__).parent / "gold" / "report.html"


class Page(HTMLParser):
    """Collects the elements and the embedded data of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.payload = ""
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the element."""
        self.elements.append((tag, dict(attrs)))
        self._inside = "data" if dict(attrs).get("id") == "report-data" else tag

    def handle_endtag(self, tag: str) -> None:
        """Leave scripts and style sheets."""
        del tag
        self._inside = ""

    def handle_data(self, data: str) -> None:
        """Keep visible text and the embedded data."""
        if self._inside == "data":
            self.payload += data
        elif self._inside not in ("script", "style"):
            self.text += data


@pytest.fixture(scope="module")
def five() -> ReportData:
    """Return the brute-force credible set of five variables at Bayes factor 150."""
    return examples.five_variables()


def masked(page: str) -> str:
    """Hide what may change from run to run: here only the digests of the assets."""
    return re.sub(r"sha256-[\w+/=]+", "sha256-…", page)


def without_assets(page: str) -> str:
    """Leave out the style sheet and the scripts, which have files of their own."""
    page = re.sub(r"<style>.*?</style>", "<style>…</style>", page, flags=re.DOTALL)
    page = re.sub(r"<script>.*?</script>", "<script>…</script>", page, flags=re.DOTALL)
    return re.sub(r"(<!-- Layered layout:).*?-->", r"\1 … -->", page, flags=re.DOTALL)


def test_page_equals_gold_file(five: ReportData) -> None:
    """The page for fixed data is the one that was looked at.

    After a wanted change: ``CREDIBLENET_UPDATE_GOLD=1 pytest tests/test_report.py``, and
    look at the difference before committing it.
    """
    page = without_assets(masked(render_report(five)))
    if os.environ.get("CREDIBLENET_UPDATE_GOLD"):
        GOLD.write_text(page, encoding="utf-8")
    assert page == GOLD.read_text(encoding="utf-8")


def test_page_stands_alone(five: ReportData) -> None:
    """No element loads anything, no inline handler or style attribute evades the policy."""
    loading = {"src", "srcset", "data", "poster", "action", "formaction", "background", "ping"}
    policy = ""
    for tag, attributes in Page(render_report(five)).elements:
        assert not loading & attributes.keys(), (tag, attributes)
        assert "style" not in attributes, (tag, attributes)
        assert not [a for a in attributes if a.startswith("on")], (tag, attributes)
        href = attributes.get("href") or "#"
        assert href.startswith(("#", "data:")), href
        if attributes.get("http-equiv") == "Content-Security-Policy":
            policy = attributes["content"] or ""
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "http:" not in policy
    assert "https:" not in policy


def test_hostile_names_stay_text() -> None:
    """Markup in names, values, titles and commands adds no element and ends no script."""
    calm, wild = examples.five_variables(20.0), examples.hostile()
    page = render_report(wild)
    parsed = Page(page)
    scripts = [attributes for tag, attributes in parsed.elements if tag == "script"]
    assert len(scripts) == len([1 for t, _ in Page(render_report(calm)).elements if t == "script"])
    assert not [1 for tag, _ in parsed.elements if tag == "img"]
    assert "document.title='broken'" in parsed.text
    assert json.loads(parsed.payload)["variables"][0]["name"] == examples.HOSTILE[0]
    raw = page[page.index('id="report-data">') :].split(">", 1)[1].split("</script>")[0]
    assert not set("<>&") & set(raw)
    assert raw.isascii()


def test_every_edge_is_in_table_and_data(five: ReportData) -> None:
    """The table without script and the data for the script hold the same edges."""
    page = render_report(five)
    payload: dict[str, Any] = json.loads(Page(page).payload)
    assert len(payload["edges"]) == len(five.edges) == page.count("<tr data-edge=")
    assert payload["edges"][0][:2] == [five.edges[0].source, five.edges[0].target]


def test_sixty_variables_stay_under_five_megabytes() -> None:
    """A page with every pair of 60 variables open is well under 5 MB."""
    data = examples.many_variables(60)
    assert data.n_edges == 60 * 59
    assert len(render_report(data).encode()) < 5_000_000


def test_incomplete_run_never_looks_whole(five: ReportData) -> None:
    """A stopped search is marked, and its counts are lower bounds."""
    page = render_report(replace(five, complete=False))
    assert "! incomplete" in page
    assert f"≥ {five.n_networks}" in page
    assert "✓ complete" not in page


def test_a_set_of_one_network_without_edges() -> None:
    """The smallest set renders, with nothing to divide by zero."""
    page = render_report(examples.no_edges())
    assert "No credible network has any edge" in page
    assert "not counted" in page


def test_write_report_leaves_no_trace_of_failure(tmp_path: Path, five: ReportData) -> None:
    """The file appears whole; a broken rendering leaves the old file and nothing else."""
    target = write_report(five, tmp_path / "report.html")
    before = target.read_text(encoding="utf-8")
    assert before.startswith("<!doctype html>")
    with pytest.raises(TypeError):
        write_report(replace(five, created=None, curve=None), target)  # type: ignore[arg-type]
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    assert target.read_text(encoding="utf-8") == before


def test_score_chart_is_a_rising_staircase_inside_its_frame(five: ReportData) -> None:
    """The curve rises from the optimum at rank 1 to the last rank, inside the axes."""
    chart = score_chart(five)
    points = [tuple(map(float, p.split(","))) for p in chart.path[1:].split(" L")]
    assert points[0] == (chart.left, chart.bottom)
    assert points[-1][0] == chart.right
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        assert x1 <= x2
        assert y1 >= y2
    assert [tick.label for tick in chart.levels] == ["BF 3", "BF 20", "BF 150"]
    assert not chart.logarithmic
    assert score_chart(examples.many_variables(5)).logarithmic


def test_score_chart_takes_counts_beyond_floats(five: ReportData) -> None:
    """Ranks of any size find their place on the logarithmic axis."""
    huge = 10**400
    curve = (CurveStep(1, 4, 0.0), CurveStep(5, huge, 1.0))
    chart = score_chart(replace(five, curve=curve, n_networks=huge))
    assert chart.x_ticks[0].at == chart.left
    assert all(chart.left <= tick.at <= chart.right for tick in chart.x_ticks)


def test_heat_map_puts_best_networks_edges_above_the_diagonal(five: ReportData) -> None:
    """Edges of the best network lie above the diagonal; every possible edge has a square."""
    heat = heat_map(five)
    assert len(heat.cells) == len(five.edges)
    for cell in heat.cells:
        if five.edges[cell.edge].optimal:
            assert cell.x > cell.y


def test_moving_edges_come_largest_first(five: ReportData) -> None:
    """Edges are ranked by how far their probability travels between levels."""
    moving = moving_edges(five.edges, 5)
    travels = [max(e.levels) - min(e.levels) for e in moving]
    assert travels == sorted(travels, reverse=True)
    assert travels[0] == max(max(e.levels) - min(e.levels) for e in five.edges)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (probability(1 - 1e-12), "1"),
        (probability(1 - 1e-7), ">0.999"),
        (probability(1e-30), "<0.001"),
        (percent(0.5), "50.0 %"),
        (count(10**500), "1.00 × 10⁵⁰⁰"),
        (significant(float("inf")), "∞"),
        (significant(123456.0), "123,000"),
        (visible("a\x00\ud800"), "a␀�"),
    ],
)
def test_numbers_and_text_as_written(written: str, expected: str) -> None:
    """Rounding never turns nearly into exactly, and no character vanishes."""
    assert written == expected


def test_embedded_json_has_no_character_that_html_reads() -> None:
    """Every text survives the trip, and none of it is markup on the way."""
    nasty = "</script><!-- ]]> \u2028\u2029 & é \ud800"
    text = str(embed_json([nasty]))
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == [nasty]
    with pytest.raises(ValueError, match="JSON compliant"):
        embed_json(float("nan"))
