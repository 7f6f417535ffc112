"""Workers of a cluster that are killed in the middle of their work, and the command itself."""

from __future__ import annotations

import math
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import crediblenet as cn
from clusters import (
    Watch,
    alike,
    bring_back_both,
    catch_at_work,
    compiled,
    kill,
    saved,
    watched,
)
from crediblenet.cli.main import run as run_command
from crediblenet.enumeration import search
from killing import SOURCES

T = TypeVar("T")


def while_workers_die(
    cluster: LocalCluster, client: Client, function: Callable[[], T], victims: list[int], seed: int
) -> tuple[T, Watch]:
    """Call a function, and kill so many workers with a task, each time at a random moment."""
    chance = random.Random(seed)
    done = threading.Event()
    killed: list[int] = []

    def kill_some() -> None:
        for count in victims:
            if done.wait(chance.uniform(0.02, 0.2)):
                return
            while not (caught := catch_at_work(cluster, count, chance)):
                if done.wait(0.001):
                    return
            for nanny in caught:
                kill(nanny)
                killed.append(nanny.pid)
        # A nanny whose worker dies while it starts gives up; with no worker a run waits for ever.
        while not done.wait(3.0):
            cluster.scale(2)

    bring_back_both(cluster, client)
    killer = threading.Thread(target=kill_some)
    with watched(cluster) as watch:
        killer.start()
        try:
            result = function()
        finally:
            done.set()
            killer.join()
    assert len(killed) == sum(victims)
    return result, watch


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("seed", "victims"), [(7, [2, 1]), (8, [1])])
def test_search(cluster: LocalCluster, client: Client, seed: int, victims: list[int]) -> None:
    """Workers die at random moments, once all of them: the same result, bit for bit."""
    table = cn.score(alike(12), score="bdeu", max_parents=3)
    expected = search(table, math.log(20))
    found, watch = while_workers_die(
        cluster, client, lambda: search(table, math.log(20), client=client), victims, seed
    )
    assert watch.lost  # a worker that died had a task
    assert found.complete
    assert compiled(found) == compiled(expected)
    assert found.statistics == expected.statistics


def test_scoring(cluster: LocalCluster, client: Client) -> None:
    """Both workers die: the same candidates and costs, and a progress that takes nothing back."""
    data = np.random.default_rng(8).integers(0, 2, (500, 44))
    expected = cn.score(data, score="aic", max_parents=4)
    seen: list[cn.Progress] = []
    found, watch = while_workers_die(
        cluster,
        client,
        lambda: cn.score(data, score="aic", max_parents=4, client=client, progress=seen.append),
        [2],
        seed=2,
    )
    assert sum(watch.lost.values()) >= 2  # and once more, if one lost its task to the other
    for name in ("offsets", "parents", "costs"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    shares = [report.fraction for report in seen if report.fraction is not None]
    assert shares == sorted(shares)
    assert len({share for share in shares if 0 < share < 1}) >= 2
    # How much memory is needed was told before the tasks were done.
    assert any(report.note for report in seen if (report.fraction or 0) < 0.9)


# The command as a process of its own, with checkpoints much more often than usual.
COMMAND = """
import sys
import crediblenet.checkpoints.checkpoint as checkpoint
import small_attempts
from crediblenet.cli.main import run
checkpoint.INTERVAL, checkpoint.RATIO = 0.001, 1.0
small_attempts.dask_setup(None)
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.usefixtures("small")
def test_the_command(cluster: LocalCluster, client: Client, tmp_path: Path) -> None:
    """A command that is killed in the middle of its search goes on when it is given again."""
    bring_back_both(cluster, client)
    source, out = tmp_path / "data.csv", tmp_path / "run"
    pd.DataFrame(alike(12)).add_prefix("V").to_csv(source, index=False)
    bdeu = ["--score", "bdeu", "--max-parents", "3", "--quiet"]
    command = ["find", str(source), *bdeu, "--cluster", cluster.scheduler_address, "--out"]
    paths = os.pathsep.join([str(SOURCES), str(Path(__file__).parent)])
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, *command, str(out)],
        env={**os.environ, "PYTHONPATH": paths},
    ) as process:
        while not list((out / "checkpoint").glob("search-*")):
            assert process.poll() is None, "it ended without a checkpoint"
            time.sleep(0.001)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert list((out / "checkpoint").glob("search-*"))
    assert not (out / "summary.json").exists()
    assert run_command([*command, str(out)]) == 0
    assert run_command([*command, str(tmp_path / "whole")]) == 0
    assert saved(out) == saved(tmp_path / "whole")
    assert not (out / "checkpoint").exists()
