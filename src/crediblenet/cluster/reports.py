"""How far the tasks of a stage are, and how much memory they need: told while they work."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .. import _core

__all__ = ["Reports", "reporting", "topic_of"]

#: Seconds between two looks at a task. Only what has changed is told.
INTERVAL = 0.2


def topic_of(run: str) -> str:
    """Return the name under which the scheduler passes on the reports of a run."""
    return f"crediblenet-{run}"


@contextmanager
def reporting(run: str, number: int, control: _core.Control) -> Iterator[None]:
    """Tell, on a worker, how far a task is; at most a hundred times or so in all."""
    from distributed import get_worker

    worker = get_worker()
    done = threading.Event()

    def watch() -> None:
        told: dict[str, Any] = {}
        while not done.wait(INTERVAL):
            report = {
                "task": number,
                "fraction": round(control.fraction, 2),
                "forecast": list(control.memory_forecast),
            }
            if report != told:
                worker.log_event(topic_of(run), report)
                told = report

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


class Reports:
    """What the tasks of a stage have told, put together in the control of the run.

    The stage's share is the mean of the tasks'; its memory that of the task that needs most.

    Parameters
    ----------
    control
        What the run is watched through.
    tasks
        How many there are.

    Examples
    --------
    >>> control = _core.Control()
    >>> reports = Reports(control, 2)
    >>> reports.hear({"task": 1, "fraction": 0.5, "forecast": [1.0, 0.0, 9.0]})
    >>> control.fraction, control.memory_forecast
    (0.25, (1.0, 0.0, 9.0))
    """

    def __init__(self, control: _core.Control, tasks: int) -> None:
        self._control = control
        self._fractions = [0.0] * tasks
        self._forecast = [0.0, 0.0, 0.0]
        self._lock = threading.Lock()

    def hear(self, report: Mapping[str, Any]) -> None:
        """Take over what one task says; a task that was begun again does not take back."""
        with self._lock:
            task = report["task"]
            self._fractions[task] = max(self._fractions[task], report["fraction"])
            self._forecast = [*map(max, self._forecast, report["forecast"])]
            self._control.foresee(*self._forecast)
            self._control.advance(sum(self._fractions) / len(self._fractions))
