"""Limits hold from the first byte that is read to the last part that is taken over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crediblenet as cn
from crediblenet import _core
from crediblenet.enumeration import parts_search
from crediblenet.enumeration.crew import ThreadCrew
from crediblenet.enumeration.parts_search import PartsSearch
from crediblenet.enumeration.space import SearchSpace
from crediblenet.libraries import load_in_background
from crediblenet.memory import MemoryBudget
from crediblenet.reading_limits import reading_within
from crediblenet.stopwatch import Stopwatch

NOTHING = 1e-6  # seconds: over before anything is read

DATA: dict[str, Any] = {name: [0, 1, 1, 0] * 50 for name in "abc"}


@pytest.fixture(autouse=True)
def look_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the limits at every line."""
    monkeypatch.setattr("crediblenet.formats.score_file.LINES_PER_LOOK", 1)


@pytest.mark.parametrize(
    "options", [{}, {"discretize": "equal-width"}, {"score": "bge"}], ids=["as is", "cut", "real"]
)
def test_time_is_over_while_data_are_read(tmp_path: Path, options: dict[str, Any]) -> None:
    """However they are read; and without a limit they are."""
    path = tmp_path / "data.csv"
    np.savetxt(path, np.arange(600).reshape(200, 3) % 7, "%d", ",", header="a,b,c", comments="")
    with pytest.raises(cn.LimitError, match="time limit was reached while the input was read"):
        cn.find(path, time_limit=NOTHING, **options)
    assert cn.find(path, time_limit=100, **options).complete


@pytest.mark.parametrize("kind", ["jkl", "pss"])
def test_time_is_over_while_scores_are_read(tmp_path: Path, kind: str) -> None:
    """The same for score files."""
    path = tmp_path / f"scores.{kind}"
    getattr(cn.score(DATA), f"to_{kind}")(path)
    with pytest.raises(cn.LimitError, match="time limit was reached while the input was read"):
        cn.find(path, time_limit=NOTHING)
    assert cn.find(path, time_limit=100).complete


def test_memory_is_used_up_while_data_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read counts."""
    budget = MemoryBudget(1)
    monkeypatch.setattr(budget, "bytes_left", lambda: 0.0)
    with (
        pytest.raises(cn.LimitError, match="memory limit was reached while the input was read"),
        reading_within(Stopwatch(), budget),
    ):
        cn.as_dataset(DATA)
    assert cn.as_dataset(DATA).n_rows == 200  # the limits of a run end with it


def test_late_libraries_are_loaded_early() -> None:
    """A run with a time limit loads them while it searches, once."""
    cn.find(DATA, time_limit=100)
    assert load_in_background.cache_info().currsize == 1


def test_a_stopped_search_takes_over_what_it_has_time_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first part always, others as long as there are few nodes."""
    space, control = SearchSpace.within(cn.score(DATA), 1.0), _core.Control()
    search = PartsSearch(space, ThreadCrew(space, control, 1), control)
    part = _core.Circuit()
    part.network(space.table.offsets[:-1].astype(np.uint32))
    monkeypatch.setattr(parts_search, "NODES_WHEN_HURRIED", 2 * len(part))
    assert search._has_time_for(part)
    control.interrupt()
    assert search._has_time_for(part)  # nothing was taken over before
    search.circuit = part
    assert [search._has_time_for(part) for _ in range(3)] == [True, True, False]
