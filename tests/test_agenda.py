"""Which part comes next, and how long it is tried: a stopped search shall state a small gap."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from crediblenet import _core
from crediblenet.bounds import Bounder, Part
from crediblenet.enumeration import agenda, part_work
from crediblenet.enumeration.agenda import LEAST_IN_WORK, MOST_IN_WORK, Agenda
from crediblenet.enumeration.outcome import Outcome
from crediblenet.enumeration.part_work import RELAXED_ATTEMPT
from crediblenet.enumeration.space import SearchSpace
from test_known_networks import tempting_table

CANDIDATES = 1_000


def part(gap: int, waits: bool = False) -> Part:
    """Return a part with a gap, in nats: the best network known costs 0."""
    return Part(np.ones(1, dtype=bool), lower=-gap, waits=waits)


def next_place(open_parts: list[Part], in_work: list[Part] | None = None, finished: int = 0) -> int:
    """Return the place of the part that comes next, -1 when none does."""
    order = Agenda(CANDIDATES, lambda one: -one.lower)
    place = order.next_place(open_parts, in_work or [], finished)
    return -1 if place is None else place


def test_the_loosest_part_comes_first() -> None:
    """The last one of several; without any gap the last part comes first."""
    assert next_place([part(1), part(3), part(2)]) == 1
    assert next_place([part(3), part(3), part(2)]) == 1
    assert next_place([part(-3), part(-1), part(-2)]) == 2
    assert next_place([part(-1), part(0), part(-2)]) == 2
    assert next_place([]) == -1


def test_parts_that_wait_come_after_those_with_a_gap() -> None:
    """Also those in work; those that have a gap themselves come before parts without one."""
    waits, waits_with_gap = part(-1, waits=True), part(2, waits=True)
    assert next_place([part(1), waits_with_gap]) == 0
    assert next_place([part(-1), waits_with_gap]) == 1
    assert next_place([part(-1), waits]) == 0
    assert next_place([waits]) == 0
    # Beside a part with a gap others that have none are begun, but none that waits.
    assert next_place([part(-1), waits_with_gap], [part(1)]) == 0
    assert next_place([waits_with_gap], [part(1)]) == -1
    assert next_place([waits_with_gap], [part(-1)]) == 0
    assert next_place([waits], [part(-1)]) == -1
    assert next_place([waits], [waits]) == 0


def test_how_many_are_begun() -> None:
    """More with each one finished; fewer while there is a gap, and still fewer beside one."""

    def most(open_part: Part, in_work: Part, finished: int) -> int:
        return next(
            many
            for many in range(10_000)
            if next_place([open_part], [in_work] * many, finished) == -1
        )

    for finished in (0, 5):
        for open_part in (part(1), part(-1)):
            assert most(open_part, part(-1), finished) == LEAST_IN_WORK
    assert most(part(-1), part(-1), 100) == 100
    assert most(part(1), part(-1), 100) == 25
    assert most(part(-1), part(1), 200) == 10
    assert most(part(-1), part(-1), 10**6) == MOST_IN_WORK


@pytest.mark.parametrize("limit", ["BYTES_OPEN", "BYTES_WAITING", "BYTES_IN_WORK"])
def test_memory(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    """Where too many parts are open or wait, the last comes first; and fewer are begun."""
    loose_first, many_wait = [part(2), part(1), part(1)], [part(1, waits=True)] * 3
    monkeypatch.setattr(agenda, limit, 2 * agenda.BYTES_PER_CANDIDATE * CANDIDATES)
    expected = 2 if limit == "BYTES_OPEN" else 0
    assert next_place(loose_first) == expected
    assert next_place([part(2), *many_wait]) == {"BYTES_OPEN": 0, "BYTES_WAITING": 3}.get(limit, 0)
    in_work = [part(-1)] * LEAST_IN_WORK
    assert next_place([part(-1)], in_work, 100) == (-1 if limit == "BYTES_IN_WORK" else 0)


def test_many_variables_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """So attempts take fewer states, and a part is tight from a smaller gap on."""
    space = SearchSpace.within(tempting_table(1, 8), math.log(3))
    control = _core.Control()
    bounder = Bounder(space.table, space.costs, space.slack, control)
    whole = replace(bounder.whole(), lower=bounder.upper - round(0.06 / space.unit))
    work = part_work._PartWork(space, bounder, control, Outcome([whole]), 1)
    few = work._quick(whole)
    assert not work._loose(whole)
    attempts: list[int] = []

    def given_up(_part: Part, states: int, _share: float) -> bool:
        attempts.append(states)
        return True

    monkeypatch.setattr(work, "_compile", given_up)
    work._compile_or_split(whole)
    monkeypatch.setattr(part_work, "FEW_VARIABLES", 4)  # as if there were twice as many
    assert work._quick(whole) == pytest.approx(few / 2, rel=0.01)
    work._compile_or_split(whole)
    work._compile_or_split(replace(whole, given_up=1))
    assert attempts == [RELAXED_ATTEMPT, RELAXED_ATTEMPT // 2, 2 * RELAXED_ATTEMPT]
    monkeypatch.setattr("crediblenet.bounds.bounder.FEW_VARIABLES", 4)
    assert work._loose(whole)
