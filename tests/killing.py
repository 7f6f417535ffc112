"""Starts the command again and again without paying for its start, to kill it at will."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

import crediblenet

#: Where the package is that the tests import: installed, or in the sources.
SOURCES = Path(crediblenet.__file__).resolve().parents[1]

# Imports once; then each line of the input is a command that runs in a child of its own, and
# is killed so many seconds after it began (or interrupted, ...). Checkpoints are written much more
# often than usual. One that does not end says where it is, and fails.
LAUNCHER = """
import faulthandler, json, os, signal, sys, time, traceback
from processor_wait import ProcessorWait
import crediblenet.report
from crediblenet.cli.main import run
import crediblenet.checkpoints.checkpoint as checkpoint
import crediblenet.bounds.bounder as bounder
import highspy, pyarrow.parquet
bounder.HOPEFUL_GAP = -1.0  # searching subsets would end these searches within one batch
checkpoint.INTERVAL, checkpoint.RATIO = 0.001, 1.0
flush, flushing = os.fsync, [0.0]
def timed_flush(file):
    began = time.monotonic()
    flush(file)
    flushing[0] += time.monotonic() - began
os.fsync = timed_flush
for line in sys.stdin:
    order = json.loads(line)
    begins, begun = os.pipe()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
        faulthandler.dump_traceback_later(100, exit=True)
        sys.argv[1:] = order["arguments"]
        code = 99
        try:
            os.write(begun, b"!")
            code = run(order["arguments"])
            sys.stdout.flush()
        except BaseException:
            traceback.print_exc()
        finally:
            with open(order["log"] + ".disk", "w") as file:
                file.write(str(flushing[0]))
            os._exit(code)
    os.read(begins, 1)  # a busy machine may let it wait before the command's first line
    os.close(begins)
    os.close(begun)
    began, sent, waiting, repeated = time.monotonic(), None, None, False
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        now = time.monotonic()
        if order["after"] is not None and sent is None and now - began >= order["after"]:
            waiting = ProcessorWait(child)
            os.kill(child, order["signal"])
            sent = time.monotonic()
        if waiting is not None:
            waiting.look()
        if order["patience"] and sent and not repeated and now - sent > order["patience"]:
            os.kill(child, order["signal"])
            repeated = True
        time.sleep(0.001)
    ended = time.monotonic()
    disk = 0.0
    if os.path.exists(order["log"] + ".disk"):
        disk = float(open(order["log"] + ".disk").read())
        os.unlink(order["log"] + ".disk")
    print(json.dumps({
        "code": os.waitstatus_to_exitcode(status),
        "seconds": ended - began,
        "seconds_since_signal": None if sent is None else ended - sent,
        "seconds_of_disk": disk,
        "repeated": repeated,
        "waited_since_signal": None if waiting is None else waiting.seconds,
        "output": open(order["log"], errors="replace").read(),
    }), flush=True)
"""


class Launcher:
    """Runs commands; made by `launcher`."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.process = process
        self.log = log

    def run(
        self,
        arguments: Sequence[object],
        after: float | None = None,
        signal: int = 9,
        patience: float | None = None,
    ) -> dict[str, Any]:
        """Run a command, sending it a signal after so many seconds; what came of it.

        Once more, if it still runs after `patience` further seconds.
        """
        order = {
            "arguments": [str(argument) for argument in arguments],
            "after": after,
            "signal": int(signal),
            "patience": patience,
            "log": str(self.log),
        }
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return dict(json.loads(self.process.stdout.readline()))


@contextmanager
def launcher(directory: Path) -> Iterator[Launcher]:
    """Give a launcher; its notes are kept in a directory."""
    paths = os.pathsep.join([str(SOURCES), str(Path(__file__).parent)])
    environment = {**os.environ, "PYTHONPATH": paths}
    with subprocess.Popen(
        [sys.executable, "-c", LAUNCHER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    ) as process:
        try:
            yield Launcher(process, directory / "launcher.log")
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(timeout=60)


def contents(run: Path) -> dict[str, Any]:
    """Return all that a run directory says, but how long things took, and how much memory."""
    found: dict[str, Any] = {}
    for path in sorted(run.iterdir()):
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            about = json.loads((table.schema.metadata or {}).get(b"crediblenet", b"{}"))
            for name in ("seconds", "peak_memory", "memory_forecast"):
                about.get("metadata", {}).pop(name, None)
            found[path.name] = (table.schema.names, table.to_pydict(), about)
        elif path.name == "summary.json":
            about = json.loads(path.read_text())
            for name in ("seconds", "peak_memory_mb", "files"):
                about.pop(name)
            for name in ("peak_memory_mb", "command"):
                about["statistics"].pop(name, None)
            found[path.name] = about
        elif path.name == "report.html":
            found[path.name] = path.stat().st_size > 0
        else:
            found[path.name] = path.read_bytes()
    return found


def hard_table(n: int, rows: int, seed: int) -> dict[str, Any]:
    """Return dependent columns that leave the linear relaxation a gap: many parts."""
    random = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for v in range(n):
        parents = random.choice(v, min(v, 2), replace=False).tolist() if v else []
        values = random.integers(0, 2, rows)
        for parent in parents:
            values = np.where(random.random(rows) < 0.4, columns[f"V{parent}"], values)
        columns[f"V{v}"] = values
    return columns
