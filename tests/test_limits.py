"""Limits of time and memory hold for the whole command; Ctrl-C ends it at once."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crediblenet as cn
from crediblenet.exceptions import LimitError
from killing import SOURCES, launcher

# Runs the command, and says how much memory the process held when the run began and at most.
MEASURED = """
import json, sys
from crediblenet.cli import main
from crediblenet.memory import MemoryBudget, resident_bytes
MemoryBudget(1)  # loads the libraries, as the run will
before = resident_bytes()
try:
    main()
except SystemExit as end:
    code = end.code
# Not ru_maxrss: that begins with what the process that started this one held.
status = open("/proc/self/status").read()
peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
print(json.dumps({"code": code, "taken": max(0, peak - before)}))
"""


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write data that keep a search busy, and its memory growing, for far too long."""
    values = np.random.default_rng(5).integers(0, 3, size=(60, 45))
    path = tmp_path_factory.mktemp("data") / "endless.csv"
    header = ",".join(f"v{i}" for i in range(45))
    np.savetxt(path, values, fmt="%d", delimiter=",", header=header, comments="")
    return path


def measured(*arguments: object) -> dict[str, Any]:
    """Run a command in a process of its own and measure it."""
    began, spent = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    outcome = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = time.monotonic() - began
    cpu = after.ru_utime + after.ru_stime - spent.ru_utime - spent.ru_stime
    numbers = json.loads(outcome.stdout.splitlines()[-1])
    return {**numbers, "seconds": seconds, "slowdown": max(1.0, seconds / cpu)}


@pytest.mark.parametrize("gigabytes", [0.1, 0.2])
@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured on Linux only")
def test_memory_limit(endless: Path, tmp_path: Path, gigabytes: float) -> None:
    """The process takes at most 10 % more than it may, files and report included."""
    out = tmp_path / "run"
    arguments = ("--bayes-factor", "1e6", "--memory-limit", gigabytes, "--time-limit", 100)
    outcome = measured("find", endless, *arguments, "--out", out, "--quiet")
    assert outcome["code"] == 3
    assert outcome["taken"] <= 1.1 * gigabytes * 2**30
    saved = json.loads((out / "summary.json").read_text())
    assert (saved["complete"], saved["stopped_by"]) == (False, "memory")
    assert cn.load(out).n_networks == saved["networks"] >= 1


def test_a_subset_table_that_does_not_fit_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """The linear program takes its place, and the result is the same."""
    # As if linear programs were slow: a subset table, of 65 MB here, is made wherever it fits.
    monkeypatch.setattr("crediblenet.bounds.method.LINEAR_SECONDS", 1e9)
    data = {f"v{k}": column for k, column in enumerate(_dependent(22, 200))}
    free = cn.find(data, max_parents=2, bayes_factor=3)
    limited = cn.find(data, max_parents=2, bayes_factor=3, memory_limit=0.03)
    assert limited.complete
    assert free.statistics["subset_programs"] > 0
    assert free.statistics["linear_programs"] == 0
    assert limited.statistics["subset_programs"] == 0
    assert limited.statistics["linear_programs"] > 0
    assert limited.n_networks == free.n_networks
    assert limited.optimal_cost == free.optimal_cost


def _dependent(n: int, rows: int) -> np.ndarray[Any, Any]:
    chance = np.random.default_rng(3)
    columns = [chance.integers(0, 2, rows)]
    for _ in range(n - 1):
        copied = chance.random(rows) < 0.7
        columns.append(np.where(copied, columns[-1], chance.integers(0, 2, rows)))
    return np.array(columns)


def test_too_little_memory_is_said(endless: Path) -> None:
    """Without room for any result: one error that says which limit it was."""
    with pytest.raises(LimitError, match="memory"):
        cn.find(endless, memory_limit=1e-6)


@pytest.mark.parametrize("seconds", [6])
def test_time_limit(endless: Path, tmp_path: Path, seconds: int) -> None:
    """From start to end, with all files: a second more, and half a one for measuring, if idle.

    On a busy one the process gets only a share of the processors; its waiting is not its
    fault, and everything after the search may take that much longer.
    """
    out = tmp_path / "run"
    arguments = ("--bayes-factor", "1e6", "--time-limit", seconds, "--threads", 1)
    outcome = measured("find", endless, *arguments, "--out", out, "--quiet")
    assert outcome["code"] == 3
    waited = 3.0 * (outcome["slowdown"] - 1.0)
    assert outcome["seconds"] <= seconds + 1.5 + waited
    assert json.loads((out / "summary.json").read_text())["stopped_by"] == "time"


def interrupt_after(seconds: float, times: list[float]) -> Callable[[], None]:
    """Return a function that presses Ctrl-C after a while, and notes when."""

    def press() -> None:
        time.sleep(seconds)
        times.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    return press


def test_ctrl_c_stops_a_search_at_once(endless: Path) -> None:
    """The median of several presses is within 0.2 s, with a partial result."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    table = cn.score(endless, bayes_factor=1e6)
    waits = []
    try:
        for after in (0.1, 0.3, 0.5, 0.7, 0.9):
            times: list[float] = []
            spent = time.process_time(), time.monotonic()
            threading.Thread(target=interrupt_after(after, times)).start()
            result = cn.find(table, bayes_factor=1e6)
            ended = time.monotonic()
            share = (time.process_time() - spent[0]) / (ended - spent[1])
            assert (result.complete, result.stopped_by) == (False, "interrupted")
            assert result.n_networks >= 1
            waits.append((ended - times[0]) * min(1.0, share))
    finally:
        signal.signal(signal.SIGINT, previous)
    assert sorted(waits)[2] < 0.2, waits


def test_ctrl_c_at_random_moments(endless: Path, tmp_path: Path) -> None:
    """Whatever the stage: exit code 130, and a partial result that says so, or none."""
    chance = random.Random(3)
    saved = 0
    with launcher(tmp_path) as start:
        for trial in range(12):
            out = tmp_path / f"run{trial}"
            arguments = ["find", endless, "--bayes-factor", "1e6", "--out", out, "--quiet"]
            outcome = start.run(arguments, chance.uniform(0, 1.5), signal.SIGINT)
            assert outcome["code"] == 130, outcome
            assert "Traceback" not in outcome["output"]
            if (out / "summary.json").exists():
                saved += 1
                about = json.loads((out / "summary.json").read_text())
                assert (about["complete"], about["stopped_by"]) == (False, "interrupted")
                assert cn.load(out).n_networks == about["networks"]
            else:
                assert "interrupted before there was a result to keep" in outcome["output"]
    assert saved > 3
