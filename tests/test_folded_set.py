"""Sets that count from both ends answer as those that hold all of their levels."""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import crediblenet as cn
from clusters import alike
from crediblenet import _core, reference
from crediblenet.compiled_set import LONGEST, CompiledSet
from crediblenet.credible_set import CredibleSet
from crediblenet.enumeration import SearchResult, counting, search
from crediblenet.enumeration.space import SearchSpace
from crediblenet.exceptions import LimitError
from crediblenet.folded_set import FoldedSet
from crediblenet.levelled_set import LevelledSet
from crediblenet.network_set import grid_costs
from crediblenet.run_directory import load
from crediblenet.score_table import ScoreTable
from instances import random_table
from listed import on_grid


def folded_and_levelled(
    table: ScoreTable, epsilon: float, monkeypatch: pytest.MonkeyPatch, longest: int
) -> tuple[SearchResult, SearchResult]:
    """Search twice, and allow no levels the first time."""
    with monkeypatch.context() as patch:
        for module in ("enumeration.counting", "counted_set"):
            patch.setattr(f"crediblenet.{module}.MOST_LEVELS", 0)
            patch.setattr(f"crediblenet.{module}.LONGEST", longest)
        folded = search(table, epsilon)
    return folded, search(table, epsilon)


def tables(seeds: range) -> list[tuple[ScoreTable, float]]:
    """Return random tables that have a network, each with an epsilon."""
    instances = (random_table(seed, variables=(2, 5)) for seed in seeds)
    made = ((on_grid(instance.table), instance.epsilon) for instance in instances)
    return [
        (table, epsilon)
        for table, epsilon in made
        if reference.networks_within_by_sinks(table, 0.0)
    ]


def test_answers_do_not_depend_on_how_a_set_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts, weights, ranks and networks are the same, whatever part is asked for."""
    for number, (table, epsilon) in enumerate(tables(range(150))):
        found, expected = folded_and_levelled(table, epsilon, monkeypatch, number % 4)
        one, two = found.network_set, expected.network_set
        assert isinstance(one, FoldedSet)
        assert isinstance(two, LevelledSet)
        assert (one.optimal_cost, one.max_cost) == (two.optimal_cost, two.max_cost)
        middle = (one.optimal_cost + one.max_cost) // 2
        for most in (two.max_cost + 5, two.max_cost, middle, two.optimal_cost):
            assert one.count(most) == two.count(most)
            np.testing.assert_allclose(
                one.candidate_log_weights(most), two.candidate_log_weights(most), rtol=1e-9
            )
            spread, known = one.spread(most), two.spread(most)
            assert spread.log_weight == pytest.approx(known.log_weight, abs=1e-9)
            assert spread.mean_deviation == pytest.approx(known.mean_deviation, abs=1e-9)
            assert spread.greatest_cost == known.greatest_cost
        whole = two.count(two.max_cost)
        for rank in (0, whole // 2, whole - 1, whole):
            assert one.cost_at_rank(rank) == two.cost_at_rank(rank)
        listed = {tuple(rows.tolist()): cost for cost, rows in one.networks(one.max_cost)}
        assert listed == {tuple(rows.tolist()): cost for cost, rows in two.networks(two.max_cost)}
        costs, running = one.steps()
        assert [two.count(int(cost)) for cost in costs] == running
        with pytest.raises(LimitError, match="too many distinct costs"):
            one.levels()
        results = [
            CredibleSet(table, result.network_set, epsilon, representatives=result.representatives)
            for result in (found, expected)
        ]
        edges, known_edges = (result.edge_probabilities().matrix for result in results)
        np.testing.assert_allclose(edges, known_edges, rtol=1e-9)
        assert results[0].n_classes == results[1].n_classes


def a_large_set(monkeypatch: pytest.MonkeyPatch) -> tuple[ScoreTable, FoldedSet, LevelledSet]:
    """Return the same set of networks, counted in either way."""
    table, epsilon = max(tables(range(40)), key=lambda made: made[1] * made[0].n_variables)
    found, expected = folded_and_levelled(table, epsilon, monkeypatch, 2)
    assert isinstance(found.network_set, FoldedSet)
    assert isinstance(expected.network_set, LevelledSet)
    return table, found.network_set, expected.network_set


@pytest.mark.parametrize("coarse", [3, 64])
def test_draws_have_the_right_distribution(monkeypatch: pytest.MonkeyPatch, coarse: int) -> None:
    """How often a candidate is drawn is how probable it is, however coarse the proposals."""
    table, folded, levelled = a_large_set(monkeypatch)
    monkeypatch.setattr("crediblenet.folded_set.COARSE", coarse)
    draws = 4000
    for most in (folded.max_cost, (folded.optimal_cost + folded.max_cost) // 2):
        drawn = folded.sample(draws, 7, most)
        assert np.array_equal(drawn, folded.sample(draws, 7, most))
        found = np.bincount(drawn.ravel(), minlength=len(table)) / draws
        logs = levelled.candidate_log_weights(most) - levelled.spread(most).log_weight
        expected = np.exp(logs)
        error = 5 * np.sqrt(expected * (1 - expected) / draws) + 1e-12
        assert np.all(np.abs(found - expected) <= error)


def test_a_stored_set_is_folded_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Saved and loaded, with too many levels, it answers alike."""
    table, folded, levelled = a_large_set(monkeypatch)
    CredibleSet(table, folded, 100.0).save(tmp_path / "run")
    monkeypatch.setattr("crediblenet.counted_set.MOST_LEVELS", 0)
    again = load(tmp_path / "run").network_set
    assert isinstance(again, FoldedSet)
    assert again.count(again.max_cost) == levelled.count(levelled.max_cost)


def test_only_the_best_networks_are_listed_when_there_are_too_many_levels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As many as a part with few enough levels has; then an error says why."""
    _, folded, levelled = a_large_set(monkeypatch)
    monkeypatch.setattr("crediblenet.folded_set.MOST_LEVELS", 60)
    first = [cost for cost, _ in islice(folded.networks(folded.max_cost), 1)]
    assert first == [levelled.optimal_cost]
    with pytest.raises(LimitError, match="to be put in order"):
        list(folded.networks(folded.max_cost))


def test_a_limit_keeps_whole_levels_of_a_folded_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit on networks is kept by sets that hold no levels, too."""
    table, _, levelled = a_large_set(monkeypatch)
    _, counts = levelled.levels()
    limit = sum(counts[:3])
    monkeypatch.setattr("crediblenet.enumeration.counting.MOST_LEVELS", 0)
    found = search(table, 100.0, limit=limit)
    assert found.stopped_by == "limit"
    assert found.network_set.count(found.network_set.max_cost) == limit


def test_lists_are_shorter_where_memory_is_short() -> None:
    """The same networks are counted, and only where nothing fits there is an error."""
    table = cn.score(alike(14), score="bdeu", max_parents=3)
    found = search(table, math.log(20)).network_set
    assert isinstance(found, CompiledSet)

    def counted(control: _core.Control) -> _core.CompiledSet:
        return _core.CompiledSet.from_arrays(
            *found._compiled.to_arrays(),
            table.offsets,
            grid_costs(table),
            found.max_cost,
            0,
            LONGEST,
            control,
        )

    plenty = _core.Control()
    whole = counted(plenty)
    little = _core.Control(memory_limit=0.6 * plenty.memory_peak)
    less = counted(little)
    assert less.n_entries < whole.n_entries
    assert less.count(found.max_cost, little) == whole.count(found.max_cost, plenty)
    with pytest.raises(LimitError, match="memory limit"):
        counted(_core.Control(memory_limit=0.01 * plenty.memory_peak))


def independent_choices(n: int) -> ScoreTable:
    """Make n choices between two candidates, no two of whose sums are equal."""
    costs = [{frozenset[int](): 0.0}]
    costs += [{frozenset[int](): 0.0, frozenset({0}): 2.0 ** (i - n)} for i in range(n)]
    return on_grid(ScoreTable.from_candidates([f"v{v}" for v in range(n + 1)], costs))


def counted_within(found: CompiledSet, table: ScoreTable, longest: int) -> _core.CompiledSet:
    """Count the networks of a set again, from both ends."""
    arrays, costs = found._compiled.to_arrays(), grid_costs(table)
    return _core.CompiledSet.from_arrays(
        *arrays, table.offsets, costs, found.max_cost, 0, longest, _core.Control()
    )


def test_lists_are_longer_where_there_are_many_rests() -> None:
    """A few million of them are more than it takes to list everything."""
    for n, is_longer in ((12, False), (22, True)):
        table = independent_choices(n)
        found = search(table, 2.0).network_set
        assert isinstance(found, CompiledSet)
        assert found.count(found.max_cost) == 2**n
        shortest = counted_within(found, table, 1)
        assert shortest.count(found.max_cost, _core.Control())[0] == 2**n
        longer = counted_within(found, table, 1000)
        assert (shortest.n_entries == longer.n_entries) == is_longer


@pytest.mark.parametrize(("fits", "counted_eighths"), [(7.5, 7), (6.0, 6), (5.0, 4)])
def test_the_best_are_counted_where_memory_is_short(
    fits: float, counted_eighths: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a finished search as many as fit, however long that takes."""
    table = cn.score(alike(14), score="bdeu", max_parents=3)
    whole = search(table, math.log(20))
    space = SearchSpace.within(table, math.log(20))
    least = whole.network_set.optimal_cost
    make = counting._counted

    def short_of_memory(
        space: SearchSpace, circuit: _core.Circuit, root: int, most: int, watched: _core.Control
    ) -> _core.CompiledSet:
        if most > least + fits * space.slack / 8:
            raise LimitError("counting needs more than there is")
        return make(space, circuit, root, most, watched)

    monkeypatch.setattr(counting, "_counted", short_of_memory)
    found = search(table, math.log(20))
    assert found.stopped_by == "memory"
    assert found.gap == 0
    networks = found.network_set
    expected = whole.network_set.count(least + space.slack * counted_eighths // 8)
    assert networks.count(networks.max_cost) == expected
    assert expected < whole.network_set.count(whole.network_set.max_cost)


@pytest.mark.parametrize("stop", ["interrupted", "memory"])
def test_a_long_search_falls_back_on_half_of_epsilon(
    stop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever ends the count of all: the networks within half of it were counted before."""
    table = cn.score(alike(14), score="bdeu", max_parents=3)
    whole = search(table, math.log(20)).network_set
    space = SearchSpace.within(table, math.log(20))
    make = counting._counted

    def stopped(
        space: SearchSpace, circuit: _core.Circuit, root: int, most: int, watched: _core.Control
    ) -> _core.CompiledSet:
        if most > whole.optimal_cost + space.slack // 2:
            if stop == "memory":
                watched.exhaust()  # as measured, whatever was announced
            else:
                watched.interrupt()
            raise LimitError("counting was stopped")
        return make(space, circuit, root, most, watched)

    monkeypatch.setattr(counting, "_counted", stopped)
    monkeypatch.setattr(counting, "LONG_SEARCH", 0.0)
    found = search(table, math.log(20)).network_set
    expected = whole.count(whole.optimal_cost + space.slack // 2)
    assert found.count(found.max_cost) == expected
    assert 1 < expected < whole.count(whole.max_cost)
