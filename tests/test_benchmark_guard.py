"""`python -m benchmarks.guard`: what became slower is caught, noise is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.guard import __main__ as guard
from benchmarks.guard import accepted, measure
from benchmarks.guard.tasks import TASKS, Task


class Machine:
    """A clock that only tasks move."""

    def __init__(self) -> None:
        self.now = 0.0

    def clock(self) -> float:
        """Tell the time."""
        return self.now

    def task(self, seconds: float) -> Callable[[], Task]:
        """Return something to prepare that takes so long."""

        def work() -> None:
            self.now += seconds

        return lambda: work


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Return a machine on which a calibration loop takes a tenth of a second."""
    machine = Machine()
    monkeypatch.setattr(measure, "calibration_loop", machine.task(0.1)())
    monkeypatch.setattr(guard, "ratios", lambda tasks: measure.ratios(tasks, machine.clock))
    return machine


def test_a_slow_down_is_caught(
    machine: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A task that takes 1.6 times as long makes the exit code 1; 1.4 times does not."""
    path = tmp_path / "accepted.json"
    usual = {"search": machine.task(0.2), "score": machine.task(0.05)}
    accepted.write(path, measure.ratios(usual, machine.clock))
    assert accepted.read(path) == pytest.approx({"search": 2.0, "score": 0.5})
    assert guard.check(path, accepted.LIMIT, usual) == 0
    assert guard.check(path, accepted.LIMIT, usual | {"search": machine.task(0.28)}) == 0
    capsys.readouterr()
    assert guard.check(path, accepted.LIMIT, usual | {"search": machine.task(0.32)}) == 1
    said = capsys.readouterr().out
    assert "search: SLOWER, 1.60 times as long as accepted" in said
    assert "score: 1.00 times as long as accepted" in said
    assert "1 of 2 tasks became slower by more than 1.5 times" in said


def test_a_slower_machine_is_no_slow_down(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ratios to the calibration loop stay when everything takes three times as long."""
    before = measure.ratios({"search": machine.task(0.2)}, machine.clock)
    monkeypatch.setattr(measure, "calibration_loop", machine.task(0.3)())
    after = measure.ratios({"search": machine.task(0.6)}, machine.clock)
    assert after == pytest.approx(before)


def test_one_slow_run_of_several_does_not_count(machine: Machine) -> None:
    """The least of several runs is taken."""
    durations = iter([0.2, 0.9, 0.2, 0.7])

    def work() -> None:
        machine.now += next(durations)

    assert measure.least_seconds(work, machine.clock) == pytest.approx(0.2)


def test_a_short_task_is_repeated(machine: Machine) -> None:
    """So that the clock can tell how long it takes."""
    runs = 0

    def work() -> None:
        nonlocal runs
        runs += 1
        machine.now += 0.001

    assert measure.least_seconds(work, machine.clock) == pytest.approx(0.001)
    assert runs == 1 + measure.REPEATS * round(measure.LONG_ENOUGH / 0.001)


def test_tasks_come_and_go(
    machine: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A new task and one that is no more are told, and nothing accepted is an error."""
    path = tmp_path / "accepted.json"
    assert guard.check(path, 1.5, {}) == 1
    assert "nothing was accepted yet" in capsys.readouterr().out
    accepted.write(path, {"old": 1.0})
    assert guard.check(path, 1.5, {"fresh": machine.task(0.1)}) == 0
    said = capsys.readouterr().out
    assert "old: not timed any more" in said
    assert "fresh: new" in said


@pytest.mark.parametrize("name", TASKS)
def test_every_task_runs(name: str) -> None:
    """Each can be prepared once and run more than once."""
    task = TASKS[name]()
    task()
    task()
