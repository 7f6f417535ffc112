"""Fuzz readers one after the other, and write down how many cases: ``python -m fuzz.campaign``.

``python -m fuzz.campaign run=100000 csv=80000`` fuzzes two readers with so many cases each. A
reader without a finding gets its line in ``fuzz/results.csv``; a finding ends everything.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from fuzz.results import record

MEMORY = Path("/dev/shm")  # noqa: S108 - a new directory is made in it


def main() -> None:
    """Fuzz what the arguments name."""
    for argument in sys.argv[1:]:
        name, _, runs = argument.partition("=")
        before = _child_seconds()
        cases = _fuzz(name, int(runs))
        record(name, cases, _child_seconds() - before)


def _fuzz(name: str, runs: int) -> int:
    """Fuzz a reader in a process of its own, and return how many cases it had."""
    # libFuzzer ends its process without a word to Python, so what it leaves is tidied up here.
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as place:
        outcome = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "fuzz", name, f"-runs={runs}"],
            env={**os.environ, "TMPDIR": place},
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
    done = re.search(r"Done (\d+) runs", outcome.stderr)
    if outcome.returncode or done is None:
        sys.exit(f"{name}: a finding\n{outcome.stderr[-5000:]}")
    return int(done.group(1))


def _child_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
