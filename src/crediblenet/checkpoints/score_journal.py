"""A score table in the making: what a killed run had finished of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .. import _core

__all__ = ["kept_scores"]


@contextmanager
def kept_scores(
    path: Path, key: str, begin: Callable[[], None], after: float
) -> Iterator[tuple[_core.ScoreJournal, list[str]]]:
    """Give a journal for scoring; what another run left in its file is used at once.

    Parameters
    ----------
    path
        The file.
    key
        What the scores depend on; a file with another key is begun anew.
    begin
        Makes the folder, when something is about to be written.
    after
        Seconds before a new file is made: short runs leave no traces.

    Yields
    ------
    tuple
        The journal, and a list that has, at the end, the reason why the file could not be
        written, if it could not.
    """
    journal = _core.ScoreJournal()
    failures: list[str] = []

    def start() -> None:
        try:
            begin()
        except OSError as error:
            failures.append(error.strerror or str(error))
        else:
            journal.open(str(path), key)

    timer = threading.Timer(after, start)
    timer.daemon = True
    if path.exists():
        start()
    else:
        timer.start()
    try:
        yield journal, failures
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()
        failures.extend(filter(None, [journal.error]))
