"""Ctrl-C inside a call of the core that has no partial result keeps what the search has."""

from __future__ import annotations

import itertools
import math
from typing import cast

import numpy as np
import pytest

import crediblenet as cn
from crediblenet import _core
from crediblenet.bounds import Bounder, Part
from crediblenet.bounds.clusters import Clusters
from crediblenet.bounds.relaxation import Relaxation
from crediblenet.enumeration import counting
from crediblenet.enumeration.crew import ThreadCrew
from crediblenet.enumeration.parts_search import PartsSearch
from crediblenet.enumeration.result import SearchResult
from crediblenet.enumeration.space import SearchSpace


def searched(control: _core.Control) -> SearchResult:
    """Search a small table."""
    table = cn.score(np.random.default_rng(3).integers(0, 2, size=(60, 6)), bayes_factor=20)
    space = SearchSpace.within(table, math.log(20))
    return PartsSearch(space, ThreadCrew(space, control, 1), control).run(None)


def test_while_a_part_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The part stays open, and the first network is the result."""

    def interrupted(bounder: Bounder, part: Part) -> Part | None:
        bounder.control.interrupt()
        everyone = np.arange(bounder.table.n_variables, dtype=np.uint32)
        bounder.problem(part.keep).subset_program(everyone, bounder.slack, bounder.control)
        raise AssertionError("the program was not stopped")

    monkeypatch.setattr(Bounder, "tighten", interrupted)
    found = searched(_core.Control())
    assert (found.complete, found.stopped_by) == (False, "interrupted")
    assert sum(found.network_set.levels()[1]) == 1


def test_while_networks_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best ones are kept, and the result says so."""
    whole = searched(_core.Control())
    count = counting._counted

    def interrupted(
        space: SearchSpace, circuit: _core.Circuit, root: int, most: int, watched: _core.Control
    ) -> _core.CompiledSet:
        if watched is control:
            control.interrupt()
        return count(space, circuit, root, most, watched)

    monkeypatch.setattr(counting, "_counted", interrupted)
    control = _core.Control()
    found = searched(control)
    assert (found.complete, found.stopped_by) == (False, "interrupted")
    assert found.optimal_cost == whole.optimal_cost
    assert 1 <= sum(found.network_set.levels()[1]) < sum(whole.network_set.levels()[1])
    assert "only the best networks are kept" in found.notes[0]


class Impatient:
    """A control that is asked a few times before it says that the run is stopped."""

    seconds_left = math.inf

    def __init__(self, most: int) -> None:
        self.most = most
        self.asked = 0

    def poll(self) -> bool:
        """Tell whether it was asked too often."""
        self.asked += 1
        return self.asked > self.most


def test_while_a_linear_program_is_solved() -> None:
    """The solver ends at its next step, and can be called again."""
    rng = np.random.default_rng(3)
    data = np.cumsum(rng.integers(0, 3, size=(100, 12)), axis=1) // 2 % 2
    table = cn.score(data, score="bdeu", bayes_factor=20, max_parents=2)
    space = SearchSpace.within(table, math.log(20))
    bounder = Bounder(table, space.costs, space.slack, _core.Control())
    problem = bounder.problem(np.ones(len(space.costs), dtype=bool))
    pairs = [[2**i + 2**j] for i, j in itertools.combinations(range(table.n_variables), 2)]
    clusters = Clusters(
        np.array(pairs, np.uint64), np.ones(len(pairs), np.uint32), np.zeros(len(pairs), np.int64)
    )
    impatient = Impatient(3)
    none = np.zeros(0, np.int64)
    relaxation = Relaxation(
        problem,
        bounder.variable,
        space.costs,
        space.unit,
        clusters,
        none,
        cast("_core.Control", impatient),
    )
    assert not relaxation.solve()
    assert impatient.asked == 4
    impatient.most = 1_000_000
    assert relaxation.solve()
