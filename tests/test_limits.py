"""Limits of time and memory hold for the whole command; Ctrl-C ends it at once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import crediblenet as cn
from crediblenet import _core
from crediblenet.enumeration import parts_search
from crediblenet.enumeration.counting import count_networks
from crediblenet.exceptions import LimitError
from crediblenet.stopwatch import TimeLimit
from crediblenet.tables import ScoredData
from killing import SOURCES, launcher
from processor_wait import ProcessorWait

#: Seconds after Ctrl-C within which the process ends, with all files written; waiting for a
#: processor, or until the disk has flushed them, comes on top.
WITH_FILES = 0.5

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
    return noise(tmp_path_factory.mktemp("data") / "endless.csv", seed=5, variables=45)


def noise(path: Path, seed: int, variables: int) -> Path:
    """Write sixty rows of values that have nothing to do with each other."""
    values = np.random.default_rng(seed).integers(0, 3, size=(60, variables))
    header = ",".join(f"v{v}" for v in range(variables))
    np.savetxt(path, values, fmt="%d", delimiter=",", header=header, comments="")
    return path


def measured(*arguments: object) -> dict[str, Any]:
    """Run a command in a process of its own and measure it."""
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-c", MEASURED, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        waiting = ProcessorWait(process.pid)
        while process.poll() is None:
            waiting.look()
            time.sleep(0.02)
        seconds = time.monotonic() - began
        out, err = process.communicate()
    assert process.returncode == 0, err
    numbers = json.loads(out.splitlines()[-1])
    return {**numbers, "seconds": seconds, "waited": waiting.seconds, "said": err}


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


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write data whose triples of parents take long to score."""
    return noise(tmp_path_factory.mktemp("data") / "wide.csv", seed=6, variables=150)


@pytest.mark.parametrize(
    ("stage", "seconds", "options"),
    [
        ("search", 4, ("--bayes-factor", "1e6")),
        ("scoring", 3, ("--bayes-factor", "1e30", "--score", "aic", "--max-parents", "4")),
    ],
)
def test_time_limit(
    endless: Path, wide: Path, tmp_path: Path, stage: str, seconds: int, options: tuple[str, ...]
) -> None:
    """From start to end, with all files: a second or 2 % more, whichever stage it ends.

    Only the time that the process waited for a processor is taken off. A minute's limit, and
    sets whose averages would take longer than the search, are measured by benchmarks.limits.
    """
    out, source = tmp_path / "run", endless if stage == "search" else wide
    limit = ("--time-limit", seconds, "--threads", 1)
    outcome = measured("find", source, *options, *limit, "--out", out, "--quiet")
    assert outcome["code"] == 3, outcome
    assert outcome["seconds"] - outcome["waited"] <= seconds + max(1.0, 0.02 * seconds), outcome
    if stage == "search":
        assert json.loads((out / "summary.json").read_text())["stopped_by"] == "time"
    else:
        # One line: nothing leaks, and nothing else is said.
        assert outcome["said"].startswith("crediblenet: error: the time limit")
        assert outcome["said"].count("\n") == 1


def test_averages_end_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without time to weigh all networks some are drawn, as many as there is time for."""
    result = cn.find(cn.example("asia").data, bayes_factor=150)
    networks = result.network_set
    weigh = networks.candidate_log_weights

    def stopped_at_once(max_cost: int, control: _core.Control) -> NDArray[np.float64]:
        if control.poll():  # the core looks less often, and would have the few weights by then
            raise LimitError("stopped")
        return weigh(max_cost, control)

    monkeypatch.setattr(networks, "candidate_log_weights", stopped_at_once)
    result.list_at_most(1, 500, seconds_each=0.0)
    hurried = result.edge_probabilities().directed
    assert (hurried.method, hurried.basis) == ("sampling", "20 networks drawn")
    assert np.all(hurried.standard_errors <= 0.5)
    free = cn.find(cn.example("asia").data, bayes_factor=150).edge_probabilities().directed
    assert free.method == "exact"
    assert np.abs(free.values - hurried.values).max() < 0.5


def test_the_limit_is_named_as_it_was_written(endless: Path) -> None:
    """What was over before the run began counts, and the message has the user's number."""
    with pytest.raises(LimitError, match=r"time limit of 2 s was reached before"):
        cn.find(cn.score(endless), time_limit=TimeLimit(2, spent=3))


class Press:
    """Presses Ctrl-C in this process after a while, and sees how long it takes to react."""

    def __init__(self, after: float) -> None:
        self.after = after
        self.reacted = threading.Event()
        self.thread = threading.Thread(target=self._press)
        self.thread.start()

    def _press(self) -> None:
        time.sleep(self.after)
        self.waiting, self.pressed = ProcessorWait(), time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)
        while not self.reacted.wait(0.002):
            self.waiting.look()

    def seconds(self) -> float:
        """Return how long it took until now, but for waiting for a processor."""
        ended = time.monotonic()
        self.reacted.set()
        self.thread.join()
        return ended - self.pressed - self.waiting.seconds


def test_ctrl_c_stops_a_search_at_once(endless: Path) -> None:
    """Each of several presses within 0.2 s, with a partial result."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    table = cn.score(endless, bayes_factor=1e6)
    waits = []
    try:
        for after in (0.1, 0.3, 0.5, 0.7, 0.9):
            press = Press(after)
            result = cn.find(table, bayes_factor=1e6)
            waits.append(press.seconds())
            assert (result.complete, result.stopped_by) == (False, "interrupted")
            assert result.n_networks >= 1
    finally:
        signal.signal(signal.SIGINT, previous)
    assert max(waits) < 0.2, waits


def test_ctrl_c_at_random_moments(endless: Path, tmp_path: Path) -> None:
    """Whatever the stage: exit code 130, and a partial result that says so, or none.

    At twelve moments. Later and later ones follow as long as hardly any press found a result:
    on a machine that others slow down a run may have none for seconds. And there one late end
    says little: a moment counts as it is at the best of three presses.
    """
    chance = random.Random(3)
    saved = unheard = 0
    with launcher(tmp_path) as start:
        for trial in range(48):
            if trial >= 12 and saved > 3:
                break
            moment = chance.uniform(0, 1.5) * (1 + trial // 12)
            ends: list[float] = []
            while len(ends) < 3 and min(ends, default=WITH_FILES) >= WITH_FILES:
                out = tmp_path / f"run{trial}-{len(ends)}"
                arguments = ["find", endless, "--bayes-factor", "1e6", "--out", out, "--quiet"]
                outcome = start.run(arguments, moment, signal.SIGINT, patience=10)
                saved += check_interrupted(outcome, out)
                if outcome["repeated"]:  # a user presses again; see docs/trust.md
                    unheard += 1
                    break
                waited = outcome["waited_since_signal"] + outcome["seconds_of_disk"]
                ends.append(outcome["seconds_since_signal"] - waited)
            assert min(ends, default=0.0) < WITH_FILES, (moment, ends)
    assert saved > 3
    assert unheard <= 1


def check_interrupted(outcome: dict[str, Any], out: Path) -> bool:
    """Check what Ctrl-C left of a run; tell whether that is a result."""
    assert outcome["code"] == 130, outcome
    assert "Traceback" not in outcome["output"]
    if not (out / "summary.json").exists():
        assert "interrupted before there was a result to keep" in outcome["output"]
        return False
    about = json.loads((out / "summary.json").read_text())
    assert (about["complete"], about["stopped_by"]) == (False, "interrupted")
    assert cn.load(out).n_networks == about["networks"]
    return True


@pytest.mark.parametrize("library", ["_multiarray_umath", "libarrow.so", "crediblenet/_core."])
@pytest.mark.skipif(sys.platform != "linux", reason="what is loaded is seen on Linux only")
def test_ctrl_c_while_the_command_loads(endless: Path, tmp_path: Path, library: str) -> None:
    """One line and exit code 130, as later: no traceback of an import."""
    with subprocess.Popen(
        [sys.executable, "-m", "crediblenet", "find", endless, "--quiet"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        stderr=subprocess.PIPE,
        text=True,
        # One that was started in the background ignores Ctrl-C, and so do its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            maps = Path(f"/proc/{process.pid}/maps")
            while library not in maps.read_text():
                assert process.poll() is None
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert err == "crediblenet: error: interrupted before there was a result to keep\n"
    assert process.returncode == 130


def test_k_best_keep_what_was_found_before_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pressed while classes are counted, or while more is scored: marked as interrupted."""
    data = cn.example("asia").data

    def press(*_: object) -> None:
        raise KeyboardInterrupt

    run = sys.modules["crediblenet.find"]._Run
    for place, name in ((run, "kth_cost"), (ScoredData, "generous_table")):
        with monkeypatch.context() as patched:
            patched.setattr(run, "promising", lambda *_: 50.0)
            patched.setattr(place, name, press)
            result = cn.find(data, k_classes=5000)
        assert (result.complete, result.stopped_by) == (False, "interrupted")
        assert result.n_networks >= 1


def test_k_best_hear_ctrl_c_at_the_end_of_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too late to stop one search, it stops the next, wider one."""
    searches = []

    def pressed(*arguments: Any, control: _core.Control, **options: Any) -> Any:
        counted = count_networks(*arguments, control=control, **options)
        searches.append(counted)
        control.interrupt()
        return counted

    monkeypatch.setattr(parts_search, "count_networks", pressed)
    result = cn.find(cn.example("asia").data, k_classes=5000)
    assert (result.complete, result.stopped_by, len(searches)) == (False, "interrupted", 1)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured on Linux only")
def test_memory_limit_while_scoring(wide: Path, tmp_path: Path) -> None:
    """The peak stays within the limit when scoring is what reaches it, and that is said."""
    gigabytes = 0.2
    options = ("--score", "aic", "--max-parents", 3, "--bayes-factor", "1e30", "--threads", 1)
    limits = ("--memory-limit", gigabytes, "--time-limit", 100)
    outcome = measured("find", wide, *options, *limits, "--out", tmp_path / "run", "--quiet")
    assert outcome["code"] == 3
    assert "scoring" in outcome["said"]
    assert "memory limit" in outcome["said"]
    assert outcome["taken"] <= 1.1 * gigabytes * 2**30
