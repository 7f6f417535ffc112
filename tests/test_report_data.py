"""The numbers of a report against brute force, and the words around them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crediblenet as cn
import report_examples as examples
from crediblenet.credible_set import CredibleSet
from crediblenet.report import ReportData, render_report, report_data
from crediblenet.report.account import notices
from crediblenet.report.collect import CITATION
from listed import bic_table, listed_set, random_results
from test_report import Page


def numbers(data: ReportData) -> dict[str, Any]:
    """Return what two reports on the same set must agree on, in comparable order."""
    return {
        "edges": {
            (e.source, e.target): np.array([e.directed, e.adjacent, e.compelled or 0.0, *e.levels])
            for e in data.edges
        },
        "parents": {
            (v.name, a.parents): a.probability for v in data.variables for a in v.parent_sets
        },
        "blankets": {
            (v.name, w): p
            for v in data.variables
            for w, p in (v.blanket.members if v.blanket else ())
        },
        "classes": {
            (c.directed, c.undirected): np.array([c.cost, c.bayes_factor, c.weight, c.size])
            for c in data.classes
        },
        "levels": {level.bayes_factor: (level.networks, level.classes) for level in data.levels},
        "curve": {(s.first, s.last): s.deviation for s in data.curve},
    }


@pytest.mark.parametrize("factor", [3.0, 20.0, 150.0])
def test_every_number_equals_brute_force(factor: float) -> None:
    """Edges, parents, blankets, classes, levels and curve are those of the listed networks."""
    made = report_data(examples.five_variables_set(factor))
    truth = examples.five_variables(factor)
    ours, theirs = numbers(made), numbers(truth)
    for part, expected in theirs.items():
        assert ours[part].keys() == expected.keys(), part
        for key, value in expected.items():
            np.testing.assert_allclose(ours[part][key], value, atol=1e-6, err_msg=f"{part} {key}")
    assert (made.n_networks, made.n_classes) == (truth.n_networks, truth.n_classes)
    assert made.optimal_cost == pytest.approx(truth.optimal_cost)


def test_random_sets_make_consistent_reports() -> None:
    """Whatever the set, its report adds up."""
    for instance, result, networks in random_results(range(25)):
        data = report_data(result)
        assert data.n_networks == len(networks), instance
        assert data.curve[0].first == 1, instance
        assert data.curve[-1].last == data.n_networks, instance
        for variable in data.variables:
            total = sum(a.probability for a in variable.parent_sets)
            assert total == pytest.approx(1.0), instance
        assert sum(c.weight for c in data.classes) <= 1 + 1e-9, instance
        place = {v: k for k, v in enumerate(data.order)}
        for edge in data.edges:
            assert 0 < edge.directed <= edge.adjacent + 1e-12, instance
            if edge.optimal:
                assert place[edge.source] < place[edge.target], instance
            if edge.levels:
                assert edge.levels[-1] == pytest.approx(edge.directed), instance


def test_incomplete_set_is_warned_about_first() -> None:
    """The gravest notice leads, says what stopped the search and that the optimum is open."""
    whole = examples.five_variables_set(20.0)
    stopped = CredibleSet(
        whole.table,
        whole.network_set,
        whole.epsilon,
        complete=False,
        stopped_by="time",
        gap=0.25,
        notes=["three rows were dropped", "three rows were dropped"],
    )
    data = report_data(stopped)
    assert data.notices[0].severity == "warning"
    assert "the time limit" in data.notices[0].text
    assert "0.25 nats" in data.notices[0].text
    assert [n.text for n in data.notices if n.severity == "note"] == ["three rows were dropped"]
    assert not data.complete
    assert not report_data(whole).notices
    told = {f.label: f.value for g in data.facts for f in g.facts}
    assert told["Outcome"] == "stopped by the time limit"
    assert told["Optimum"] == "proved up to 0.25 nats"
    assert "Optimal cost" not in told
    words = " ".join(Page(render_report(data)).text.split())
    assert f"{data.n_networks} found" in words
    assert "only those within 2.746 nats of the best one found are sure to be credible" in words
    assert "one found, and what they agree on" in words
    for claim in ("≥", "nearly settled", "Optimal cost", "Always connected"):
        assert claim not in words, claim


def test_an_incomplete_set_with_a_proved_optimum_is_a_part_of_the_whole() -> None:
    """What was found then is a lower bound, and says so."""
    whole = examples.five_variables_set(20.0)
    part = CredibleSet(
        whole.table, whole.network_set, whole.epsilon, complete=False, stopped_by="limit"
    )
    data = report_data(part)
    words = " ".join(Page(render_report(data)).text.split())
    assert f"≥ {data.n_networks}" in words
    assert "The best network is proved, and all networks shown are credible." in words
    assert f"Optimal cost {data.optimal_cost:,.4f}" in words
    assert "nearly settled" not in words
    told = {f.label: f.value for g in data.facts for f in g.facts}
    assert told["Optimum"] == "proved"


@pytest.mark.filterwarnings("ignore::crediblenet.exceptions.DataWarning")
def test_a_report_made_again_from_a_saved_run_is_the_same(tmp_path: Path) -> None:
    """Labels of values, distinct rows, cuts and constant columns are kept with the run."""
    rng = np.random.default_rng(3)
    rain = rng.random(300) < 0.3
    columns = {
        "rain": ["wet" if r else "dry" for r in rain],
        "river": (rng.normal(2.0 + rain, 0.7)).tolist(),
        "always": ["same"] * 300,
    }
    result = cn.find(columns, bayes_factor=150, discretize="equal-width", bins=3)
    result.statistics["command"] = "crediblenet find x.csv"
    at_once = report_data(result)
    again = report_data(cn.load(result.save(tmp_path / "run")))
    assert replace(again, created=at_once.created) == at_once
    assert again.variables[0].states == ("dry", "wet")
    told = {f.label: f.value for g in again.facts for f in g.facts}
    assert told["Constant columns"] == "1"
    assert "3 bins" in told["river"]
    assert 2 < int(told["Distinct rows"]) <= 6


def test_sampled_numbers_are_said_to_be_estimates() -> None:
    """What was drawn at random is named with its largest standard error; the rest is exact."""
    result = examples.five_variables_set(20.0)
    edges = result.edge_probabilities(limit=1, samples=500)
    blankets = result.markov_blanket_probabilities(limit=1, samples=500)
    (notice,) = notices(result, edges, blankets)
    assert notice.severity == "note"
    assert edges.compelled is not None
    largest = max(edges.compelled.standard_errors.max(), blankets.standard_errors.max())
    assert "of compelled edges and Markov blankets come from" in notice.text
    assert f"at most {largest:.3f}" in notice.text


def test_few_rows_are_warned_about() -> None:
    """Rows are held against the number of probabilities that the best network estimates."""
    result = examples.five_variables_set(3.0)

    def titles(rows: int, arity: int) -> list[str]:
        table = replace(result.table, metadata={"rows": rows, "arities": [arity] * 5})
        return [n.title for n in report_data(CredibleSet(table, result.network_set, 1.0)).notices]

    assert titles(400, 2) == []
    assert titles(99, 2) == ["Few rows"]
    assert titles(400, 40) == ["Few rows"]


def test_the_account_says_how_it_was_made() -> None:
    """Score, level, pruning, search, times and versions are there; the command has its place."""
    base = examples.five_variables_set(20.0)
    table = replace(
        base.table,
        metadata={
            "rows": 400,
            "arities": [2] * 5,
            "max_parents": 3,
            "forbidden": [(0, 1)],
            "parent_sets_scored": 80,
            "removed": {"R1": 37, "R6": 0},
        },
    )
    result = CredibleSet(
        table,
        base.network_set,
        base.epsilon,
        seconds={"scores": 0.5},
        statistics={
            "command": "crediblenet find x.csv",
            "source": "data/x.csv",
            "data_options": {"missing": "drop"},
            "peak_memory_mb": 12.5,
        },
    )
    data = report_data(result)
    told = {f"{g.title}: {f.label}": f.value for g in data.facts for f in g.facts}
    assert told["Data: Rows"] == "400"
    assert told["Score and level: Bayes factor"] == "20"
    assert told["Score and level: Deviation ε"] == "2.99573"
    assert told["Score and level: At most parents"] == "3"
    assert told["Score and level: Forbidden edges"] == "1"
    assert told["Pruning: Worse than a subset (R1)"] == "37"
    assert not any("R6" in label for label in told)
    assert told["Data: Source"] == "data/x.csv"
    assert told["Data: Missing"] == "drop"
    assert told["Search: Outcome"] == "complete"
    assert told["Search: Peak memory (MB)"] == "12.5"
    assert told["Seconds: Scores"] == "0.500"
    assert "Versions: crediblenet" in told
    assert not any("ommand" in label for label in told)
    assert (data.title, data.command) == ("x.csv", "crediblenet find x.csv")
    assert data.n_rows == 400
    assert report_data(result, title="mine").title == "mine"


def test_citation_is_the_one_to_cite() -> None:
    """The report cites what CITATION.cff asks for."""
    cff = (Path(__file__).parents[1] / "CITATION.cff").read_text(encoding="utf-8")
    assert next(line for line in cff.splitlines() if "doi:" in line).split()[-1] in CITATION


def test_curve_of_many_levels_is_thinned_but_ends_where_it_should() -> None:
    """A picture's worth of steps is kept, with first and last, in order."""
    rng = np.random.default_rng(3)
    rows = tuple(map(tuple, rng.integers(0, 2, (60, 5)).tolist()))
    table = bic_table(rows)
    listed, networks = listed_set(table, 25.0)
    result = CredibleSet(table, listed, 25.0)
    curve = report_data(result).curve
    assert 50 < len(curve) <= 2000
    assert len(curve) < len(result.network_set.levels()[0])
    assert (curve[0].first, curve[-1].last) == (1, len(networks))
    deviations = [s.deviation for s in curve]
    assert deviations == sorted(deviations)
    assert deviations[0] == 0.0
    assert math.isclose(deviations[-1], max(networks.values()) - min(networks.values()))


def test_report_method_writes_the_page(tmp_path: Path) -> None:
    """The result itself writes its report and says where."""
    path = examples.five_variables_set(20.0).report(tmp_path / "out.html", title="lungs")
    assert path == tmp_path / "out.html"
    assert "<bdi>lungs</bdi>" in path.read_text(encoding="utf-8")


def test_the_report_of_a_smaller_set_ends_where_that_ends() -> None:
    """After `at`, the curve, the counts and the levels are those of the subset."""
    whole = examples.five_variables_set(150.0)
    part = whole.at(bayes_factor=3)
    data = report_data(part)
    assert data.n_networks == part.n_networks < whole.n_networks
    assert data.curve[-1].last == part.n_networks
    assert data.curve[-1].deviation <= math.log(3) + 1e-6
    assert [level.bayes_factor for level in data.levels] == [3.0]
    truth = numbers(examples.five_variables(3.0))
    for key, value in truth["edges"].items():
        np.testing.assert_allclose(numbers(data)["edges"][key], value, atol=1e-6)
