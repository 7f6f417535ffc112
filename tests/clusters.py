"""Clusters for tests: a real scheduler in this process, and worker processes on this machine."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed import Client, LocalCluster
from distributed.diagnostics.plugin import SchedulerPlugin
from numpy.typing import NDArray

import small_attempts
from crediblenet.enumeration import SearchResult
from killing import contents


def two_workers() -> LocalCluster:
    """Start two worker processes, which are replaced when they die."""
    return LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        preload=[small_attempts.__file__],
    )


class Watch(SchedulerPlugin):
    """Notes what becomes of every task.

    Attributes
    ----------
    done_by
        The worker that finished each task, by the task's key.
    lost
        How often a task left its worker without a result, by key.
    """

    def __init__(self) -> None:
        self.done_by: dict[str, str] = {}
        self.lost: Counter[str] = Counter()

    def transition(self, key: Any, start: Any, finish: Any, *_: Any, **more: Any) -> None:
        """Note a task that is done, or not."""
        if start != "processing":
            return
        if finish == "memory":
            self.done_by[str(key)] = more["worker"]
        elif finish != "erred":
            self.lost[str(key)] += 1


@contextmanager
def watched(cluster: LocalCluster) -> Iterator[Watch]:
    """Note what becomes of the tasks meanwhile."""
    watch = Watch()
    assert cluster.scheduler is not None
    cluster.scheduler.add_plugin(watch, name="watch")
    try:
        yield watch
    finally:
        cluster.scheduler.remove_plugin(name="watch")


def at_work(cluster: LocalCluster) -> list[Any]:
    """Return the nannies of the workers that have a task."""
    assert cluster.scheduler is not None
    known = dict(cluster.scheduler.workers)
    busy = {address for address, state in known.items() if state.processing}
    return [nanny for nanny in dict(cluster.workers).values() if nanny.worker_address in busy]


def catch_at_work(cluster: LocalCluster, count: int, chance: random.Random) -> list[Any]:
    """Return so many nannies whose workers stand still with a task, or none.

    A worker that only seems busy may have sent its result already; one that stands still sends
    nothing more, and when what it had sent has arrived, the scheduler's word is true.
    """
    busy = at_work(cluster)
    if len(busy) < count:
        return []
    caught = chance.sample(busy, count)
    processes = [nanny.pid for nanny in caught]
    if None in processes:
        return []
    try:
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        time.sleep(0.05)
        if {id(nanny) for nanny in caught} <= {id(nanny) for nanny in at_work(cluster)}:
            return caught
    except ProcessLookupError:
        pass  # one has ended by itself
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)
    return []


def kill(nanny: Any) -> None:
    """Kill a worker; its nanny starts another one."""
    os.kill(nanny.pid, signal.SIGKILL)


def bring_back_both(cluster: LocalCluster, client: Client) -> None:
    """Wait for both workers; a nanny whose worker died while it started has given up."""
    for _ in range(9):
        with contextlib.suppress(TimeoutError):
            client.wait_for_workers(2, timeout=8)
            return
        cluster.scale(2)
    pytest.fail("the cluster does not start its workers again")


def wait_until_idle(client: Client) -> None:
    """Fail if workers are busy for long; the scheduler's word is not enough."""
    patience = time.monotonic() + 10.0
    while any(client.run(small_attempts.runs_at_work).values()):
        assert time.monotonic() < patience
        time.sleep(0.05)


def wait_until_busy(client: Client, done: threading.Event) -> bool:
    """Wait for a task to be in the middle of its work; whether there was one."""
    while not done.wait(0.01):
        if any(client.run(small_attempts.runs_at_work).values()):
            return True
    return False


def alike(variables: int, rows: int = 200) -> NDArray[np.int64]:
    """Return data with four groups of variables that say nearly the same: many networks."""
    rng = np.random.default_rng(1)
    hidden = rng.random((rows, 4)) < 0.5
    columns = [hidden[:, v % 4] ^ (rng.random(rows) < 0.15) for v in range(variables)]
    return np.array(columns).T.astype(np.int64)


def compiled(found: SearchResult) -> list[bytes]:
    """Return all that a search found, as it would be written."""
    arrays = found.network_set._compiled.to_arrays()
    return [array.tobytes() for array in arrays]


def saved(run: Path) -> dict[str, Any]:
    """Return all that a run directory says, but how long it took and how much was counted.

    A joint set is counted by every task that needs it, so those counters grow with their number.
    """
    found = contents(run)
    for name in ("joint_sets_counted", "parent_sets_scored", "removed"):
        del found["scores.parquet"][-1]["metadata"][name]
    return found
