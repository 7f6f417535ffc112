"""How long the process took to start: for a user, that is time of the run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..stopwatch import process_age
from .groups import ResourceOptions

__all__ = ["limits", "note_startup"]

# Nothing when the command is called as a function, by a test or another program.
_seconds = 0.0


def note_startup() -> None:
    """Count the time until now as time of the run."""
    global _seconds
    _seconds = process_age()


def limits(resources: ResourceOptions) -> dict[str, Any]:
    """Return the keywords of the limits; the time limit without what is over already."""
    keywords = asdict(resources)
    limit = resources.time_limit
    if limit is not None and limit > 0:
        keywords["time_limit"] = max(0.001, limit - _seconds)
    return keywords
