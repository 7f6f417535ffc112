"""The whole way from data to the credible set, against the slow reference."""

from __future__ import annotations

import itertools
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import crediblenet as cn
from crediblenet import tables
from crediblenet.enumeration import SearchResult, search
from crediblenet.reference import local_costs, networks_within
from crediblenet.reference.classes import group_by_class

Parents = tuple[frozenset[int], ...]


def rows_of(sample: cn.Example) -> list[tuple[str, ...]]:
    """Return the rows of an example."""
    return list(zip(*sample.columns.values(), strict=True))


def expected(sample: cn.Example, epsilon: float, score: str = "bic") -> dict[Parents, float]:
    """Return the credible networks and their costs, by trying every DAG."""
    return networks_within(local_costs(rows_of(sample), score), epsilon)


def found(result: cn.CredibleSet) -> dict[Parents, float | None]:
    """Return the networks of a result and their costs."""
    return {tuple(map(frozenset, g.parent_sets)): g.cost for g in result.networks()}


def assert_same(result: cn.CredibleSet, reference: dict[Parents, float]) -> None:
    """Compare networks and costs."""
    networks = found(result)
    assert networks.keys() == reference.keys()
    assert result.complete
    for network, cost in reference.items():
        assert networks[network] == pytest.approx(cost, abs=1e-8)


@pytest.mark.parametrize("name", ["cancer", "earthquake"])
@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", "k2", "bds", "fnml", "qnml"])
def test_every_network_within_the_bayes_factor(name: str, score: str) -> None:
    """The set is that of exhaustive search, for each score."""
    sample = cn.example(name, rows=300, seed=2)
    result = cn.find(sample.data, score=score, bayes_factor=20)
    assert_same(result, expected(sample, math.log(20), score=score))


@pytest.mark.parametrize("factor", [1.0, 1.0005, 1.01])
def test_within_a_factor_of_the_least_cost(factor: float) -> None:
    """Epsilon follows from the optimum, which has to be found first."""
    sample = cn.example("cancer", rows=1000)
    result = cn.find(sample.data, factor=factor)
    assert result.epsilon == pytest.approx((factor - 1) * result.optimal_cost)
    assert_same(result, expected(sample, result.epsilon))


@pytest.mark.parametrize("k", [1, 2, 10, 100, 1000, 29_281])
def test_the_k_best_networks_and_their_ties(k: int) -> None:
    """At least k, none worse than the k-th, and all that tie with it."""
    sample = cn.example("earthquake", rows=500)
    ranked = sorted(expected(sample, math.inf).values())
    result = cn.find(sample.data, k=k)
    within = [cost for cost in ranked if cost <= ranked[k - 1] + 1e-6]
    assert result.n_networks == len(within)
    assert result.epsilon == pytest.approx(ranked[k - 1] - ranked[0], abs=1e-8)


@pytest.mark.parametrize("k", [1, 2, 10, 100, 1000])
def test_the_k_best_classes_and_their_ties(k: int) -> None:
    """Likewise for equivalence classes."""
    sample = cn.example("earthquake", rows=500)
    reference = expected(sample, math.inf)
    classes = group_by_class(reference)
    ranked = sorted(min(reference[g] for g in members) for members in classes.values())
    result = cn.find(sample.data, k_classes=k)
    assert result.n_classes == sum(cost <= ranked[k - 1] + 1e-6 for cost in ranked)
    assert result.epsilon == pytest.approx(ranked[k - 1] - ranked[0], abs=1e-8)


def test_ties_are_told() -> None:
    """Equivalent networks tie, so the best network is rarely alone."""
    result = cn.find(cn.example("asia").data, k=1)
    assert result.n_networks == 3
    assert "3 networks instead of 1: the last of them tie" in result.notes


@pytest.mark.parametrize("asked", [{"k": 1000}, {"factor": 1.01}])
@pytest.mark.parametrize(
    ("stop", "reason"), [(cn.LimitError("no room"), "memory"), (KeyboardInterrupt(), "interrupted")]
)
def test_what_was_found_before_a_stop_is_kept(
    monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], stop: BaseException, reason: str
) -> None:
    """A search in several steps that ends in the second one has the first one's result."""
    module = sys.modules["crediblenet.find"]
    search = module.search
    calls = []

    def search_once(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        if len(calls) > 1:
            raise stop
        return search(*arguments, **options)

    monkeypatch.setattr(module, "search", search_once)
    result = cn.find(cn.example("cancer").data, **asked)
    assert (result.complete, result.stopped_by) == (False, reason)
    assert result.n_networks >= 1


def test_fewer_networks_than_asked_for() -> None:
    """Every DAG is there, and a note says that there are no more."""
    result = cn.find(cn.example("cancer", rows=200).data, k=10**6)
    assert result.n_networks == 29_281
    assert any("fewer than 1,000,000" in note for note in result.notes)


def test_scores_can_be_searched_again(tmp_path: Path) -> None:
    """A table and its files give the same set as the data, and smaller ones."""
    sample = cn.example("asia")
    whole = cn.find(sample.data, bayes_factor=20)
    table = cn.score(sample.data, bayes_factor=20)
    table.to_jkl(tmp_path / "scores.jkl")
    table.to_pss(tmp_path / "scores.pss")
    for source in (table, tmp_path / "scores.jkl", str(tmp_path / "scores.pss")):
        again = cn.find(source, bayes_factor=20)
        assert found(again).keys() == found(whole).keys()
        assert again.optimal_cost == pytest.approx(whole.optimal_cost, abs=1e-6)
    assert cn.find(table, k=5).n_networks >= 5
    assert cn.find(table, bayes_factor=3).n_networks == whole.at(bayes_factor=3).n_networks


def test_a_pruned_table_has_an_end() -> None:
    """What it cannot answer is refused, with the way out."""
    table = cn.score(cn.example("asia").data, bayes_factor=3)
    with pytest.raises(
        cn.ParameterError, match=r"pruned for epsilon 1\.09861.*score the data again"
    ):
        cn.find(table, bayes_factor=20)
    with pytest.raises(cn.ParameterError, match="score the data again"):
        cn.find(table, k=10**9)
    with pytest.raises(cn.ParameterError, match="pruning removed"):
        cn.find(table, bayes_factor=3, require=["smoke->lung"])
    with pytest.raises(cn.ParameterError, match="ess has no effect"):
        cn.find(table, ess=2.0)
    with pytest.raises(cn.ParameterError, match="missing has no effect"):
        cn.find(table, missing="drop")


def test_constraints_on_data_and_on_a_table_agree() -> None:
    """Forbidden arcs, tiers and few parents may come late; required ones when scoring."""
    sample = cn.example("cancer", rows=1000)
    constraints: dict[str, Any] = {
        "forbid": ["Xray->Cancer"],
        "tiers": [["Pollution", "Smoker"], ["Cancer", "Dyspnoea"]],
        "max_parents": 1,
    }
    data = cn.find(sample.data, epsilon=3.0, **constraints)
    late = cn.find(cn.score(sample.data, epsilon=3.0), epsilon=3.0, **constraints)
    assert found(data) == found(late)
    names = sample.data.names
    for network in data.networks():
        assert ("Xray", "Cancer") not in network.edges
        assert all(len(parents) <= 1 for parents in network.parents.values())
        assert not {("Cancer", "Smoker"), ("Dyspnoea", "Pollution")} & set(network.edges)
    reference = {
        network: cost
        for network, cost in expected(sample, math.inf).items()
        if allowed(network, names)
    }
    least = min(reference.values())
    assert found(data).keys() == {g for g, cost in reference.items() if cost <= least + 3.0 + 1e-6}


def allowed(network: Parents, names: tuple[str, ...]) -> bool:
    """Return whether a network meets the constraints of the test above."""
    early, late = {"Pollution", "Smoker"}, {"Cancer", "Dyspnoea"}
    arcs = {(names[p], names[c]) for c, parents in enumerate(network) for p in parents}
    backwards = set(itertools.product(late, early))
    few = all(len(parents) <= 1 for parents in network)
    return few and ("Xray", "Cancer") not in arcs and not backwards & arcs


def test_required_arcs() -> None:
    """Each network has them, and the best of these is the optimum."""
    sample = cn.example("cancer", rows=500)
    result = cn.find(sample.data, bayes_factor=3, require=["Pollution->Xray"])
    assert all(("Pollution", "Xray") in network.edges for network in result.networks())
    names = sample.data.names
    x, p = names.index("Xray"), names.index("Pollution")
    reference = {g: c for g, c in expected(sample, math.inf).items() if p in g[x]}
    least = min(reference.values())
    within = {g for g, c in reference.items() if c <= least + math.log(3) + 1e-6}
    assert found(result).keys() == within


def test_stages_report_in_order() -> None:
    """Progress goes from one stage to the next, and every stage is timed."""
    stages: list[str] = []
    result = cn.find(
        cn.example("asia").data, progress=lambda progress: stages.append(progress.stage)
    )
    order = ["data", "scores", "bounds", "enumeration", "averages"]
    assert stages[:1] == ["data"]
    assert [order.index(s) for s in stages] == sorted(order.index(s) for s in stages)
    assert {"data", "scores", "bounds", "enumeration", "total"} <= result.seconds.keys()
    assert result.seconds["total"] >= result.seconds["scores"] > 0
    assert result.statistics["peak_memory_mb"] > 10


def test_the_result_is_saved(tmp_path: Path) -> None:
    """With ``out=`` the run directory can be loaded again."""
    result = cn.find(cn.example("cancer").data, bayes_factor=3, out=tmp_path / "run")
    loaded = cn.load(tmp_path / "run")
    assert found(loaded) == found(result)


def test_a_time_limit_before_the_search() -> None:
    """With no result to give, there is an error that names the limit."""
    values = np.random.default_rng(1).integers(0, 3, size=(200, 40))
    with pytest.raises(cn.LimitError, match="time"):
        cn.find(values, time_limit=1e-6, epsilon=10.0)


def test_row_and_column_order_change_nothing() -> None:
    """The same set, whatever the order of the columns."""
    sample = cn.example("cancer", rows=500)
    turned = dict(reversed(list(sample.columns.items())))
    one, other = cn.find(sample.columns), cn.find(turned)
    assert one.optimal_cost == other.optimal_cost
    assert {frozenset(g.edges) for g in one.networks()} == {
        frozenset(g.edges) for g in other.networks()
    }


def test_progress_tells_how_many_networks_there_are() -> None:
    """The last report on the search has the exact number, in figures and in words."""
    seen: list[cn.Progress] = []
    result = cn.find(cn.example("asia").data, progress=seen.append)
    last = [progress for progress in seen if progress.stage == "enumeration"][-1]
    assert (last.fraction, last.found) == (1.0, result.n_networks)
    assert last.message == "31 networks found"


def test_progress_of_a_stopped_search_does_not_say_that_all_is_done() -> None:
    """How far it got was said before; the last report has the networks alone."""
    seen: list[cn.Progress] = []
    result = cn.find(cn.example("asia").data, limit=3, progress=seen.append)
    last = [progress for progress in seen if progress.stage == "enumeration"][-1]
    assert (last.fraction, last.found) == (None, result.n_networks)
    assert not result.complete


def test_tables_of_too_many_variables_are_refused() -> None:
    """One clear error, not one of the core."""
    names = [f"V{v}" for v in range(513)]
    table = cn.ScoreTable.from_candidates(names, [{frozenset(): 1.0}] * 513)
    with pytest.raises(cn.ParameterError, match="513 variables, but at most 512"):
        cn.find(table)


@pytest.mark.parametrize("asked", [{"k": 500}, {"k_classes": 1000}])
def test_the_k_best_look_hardly_farther_than_needed(
    asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The work grows exponentially with epsilon: a fifth more is already much."""
    tried: list[float] = []

    def noted(table: cn.ScoreTable, epsilon: float, **limits: Any) -> SearchResult:
        tried.append(epsilon)
        return search(table, epsilon, **limits)

    monkeypatch.setattr(sys.modules["crediblenet.find"], "search", noted)
    result = cn.find(cn.example("asia").data, **asked)
    assert result.complete
    assert tried == sorted(tried)
    assert tried[-1] < 1.2 * result.epsilon


def chain() -> NDArray[np.int64]:
    """Return 14 columns, each like the one before but for a fifth of the rows."""
    generator = np.random.default_rng(3)
    columns = [generator.integers(0, 2, 400)]
    for _ in range(13):
        columns.append(columns[-1] ^ (generator.random(400) < 0.2))
    return np.stack(columns, axis=1)


def test_the_k_best_are_hardly_ever_scored_more_than_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Scoring again goes farther at once, which changes no network here and no cost."""
    depths: list[float] = []

    def noted(*arguments: Any, **options: Any) -> cn.ScoreTable:
        depths.append(options["epsilon"])
        return cn.score(*arguments, **options)

    monkeypatch.setattr(tables, "score_data", noted)
    result = cn.find(chain(), k_classes=300)
    assert len(depths) == 2
    assert depths[0] < result.epsilon < depths[1]
    depths.clear()
    monkeypatch.setattr(tables, "FARTHER", 1.0)
    by_steps = cn.find(chain(), k_classes=300)
    assert len(depths) > 2
    assert found(by_steps) == found(result)


def test_the_k_best_are_scored_less_far_where_more_does_not_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is scored beyond need must not end a run."""
    refused: list[float] = []

    def only_near(*arguments: Any, **options: Any) -> cn.ScoreTable:
        if options["epsilon"] > 9:
            refused.append(options["epsilon"])
            raise cn.LimitError("the memory limit was reached while scoring")
        return cn.score(*arguments, **options)

    monkeypatch.setattr(tables, "score_data", only_near)
    result = cn.find(chain(), k_classes=300, memory_limit=2)
    assert refused
    assert result.complete
    assert result.n_classes is not None
    assert result.n_classes >= 300


def test_the_k_best_keep_the_search_that_found_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wider search that is stopped at its beginning has less than the one before it."""
    searches: list[SearchResult] = []

    def hurried(table: cn.ScoreTable, epsilon: float, **limits: Any) -> SearchResult:
        if searches:
            stopped = search(table, epsilon, **(limits | {"limit": 1}))
            searches.append(replace(stopped, stopped_by="time"))
        else:
            searches.append(search(table, epsilon, **limits))
        return searches[-1]

    module = sys.modules["crediblenet.find"]
    monkeypatch.setattr(module, "search", hurried)
    monkeypatch.setattr(module, "FIRST_STEP", 2.5)  # more networks than those that tie
    result = cn.find(cn.example("asia").data, k_classes=5000)
    first, second = searches
    assert result.n_networks == first.n_networks > second.n_networks
    assert (result.complete, result.stopped_by) == (False, "time")
