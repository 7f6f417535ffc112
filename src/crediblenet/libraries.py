"""Libraries that are large and needed late: loaded early where that keeps a limit."""

from __future__ import annotations

import threading
from functools import cache

__all__ = ["load_in_background", "load_libraries"]


@cache
def load_libraries() -> None:
    """Load what the stages load when they need it."""
    import highspy  # noqa: F401 - for its own sake
    import pyarrow
    import pyarrow.parquet

    from .report import render

    pyarrow.array([0])  # loads pandas, if that is installed
    render.prepare()


@cache
def load_in_background() -> None:
    """Load them while the core works, so that a run at its time limit has not to wait for them.

    Python waits for this thread before it ends: one that is stopped in the middle of loading a
    library would leave it half made.
    """
    threading.Thread(target=load_libraries, name="crediblenet-libraries").start()
