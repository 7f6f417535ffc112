"""`python -m benchmarks.cluster`: what is recorded, and what is simulated."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from benchmarks.cluster.recording import recorded_search
from benchmarks.cluster.simulation import Task, makespan

import crediblenet as cn
import small_attempts
from crediblenet import _core
from crediblenet.enumeration import search


def test_recorded_search_is_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part is noted once, with what it waited for; what is found is the same."""
    for name, value in small_attempts.CONSTANTS.items():
        monkeypatch.setattr(name, value)
    rng = np.random.default_rng(3)
    hidden = rng.random((150, 3)) < 0.5
    data = np.array([hidden[:, v % 3] ^ (rng.random(150) < 0.15) for v in range(12)]).T
    table = cn.score(data.astype(int), score="bdeu", max_parents=3)
    found, tasks, besides = recorded_search(table, math.log(20), _core.Control())
    expected = search(table, math.log(20))
    assert found.statistics == expected.statistics
    assert found.statistics["splits"] > 10
    assert len(tasks) >= found.statistics["search_parts"]
    assert tasks[0].after == 0
    assert [task.after for task in tasks] == sorted(task.after for task in tasks)
    assert all(task.after <= number for number, task in enumerate(tasks))
    assert besides > 0


def test_simulation() -> None:
    """No schedule beats the work shared evenly, or the longest chain; one worker does it all."""
    chance = random.Random(5)
    for _ in range(50):
        afters = sorted(chance.randrange(20) for _ in range(40))
        tasks = [Task(chance.random(), min(number, after)) for number, after in enumerate(afters)]
        work = sum(task.seconds for task in tasks)
        assert makespan(tasks, 1) == pytest.approx(work)
        assert makespan(tasks, 1, 0.5) == pytest.approx(work + 20)
        times = [makespan(tasks, workers) for workers in (1, 2, 4, 8, 64)]
        for workers, time in zip((1, 2, 4, 8, 64), times, strict=True):
            assert time >= max(work / workers, max(task.seconds for task in tasks)) - 1e-9
        assert times[-1] == makespan(tasks, 1000)


def test_no_parts_take_no_time() -> None:
    """An empty search has no makespan."""
    assert makespan([], 3) == 0.0
