"""A function in a process of its own: its memory and its changes end with it.

``python -m benchmarks.isolated MODULE FUNCTION '{...}'`` calls the function with keyword
arguments in JSON and prints its result, a dictionary, as one line of JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["run_isolated"]

ROOT = Path(__file__).resolve().parents[1]


def run_isolated(
    function: Callable[..., dict[str, Any]], timeout: float, **arguments: Any
) -> dict[str, Any]:
    """Call a function of a module in a new process.

    Parameters
    ----------
    function
        What to call, by its module and name.
    timeout
        Seconds after which the process is ended.
    **arguments
        For the function; anything that JSON can say.

    Returns
    -------
    dict
        What the function returned; with the single key ``"failed"`` and the reason when it
        raised or was ended.
    """
    command = [
        sys.executable,
        "-m",
        "benchmarks.isolated",
        function.__module__,
        function.__name__,
        json.dumps(arguments),
    ]
    # The package that this process uses, installed or in src/, is the one that is measured.
    paths = [part for part in sys.path if part]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            timeout=timeout,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {timeout:g} s"}
    if done.returncode < 0:
        return {"failed": f"ended by {signal.Signals(-done.returncode).name}"}
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        return {"failed": lines[-1].strip() if lines else f"exit code {done.returncode}"}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> None:
    """Call what the command line names."""
    module, function, arguments = sys.argv[1:]
    print(json.dumps(getattr(importlib.import_module(module), function)(**json.loads(arguments))))


if __name__ == "__main__":
    main()
