"""How long the process took to start: for a user, that is time of the run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..stopwatch import TimeLimit, process_age
from .groups import ResourceOptions

__all__ = ["limits", "note_startup"]

# Nothing when the command is called as a function, by a test or another program.
_seconds = 0.0


def note_startup() -> None:
    """Count the time until now as time of the run."""
    global _seconds
    _seconds = process_age()


def limits(resources: ResourceOptions) -> dict[str, Any]:
    """Return the keywords of the limits; the time limit knows what of it is over already."""
    keywords = asdict(resources)
    if resources.time_limit is not None:
        keywords["time_limit"] = TimeLimit(resources.time_limit, _seconds)
    return keywords
