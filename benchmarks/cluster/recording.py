"""A search that notes how long each part takes, and what it had to wait for."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from crediblenet import ScoreTable, _core
from crediblenet.bounds import Part
from crediblenet.enumeration import SearchResult
from crediblenet.enumeration.crew import Pending
from crediblenet.enumeration.outcome import Outcome
from crediblenet.enumeration.part_work import work_on
from crediblenet.enumeration.parts_search import PartsSearch
from crediblenet.enumeration.space import SearchSpace

from .simulation import Task

__all__ = ["Recorder", "recorded_search"]


class Recorder:
    """Works on each part when it is asked for, one after the other, and notes the seconds.

    Attributes
    ----------
    tasks
        The parts in the order in which they were begun.
    """

    def __init__(self, space: SearchSpace, control: _core.Control) -> None:
        self.tasks: list[Task] = []
        self._space = space
        self._control = control
        self._taken_over = 0

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def begin(self, part: Part, known: Mapping[str, Any]) -> Pending:
        """Note that a part can be begun now, and what was taken over before."""
        self.tasks.append(Task(0.0, self._taken_over))
        return _Recorded(self, len(self.tasks) - 1, part, known)

    def work(self, number: int, part: Part, known: Mapping[str, Any]) -> Outcome:
        """Work on a part."""
        began = time.thread_time()
        outcome = work_on(part, known, self._space, self._control)
        self._taken_over += 1
        self.tasks[number] = Task(time.thread_time() - began, self.tasks[number].after)
        return outcome


class _Recorded:
    def __init__(
        self, recorder: Recorder, number: int, part: Part, known: Mapping[str, Any]
    ) -> None:
        self._work = (number, part, known)
        self._recorder = recorder

    def outcome(self) -> Outcome:
        return self._recorder.work(*self._work)


def recorded_search(
    table: ScoreTable, epsilon: float, control: _core.Control
) -> tuple[SearchResult, list[Task], float]:
    """Search a table; also return its parts, and the CPU seconds besides the work on them."""
    space = SearchSpace.within(table, epsilon)
    recorder = Recorder(space, control)
    began = time.process_time()
    found = PartsSearch(space, recorder, control).run(None)
    in_all = time.process_time() - began
    return found, recorder.tasks, in_all - sum(task.seconds for task in recorder.tasks)
