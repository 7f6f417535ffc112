"""The report in a real browser: it works, and it asks the network for nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import report_examples as examples
from crediblenet.report import ReportData, write_report

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="needs the playwright package (pip install playwright)"
)
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
if CHROMIUM is None:
    pytest.skip("needs Chromium (apt-get install chromium)", allow_module_level=True)

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Opened:
    """A page, with all that it complained about or asked for."""

    page: Any
    file: Path
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One headless Chromium for all tests here."""
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_report(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Open report data in a new page; at the end, see that it was quiet."""
    opened: list[Opened] = []

    def open_it(data: ReportData, **options: Any) -> Opened:
        file = write_report(data, tmp_path / "report.html")
        page = browser.new_page(**options)
        page.set_default_timeout(30_000)
        result = Opened(page, file)
        page.on("console", lambda message: result.complaints.append(message.text))
        page.on("pageerror", lambda error: result.complaints.append(str(error)))
        page.on("request", lambda request: result.requests.append(request.url))
        page.goto(file.as_uri())
        opened.append(result)
        return result

    yield open_it
    for result in opened:
        result.page.wait_for_timeout(50)
        assert result.complaints == []
        assert [url for url in result.requests if not url.startswith("data:")] == [
            result.file.as_uri()
        ]
        result.page.close()


@pytest.fixture(scope="module")
def five() -> ReportData:
    """Return the brute-force credible set of five variables at Bayes factor 150."""
    return examples.five_variables()


def set_threshold(page: Any, value: float) -> None:
    """Move the slider as a hand would: the browser fires its input event."""
    page.locator("#threshold").fill(str(value))


def drawn(page: Any) -> set[tuple[int, int]]:
    """Return the edges in the drawing, as pairs of variables."""
    pairs: list[list[int]] = page.evaluate(
        """() => {
          const edges = JSON.parse(document.getElementById("report-data").textContent).edges;
          const links = [...document.querySelectorAll("#graph .link")];
          return links.map((g) => edges[g.dataset.edge].slice(0, 2));
        }"""
    )
    return {(a, b) for a, b in pairs}


def test_slider_shows_exactly_the_edges_above_it(open_report: Any, five: ReportData) -> None:
    """At each threshold the drawing has the edges that reach it and no other."""
    page = open_report(five).page
    page.locator("#undecided").uncheck()
    for threshold in (0.01, 0.3, 0.7, 1.0):
        set_threshold(page, threshold)
        expected = {(e.source, e.target) for e in five.edges if e.directed >= threshold}
        assert drawn(page) == expected
        assert page.locator("#threshold-value").inner_text() == f"{threshold:.2f}"


def test_modes_switch_what_the_probability_is_of(open_report: Any, five: ReportData) -> None:
    """Adjacencies and compelled edges are told apart from directed edges."""
    page = open_report(five).page
    set_threshold(page, 0.05)
    page.get_by_label("Compelled edges").check()
    assert drawn(page) == {(e.source, e.target) for e in five.edges if (e.compelled or 0) >= 0.05}
    page.get_by_label("Adjacencies").check()
    pairs = {frozenset((e.source, e.target)) for e in five.edges if e.adjacent >= 0.05}
    assert {frozenset(p) for p in drawn(page)} == pairs
    assert page.locator("#graph .head").count() == 0
    assert f"{len(pairs)} pairs are connected" in page.locator("#graph-status").inner_text()
    page.get_by_label("Best network").check()
    assert drawn(page) == {(e.source, e.target) for e in five.edges if e.optimal}
    assert page.locator("#threshold").is_disabled()


def test_clicking_a_variable_shows_its_parents_and_blanket(
    open_report: Any, five: ReportData
) -> None:
    """The panel lists each alternative with its probability; Escape and × close it."""
    page = open_report(five).page
    page.locator("#graph [data-variable='2']").click()
    panel = page.locator("#details")
    assert panel.locator("h3").inner_text() == "Cancer"
    assert panel.locator("h4").all_inner_texts() == ["Possible parents", "Markov blanket"]
    sets = panel.locator("table").nth(0).locator("tr")
    assert sets.count() == five.variables[2].n_parent_sets
    best = five.variables[2].parent_sets[0]
    assert f"{best.probability:.3f}" in sets.nth(0).inner_text()
    assert page.locator("#variable").input_value() == "2"
    panel.get_by_role("button", name="Close details").click()
    assert panel.locator("h3").count() == 0


def test_hovering_an_edge_shows_its_numbers(open_report: Any, five: ReportData) -> None:
    """Pointing at a square of the heat map or a line shows all its probabilities."""
    page = open_report(five).page
    page.locator("#heat [data-edge='0']").hover()
    words = page.locator("#tip").inner_text()
    assert f"this direction: {five.edges[0].directed:.3f}" in words
    assert "Cancer → X-ray" in words


def test_keyboard_alone_reaches_a_variable(open_report: Any, five: ReportData) -> None:
    """Tab into the drawing, arrow keys to another variable, Enter to show it."""
    page = open_report(five).page
    page.locator("#graph [data-variable='0']").focus()
    before = page.evaluate("document.activeElement.dataset.variable")
    page.keyboard.press("ArrowRight")
    after = page.evaluate("document.activeElement.dataset.variable")
    assert after is not None
    assert after != before
    page.keyboard.press("Enter")
    assert page.locator("#details h3").inner_text() == five.variables[int(after)].name
    page.keyboard.press("Escape")
    assert page.locator("#details h3").count() == 0


def test_table_sorts_and_searches(open_report: Any, five: ReportData) -> None:
    """A click on a head sorts, a second click turns round; words narrow the rows."""
    page = open_report(five).page
    table = page.locator("#edge-table")

    def column(number: int) -> list[str]:
        cells = table.locator(f"tbody tr:visible td:nth-child({number})")
        return [text.strip() for text in cells.all_inner_texts()]

    table.get_by_role("button", name="Adjacent").click()
    shown = [float(v) for v in column(4)]
    assert shown == sorted(shown, reverse=True)
    assert len(set(shown)) > 2
    table.get_by_role("button", name="Adjacent").click()
    shown = [float(v) for v in column(4)]
    assert shown == sorted(shown)
    table.get_by_role("button", name="From").click()
    assert column(1) == sorted(column(1))
    assert table.locator("th").nth(0).get_attribute("aria-sort") == "ascending"

    page.locator("#edge-search").fill("CANCER smok")
    assert set(zip(column(1), column(2), strict=True)) == {
        ("Cancer", "Smoker"),
        ("Smoker", "Cancer"),
    }
    assert page.locator("#edge-count").inner_text() == f"2 of {len(five.edges)} edges"


def test_classes_draw_their_graphs_when_opened(open_report: Any, five: ReportData) -> None:
    """Each class's graph has all variables and its own edges, with arrows where compelled."""
    page = open_report(five).page
    details = page.locator("details.class")
    assert details.count() == len(five.classes)
    details.nth(2).locator("summary").click()
    cpdag = details.nth(2).locator(".cpdag")
    cpdag.locator(".node").first.wait_for()
    assert cpdag.locator(".node").count() == 5
    assert cpdag.locator(".head").count() == len(five.classes[2].directed)
    assert cpdag.locator(".edge").count() == len(five.classes[2].directed) + len(
        five.classes[2].undirected
    )


def test_pictures_can_be_saved(open_report: Any, five: ReportData, tmp_path: Path) -> None:
    """The drawing comes out as SVG and as PNG, without any request for it."""
    page = open_report(five).page
    for button, name, start in (
        ("Save SVG", "consensus-directed.svg", b"<svg"),
        ("Save PNG", "consensus-directed.png", b"\x89PNG"),
    ):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=button).click()
        assert waiting.value.suggested_filename == name
        waiting.value.save_as(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)


def test_hostile_text_is_shown_as_text(open_report: Any) -> None:
    """Nothing in the data runs, and the names can be read in drawing, table and panel."""
    page = open_report(examples.hostile()).page
    assert page.title() != "broken"
    drawn = page.locator("#graph .node text").all_text_contents()
    assert drawn[:2] == ["<script>document.titl…", "\"quoted\" 'twice' & <b…"]
    assert drawn[3:] == [examples.HOSTILE[3], "⟨U+202E⟩override␊line…"]
    labels = page.locator("#graph .node").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-label'))"
    )
    assert all(name in label for name, label in zip(examples.HOSTILE[:4], labels, strict=False))
    listed = set(page.locator("#edge-table tbody bdi").all_text_contents())
    assert set(examples.HOSTILE[:4]) < listed
    assert any(name.startswith("⟨U+202E⟩override␊line two") for name in listed)
    page.locator("#variable").select_option("0")
    assert page.locator("#details h3").inner_text() == examples.HOSTILE[0]
    assert "<img src=x>" in page.locator("#details").inner_text()
    for place in ("#graph", "#edge-table", "#details"):
        assert page.locator(place).locator("img, b, script").count() == 0, place
    assert page.locator("main img, main script").count() == 0


@pytest.mark.parametrize("made", [examples.five_variables, examples.hostile])
def test_page_never_scrolls_sideways(open_report: Any, made: Any) -> None:
    """Wide things scroll in their own boxes, on a phone as on a desk."""
    page = open_report(made()).page
    page.locator("#variable").select_option("1")
    for width in (360, 768, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_script_the_tables_are_there(open_report: Any, five: ReportData) -> None:
    """With JavaScript off the numbers are all readable and the dead controls are gone."""
    page = open_report(five, java_script_enabled=False).page
    assert page.get_by_text("The drawing needs JavaScript").is_visible()
    assert not page.locator("#threshold").is_visible()
    assert not page.locator("#edge-search").is_visible()
    assert page.locator("#edge-table tbody tr").count() == len(five.edges)
    assert page.locator("#heat").is_visible()


def test_a_set_without_edges_still_works(open_report: Any) -> None:
    """With nothing to draw the variables are there and everything can be clicked."""
    page = open_report(examples.no_edges()).page
    assert page.locator("#graph .node").count() == 5
    page.locator("#arrange").click()
    page.locator("#graph [data-variable='1']").click()
    assert "no parents" in page.locator("#details").inner_text()
    assert "0 directed edges" in page.locator("#graph-status").inner_text()


def test_dark_mode_changes_the_paper(open_report: Any, five: ReportData) -> None:
    """The reader's colour preference is followed; printing is always on white."""
    page = open_report(five, color_scheme="dark").page
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(color_scheme="light")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_many_variables_draw_quickly(open_report: Any) -> None:
    """Sixty variables with thousands of possible edges are laid out and moved in seconds."""
    data = examples.many_variables(60)
    page = open_report(data).page
    assert page.locator("#graph .node").count() == 60
    seconds = page.evaluate(
        """() => {
          const begin = performance.now();
          const slider = document.getElementById("threshold");
          slider.value = "0.2";
          slider.dispatchEvent(new Event("input"));
          return (performance.now() - begin) / 1000;
        }"""
    )
    assert seconds < 3


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (390, "light")])
@pytest.mark.parametrize("made", [examples.five_variables, examples.hostile, examples.no_edges])
def test_accessibility_rules_hold(open_report: Any, made: Any, width: int, scheme: str) -> None:
    """Contrast, names, roles and the keyboard are as axe-core, the usual checker, wants them."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="needs axe-core (pip install axe-playwright-python)",
    )
    screen = {"width": width, "height": 800}
    page = open_report(made(), viewport=screen, color_scheme=scheme, bypass_csp=True).page
    page.locator("#variable").select_option("1")
    page.locator("details.class").evaluate_all("all => all.forEach(one => one.open = true)")
    page.wait_for_timeout(100)
    found = axe.Axe().run(page).response["violations"]
    assert [(rule["id"], [n["html"] for n in rule["nodes"][:3]]) for rule in found] == []


def test_print_shows_every_row_of_the_table(open_report: Any, five: ReportData) -> None:
    """On paper nothing is cut off by a scrolling box, and the controls are left out."""
    page = open_report(five).page
    page.emulate_media(media="print")
    clipped = page.locator(".scroll").evaluate_all(
        "all => all.filter(one => one.scrollHeight > one.clientHeight + 1).length"
    )
    assert clipped == 0
    assert not page.locator("#graph-controls").is_visible()
    assert page.locator("#edge-table tbody tr").last.is_visible()
