"""`python -m benchmarks.ablation` and `benchmarks.growth`: parts off, and exponents."""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any

import pytest
from benchmarks.ablation import page as ablation
from benchmarks.ablation.parts import PARTS, Part
from benchmarks.ablation.rules import choices
from benchmarks.growth import page as growth
from benchmarks.growth.runs import SERIES, make_data, measure, series
from benchmarks.isolated import run_isolated
from benchmarks.rows import write_rows

import crediblenet as cn


def works(number: int) -> dict[str, Any]:
    """Return something from another process."""
    return {"twice": 2 * number, "name": __name__}


def fails() -> dict[str, Any]:
    """Raise in another process."""
    raise ValueError("no such luck")


def test_a_function_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its result, its error, or that it took too long."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    assert run_isolated(works, 60, number=4) == {"twice": 8, "name": __name__}
    assert run_isolated(fails, 60) == {"failed": "ValueError: no such luck"}
    assert run_isolated(works, 0.001, number=4) == {"failed": "not done after 0.001 s"}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_a_part_can_be_switched_off(part: Part, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine has the constant, and finds the same networks and classes without it."""
    data = cn.example("asia").data
    expected = cn.find(data, bayes_factor=20)
    module = importlib.import_module(part.module)
    # Remembers the value, which is restored at the end.
    monkeypatch.setattr(module, part.attribute, getattr(module, part.attribute))
    part.switch_off()
    assert getattr(module, part.attribute) == part.off
    found = cn.find(data, bayes_factor=20)
    assert found.complete
    assert (found.n_networks, found.n_classes) == (expected.n_networks, expected.n_classes)


def test_a_part_that_is_no_more_is_an_error() -> None:
    """Rather than a measurement of nothing."""
    with pytest.raises(AttributeError, match="NO_SUCH_CONSTANT"):
        Part("x", "crediblenet.enumeration", "NO_SUCH_CONSTANT", 0, "").switch_off()


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_every_choice_of_rules_keeps_what_is_needed(score: str) -> None:
    """The credible networks are the same; with R1 the candidates are, too."""
    data = cn.example("cancer").data
    whole = cn.score(data, score=score, bayes_factor=20)
    networks = cn.find(whole, bayes_factor=20).n_networks
    for name, rules in choices(score).items():
        table = cn.score(data, score=score, bayes_factor=20, rules=rules)
        assert (len(table) == len(whole)) or "R1" not in rules, name
        assert cn.find(table, bayes_factor=20).n_networks == networks, name


def rule_row(**changes: str) -> dict[str, str]:
    """Return a row of the table of rules."""
    row = dict.fromkeys(("visited", "scored", "kept", "largest"), "10")
    row |= {"data": "wine", "score": "bic", "rules": "all", "seconds": "0.1", "failed": ""}
    return row | changes


def test_rules_that_lose_a_set_are_not_believed() -> None:
    """Another number of kept sets is an error, except without R1."""
    rows = [rule_row(), rule_row(rules="without R1", kept="99")]
    assert "| wine, bic | without R1 | 10 | 10 | 99 | 10 | 0.1 |" in ablation.rules_table(rows)
    with pytest.raises(AssertionError, match="other sets are kept"):
        ablation.rules_table([*rows, rule_row(rules="without R2", kept="9")])


def engine_row(**changes: str) -> dict[str, str]:
    """Return a row of the table of the engine's parts."""
    row = dict.fromkeys(("nodes", "linear_programs", "subset_programs", "splits"), "7")
    row |= {"data": "wine", "bayes_factor": "20", "off": "nothing", "failed": "", "gap": "0"}
    row |= {"search_seconds": "0.25", "classes_seconds": "0.01"}
    return row | {"complete": "yes", "networks": "3449", "classes": "101"} | changes


def test_parts_that_change_the_answer_are_not_believed() -> None:
    """A stopped run may have fewer networks; a complete one must have the same."""
    rows = [engine_row()]
    stopped = {"complete": "no", "networks": "5", "gap": "3.5"}
    rows += [engine_row(off=part.name) for part in PARTS[1:]]
    text = ablation.engine_table([*rows, engine_row(off=PARTS[0].name, **stopped)])
    assert "| wine, BF 20 | nothing | 0.25 | 0.01 | 7 | 7 | 7 | 7 | yes |" in text
    assert "no, gap 3.5 |" in text
    with pytest.raises(AssertionError, match=r"'networks', 'wine', '20'.*: 5, but 3449"):
        ablation.engine_table([*rows, engine_row(off=PARTS[0].name, networks="5")])


def test_series_cover_what_they_should() -> None:
    """10 to 60 variables, 100 to a million rows, one thread and two."""
    runs = list(series())
    assert {run.grows for run in runs} == set(SERIES)
    sampled = [run for run in runs if run.data == "sampled"]
    variables = {run.variables for run in sampled if run.grows == "variables"}
    rows = {run.rows for run in sampled if run.grows == "rows"}
    assert {10, 60} <= variables
    assert {10**2, 10**3, 10**4, 10**5, 10**6} == rows
    assert {run.threads for run in runs if run.grows == "threads"} == {1, 2}


def test_a_run_is_measured() -> None:
    """The figures are those of `find` on the same data."""
    found = measure("sampled", 8, 200, math.log(20), threads=1, seed=1)
    expected = cn.find(make_data("sampled", 8, 200, 1), epsilon=math.log(20))
    assert found["networks"] == str(expected.n_networks)
    assert (found["n"], found["n_rows"], found["complete"]) == (8, 200, "yes")


def growth_row(**changes: object) -> dict[str, object]:
    """Return a row of a growth series in which everything is as its columns say."""
    row: dict[str, object] = {
        "grows": "rows",
        "data": "sampled",
        "variables": 12,
        "rows": 100,
        "epsilon": 2.995732,
        "threads": 2,
        "seed": 1,
        "n": 12,
        "n_rows": 100,
        "candidates": 50,
        "networks": 9,
        "complete": "yes",
        "scores_cpu": 0.1,
        "search_cpu": 0.1,
        "scores_wall": 0.2,
        "search_wall": 0.2,
        "nodes": 10,
        "peak_memory_mb": 120,
        "base_memory_mb": 20,
        "failed": None,
    }
    return row | changes


def test_exponents_are_fitted(tmp_path: Path) -> None:
    """N² for the scores, N for the nodes; unfinished runs count for nothing."""
    rows = [
        growth_row(rows=n, n_rows=n, scores_cpu=n**2 / 1e6, nodes=n) for n in (100, 1000, 10000)
    ]
    rows.append(growth_row(rows=10**5, n_rows=10**5, complete="no", scores_cpu=1.0))
    rows.append(
        growth_row(rows=10**6, n_rows=None, complete=None, failed="the time limit was reached")
    )
    rows += [
        growth_row(grows="threads", data="letter", threads=t, scores_wall=1 / t) for t in (1, 2)
    ]
    write_rows(tmp_path / "growth.csv", rows)
    text = growth.render(tmp_path / "growth.csv", tmp_path / "images" / "growth.png")
    assert "| sampled, rows | N^2.00 (1.00) | N^0.00 (1.00) | N^1.00 (1.00) |" in text
    assert "| letter, BF 20 | 1.0 | 0.5 | 2.00 |" in text
    assert "| no, in scores |" in text
    assert (tmp_path / "images" / "growth.png").stat().st_size > 1000
