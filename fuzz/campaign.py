"""Fuzz readers one after the other, and write down how many cases: ``python -m fuzz.campaign``.

``python -m fuzz.campaign run=100000 csv=80000`` fuzzes two readers with so many cases each. A
reader without a finding gets its line in ``fuzz/results.csv``; a finding is shown at the end.
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
    findings = []
    for argument in sys.argv[1:]:
        name, _, runs = argument.partition("=")
        before = _child_seconds()
        output, cases = _fuzz(name, int(runs))
        if cases is None:
            findings.append(f"{name}: a finding\n{output[-5000:]}")
        else:
            record(name, cases, _child_seconds() - before)
    if findings:
        sys.exit("\n".join(findings))


def _fuzz(name: str, runs: int) -> tuple[str, int | None]:
    """Fuzz a reader in a process of its own.

    Returns
    -------
    tuple
        What it printed, and how many cases it had; None after a finding.
    """
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
    if done is None or outcome.returncode:
        return outcome.stderr, None
    return outcome.stderr, int(done.group(1))


def _child_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
