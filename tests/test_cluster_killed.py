"""Workers of a cluster that are killed in the middle of their work, and the command itself."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import crediblenet as cn
import small_attempts
from clusters import (
    Watch,
    alike,
    at_work,
    bring_back_both,
    compiled,
    kill,
    saved,
    two_workers,
    watched,
)
from crediblenet.enumeration import search
from killing import launcher

T = TypeVar("T")


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """Two worker processes, which are replaced when they die."""
    with two_workers() as started:
        yield started


@pytest.fixture(scope="module")
def client(cluster: LocalCluster) -> Iterator[Client]:
    """Return a connection to the cluster."""
    with Client(cluster, set_as_default=False) as connection:
        yield connection


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
            while len(busy := at_work(cluster)) < count:
                if done.wait(0.001):
                    return
            for nanny in chance.sample(busy, count):
                kill(nanny)
                killed.append(nanny.pid)

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


@pytest.mark.parametrize(("seed", "victims"), [(7, [2, 1]), (8, [1])])
def test_search(
    cluster: LocalCluster,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    victims: list[int],
) -> None:
    """Workers die at random moments, once all of them: the same result, bit for bit."""
    for name, value in small_attempts.CONSTANTS.items():
        monkeypatch.setattr(name, value)
    table = cn.score(alike(18), score="bdeu", max_parents=3)
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


def test_the_command(cluster: LocalCluster, client: Client, tmp_path: Path) -> None:
    """A killed command goes on with its search when it is given again."""
    bring_back_both(cluster, client)
    pd.DataFrame(alike(15)).to_csv(tmp_path / "data.csv", index=False)
    bdeu = ["--score", "bdeu", "--max-parents", "3", "--quiet"]
    command = ["find", tmp_path / "data.csv", *bdeu, "--cluster", cluster.scheduler_address]
    with launcher(tmp_path) as start:
        whole = start.run([*command, "--out", tmp_path / "whole"])
        assert whole["code"] == 0, whole
        for share in (0.7, 0.6, 0.8, 0.5, 0.9):
            out = tmp_path / f"run{share}"
            killed = start.run([*command, "--out", out], share * whole["seconds"])
            if killed["code"] == -9 and list((out / "checkpoint").glob("search-*")):
                break
        else:
            pytest.fail("it was never killed in the middle of its search")
        again = start.run([*command, "--out", out])
        assert again["code"] == 0, again
    assert saved(out) == saved(tmp_path / "whole")
    assert not (out / "checkpoint").exists()
