"""Ctrl-C inside a call of the core that has no partial result keeps what the search has."""

from __future__ import annotations

import math

import numpy as np
import pytest

import crediblenet as cn
from crediblenet import _core
from crediblenet.bounds import Bounder, Part
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
