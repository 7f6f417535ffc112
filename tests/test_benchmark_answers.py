"""Benchmarks that measure a problem in several ways do not believe different answers."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from benchmarks.ablation import engine
from benchmarks.answers import same_answers, same_optimum
from benchmarks.growth import runs as growth
from benchmarks.rows import RESULTS, read_rows
from benchmarks.scale import __main__ as scale
from benchmarks.scale.runs import runs
from benchmarks.width import runs as width


def test_rows_with_one_answer_are_handed_on() -> None:
    """Other problems may have other answers; what is stopped, or empty, has none."""
    rows: list[dict[str, object]] = [
        {"data": "a", "way": 1, "networks": 3, "classes": None},
        {"data": "a", "way": 2, "networks": "3", "classes": "2", "complete": "yes"},
        {"data": "a", "way": 3, "networks": 1, "classes": "", "complete": "no"},
        {"data": "a", "way": 4, "complete": None},
        {"data": "b", "way": 1, "networks": 4, "classes": 4},
    ]
    assert list(same_answers(rows, ["data"], ["networks", "classes"])) == rows


@pytest.mark.parametrize("other", [{"networks": 4}, {"classes": 1}])
def test_another_answer_is_an_error(other: dict[str, object]) -> None:
    """It says what was asked, and both answers; rows before it are handed on first."""
    first = {"data": "a", "networks": 3, "classes": 2}
    (column, value), *_ = other.items()
    said = rf"\('{column}', 'a'\): {value}, but {first[column]} in a row before"
    rows = same_answers([first, {**first, **other}], ["data"], ["networks", "classes"])
    assert next(rows) == first
    with pytest.raises(AssertionError, match=said):
        next(rows)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("10.5", "0.0"), ("10.500002", "0.0")),  # as far as both were rounded
        (("10.5", "2.0"), ("8.5", "0.0")),
        (("10.5", "2.0"), ("9.0", "0.1")),
        (("", ""), ("9.0", "0.0")),
        (("", ""), ("", "")),
    ],
)
def test_rows_that_allow_the_same_optimum(before: tuple[str, str], after: tuple[str, str]) -> None:
    """Each row says that the optimum is its cost, or less by its gap at most."""
    same_optimum(costs(before), costs(after))
    same_optimum(costs(after), costs(before))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("10.5", "0.0"), ("10.50001", "0.0")),
        (("10.5", "2.0"), ("8.4", "0.0")),
        (("10.5", "2.0"), ("10.6", "0.0")),
        (("10.5", "2.0"), ("13.0", "1.0")),
    ],
)
def test_rows_that_allow_no_common_optimum(before: tuple[str, str], after: tuple[str, str]) -> None:
    """Whichever came first."""
    for pair in ((before, after), (after, before)):
        with pytest.raises(AssertionError, match="the optimum is at least"):
            same_optimum(*map(costs, pair))


def costs(row: tuple[str, str]) -> dict[str, str]:
    """Return a row of which only the cost and the gap are known."""
    return dict(zip(("optimal_cost", "gap"), row, strict=True))


Answer = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("module", "compare", "wrong"),
    [
        (width, width.compare, lambda asked: asked["columns"]),
        (engine, engine.compare, lambda asked: asked["off"]),
        (growth, growth.compare, lambda asked: asked["threads"]),
    ],
    ids=["width", "ablation", "growth"],
)
def test_a_benchmark_checks_its_answers(
    module: ModuleType,
    compare: Callable[[], Iterator[dict[str, object]]],
    wrong: Answer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All rows with one answer to each problem, and an error as soon as there are two."""

    def measured(answer: Answer) -> Callable[..., dict[str, Any]]:
        return lambda *_, **asked: {"complete": "yes", "networks": answer(asked)}

    monkeypatch.setattr(module, "run_isolated", measured(lambda _: 7))
    assert {row["networks"] for row in compare()} == {7}
    monkeypatch.setattr(module, "run_isolated", measured(wrong))
    with pytest.raises(AssertionError, match="in a row before"):
        list(compare())


def scale_row(**changes: object) -> dict[str, object]:
    """Return a row of the first of the large problems, and the time it took."""
    first = dict(zip(scale.PROBLEM, scale.key_of(next(iter(runs()))), strict=True))
    row = {"complete": "yes", "gap": 0.0, "optimal_cost": 31.5, "networks": "9", "classes": "2"}
    return {**first, "time_limit": 60.0, **row, "total_wall": 1.0, "failed": None, **changes}


@pytest.mark.parametrize(
    ("stored", "measured"),
    [
        ({}, {"networks": "8"}),
        ({}, {"classes": "3"}),
        ({}, {"optimal_cost": 31.4}),
        ({"complete": "no", "optimal_cost": 31.4, "gap": 2.0, "networks": "1"}, {}),
        ({"complete": "no", "optimal_cost": 40.0, "gap": 2.0, "networks": "1"}, {}),
    ],
)
def test_new_figures_are_compared_with_the_stored_ones(
    stored: dict[str, object],
    measured: dict[str, object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A row that contradicts the stored one does not replace it."""
    target = tmp_path / "scale.csv"
    monkeypatch.setattr(scale, "TARGET", target)
    monkeypatch.setattr(scale, "write_page", lambda path: path)
    first = next(iter(runs()))
    monkeypatch.setattr(scale, "runs", lambda *_: [first])
    monkeypatch.setattr("sys.argv", ["scale", "--again", "all"])
    store(target, scale_row(**stored))
    before = read_rows(target)
    monkeypatch.setattr(scale, "run", lambda *_: scale_row(**measured))
    with pytest.raises(AssertionError, match=r"in a row before|the optimum is at least"):
        scale.main()
    assert read_rows(target) == before
    monkeypatch.setattr(scale, "run", lambda *_: scale_row(**stored, total_wall=2.0))
    scale.main()
    assert [row["total_wall"] for row in read_rows(target)] == ["2.0"]


def store(path: Path, row: dict[str, object]) -> None:
    """Write a file with a single row."""
    with path.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, list(row))
        writer.writeheader()
        writer.writerow(row)


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("width.csv", ["data"]),
        ("growth.csv", growth.PROBLEM),
        ("ablation/engine.csv", ["data", "bayes_factor"]),
    ],
)
def test_stored_answers(file: str, problem: list[str]) -> None:
    """The committed figures have one answer to each problem, too."""
    rows = read_rows(RESULTS / file)
    assert rows
    assert list(same_answers(rows, problem, ["candidates", "networks", "classes"])) == rows
