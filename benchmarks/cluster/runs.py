"""The rows that are measured, and their answers, which are asserted."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import crediblenet as cn
from crediblenet import _core
from crediblenet.cluster import check
from crediblenet.cluster.tasks import RemoteTasks
from crediblenet.enumeration import SearchResult, search

from ..paper.published import data_path
from .recording import recorded_search
from .simulation import makespan

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["ROWS", "Row", "measure"]

#: Numbers of workers that the simulation answers for; the first two are measured, too.
SIMULATED = (1, 2, 16, 64, 256)


@dataclass(frozen=True)
class Row:
    """A search.

    Attributes
    ----------
    file, score, bayes_factor
        What is searched.
    networks
        How many there are.
    """

    file: str
    score: str
    bayes_factor: float
    networks: int

    @property
    def name(self) -> str:
        """A short name."""
        return f"{self.file} {self.score} BF {self.bayes_factor:g}"


ROWS = (
    Row("autos", "bic", 20, 50374),
    Row("bands", "bic", 20, 5282190),
    Row("zoo", "bdeu", 20, 145838),
    Row("hailfinder500", "bic", 20, 21757427712),
    Row("hailfinder500", "bic", 150, 100204019712),
    Row("soybean", "bic", 20, 224922816),
    Row("soybean", "bic", 150, 17288792808),
)


def measure(one: Client, two: Client) -> Iterator[dict[str, object]]:
    """Search each row with threads and workers, and simulate more of them.

    Parameters
    ----------
    one, two
        Clusters on this machine with one and two workers of one thread each.

    Raises
    ------
    AssertionError
        When an answer is wrong, or not the same, bit for bit, everywhere.
    """
    for client in (one, two):
        check(client)  # so that the workers have loaded everything
    overhead = task_seconds(one)
    for row in ROWS:
        path = data_path(row.file)
        table = cn.score(path, header=False, score=row.score, bayes_factor=row.bayes_factor)
        epsilon = math.log(row.bayes_factor)
        found, tasks, besides = recorded_search(table, epsilon, _core.Control())
        expected = contents(found)
        networks = found.network_set
        assert networks.count(networks.max_cost) == row.networks, row.name
        measured: dict[str, float] = {}
        ways: dict[str, tuple[int, Client | None]] = {
            "1 thread": (1, None),
            "1 worker": (1, one),
            "2 threads": (2, None),
            "2 workers": (1, two),
        }
        for way, (threads, cluster) in ways.items():
            began, cpu_before = time.perf_counter(), cpu_seconds(cluster)
            again = search(table, epsilon, threads=threads, client=cluster)
            measured[way] = time.perf_counter() - began
            measured[f"{way}, CPU"] = cpu_seconds(cluster) - cpu_before
            assert contents(again) == expected, (row.name, way)
        yield {
            "row": row.name,
            "parts": len(tasks),
            "longest": max(task.seconds for task in tasks),
            "parts_seconds": sum(task.seconds for task in tasks),
            "besides_seconds": besides,
            **measured,
            "overhead": overhead,
            **{
                f"simulated {workers}": makespan(tasks, workers, overhead) + besides
                for workers in SIMULATED
            },
        }


def task_seconds(client: Client, tasks: int = 200) -> float:
    """Return the seconds that a task takes which does nothing, sent as those of a search are.

    One after the other: what a worker waits for when nothing is sent ahead.
    """
    with RemoteTasks(client, "search", None, _core.Control()) as remote:
        remote.begin(nothing).result()  # the first one also sends what all have in common
        began = time.perf_counter()
        for _ in range(tasks):
            remote.begin(nothing).result()
        return (time.perf_counter() - began) / tasks


def nothing(*_: object) -> None:
    """Do nothing, on a worker."""


def cpu_seconds(client: Client | None) -> float:
    """Return the CPU seconds of this process and of the workers so far."""
    there: dict[str, float] = {} if client is None else client.run(time.process_time)
    return time.process_time() + sum(there.values())


def contents(found: SearchResult) -> list[bytes]:
    """Return the networks as they would be written."""
    return [array.tobytes() for array in found.network_set._compiled.to_arrays()]
