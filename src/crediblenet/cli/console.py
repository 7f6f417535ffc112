"""Where the commands print their results."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console

__all__ = ["ResultConsole", "print_json"]


def ignore_output() -> None:
    """Send all further output nowhere, because whoever read it went away."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class ResultConsole(Console):
    """Standard output. A reader that goes away (crediblenet ... | head) is no error."""

    def on_broken_pipe(self) -> None:
        """Go on in silence, so that the exit code still says what came of the run."""
        self.quiet = True
        ignore_output()


def print_json(facts: Mapping[str, Any]) -> None:
    """Print one JSON object, and nothing else."""
    try:
        print(json.dumps(facts, allow_nan=False), flush=True)
    except BrokenPipeError:
        ignore_output()
