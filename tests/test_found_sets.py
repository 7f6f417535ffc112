"""Credible sets from the real search: the compiled set behind every question."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import crediblenet as cn
from crediblenet import reference
from crediblenet.compiled_set import CompiledSet
from crediblenet.credible_set import CredibleSet
from crediblenet.enumeration import search
from crediblenet.exceptions import LimitError
from crediblenet.network_set import NetworkSet
from crediblenet.representatives import FoundClasses
from crediblenet.run_directory import load
from crediblenet.score_table import ScoreTable
from instances import random_data, random_table
from listed import bic_table, listed_set, on_grid


def found(table: ScoreTable, epsilon: float) -> CredibleSet:
    """Return what the search finds."""
    result = search(table, epsilon)
    assert result.complete
    return CredibleSet(table, result.network_set, epsilon, representatives=result.representatives)


def tables(seeds: range) -> list[tuple[str, ScoreTable, float]]:
    """Return random tables, and BIC tables of random data, each with an epsilon."""
    chosen: list[tuple[str, ScoreTable, float]] = []
    for seed in seeds:
        instance = random_table(seed, variables=(2, 4))
        table = on_grid(instance.table)
        if reference.networks_within_by_sinks(table, 0.0):
            chosen.append((repr(instance), table, instance.epsilon))
        data = random_data(seed, variables=(2, 4))
        chosen.append((repr(data), bic_table(data.rows), [0.0, 1.0, 3.0, 5.0][seed % 4]))
    return chosen


@pytest.mark.parametrize("prior", ["dags", "classes"])
def test_compiled_and_listed_sets_answer_alike(prior: str) -> None:
    """Every feature of the compiled set is that of the same networks in a list."""
    for instance, table, epsilon in tables(range(60)):
        compiled = found(table, epsilon).with_prior(prior)  # type: ignore[arg-type]
        listed = CredibleSet(table, listed_set(table, epsilon)[0], epsilon)
        listed = listed.with_prior(prior)  # type: ignore[arg-type]
        assert compiled.n_networks == listed.n_networks, instance
        assert compiled.n_classes == listed.n_classes, instance
        assert set(compiled) == set(listed), instance
        one, two = compiled.edge_probabilities(), listed.edge_probabilities()
        np.testing.assert_allclose(one.matrix, two.matrix, rtol=1e-12, err_msg=instance)
        assert one.compelled is not None
        assert two.compelled is not None
        np.testing.assert_allclose(
            one.compelled.values, two.compelled.values, rtol=1e-12, err_msg=instance
        )
        for ask in ("path_probabilities", "markov_blanket_probabilities"):
            a, b = getattr(compiled, ask)(), getattr(listed, ask)()
            np.testing.assert_allclose(a.values, b.values, rtol=1e-12, err_msg=instance)
        sizes = [sorted((c.cost, c.size) for c in r.classes()) for r in (compiled, listed)]
        assert sizes[0] == sizes[1], instance


def test_compiled_sets_there_and_back(tmp_path: Path) -> None:
    """A saved run is loaded with its circuit and its classes, ties in the same order."""
    for number, (instance, table, epsilon) in enumerate(tables(range(24))):
        result = found(table, epsilon)
        again = load(result.save(tmp_path / f"run{number}"))
        assert isinstance(again.network_set, CompiledSet)
        assert list(again) == list(result), instance
        assert [g.cost for g in again] == [g.cost for g in result], instance
        assert again.sample(20, seed=5) == result.sample(20, seed=5), instance
        assert again[-3:] == result[-3:], instance
        assert again.n_classes == result.n_classes
        classes = [(c.representative, c.size, c.weight) for c in result.classes()]
        assert [(c.representative, c.size, c.weight) for c in again.classes()] == classes
        assert np.array_equal(again.edge_probabilities().matrix, result.edge_probabilities().matrix)


def test_the_order_of_ties_is_a_fixed_one(tmp_path: Path) -> None:
    """Ranks and draws are the same with any number of threads, and after loading."""
    sample = cn.example("asia").data
    first, *others = (cn.find(sample, bayes_factor=150, threads=t) for t in (1, 2, 5))
    others.append(cn.load(first.save(tmp_path / "run")))
    others.append(cn.load(others[-1].save(tmp_path / "again")))
    networks, draws = list(first), first.sample(50, seed=1)
    assert len(networks) > 100
    for other in others:
        assert list(other) == networks
        assert other.sample(50, seed=1) == draws
        assert list(other.at(bayes_factor=3)) == list(first.at(bayes_factor=3))


def test_the_compiled_set_keeps_the_contract() -> None:
    """It has all that a credible set asks for."""
    _, table, epsilon = tables(range(1))[0]
    assert isinstance(found(table, epsilon).network_set, NetworkSet)


def test_draws_from_the_compiled_set_follow_the_weights() -> None:
    """Each network is drawn about as often as its weight says."""
    _, table, epsilon = max(tables(range(12)), key=lambda t: found(t[1], t[2]).n_networks)
    result = found(table, epsilon)
    draws = result.sample(4000, seed=11)
    best = result.optimal_cost
    total = math.fsum(math.exp(best - g.cost) for g in result)  # type: ignore[operator]
    counts = dict.fromkeys(result, 0)
    for g in draws:
        counts[g] += 1
    excess = [
        (counts[g] - 4000 * p) / math.sqrt(4000 * p * (1 - p))
        for g in result
        if 0 < (p := math.exp(best - g.cost) / total) < 1  # type: ignore[operator]
    ]
    assert max(map(abs, excess)) < 5
    assert abs(float(np.mean(np.square(excess))) - 1) < 0.6


def test_first_classes_of_a_set_too_large_to_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best classes with their sizes and weights, where all would be too many."""

    def too_many(*_: object) -> None:
        raise LimitError("there are too many")

    monkeypatch.setattr(FoundClasses, "find", too_many)
    seen = 0
    for seed in range(1, 80):
        data = random_data(seed, variables=(4, 4), rows=(5, 60))
        table = bic_table(data.rows)
        result = found(table, 5.0)
        everything = CredibleSet(table, listed_set(table, 5.0)[0], 5.0)
        if everything.n_networks <= 10:
            continue
        seen += 1
        assert result.n_classes is None
        assert "were not counted" in result.notes[-1]
        wanted = min(3, len(list(everything.classes())))
        first = list(result.classes(limit=wanted))
        expected = list(everything.classes())
        assert [c.cost for c in first] == [c.cost for c in expected[:wanted]]
        by_graph = {c.cpdag(): c for c in expected}
        for c in first:
            other = by_graph.pop(c.cpdag())
            assert c.size == other.size
            assert c.weight == pytest.approx(other.weight, rel=1e-9)
        # A few classes are never taken for all of them.
        blankets = found(table, 5.0).markov_blanket_probabilities(limit=1, samples=9)
        assert blankets.method == "sampling"
        with pytest.raises(LimitError, match="too many classes"):
            result.classes()
        with pytest.raises(LimitError, match="too many classes"):
            result.with_prior("classes").classes(limit=wanted)
    assert seen > 20


def test_more_than_10_to_the_30_networks_at_costs_of_a_million(tmp_path: Path) -> None:
    """A hundred variables may each have the same parent: counted, weighed, drawn, saved."""
    step = 2.0**-5
    free: dict[frozenset[int], float] = {frozenset(): 1e4, frozenset({0}): 1e4 + step}
    table = ScoreTable.from_candidates(
        ["root", *(f"child {i}" for i in range(100))], [{frozenset(): 1e4}, *([free] * 100)]
    )
    result = cn.find(table, epsilon=10.0)
    assert result.n_networks == 2**100
    assert result.optimal_cost == 1.01e6
    share = 1 / (1 + math.exp(step))
    edges = result.edge_probabilities(samples=100)
    assert edges.directed.method == "exact"
    np.testing.assert_allclose(edges.matrix[0, 1:], share, rtol=1e-12)
    spread = result.coverage()
    entropy = -100 * (share * math.log(share) + (1 - share) * math.log(1 - share))
    assert spread.entropy == pytest.approx(entropy, rel=1e-12)
    assert spread.worst_bayes_factor == pytest.approx(math.exp(100 * step), rel=1e-12)
    # With m parents a network costs m steps more, and 100 over m have that many.
    ranks = [sum(math.comb(100, m) for m in range(top + 1)) for top in range(101)]
    assert [result[rank].cost for rank in (0, 1, ranks[40], 2**100 - 1)] == [
        1.01e6 + m * step for m in (0, 1, 41, 100)
    ]
    assert result.at(epsilon=40 * step).n_networks == ranks[40]
    paths = result.path_probabilities(samples=2000)
    assert paths.method == "sampling"
    far = np.abs(paths.values[0, 1:] - share) / paths.standard_errors[0, 1:]
    assert far.max() < 5
    again = load(result.save(tmp_path / "run"))
    assert again.n_networks == 2**100
    assert again.sample(5, seed=3) == result.sample(5, seed=3)
    with pytest.raises(OverflowError, match="use n_networks"):
        len(again)


def test_more_networks_than_a_float_can_say_are_drawn_from() -> None:
    """Beyond 10^300 networks edges come from draws, with a standard error, not an overflow."""
    none = frozenset[int]()
    free = {none: 1.0, **{frozenset({k}): 1.0 for k in range(20)}}
    names = [*(f"root {k}" for k in range(20)), *(f"child {i}" for i in range(230))]
    table = ScoreTable.from_candidates(names, [*([{none: 1.0}] * 20), *([free] * 230)])
    result = cn.find(table, epsilon=1.0)
    assert result.n_networks == 21**230
    edges = result.edge_probabilities(compelled=False, samples=200)
    assert edges.directed.method == "sampling"
    error = edges.directed.standard_errors[:20, 20:]
    far = np.abs(edges.matrix[:20, 20:] - 1 / 21) / np.maximum(error, 1e-12)
    assert np.mean(far < 3) > 0.98
    (best, *_) = result.parent_set_probabilities("child 0", samples=200)
    assert best.probability.method == "sampling"
    assert result.coverage().entropy == pytest.approx(230 * math.log(21))
    with pytest.raises(LimitError, match="cannot be weighed exactly: more than 10"):
        result.network_set.candidate_log_weights(2**62)
