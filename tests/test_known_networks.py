"""The best network that is known: found near relaxed solutions, shared, and never lost."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import crediblenet as cn
import small_attempts
from crediblenet import _core
from crediblenet.bounds import Bounder, Part, near_networks
from crediblenet.bounds.method import blocks
from crediblenet.bounds.relaxation import LinearBound
from crediblenet.enumeration import agenda
from crediblenet.enumeration.crew import Pending
from crediblenet.enumeration.outcome import Outcome
from crediblenet.enumeration.part_work import work_on
from crediblenet.enumeration.parts_search import PartsSearch
from crediblenet.enumeration.space import SearchSpace
from crediblenet.score_table import ScoreTable
from listed import on_grid


@pytest.fixture(autouse=True)
def _many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Relax and split even small tables."""
    for name, value in small_attempts.CONSTANTS.items():
        monkeypatch.setattr(name, value)


def tempting_table(seed: int, n: int = 14) -> ScoreTable:
    """Make random costs: the more parents, the cheaper, so that most choices have cycles."""
    rng = random.Random(seed)
    costs = []
    for child in range(n):
        others = [v for v in range(n) if v != child]
        options = {frozenset[int](): 4.0}
        for _ in range(12):
            parents = frozenset(rng.sample(others, rng.choice([1, 2, 3])))
            options[parents] = rng.uniform(0, 4) - len(parents)
        costs.append(options)
    return on_grid(ScoreTable.from_candidates([f"v{v}" for v in range(n)], costs))


def bounder_of(table: ScoreTable) -> Bounder:
    """Return a bounder for a Bayes factor of 3; it has searched for a first network."""
    space = SearchSpace.within(table, math.log(3))
    return Bounder(table, space.costs, space.slack, _core.Control())


def cost_of_rows(bounder: Bounder) -> int:
    """Return the cost of the best network of which more than the cost is known."""
    return int(bounder.costs[bounder.rows].sum())


def test_networks_near_relaxed_solutions_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a first search of one start, bounding finds better ones where x is no network.

    With one start, too, which would be the same one if it did not depend on x.
    """
    monkeypatch.setattr("crediblenet.bounds.bounder.RESTARTS", 1)
    monkeypatch.setattr("crediblenet.bounds.near_networks.FEW_RESTARTS", 1)
    monkeypatch.setattr("crediblenet.bounds.near_networks.STEPS_PER_PAIR", 0)
    improved = 0
    for seed in range(1, 13):
        bounder = bounder_of(tempting_table(seed))
        before = bounder.upper
        assert cost_of_rows(bounder) == before
        part = bounder.tighten(bounder.whole())
        assert part is not None
        assert part.x is not None
        assert cost_of_rows(bounder) == bounder.upper <= before
        assert part.lower <= bounder.upper
        is_fractional = bool(np.any(np.abs(part.x[part.keep] - 0.5) < 0.4))
        improved += is_fractional and bounder.upper < before
    assert improved >= 2


def test_neighbourhoods_of_networks_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found near a relaxed solution is never worse for it, and often better."""
    monkeypatch.setattr("crediblenet.bounds.bounder.RESTARTS", 1)
    monkeypatch.setattr("crediblenet.bounds.near_networks.FEW_RESTARTS", 1)
    better = 0
    for seed in range(4):
        costs = []
        for steps in (0, 500):
            monkeypatch.setattr("crediblenet.bounds.near_networks.STEPS_PER_PAIR", steps)
            bounder = bounder_of(tempting_table(seed, 40))
            bounder.tighten(bounder.whole())
            assert cost_of_rows(bounder) == bounder.upper
            costs.append(bounder.upper)
        assert costs[1] <= costs[0]
        better += costs[1] < costs[0]
    assert better >= 2


def some_problem(seed: int) -> tuple[Bounder, _core.Problem, np.ndarray[Any, Any]]:
    """Return a bounder with its first network, all candidates, and a relaxed solution."""
    bounder = bounder_of(tempting_table(seed, 40))
    part = bounder.relax(bounder.whole())
    assert part is not None
    assert part.x is not None
    return bounder, bounder.problem(np.ones(len(bounder.costs), dtype=bool)), part.x


def test_many_searches_find_better_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Than the first of them; those from the best one so far do their share; never worse.

    And the same ones, however many are made at a time.
    """
    # Short searches, since these tables are easy.
    monkeypatch.setattr(near_networks, "STEPS_PER_PAIR", 2)
    monkeypatch.setattr(near_networks, "SMALL_PROBLEM", 0)
    better_than_first = better_than_fresh = 0
    for seed in range(4):
        bounder, problem, x = some_problem(seed)
        control, costs, unit = bounder.control, bounder.costs, bounder.unit
        first = near_networks.network_near(problem, x, int(1 / unit), 1, control)
        found = []
        for vain_rounds in (0, 3):
            monkeypatch.setattr(near_networks, "VAIN_ROUNDS", vain_rounds)
            rows = near_networks.best_network_near(problem, x, costs, first, unit, control)
            again = near_networks.best_network_near(problem, x, costs, first, unit, control, 3)
            assert np.array_equal(rows, again)
            assert not blocks(bounder.problem(np.isin(np.arange(len(costs)), rows)))
            found.append(int(costs[rows].sum()))
        fresh, reheated = found
        assert reheated <= fresh <= int(costs[first].sum())
        better_than_first += fresh < int(costs[first].sum())
        better_than_fresh += reheated < fresh
    assert better_than_first >= 2
    assert better_than_fresh >= 2


@pytest.mark.parametrize("variables", [40, 41])
def test_networks_are_looked_for_before_the_relaxation_is_solved(
    monkeypatch: pytest.MonkeyPatch, variables: int
) -> None:
    """Of many variables, since it may be stopped before; and not in parts of the problem."""
    monkeypatch.setattr("crediblenet.bounds.bounder.EARLY_GUESSES", (1,))
    learn, early = Bounder._learn, []

    def noted(bounder: Bounder, bound: LinearBound, part: Part) -> None:
        early.append((not bound.final, part.share))
        learn(bounder, bound, part)

    monkeypatch.setattr(Bounder, "_learn", noted)
    bounder = bounder_of(tempting_table(2, variables))
    whole = bounder.whole()
    bounder.relax(whole)
    assert ((True, 1.0) in early) == (variables > 40)
    early.clear()
    bounder.relax(replace(whole, share=0.5))
    assert (True, 0.5) not in early
    assert (False, 0.5) in early


def test_a_stopped_search_keeps_the_best_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it is stopped, nothing that was found is lost, and no other search begins."""
    monkeypatch.setattr(near_networks, "SMALL_PROBLEM", 0)
    monkeypatch.setattr(near_networks, "STEPS_PER_PAIR", 2)
    search = near_networks._hot_search
    for searches in (0, 3, 11):
        bounder, problem, x = some_problem(1)
        found: list[int] = []

        def stopping(*arguments: Any) -> np.ndarray[Any, Any]:
            rows = search(*arguments)
            found.append(int(bounder.costs[rows].sum()))  # noqa: B023 - called in this round only
            if len(found) == searches:  # noqa: B023
                bounder.control.interrupt()  # noqa: B023
            return rows

        monkeypatch.setattr(near_networks, "_hot_search", stopping)
        if searches == 0:
            bounder.control.interrupt()
        before = bounder.costs[bounder.rows].sum()
        rows = near_networks.best_network_near(
            problem, x, bounder.costs, bounder.rows, bounder.unit, bounder.control
        )
        assert len(found) == searches
        assert bounder.costs[rows].sum() == min([int(before), *found])


@pytest.mark.parametrize("variables", [40, 70])
def test_a_loose_problem_is_searched_for_better_networks(
    monkeypatch: pytest.MonkeyPatch, variables: int
) -> None:
    """Once, when the whole search space is bounded, and only where there are many variables."""
    for name in ("bounder.RESTARTS", "near_networks.FEW_RESTARTS"):
        monkeypatch.setattr(f"crediblenet.bounds.{name}", 1)
    monkeypatch.setattr(near_networks, "STEPS_PER_PAIR", 0)
    gains = []

    def better(*arguments: Any) -> np.ndarray[Any, Any]:
        costs, rows = arguments[2:4]
        with monkeypatch.context() as long:
            long.setattr(near_networks, "STEPS_PER_PAIR", 5)
            found = near_networks.best_network_near(*arguments)
        gains.append(int(costs[rows].sum() - costs[found].sum()))
        return found

    monkeypatch.setattr("crediblenet.bounds.bounder.best_network_near", better)
    table = tempting_table(3, variables)
    bounder = bounder_of(table)
    space = SearchSpace.within(table, math.log(3))
    outcome = work_on(bounder.whole(), bounder.state(), space, bounder.control)
    assert len(gains) == 1
    assert (gains[0] > 0) == (variables > near_networks.SMALL_PROBLEM)
    assert outcome.learnt is not None
    assert outcome.learnt["upper"] <= bounder.upper - gains[0]
    assert outcome.rest
    work_on(outcome.rest[0], outcome.learnt, space, bounder.control)
    assert len(gains) == 1  # not in a part of it


def test_what_a_fork_has_learnt_is_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A better network with its rows, and nothing of a worse one."""
    table = tempting_table(4)
    good = bounder_of(table)
    monkeypatch.setattr("crediblenet.bounds.bounder.RESTARTS", 1)
    bounder = bounder_of(table)
    worse = bounder.fork().state()
    assert good.upper < bounder.upper
    bounder.learn_from(good.state())
    assert cost_of_rows(bounder) == bounder.upper == good.upper
    assert np.array_equal(bounder.rows, good.rows)
    bounder.learn_from(worse)
    assert cost_of_rows(bounder) == bounder.upper == good.upper


class StoppingCrew:
    """Works on each part when it is asked for, and stops the search after some of them."""

    def __init__(self, space: SearchSpace, control: _core.Control, parts: int) -> None:
        self.space = space
        self.control = control
        self.left = parts

    def __enter__(self) -> StoppingCrew:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def begin(self, part: Part, known: Mapping[str, Any]) -> Pending:
        """Note what is to be done."""
        return _Waiting(self, part, known)


class _Waiting:
    def __init__(self, crew: StoppingCrew, part: Part, known: Mapping[str, Any]) -> None:
        self.crew, self.part, self.known = crew, part, known

    def outcome(self) -> Outcome:
        crew = self.crew
        found = work_on(self.part, self.known, crew.space, crew.control)
        crew.left -= 1
        if crew.left == 0:
            crew.control.exhaust()
        return found


def test_a_stopped_search_has_the_best_known_network() -> None:
    """Or one as good, wherever it is stopped: the parts that are done have it, or it is added."""
    rng = np.random.default_rng(4)
    hidden = rng.random((150, 3)) < 0.5
    data = np.array([hidden[:, v % 3] ^ (rng.random(150) < 0.15) for v in range(10)]).T
    table = cn.score(data.astype(int), score="bdeu", max_parents=2)
    space = SearchSpace.within(table, math.log(20))
    whole = cn.find(table, bayes_factor=20)
    added = {False: 0, True: 0}
    told, certain = set(), set()
    for parts in range(1, 400, 9):
        control = _core.Control()
        search = PartsSearch(space, StoppingCrew(space, control, parts), control)
        found = search.run(None)
        if found.complete:
            break
        assert found.optimal_cost == cost_of_rows(search.bounder)
        networks = [rows.tobytes() for _, rows in found.network_set.networks(2**62)]
        assert len(set(networks)) == len(networks)
        at_least = found.statistics["classes_at_least"]
        surely = found.statistics["classes_surely"]
        # The optimum may be better than what was found: some are in the set all the same.
        assert 0 <= surely <= min(at_least, whole.n_classes or 0)
        assert (surely == at_least) or any(
            f"; {surely:,} of them are credible" in note for note in found.notes
        )
        certain.add(surely > 1)
        if found.optimal_cost == table_cost(whole):
            # What it has, and what it says of the rest, is in the whole set.
            assert len(networks) <= whole.n_networks
            assert 1 < at_least <= (whole.n_classes or 0)
            assert any(f"at least {at_least:,} equivalence" in note for note in found.notes)
            told.add(len(networks) >= at_least)
        done = search.counted["parts"]
        if done > 0:
            added[len(search.roots) > done] += 1
    assert min(added.values()) > 0  # both were tried
    assert True in certain
    assert True in told  # there were networks enough: those of the order, or of parts


@pytest.mark.parametrize("room", [True, False])
def test_parts_without_a_gap_wait_for_those_with_one(
    monkeypatch: pytest.MonkeyPatch, room: bool
) -> None:
    """So the optimum is proved first, unless too many wait; the networks are the same."""
    if not room:
        monkeypatch.setattr(agenda, "BYTES_WAITING", 0)
    space = SearchSpace.within(tempting_table(1, 8), math.log(3))
    begin_work = PartsSearch._begin_work
    before_others: list[bool] = []  # for each part that waited

    def begin(search: PartsSearch, part: Part, known: Mapping[str, Any]) -> None:
        if part.waits:
            assert part.share < 1.0
            before_others.append(any(not other.waits for other in search._left))
        begin_work(search, part, known)

    monkeypatch.setattr(PartsSearch, "_begin_work", begin)
    control = _core.Control()
    result = PartsSearch(space, StoppingCrew(space, control, -1), control).run(None)
    assert len(before_others) > 3
    assert any(before_others) == (not room)

    def last(search: PartsSearch) -> Part | None:
        return search.open_parts.pop() if search.open_parts else None

    monkeypatch.setattr(PartsSearch, "_next", last)
    other = PartsSearch(space, StoppingCrew(space, control, -1), control).run(None)
    assert result.complete
    assert other.complete
    assert (result.optimal_cost, result.n_networks) == (other.optimal_cost, other.n_networks)


def test_what_is_too_late_to_be_taken_over_is_not_forgotten() -> None:
    """A part that is done when the search is stopped, and then lost, may have the optimum."""
    space = SearchSpace.within(tempting_table(1, 8), math.log(3))
    for nodes_left, is_lost in ((10**6, False), (0, True)):
        control = _core.Control()
        search = PartsSearch(space, StoppingCrew(space, control, 1), control)
        search._begin()
        root = None
        while root is None:
            part = search.open_parts.pop()
            outcome = work_on(part, search.bounder.state(), space, control)
            search.open_parts.extend(outcome.rest)
            root = outcome.root
        others = list(search.open_parts)
        search.circuit.network(search.bounder.rows)
        control.exhaust()
        search.nodes_left = nodes_left
        search._take_over(part, outcome, 0.0)
        assert bool(search.roots) != is_lost
        # Its bound is part of the gap that the search states.
        assert search.open_parts[len(others) :] == ([part] if is_lost else [])
        # One that was stopped on its way is open anyway, with a better bound than it had before.
        outcome.rest = [replace(part, lower=part.lower + 1)]
        search.open_parts.clear()
        search._take_over(part, outcome, 0.0)
        assert [open_part.lower for open_part in search.open_parts] == [part.lower + 1]


def table_cost(result: cn.CredibleSet) -> int:
    """Return the least cost of a result in grid units."""
    return round(math.ldexp(result.optimal_cost, result.table.grid_bits))
