"""What is done on the workers of a cluster."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from .. import _core
from ..bounds import Part
from ..core_scoring import ScoringJob
from ..enumeration.outcome import Outcome
from ..enumeration.part_work import work_on
from ..enumeration.space import SearchSpace
from ..memory import memory_limit_bytes
from .reports import reporting

__all__ = ["TaskLimits", "interrupt", "score_variables", "search_part", "version"]


@dataclass(frozen=True)
class TaskLimits:
    """What one task may use, and which run it belongs to.

    Attributes
    ----------
    run
        The name of the run.
    seconds, memory
        From its beginning, and bytes.
    """

    run: str
    seconds: float
    memory: float


# The tasks that this process works on, by their run, so that they can be stopped at once; and the
# last runs that were, because a task may be on its way to its control when its run is stopped.
_lock = threading.Lock()
_controls: dict[str, list[_core.Control]] = {}
_interrupted: deque[str] = deque(maxlen=1000)


@contextmanager
def controlled(limits: TaskLimits) -> Iterator[_core.Control]:
    """Give a task a control that `interrupt` reaches."""
    control = _core.Control(limits.seconds, limits.memory)
    with _lock:
        _controls.setdefault(limits.run, []).append(control)
        if limits.run in _interrupted:
            control.interrupt()
    try:
        yield control
    finally:
        with _lock:
            of_run = _controls[limits.run]
            of_run.remove(control)
            if not of_run:
                del _controls[limits.run]


async def interrupt(run: str) -> None:
    """Stop all tasks of a run in this process, also those that begin later.

    A coroutine, because only with one of these need the sender not wait for the workers.
    """
    with _lock:
        _interrupted.append(run)
        for control in _controls.get(run, ()):
            control.interrupt()


def version() -> str:
    """Return which crediblenet this process has."""
    from .. import __version__

    return __version__


def search_part(
    space: SearchSpace, limits: TaskLimits, part: Part, known: Mapping[str, Any]
) -> Outcome:
    """Work on a part of the search space."""
    with controlled(limits) as control:
        return work_on(part, known, space, control)


def score_variables(
    job: ScoringJob, limits: TaskLimits, number: int, variables: list[int]
) -> dict[str, Any] | None:
    """Score the parent sets of some variables, without a limit in most of the memory here.

    Returns None when the run is interrupted: a worker that sees a KeyboardInterrupt would end.
    """
    memory = min(limits.memory, memory_limit_bytes(None))
    with (
        controlled(replace(limits, memory=memory)) as control,
        reporting(limits.run, number, control),
    ):
        try:
            result = job.only(variables).run(1, control)
        except KeyboardInterrupt:
            return None
        forecast = control.memory_forecast
        return {**result, "memory_forecast": forecast, "memory_peak": control.memory_peak}
