"""Constants with which even small tables are split many times; workers preload this file.

And with which short tasks tell how far they are.
"""

from __future__ import annotations

import importlib
import time

from crediblenet.cluster import worker_side
from crediblenet.cluster.worker_side import TaskLimits, controlled

CONSTANTS = {
    "crediblenet.bounds.method.SUBSET_SECONDS": 1e6,
    "crediblenet.bounds.bounder.SMALL_BLOCK": 0,
    "crediblenet.bounds.bounder.HOPEFUL_GAP": -1.0,
    "crediblenet.enumeration.part_work.TIGHT": 0.0,
    "crediblenet.enumeration.part_work.ATTEMPT": 0,
    "crediblenet.enumeration.part_work.FEWEST_STATES": 2,
    "crediblenet.enumeration.part_work.RELAXED_ATTEMPT": 2,
    "crediblenet.enumeration.part_work.EXACT_ATTEMPT": 4,
    "crediblenet.enumeration.part_work.MOST_DOUBLINGS": 4,
    "crediblenet.cluster.reports.INTERVAL": 0.01,
}


def dask_setup(_: object) -> None:
    """Set the constants in this process: Dask calls it when a worker starts."""
    for name, value in CONSTANTS.items():
        module, _, constant = name.rpartition(".")
        setattr(importlib.import_module(module), constant, value)


def wait_until_stopped(_: object, limits: TaskLimits) -> str | None:
    """Be busy until somebody stops this task, a minute at most; return who did."""
    with controlled(limits) as control:
        began = time.monotonic()
        while not control.poll() and time.monotonic() - began < 60:
            time.sleep(0.01)
        return control.stopped_by


def runs_at_work() -> list[str]:
    """Return the runs that this process works for."""
    return list(worker_side._controls)
