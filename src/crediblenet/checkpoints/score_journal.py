"""A score table in the making: what a killed run had finished of it."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .. import _core
from ..exceptions import DataWarning

__all__ = ["kept_scores"]


@contextmanager
def kept_scores(
    path: Path, key: str, begin: Callable[[], None], after: float
) -> Iterator[_core.ScoreJournal]:
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
    """
    journal = _core.ScoreJournal()

    def start() -> None:
        try:
            begin()
        except OSError as error:
            failed.append(error.strerror or str(error))
        else:
            journal.open(str(path), key)

    failed: list[str] = []
    timer = threading.Timer(after, start)
    timer.daemon = True
    if path.exists():
        start()
    else:
        timer.start()
    try:
        yield journal
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()
    if reasons := [*failed, *filter(None, [journal.error])]:
        warnings.warn(
            f"{path} cannot be written: {reasons[0]}; a run that is killed while it scores will "
            "have to score again",
            DataWarning,
            stacklevel=2,
        )
