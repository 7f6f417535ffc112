"""Scoring and search on a Dask cluster: a real scheduler with worker processes on this machine."""

from __future__ import annotations

import contextlib
import math
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from distributed import Client, LocalCluster
from numpy.typing import NDArray

import crediblenet as cn
import small_attempts
from crediblenet import _core
from crediblenet.cli.main import run as run_command
from crediblenet.cluster import connect
from crediblenet.cluster.tasks import RemoteTasks
from crediblenet.enumeration import SearchResult, search
from crediblenet.enumeration.outcome import Outcome
from killing import contents


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """Two worker processes, which are replaced when they die."""
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        preload=[small_attempts.__file__],
    ) as started:
        yield started


@pytest.fixture(scope="module")
def client(cluster: LocalCluster) -> Iterator[Client]:
    """Return a connection to the cluster."""
    with Client(cluster, set_as_default=False) as connection:
        yield connection


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Split small tables here as the workers do."""
    for name, value in small_attempts.CONSTANTS.items():
        monkeypatch.setattr(name, value)


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


def test_scores_are_those_of_one_machine(client: Client) -> None:
    """Costs and candidates, whatever the score and the constraints."""
    numbers = np.random.default_rng(2).normal(size=(50, 5)).cumsum(axis=1)
    cases: list[tuple[Any, dict[str, Any]]] = [
        (alike(7), {"score": "bic"}),
        (alike(7), {"score": "bdeu", "require": [("V0", "V5")], "forbid": [("V1", "V2")]}),
        (alike(6), {"score": "fnml", "max_parents": 2, "epsilon": math.inf}),
        (numbers, {"score": "bge"}),
        (numbers, {"score": "bic-g", "tiers": [["V0", "V1"], ["V2", "V3", "V4"]]}),
    ]
    for data, options in cases:
        here = cn.score(data, **options)
        there = cn.score(data, client=client, **options)
        assert there.grid_bits == here.grid_bits
        for name in ("offsets", "parents", "costs"):
            np.testing.assert_array_equal(getattr(there, name), getattr(here, name))


def test_result_is_that_of_one_machine(client: Client, tmp_path: Path) -> None:
    """The same files, bit for bit, and progress on the way."""
    seen: list[cn.Progress] = []
    data = alike(14)
    here = cn.find(data, score="bdeu", max_parents=3, out=tmp_path / "here")
    there = cn.find(
        data,
        score="bdeu",
        max_parents=3,
        out=tmp_path / "there",
        client=client,
        progress=seen.append,
    )
    assert here.statistics["splits"] == there.statistics["splits"] > 10
    assert saved(tmp_path / "here") == saved(tmp_path / "there")
    assert {"scores", "enumeration"} <= {progress.stage for progress in seen}


def kill_workers(cluster: LocalCluster, done: threading.Event, killed: list[int]) -> None:
    """Kill both workers at once, then one of them, at random moments."""
    chance = random.Random(7)
    for victims in (2, 1):
        if done.wait(chance.uniform(0.05, 0.3)):
            return
        # Only those that are up: a nanny whose worker dies while it starts gives up.
        while len(nannies := at_work(cluster)) < victims:
            if done.wait(0.02):
                return
        for nanny in chance.sample(nannies, victims):
            os.kill(nanny.pid, signal.SIGKILL)
            killed.append(nanny.pid)


def at_work(cluster: LocalCluster) -> list[Any]:
    """Return the nannies whose workers the scheduler knows."""
    assert cluster.scheduler is not None
    known = set(cluster.scheduler.workers)
    return [nanny for nanny in cluster.workers.values() if nanny.worker_address in known]


def test_killed_workers_lose_nothing(cluster: LocalCluster, client: Client) -> None:
    """Workers die at random moments, once all of them: the same result, bit for bit."""
    table = cn.score(alike(20), score="bdeu", max_parents=3)
    expected = search(table, math.log(20))
    done = threading.Event()
    killed: list[int] = []
    killer = threading.Thread(target=kill_workers, args=(cluster, done, killed))
    killer.start()
    try:
        found = search(table, math.log(20), client=client)
    finally:
        done.set()
        killer.join()
    assert len(killed) >= 2
    assert found.complete
    assert compiled(found) == compiled(expected)
    assert found.statistics == expected.statistics
    bring_back_both(cluster, client)


def bring_back_both(cluster: LocalCluster, client: Client) -> None:
    """Wait for both workers; a nanny whose worker died while it started has given up."""
    for _ in range(9):
        cluster.scale(2)
        with contextlib.suppress(TimeoutError):
            client.wait_for_workers(2, timeout=20)
            return
    pytest.fail("the cluster does not start its workers again")


def test_a_time_limit_reaches_the_workers(client: Client) -> None:
    """A run that is stopped leaves what it has, and nothing running."""
    table = cn.score(alike(24, 300), score="bdeu", max_parents=3)
    began = time.monotonic()
    found = search(table, math.log(20), client=client, time_limit=1.0)
    assert time.monotonic() - began < 3.0
    assert found.stopped_by == "time"
    assert sum(found.network_set.levels()[1]) >= 1
    wait_until_idle(client)


def wait_until_idle(client: Client) -> None:
    """Fail if workers are busy for long; the scheduler's word is not enough."""
    patience = time.monotonic() + 10.0
    while any(client.run(small_attempts.runs_at_work).values()):
        assert time.monotonic() < patience
        time.sleep(0.05)


def test_a_task_in_the_middle_is_stopped(client: Client) -> None:
    """A worker hears at once that the run is over, whatever it does."""
    control = _core.Control()
    with RemoteTasks(client, "search", "shared", control) as tasks:
        task = tasks.begin(small_attempts.wait_until_stopped)
        while not any(client.run(small_attempts.runs_at_work).values()):
            time.sleep(0.01)
        control.exhaust()
        assert task.result() in ("interrupted", None)  # None: it was too late
    wait_until_idle(client)


def test_command(cluster: LocalCluster, tmp_path: Path) -> None:
    """`crediblenet find --cluster` saves the same networks as without."""
    source = tmp_path / "data.csv"
    np.savetxt(source, alike(6), fmt="%d", delimiter=",", header="a,b,c,d,e,f", comments="")
    for out, more in (("here", []), ("there", ["--cluster", cluster.scheduler_address])):
        assert run_command(["find", str(source), "-o", str(tmp_path / out), "-q", *more]) == 0
    assert saved(tmp_path / "here") == saved(tmp_path / "there")


@pytest.mark.parametrize(
    ("address", "message"),
    [("tcp://127.0.0.1:9", "no Dask scheduler answers"), ("nonsense://x", "no Dask scheduler")],
)
def test_nobody_there(
    address: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line says that no scheduler answers, and what to do."""
    monkeypatch.setattr("crediblenet.cluster.connection.PATIENCE", 0.2)
    source = tmp_path / "data.csv"
    source.write_text("a,b\n1,2\n2,1\n")
    arguments = ["find", str(source), "-o", str(tmp_path / "run"), "--cluster", address]
    assert run_command(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert "dask scheduler" in line


class Closed:
    """A client that has lost its scheduler."""

    status = "closed"

    def run(self, *_: object, **__: object) -> None:
        """Fail as a real one does."""
        raise OSError("Timed out trying to connect")


def test_a_lost_scheduler_is_an_error() -> None:
    """It says what happened, and leaving the run does not hide it."""
    gone = pytest.raises(cn.ClusterError, match="the scheduler of the cluster is gone")
    with gone, RemoteTasks(cast(Client, Closed()), "search", "shared", _core.Control()) as tasks:
        tasks.begin(small_attempts.wait_until_stopped)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    missing = pytest.raises(cn.ClusterError, match=r"pip install 'crediblenet\[distributed\]'")
    with missing, connect("tcp://127.0.0.1:8786"):
        pass


def test_an_outcome_without_networks_can_be_sent() -> None:
    """Nothing found is sent as nothing."""
    import pickle

    again = pickle.loads(pickle.dumps(Outcome([])))  # noqa: S301 - our own
    assert again.circuit is None
    assert again.root is None
