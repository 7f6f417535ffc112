"""CPU seconds as ratios to a calibration loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from .tasks import Task

__all__ = ["calibrate", "calibration_loop", "least_seconds", "ratios"]

#: The least of so many runs counts: noise only adds.
REPEATS = 3
#: A task that is shorter is run several times over, until it is about this long.
LONG_ENOUGH = 0.03

Clock = Callable[[], float]


def calibration_loop() -> float:
    """Do some work of the kinds that matter: the interpreter, sorting, arithmetic.

    What it computes is of no interest, but it must not be changed: all accepted figures are
    ratios to it.
    """
    total = 0
    for number in range(100_000):
        total += number * number % 7
    values = np.random.default_rng(1).random(100_000)
    for _ in range(5):
        values = np.log1p(np.sort(values)[::-1])
    return total + float(values.sum())


def calibrate(clock: Clock = time.process_time) -> float:
    """Return the CPU seconds of the calibration loop."""
    return least_seconds(calibration_loop, clock)


def least_seconds(task: Task, clock: Clock = time.process_time) -> float:
    """Return the CPU seconds of a task, all threads together: the least of several runs."""
    seconds = once(task, 1, clock)  # also warms up
    times = max(1, round(LONG_ENOUGH / max(seconds, 1e-6)))
    return min(once(task, times, clock) for _ in range(REPEATS))


def once(task: Task, times: int, clock: Clock) -> float:
    """Return the CPU seconds of a task that is run so many times in a row, divided by these."""
    began = clock()
    for _ in range(times):
        task()
    return (clock() - began) / times


def ratios(
    tasks: Mapping[str, Callable[[], Task]], clock: Clock = time.process_time
) -> dict[str, float]:
    """Return how many times longer than the calibration loop each task takes.

    The loop is timed again for each task, so that a processor that changes its speed in
    between changes both.
    """
    found = {}
    for name, prepare in tasks.items():
        task = prepare()
        unit = calibrate(clock)
        found[name] = least_seconds(task, clock) / unit
    return found
