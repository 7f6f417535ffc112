"""Scoring and search on a Dask cluster: a real scheduler with worker processes on this machine."""

from __future__ import annotations

import asyncio
import math
import os
import pickle
import signal
import sys
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from benchmarks.cluster.recording import Recorder
from distributed import Client, LocalCluster

import crediblenet as cn
import small_attempts
from clusters import alike, saved, wait_until_busy, wait_until_idle, watched
from crediblenet import _core
from crediblenet.bounds import Part
from crediblenet.cli.main import run as run_command
from crediblenet.cluster import connect
from crediblenet.cluster.tasks import RemoteTasks
from crediblenet.cluster.worker_side import TaskLimits, controlled, interrupt
from crediblenet.enumeration import search
from crediblenet.enumeration.crew import Pending
from crediblenet.enumeration.outcome import Outcome
from crediblenet.enumeration.parts_search import PartsSearch
from crediblenet.enumeration.space import SearchSpace

pytestmark = pytest.mark.usefixtures("small")


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


def test_result_is_that_of_one_machine(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same files, bit for bit, and progress on the way."""
    monkeypatch.setattr("crediblenet.progress.POLL_SECONDS", 0.001)
    seen: list[cn.Progress] = []
    data = alike(12)
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
    for stage, least in (("scores", 2), ("enumeration", 5)):
        heard = [report for report in seen if report.stage == stage]
        shares = [report.fraction for report in heard if report.fraction is not None]
        assert shares == sorted(shares)
        assert len(set(shares)) >= least
        assert shares[-1] == 1.0
        assert heard[-1].found > 0
    # Networks are told of before the search is over.
    assert any(report.found > 0 for report in heard if (report.fraction or 0) < 1)
    # The memory is told of here, too: what the task that needs most of it needs.
    assert any(report.note.startswith("memory: ") for report in seen if report.stage == "scores")
    foreseen = there.table.memory_forecast
    assert foreseen is not None
    assert 0 < foreseen.least <= there.table.metadata["peak_memory"] <= foreseen.most


def test_a_time_limit_reaches_the_workers(client: Client) -> None:
    """A run that is stopped leaves what it has, and nothing running."""
    table = cn.score(alike(24, 300), score="bdeu", max_parents=3)
    began = time.monotonic()
    found = search(table, math.log(20), client=client, time_limit=1.0)
    assert time.monotonic() - began < 3.0
    assert found.stopped_by == "time"
    assert sum(found.network_set.levels()[1]) >= 1
    wait_until_idle(client)


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
    again = pickle.loads(pickle.dumps(Outcome([])))  # noqa: S301 - our own
    assert again.circuit is None
    assert again.root is None


@pytest.mark.parametrize("stage", ["score", "search"])
def test_data_are_sent_once(client: Client, stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To each worker; what a task carries besides is small."""
    sent: list[Any] = []
    carried: list[int] = []
    scatter: Callable[..., Any] = client.scatter
    submit: Callable[..., Any] = client.submit

    def note_scatter(data: Any, **options: Any) -> Any:
        assert options["broadcast"] is True
        future = scatter(data, **options)
        sent.append((len(pickle.dumps(data)), future, sorted(client.who_has([future])[future.key])))
        return future

    def note_submit(function: Any, shared: Any, *arguments: Any, **options: Any) -> Any:
        assert any(shared is future for _, future, _ in sent)
        carried.append(len(pickle.dumps((function, arguments))))
        return submit(function, shared, *arguments, **options)

    rows = np.random.default_rng(5).integers(0, 3, (5000, 18))
    table = cn.score(alike(12), score="bdeu", max_parents=3)
    monkeypatch.setattr(client, "scatter", note_scatter)
    monkeypatch.setattr(client, "submit", note_submit)
    if stage == "score":
        cn.score(rows, max_parents=2, client=client)
    else:
        search(table, math.log(20), client=client)
    ((size, _, workers),) = sent
    assert workers == sorted(client.nthreads())
    if stage == "score":
        assert len(carried) == 2
        assert max(carried) < 1000 < 100_000 < size
    else:
        # A part is a few numbers for each candidate; the table has all else.
        assert len(carried) > 50
        assert max(carried) < 10_000 + 40 * len(table)


class Family(Recorder):
    """Also notes which part each part was split from, by their numbers."""

    def __init__(self, space: SearchSpace, control: _core.Control) -> None:
        super().__init__(space, control)
        self.split_from: list[int | None] = []
        self._made_by: dict[int, int] = {}
        self._parts: list[Part] = []  # kept, so that no two have the same id

    def begin(self, part: Part, known: Mapping[str, Any]) -> Pending:
        """Begin a part."""
        self.split_from.append(self._made_by.get(id(part)))
        return super().begin(part, known)

    def work(self, number: int, part: Part, known: Mapping[str, Any]) -> Outcome:
        """Work on a part, and note the parts that come of it."""
        outcome = super().work(number, part, known)
        self._parts += [part, *outcome.rest]
        self._made_by.update((id(half), number) for half in outcome.rest)
        return outcome

    def below(self, number: int) -> set[int]:
        """Return a part with all that came of it."""
        found = {number}
        for part, source in enumerate(self.split_from):
            if source in found:
                found.add(part)
        return found


def test_a_long_part_is_shared(cluster: LocalCluster, client: Client) -> None:
    """Where one half is several times the other it is split on, and both workers work on it."""
    table = cn.score(alike(13), score="bdeu", max_parents=3)
    control = _core.Control()
    space = SearchSpace.within(table, math.log(20))
    family = Family(space, control)
    PartsSearch(space, family, control).run(None)
    halves: dict[int, list[set[int]]] = {}
    for part, source in enumerate(family.split_from):
        if source is not None:
            halves.setdefault(source, []).append(family.below(part))
    uneven = [
        max(pair, key=len)
        for pair in halves.values()
        if len(pair) == 2 and max(map(len, pair)) >= max(50, 4 * min(map(len, pair)))
    ]
    assert uneven
    with watched(cluster) as watch:
        search(table, math.log(20), client=client)
    # Tasks are begun in the same order everywhere; their keys end with their numbers from 1.
    workers = {int(key.rpartition("-")[2]) - 1: done for key, done in watch.done_by.items()}
    assert sorted(workers) == list(range(len(family.split_from)))
    for long in uneven:
        shares = Counter(workers[number] for number in long)
        assert len(shares) == 2
        assert min(shares.values()) >= len(long) / 10


def test_dashboard(cluster: LocalCluster, client: Client) -> None:
    """Its pages are there, and its tasks have the names that the manual says."""
    search(cn.score(alike(8), client=client), math.log(3), client=client)
    assert cluster.scheduler is not None
    assert {"score", "search"} <= set(cluster.scheduler.task_prefixes)
    base = cluster.dashboard_link.removesuffix("/status")
    for page, has in (
        ("status", "bokeh"),
        ("individual-progress", "bokeh"),
        ("info/main/workers.html", next(iter(client.nthreads()))),
    ):
        with urllib.request.urlopen(f"{base}/{page}", timeout=30) as answer:  # noqa: S310 - ours
            assert answer.status == 200
            text = answer.read().decode()
        assert has in text
        assert "pip install" not in text  # the page that stands in for a missing bokeh


def test_interrupted_while_scoring(
    cluster: LocalCluster, client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C ends the command as on one machine, and leaves the workers idle and alive."""
    source = tmp_path / "data.csv"
    rows = np.random.default_rng(6).integers(0, 2, (2000, 40))
    np.savetxt(source, rows, fmt="%d", delimiter=",", header=names(40), comments="")
    before = client.run(os.getpid)
    done = threading.Event()

    def press() -> None:
        if wait_until_busy(client, done):
            os.kill(os.getpid(), signal.SIGINT)

    arguments = ["find", str(source), "-o", str(tmp_path / "run"), "-q", "--score", "aic"]
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    finger = threading.Thread(target=press)
    finger.start()
    try:
        code = run_command([*arguments, "--cluster", cluster.scheduler_address])
    finally:
        done.set()
        finger.join()
        signal.signal(signal.SIGINT, previous)
    assert code == 130
    assert "interrupted" in capsys.readouterr().err
    wait_until_idle(client)
    assert client.run(os.getpid) == before


def test_a_task_that_begins_after_its_run_was_stopped() -> None:
    """It is stopped, too: it may have been on its way when the others heard of it."""
    limits = TaskLimits("a run", math.inf, math.inf)
    with controlled(limits) as early:
        asyncio.run(interrupt("a run"))
        assert early.stopped_by == "interrupted"
    with controlled(limits) as late:
        assert late.stopped_by == "interrupted"
    with controlled(replace(limits, run="another run")) as other:
        assert other.stopped_by is None


def names(variables: int) -> str:
    """Return a line of column names."""
    return ",".join(f"V{v}" for v in range(variables))
