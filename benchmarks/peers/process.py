"""A peer in a process of its own, with the first interpreter that has it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Interpreters", "MissingPeerError", "PeerFailedError", "write_data"]

PROGRAMS = Path(__file__).parent / "programs"


class MissingPeerError(Exception):
    """No interpreter has the peer."""


class PeerFailedError(Exception):
    """The peer ended with an error, or took too long."""


@dataclass(frozen=True)
class Interpreters:
    """Python interpreters to look for peers in, the preferred one first."""

    paths: Sequence[str]

    def of(self, module: str) -> str:
        """Return the first interpreter that can import a module.

        Raises
        ------
        MissingPeerError
            When there is none.
        """
        reasons = []
        for path in self.paths:
            done = subprocess.run(
                [path, "-c", f"import {module}"], capture_output=True, text=True, check=False
            )
            if done.returncode == 0:
                return path
            reasons.append(f"{path}: {last_line(done.stderr)}")
        raise MissingPeerError(
            f"no interpreter has {module} ({'; '.join(reasons)}); install it, or name an "
            "interpreter that has it with --python"
        )

    def run(self, program: str, module: str, task: dict[str, Any], timeout: float) -> Any:
        """Return what a program of `programs` prints for a task.

        Raises
        ------
        MissingPeerError
            When no interpreter has the peer.
        PeerFailedError
            When it ends with an error, or not in time.
        """
        command = [self.of(module), str(PROGRAMS / f"{program}.py"), json.dumps(task)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=timeout
            )
        except subprocess.TimeoutExpired:
            raise PeerFailedError(f"not done after {timeout:g} s") from None
        if done.returncode != 0:
            raise PeerFailedError(last_line(done.stderr) or f"exit code {done.returncode}")
        return json.loads(done.stdout.splitlines()[-1])


def last_line(text: str) -> str:
    """Return the last line of an error report: what went wrong."""
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else ""


def write_data(path: Path, rows: NDArray[Any]) -> None:
    """Write rows of numbers for a peer, with a header: V0, V1, ..."""
    form = "%d" if np.issubdtype(rows.dtype, np.integer) else "%.17g"
    header = ",".join(f"V{number}" for number in range(rows.shape[1]))
    np.savetxt(path, rows, fmt=form, delimiter=",", header=header, comments="")
