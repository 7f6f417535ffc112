"""While one part is searched, the progress says how far the search tree is done."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import crediblenet as cn
from crediblenet import _core
from crediblenet.bounds import Clusters, Part
from crediblenet.cli.display import LogDisplay
from crediblenet.enumeration import search
from crediblenet.enumeration.counting import _counted, soon_counted
from crediblenet.enumeration.crew import ThreadCrew
from crediblenet.enumeration.outcome import Outcome
from crediblenet.enumeration.parts_search import PartsSearch
from crediblenet.enumeration.space import SearchSpace
from crediblenet.memory import MemoryBudget

BAYES_FACTOR = 150.0


@pytest.fixture(scope="module")
def table() -> cn.ScoreTable:
    """Return candidates whose search is one part with thousands of states."""
    random = np.random.default_rng(1)
    columns = [random.integers(0, 2, 60), random.integers(0, 2, 60)]
    while len(columns) < 14:
        first, second = random.integers(0, len(columns), 2)
        columns.append((columns[first] | columns[second]) ^ (random.random(60) < 0.2))
    return cn.score(np.array(columns).T, bayes_factor=BAYES_FACTOR)


def test_the_share_of_a_single_part(table: cn.ScoreTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """It grows from 0 to 1, and is heard of on the way."""
    monkeypatch.setattr("crediblenet.progress.POLL_SECONDS", 0.001)
    monkeypatch.setattr("crediblenet.enumeration.parts_search.LONG_SEARCH", 0.0)
    monkeypatch.setattr("crediblenet.enumeration.part_work.ATTEMPT", 0)
    monkeypatch.setattr("crediblenet.enumeration.part_work.LAYERED", False)  # it is too fast
    heard: list[cn.Progress] = []
    told: list[tuple[float, int]] = []
    control = _core.Control()

    def telling(*arguments: Any) -> tuple[int, int]:
        number, within = soon_counted(*arguments)
        told.append((control.fraction, number))
        return number, within

    monkeypatch.setattr("crediblenet.enumeration.part_work.soon_counted", telling)
    space = SearchSpace.within(table, math.log(BAYES_FACTOR))
    found = PartsSearch(space, ThreadCrew(space, control, 1), control, heard.append).run(None)
    assert found.statistics["splits"] == 0
    assert found.statistics["search_parts"] == 1
    shares = [r.fraction for r in heard if r.stage == "enumeration" and r.fraction is not None]
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1
    assert len({share for share in shares if 0 < share < 1}) >= 3
    assert control.fraction == 1.0
    # Networks are told of long before the only part is done.
    assert any(number > 0 for fraction, number in told if fraction < 0.5)
    # While the networks are counted, it says at least how many there are.
    total = sum(found.network_set.levels()[1])
    assert 0 < max(report.found for report in heard) <= total
    # Watching changes nothing.
    again = search(table, math.log(BAYES_FACTOR), threads=1)
    assert again.network_set.levels()[1] == found.network_set.levels()[1]
    assert again.statistics == found.statistics


def test_what_was_given_up_counts_if_the_search_is_stopped(
    table: cn.ScoreTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that is stopped after an attempt at the whole has all that the attempt found."""
    monkeypatch.setattr("crediblenet.enumeration.part_work.LAYERED", False)
    monkeypatch.setattr("crediblenet.enumeration.part_work.ATTEMPT", 0)
    for attempt in ("FILTERED_ATTEMPT", "EXACT_ATTEMPT", "PROBED_ATTEMPT"):
        monkeypatch.setattr(f"crediblenet.enumeration.part_work.{attempt}", 3_000)
    control = _core.Control()
    space = SearchSpace.within(table, math.log(BAYES_FACTOR))
    one = PartsSearch(space, ThreadCrew(space, control, 1), control, lambda _: None)
    take_over = one._take_over

    def stop_then(part: Part, outcome: Outcome, seconds: float) -> None:
        take_over(part, outcome, seconds)
        control.interrupt()

    monkeypatch.setattr(one, "_take_over", stop_then)
    found = one.run(None)
    assert not found.complete
    assert one.spare is not None
    assert one.spare.networks > 1
    networks = found.network_set
    assert networks.count(networks.max_cost) >= one.spare.networks
    # They are networks of the whole set, each of them once.
    whole = search(table, math.log(BAYES_FACTOR), threads=1).network_set
    assert networks.optimal_cost == whole.optimal_cost
    for cost in (whole.optimal_cost, networks.max_cost):
        assert networks.count(cost) <= whole.count(cost)


def unguided(table: cn.ScoreTable) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return no inequality at all."""
    none = Clusters.none(table.parents.shape[1])
    return none.members, none.k, none.values


class NoMemory(MemoryBudget):
    """None is left."""

    def bytes_with_grace(self) -> float:
        """Return how many bytes there are."""
        return 0.0


def test_what_is_not_soon_counted_is_bounded(
    table: cn.ScoreTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where counting all networks takes long, those nearer to the best are counted."""
    space = SearchSpace.within(table, math.log(BAYES_FACTOR))
    circuit, costs = _core.Circuit(), space.costs
    problem = _core.Problem.make(table.offsets, table.parents, costs)
    optimum = search(table, 0.0).optimal_cost
    most = optimum + space.slack
    root = circuit.compile(
        problem, *unguided(table), most, 0, 0, False, True, 0.0, _core.Control(), {}
    )
    assert root is not None

    def counted(limit: int) -> int:
        control = _core.Control()
        made = _core.CompiledSet.make(circuit, root, table.offsets, costs, limit, 99, 9, control)
        return made.count(limit, control)[0]

    for longest, divisor in ((10.0, 1), (0.0, 0)):
        monkeypatch.setattr("crediblenet.enumeration.counting.ANNOUNCE", longest)
        expected = counted(optimum + space.slack // divisor) if divisor else 0
        assert soon_counted(space, circuit, root, most)[0] == expected
    assert soon_counted(space, circuit, root, optimum - 1)[0] == 0
    half, real = counted(optimum + space.slack // 2), _core.Control
    limits = iter((0.0, 10.0))  # the first attempt has no time
    monkeypatch.setattr(_core, "Control", lambda seconds, _: real(seconds and next(limits)))
    monkeypatch.setattr("crediblenet.enumeration.counting.ANNOUNCE", 1.0)
    assert 0 < soon_counted(space, circuit, root, most)[0] == half
    monkeypatch.setattr(_core, "Control", real)
    assert soon_counted(space, circuit, root, most, 10.0, NoMemory(None)) == (0, optimum)
    quarter = optimum + space.slack // 4

    def counted_if_near(*arguments: Any) -> _core.CompiledSet:
        if arguments[3] > quarter:
            raise cn.LimitError("the rest takes too long")
        return _counted(*arguments)

    monkeypatch.setattr("crediblenet.enumeration.counting._counted", counted_if_near)
    assert soon_counted(space, circuit, root, most) == (counted(quarter), quarter)


def test_only_finished_work_counts(table: cn.ScoreTable) -> None:
    """An attempt that is given up takes back what it said; one without a share says nothing."""
    space, rows = SearchSpace.within(table, 0.5), unguided(table)
    problem = _core.Problem.make(table.offsets, table.parents, space.costs)
    limit = search(table, 0.0).optimal_cost + space.slack
    for share, node_limit, least, most in ((0.5, 0, 0.5, 0.5), (1.0, 3, 0, 0), (0.0, 0, 0, 0)):
        control = _core.Control()
        _core.Circuit().compile(
            problem, *rows, limit, node_limit, 0, False, True, share, control, {}
        )
        assert least <= control.fraction <= most
        control.advance(0.25, settled=share if node_limit == 0 else 0.0)
        assert control.fraction == 0.25
    with pytest.raises(ValueError, match="between 0 and 1"):
        _core.Circuit().compile(problem, *rows, 0, 0, 0, False, True, 1.5, _core.Control(), {})


def test_log_lines_estimate_what_is_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long stage says its share, and how long the rest takes at this rate."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with LogDisplay(interval=10.0) as display:
        for seconds, share in ((0.0, 0.0), (1.0, 0.001), (20.0, 0.005), (40.0, 0.4)):
            now[0] = seconds
            display(cn.Progress("enumeration", share, visited=7))
    assert capsys.readouterr().err.splitlines() == [
        "crediblenet: Finding all networks: 7 search nodes",
        "crediblenet: Finding all networks, 0.50% (at this rate 1:06:20 left): 7 search nodes",
        "crediblenet: Finding all networks, 40% (at this rate 0:01:00 left): 7 search nodes",
    ]
