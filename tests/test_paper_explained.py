"""`python -m benchmarks.paper explain`: other settings where Table 2 differs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.paper import explain, published, table2, wrong_rules
from benchmarks.paper.jobs import Job
from benchmarks.paper.results import Results
from benchmarks.rows import write_rows

import crediblenet as cn

TABLE2 = """\
name,file,n,rows,k,seconds_kbest,seconds_kbestec,networks_in_k_classes,seconds_bf20,\
networks_bf20,collider_patterns_bf20
cancer,cancer,5,2000,10,3.4,12.0,60,35.9,792,6262
cancer,cancer,5,2000,100,3.4,12.0,149,35.9,792,6262
wine,wine,14,178,10,3.4,12.0,60,35.9,8734,6262
wine,wine,14,178,100,3.4,12.0,448,35.9,8734,6262
"""


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder with a data set and a published table of its own."""
    for name in ("data", "expected"):
        (tmp_path / name).mkdir()
    (tmp_path / "expected" / "table2.csv").write_text(TABLE2)
    data = cn.example("cancer").data
    lines = [
        ",".join(data.states[v][code] for v, code in enumerate(row))
        for row, weight in zip(data.codes.T, data.weights, strict=True)
        for _ in range(weight)
    ]
    (tmp_path / "data" / "cancer.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.setenv("CREDIBLENET_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("CREDIBLENET_EXPECTED", raising=False)
    published.read_table.cache_clear()
    yield tmp_path
    published.read_table.cache_clear()


def test_numbers_that_cannot_be(workplace: Path) -> None:
    """149 networks in 100 classes are too few after 60 in 10; 448 are enough."""
    assert workplace.is_dir()
    assert explain.impossible() == [
        "cancer, 60 networks in the 10 best classes and 149 in the 100 best"
    ]


def test_a_right_rule_loses_nothing(workplace: Path) -> None:
    """What it leaves is compared with the count of Table 2."""
    results = Results(workplace / "table2.csv")
    results.append(Job("wine", "bdeu", "bayes_factor", 20), {"networks": 9, "complete": "yes"})
    row = {"file": "wine", "slip": "R6 as it should be", "patterns": 2, "complete": "yes"}
    for networks in (9, 8):
        write_rows(workplace / "wrong_rules.csv", [row | {"networks": networks, "failed": ""}])
        if networks == 9:
            assert "| wine | 9 (2) |" in wrong_rules.render(workplace, results)
        else:
            with pytest.raises(AssertionError, match="'networks': '8'"):
                wrong_rules.render(workplace, results)


def test_rows_that_differ_are_found(workplace: Path) -> None:
    """With the paper's count; rows that agree or were not run are left out."""
    results = Results(workplace / "table2.csv")
    assert table2.differing(results) == {}
    for file in ("cancer", "wine"):
        job = Job(file, "bdeu", "bayes_factor", 20)
        results.append(job, {"networks": 8734, "complete": "yes"})
    assert table2.differing(results) == {"cancer": 792}


def test_k_best_classes_are_compared(workplace: Path) -> None:
    """The same number, another one, and one that ties make meaningless."""
    results = Results(workplace / "table2.csv")
    for file, k, networks, classes in (
        ("wine", 10, 60, 10),
        ("wine", 100, 449, 100),
        ("cancer", 10, 70, 12),
    ):
        figures = {"networks": networks, "classes": classes, "complete": "yes"}
        results.append(Job(file, "bdeu", "k_classes", k), figures)
    assert table2.k_class_verdicts(results) == (
        "The same: wine (10); Others: wine (100); Not comparable, because classes tie: cancer (10)"
    )


@pytest.mark.parametrize("name", explain.trials())
def test_every_trial_runs(workplace: Path, name: str) -> None:
    """Each counts the networks of what it changes."""
    change = explain.trials()[name]
    found = explain.measure("cancer", 3, **change)
    assert found["complete"] == "yes"
    if "pruned_for" not in change:
        options: dict[str, Any] = {
            "score": "bdeu",
            "epsilon": math.log(20),
            "header": False,
        } | change
        expected = cn.find(workplace / "data" / "cancer.csv", **options)
        assert found["networks"] == expected.n_networks


def test_what_was_tried_is_told(workplace: Path) -> None:
    """A trial that meets the paper's count is named; one that did not end is marked."""
    row = {
        "file": "cancer",
        "target": 792,
        "patterns": None,
        "nearest": 791,
        "nearest_epsilon": 2.07,
        "nearest_patterns": 9,
        "failed": None,
    }
    limit = row | {"tried": "at most 2 parents", "networks": 30, "complete": "no"}
    every = row | {"tried": "any ε up to 6", "networks": 900, "complete": "yes"}
    smaller = row | {"tried": "the score k2", "networks": 40, "patterns": 7, "complete": "yes"}
    write_rows(workplace / explain.FILE, [limit, every, smaller])
    text = explain.render(workplace)
    assert text.startswith(
        "None of those that ended gives the paper's count at this ε. In brackets: c"
    )
    assert "| the score k2 | 40 (7) |" in text
    assert "| at most 2 parents | ≥ 30 |" in text
    assert "| any ε up to 6 | 791 is the nearest |" in text
    write_rows(workplace / explain.FILE, [limit, every | {"nearest": 792}])
    text = explain.render(workplace)
    assert (
        "cancer with any ε up to 6 has 792 networks up to ε = 2.07, in 9 collider patterns" in text
    )
    exact = smaller | {"networks": 792, "nearest": 792}
    write_rows(workplace / explain.FILE, [limit, exact | {"failed": None}])
    assert "The paper's count is that of cancer with the score k2." in explain.render(workplace)
    write_rows(workplace / explain.FILE, [limit | {"failed": "the time limit was reached"}])
    assert "| at most 2 parents | the time limit was reached |" in explain.render(workplace)
