"""`python -m benchmarks.paper`: resumed where it was, judged right, written down."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.paper import page, published, recount, runner
from benchmarks.paper.budget import SHORTEST_LIMIT, Budget, easiest_first
from benchmarks.paper.jobs import Job
from benchmarks.paper.parent_bound import parent_bound
from benchmarks.paper.results import Results
from benchmarks.paper.runner import Limits, run_job, run_jobs
from benchmarks.paper.verdict import compare_networks, compare_patterns

import crediblenet as cn

LIMITS = Limits(time_limit=60, memory_limit=4, threads=1)
WINE = Job("wine", "bic", "bayes_factor", 3)

TABLE1 = """\
name,file,n,rows,seconds_bf3,networks_bf3,collider_patterns_bf3,seconds_bf20,networks_bf20,\
collider_patterns_bf20,seconds_bf150,networks_bf150,collider_patterns_bf150
wine,wine,14,178,4.1,308,51,24.9,3449,576,143.7,26197,4497
letter,letter,17,20000,OT,,,OT,,,OT,,
"""
TABLE2 = """\
name,file,n,rows,k,seconds_kbest,seconds_kbestec,networks_in_k_classes,seconds_bf20,\
networks_bf20,collider_patterns_bf20
wine,wine,14,178,10,3.4,12.0,60,35.9,8734,6262
"""
PEER = """\
score,bayes_factor,file,candidate_sets,optimal_score,networks,score_seconds,optimum_seconds,\
collect_seconds,stopped
bic,3,wine,591,-1258.445909,308,0.07,2.56,2.47,
"""


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder with data sets and published tables of its own."""
    (tmp_path / "data").mkdir()
    (tmp_path / "expected").mkdir()
    for name, text in (("table1", TABLE1), ("table2", TABLE2), ("peer", PEER)):
        (tmp_path / "expected" / f"{name}.csv").write_text(text)
    monkeypatch.setenv("CREDIBLENET_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("CREDIBLENET_EXPECTED", raising=False)
    published.read_table.cache_clear()
    yield tmp_path
    published.read_table.cache_clear()


def figures(**changes: Any) -> dict[str, Any]:
    """Return the figures of a complete run of wine."""
    found: dict[str, Any] = {
        "status": "done",
        "n": 14,
        "rows": 178,
        "candidates": 591,
        "largest_candidate": 3,
        "scores_wall": 0.02,
        "scores_cpu": 0.01,
        "bounds_wall": 0.02,
        "enumeration_wall": 0.01,
        "search_cpu": 0.04,
        "networks": 308,
        "classes": 7,
        "collider_patterns": 51,
        "optimal_cost": "1258.445909",
        "complete": "yes",
        "peak_memory_mb": 114,
        "time_limit": 120.0,
        "load": 0.1,
    }
    return found | changes


def test_results_are_read_back_and_the_last_row_counts(tmp_path: Path) -> None:
    """A row is in the file as soon as it is appended; a later one replaces it."""
    path = tmp_path / "new" / "table1.csv"
    Results(path).append(WINE, figures(complete="no"))
    Results(path).append(WINE, figures())
    row = Results(path).get(WINE)
    assert row is not None
    assert (row["networks"], row["complete"], row["reason"]) == ("308", "yes", "")
    assert Results(path).get(Job("wine", "bic", "bayes_factor", 20)) is None
    assert len(path.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("again", "expected"), [("none", ["letter"]), ("incomplete", ["adult", "letter"])]
)
def test_a_run_goes_on_where_it_was(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, again: str, expected: list[str]
) -> None:
    """Jobs with a row are left out, unless unfinished ones are wanted again."""
    jobs = [Job(file, "bic", "bayes_factor", 3) for file in ("wine", "adult", "letter")]
    results = Results(workplace / "table1.csv")
    results.append(jobs[0], figures())
    results.append(jobs[1], figures(complete="no"))
    ran = []

    def run(job: Job, limits: Limits) -> dict[str, Any]:
        assert limits == LIMITS
        ran.append(job.file)
        return figures(total_wall=0.5)

    monkeypatch.setattr(runner, "run_job", run)
    run_jobs(jobs, results, LIMITS, again)
    assert ran == expected
    assert Results(results.path).get(jobs[2]) is not None


def test_a_job_in_a_process_of_its_own(workplace: Path) -> None:
    """The figures are those of `find`; a file that is not there is a row with the reason."""
    data = cn.example("cancer").data
    table = workplace / "data" / "cancer.csv"
    labels = [[data.states[v][code] for v, code in enumerate(row)] for row in data.codes.T]
    lines = [",".join(row) for row, w in zip(labels, data.weights, strict=True) for _ in range(w)]
    table.write_text("\n".join(lines) + "\n")
    found = run_job(Job("cancer", "bic", "bayes_factor", 20), LIMITS)
    expected = cn.find(table, header=False, bayes_factor=20)
    assert (found["status"], found["complete"]) == ("done", "yes")
    assert found["networks"] == expected.n_networks
    assert found["classes"] == expected.n_classes
    assert found["optimal_cost"] == f"{expected.optimal_cost:.6f}"
    assert found["collider_patterns"] >= found["classes"]
    missing = run_job(Job("nowhere", "bic", "bayes_factor", 20), LIMITS)
    assert (missing["status"], missing["complete"]) == ("stopped in data", "no")
    assert "nowhere.csv" in missing["reason"]


@pytest.mark.parametrize(
    ("changes", "paper", "expected"),
    [
        ({}, "308", "agree"),
        ({}, "309", "differ"),
        ({"networks": "150001"}, "150000", "paper capped"),
        ({"networks": "149999"}, "150000", "differ"),
        ({}, "", "paper out of time"),
        ({}, None, "not in the paper"),
        ({"complete": "no"}, "308", "not complete"),
        ({"complete": "no"}, "307", "not complete, more than the paper"),
        ({"complete": "no", "networks": ""}, "307", "not complete"),
        ({"file": "alarm1000"}, "1508", "other sample"),
    ],
)
def test_verdicts(changes: dict[str, str], paper: str | None, expected: str) -> None:
    """Each way in which a count can compare with the paper's."""
    row = {"file": "wine", "networks": "308", "complete": "yes", "collider_patterns": ""}
    assert compare_networks(row | changes, paper) == expected
    if expected == "agree":
        assert compare_patterns(row | changes, paper, "51") == "too many to list"


def test_a_page_is_written(workplace: Path) -> None:
    """What was measured and what was not are both told; the rounded row is explained."""
    results = Results(workplace / "table1.csv")
    results.append(WINE, figures())
    results.append(
        Job("wine", "bic", "bayes_factor", 150), figures(networks=26153, collider_patterns=4489)
    )
    results.append(
        Job("wine", "bic", "epsilon", 5.0107), figures(networks=26197, collider_patterns=4497)
    )
    text = page.write_page(workplace, workplace / "docs").read_text(encoding="utf-8")
    assert "| wine | 14 | 178 | 591 | 308 | 308 | agree | 7 | 51 | 51 | agree |" in text
    assert "26,153 | 26,197 | agree with ε = 5.0107 |" in text
    assert "| letter | 17 | – | – | – | – | not run |" in text
    assert "9 runs, 2 of them were made, 2 are complete" in text
    assert "same on 1 of the 1 rows" in text
    # (0.07 + 2.56 + 2.47) / (0.01 + 0.04)
    assert "**102 times**" in text


def test_unfinished_rows_say_how_far_they_got(workplace: Path) -> None:
    """Ours with the reason, the share and what was found; the paper's with our count."""
    results = Results(workplace / "table1.csv")
    stopped = figures(complete="no", stopped_by="time", gap="0", share_done=0.25, nodes=1234)
    results.append(WINE, stopped)
    results.append(Job("letter", "bic", "bayes_factor", 20), figures(networks=1050))
    text = page.write_page(workplace, workplace / "docs").read_text(encoding="utf-8")
    assert "| wine bic BF 3 | time limit, 120 s | bounds and enumeration | ≥ 308 | 0 |" in text
    assert "| 25.00% | 1,234 | 114 |" in text
    assert "Of its 3 such rows, 1 are complete here." in text
    assert "| letter, BF 20 | out of time (24 hours) | OT | 1,050 | 0.05 | yes |" in text


def test_a_file_of_an_earlier_version_gets_the_new_columns(tmp_path: Path) -> None:
    """Its rows are kept, and stay readable after a row was added."""
    path = tmp_path / "table1.csv"
    Results(path).append(WINE, figures())
    lines = path.read_text().splitlines()
    at = lines[0].split(",").index("nodes")
    shorter = [
        ",".join(cell for i, cell in enumerate(line.split(",")) if i != at) for line in lines
    ]
    path.write_text("\n".join(shorter) + "\n")
    other = Job("adult", "bic", "bayes_factor", 3)
    Results(path).append(other, figures(nodes=7))
    again = Results(path)
    assert [row["networks"] for row in again] == ["308", "308"]
    assert [row["nodes"] for row in again] == ["", "7"]


def test_a_budget_is_shared_over_what_is_left(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Easy jobs first; what they leave goes to the hard ones; never less than the least."""
    now = 0.0
    granted = []

    def run(job: Job, limits: Limits) -> dict[str, Any]:
        nonlocal now
        granted.append((job.file, limits.time_limit))
        now += 10.0 if job.file == "wine" else limits.time_limit
        return figures(total_wall=0.5)

    monkeypatch.setattr(runner, "run_job", run)
    results = Results(workplace / "table1.csv")
    files = ("letter", "nowhere", "wine")
    jobs = easiest_first((Job(file, "bic", "bayes_factor", 3) for file in files), results)
    budget = Budget(90.0, clock=lambda: now)
    run_jobs(jobs, results, Limits(600.0, 4, 1), "none", budget)
    # 90 / 3, then (90 - 10) / 2, then (90 - 10 - 40) / 1.
    assert granted == [("wine", 30.0), ("letter", 40.0), ("nowhere", 40.0)]
    assert budget.time_limit(1, 600.0) == SHORTEST_LIMIT


def test_jobs_are_ordered_by_what_was_measured(workplace: Path) -> None:
    """Complete before: by their time; then new ones by the paper's; then unfinished ones."""
    results = Results(workplace / "table1.csv")
    letter, wine = (Job(file, "bic", "bayes_factor", 3) for file in ("letter", "wine"))
    wine20 = Job("wine", "bic", "bayes_factor", 20)
    results.append(wine, figures(complete="no", total_wall=1.0))
    results.append(letter, figures(total_wall=50.0))
    assert easiest_first([wine, wine20, letter], results) == [letter, wine20, wine]


@pytest.mark.parametrize("bayes_factor", [1, 20, 1000])
def test_the_second_count_is_the_first(bayes_factor: float) -> None:
    """Counting by sinks, from all parent sets, finds as many networks as the search."""
    data = cn.example("asia").data
    table = cn.score(data, score="bdeu", bayes_factor=bayes_factor, rules=())
    expected = cn.find(data, score="bdeu", bayes_factor=bayes_factor).n_networks
    assert recount.count_networks(table, bayes_factor) == expected


def test_the_best_classes_are_counted_again() -> None:
    """With all that tie, as many networks as the search has in its k best classes."""
    data = cn.example("asia").data
    table = cn.score(data, score="bdeu", bayes_factor=20, rules=())
    for k in (1, 5, 20):
        expected = cn.find(data, score="bdeu", k_classes=k).n_networks
        found = recount.count_in_best_classes(table, k)
        assert found.fewest <= found.most <= found.networks == expected


def test_the_bound_on_parents_is_the_papers() -> None:
    """Corollary 4 at a Bayes factor of 20, as printed; and no bound where it does not hold."""
    sizes = [100, 500, 1_000, 5_000, 10_000, 50_000, 100_000]
    assert [parent_bound(rows, 20) for rows in sizes] == [10, 12, 13, 16, 17, 19, 20]
    with pytest.raises(ValueError, match="more than 4 rows"):
        parent_bound(4, 20)


def test_missing_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says which folder was looked for and how to name another."""
    monkeypatch.setenv("CREDIBLENET_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(published.MissingFilesError, match=r"nowhere.*CREDIBLENET_DATA"):
        published.data_path("wine")


@pytest.mark.parametrize(
    "name",
    [
        "ablation.rules",
        "fitting",
        "guard.accepted",
        "markdown",
        "paper.budget",
        "paper.jobs",
        "paper.parent_bound",
        "paper.peer",
        "paper.recount",
        "paper.verdict",
        "paper.wrong_rules",
        "sampling",
    ],
)
def test_examples_in_docstrings(name: str) -> None:
    """The examples of the benchmark's modules run."""
    outcome = doctest.testmod(importlib.import_module(f"benchmarks.{name}"))
    assert outcome.attempted > 0
    assert outcome.failed == 0
