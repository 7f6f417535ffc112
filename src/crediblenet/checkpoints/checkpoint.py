"""The checkpoint of one run: its score tables and its searches."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..exceptions import DataWarning, ParameterError, RunDirectoryError
from ..plain_words import one_line
from ..score_table import ScoreTable
from ..shapes import ShapeError
from ..stored_table import check_description, described_table
from ..summary import jsonable
from .bundle import read_bundle, write_bundle
from .fingerprint import Fingerprint, digest_of
from .score_journal import kept_scores
from .search_state import SearchCheckpoint

__all__ = ["FOLDER", "Checkpoint"]

#: The name of the checkpoint in the run directory.
FOLDER = "checkpoint"
#: Seconds between two writes at least: what a killed run may have to do again.
INTERVAL = 1.0
#: And so many times as long as the last write took, so that writing costs at most 1 %.
RATIO = 100.0


class Checkpoint:
    """What one run keeps in its directory while it goes on.

    Nothing is written before the run has lasted `INTERVAL`: a short one leaves no traces.

    Parameters
    ----------
    run_directory
        Where the result will be.
    fingerprint
        What the run is made of.
    """

    def __init__(self, run_directory: Path, fingerprint: Fingerprint) -> None:
        self.folder = run_directory / FOLDER
        self.fingerprint = fingerprint
        self.given_up = False
        self._next = time.monotonic() + INTERVAL
        self._tables = 0

    @staticmethod
    def stored_fingerprint(run_directory: Path) -> Any:
        """Return what the run that was stopped here was made of, None if there was none."""
        stored = read_bundle(run_directory / FOLDER / "run")
        return None if stored is None else stored[0].get("fingerprint")

    @property
    def due(self) -> bool:
        """Whether it is time to write again."""
        return not self.given_up and time.monotonic() >= self._next

    @property
    def begun(self) -> bool:
        """Whether anything was written."""
        return (self.folder / "run").exists()

    def begin(self) -> None:
        """Say whose checkpoint it is, if that was not said yet."""
        if not self.begun:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_bundle(self.folder / "run", {"fingerprint": dict(self.fingerprint.parts)}, {})

    def write(self, action: Callable[[], object]) -> None:
        """Write something, and note how long it takes.

        A disk that refuses ends the checkpoints, not the search: its result may still find
        a place.
        """
        if self.given_up:
            return
        started = time.monotonic()
        try:
            self.begin()
            action()
        except OSError as error:
            self.give_up(error.strerror or str(error))
        now = time.monotonic()
        self._next = now + max(INTERVAL, RATIO * (now - started))

    def give_up(self, reason: str) -> None:
        """Write nothing more, and say so."""
        if self.given_up:
            return
        self.given_up = True
        warnings.warn(
            f"{self.folder} cannot be written: {reason}; the run goes on, but if it is killed, it "
            "will have to begin again",
            DataWarning,
            stacklevel=2,
        )

    def table(self, epsilon: float, make: Callable[[_core.ScoreJournal], ScoreTable]) -> ScoreTable:
        """Return the score table for an epsilon: the stored one, or else a new one.

        While it is made, the pieces that are finished are kept, if that takes long enough.
        """
        self._tables += 1
        path = self.folder / f"table-{self._tables}"
        stored = read_bundle(path)
        if stored is not None and stored[0].get("for") == repr(epsilon):
            return _read_table(path, *stored)
        pieces = self.folder / f"scores-{self._tables}"
        key = digest_of([dict(self.fingerprint.parts), repr(epsilon)])
        with kept_scores(pieces, key, self.begin, INTERVAL) as (journal, failures):
            table = make(journal)
        if failures:
            self.give_up(failures[0])
        if self.due:
            values = {
                "for": repr(epsilon),
                "names": list(table.names),
                "score": table.score,
                "epsilon": repr(table.epsilon),
                "score_equivalent": table.score_equivalent,
                "grid_bits": table.grid_bits,
                "metadata": jsonable(table.metadata),
            }
            arrays = {"offsets": table.offsets, "parents": table.parents, "costs": table.costs}
            self.write(lambda: write_bundle(path, values, arrays))
            if path.exists():
                pieces.unlink(missing_ok=True)
        return table

    def search(self, table: ScoreTable, epsilon: float) -> SearchCheckpoint:
        """Return the place of one search of one table."""
        key = digest_of([table.offsets, table.parents, table.costs, repr(epsilon)])
        return SearchCheckpoint(self, self.folder / f"search-{key[:16]}")


def _read_table(path: Path, values: dict[str, Any], arrays: dict[str, Any]) -> ScoreTable:
    try:
        about = {name: value for name, value in values.items() if name != "for"}
        epsilon = float(values["epsilon"])
        about["epsilon"] = None if math.isinf(epsilon) else epsilon
        check_description(about, len(arrays["costs"]))
        kinds = {"offsets": np.int64, "parents": np.uint64, "costs": np.float64}
        if any(arrays[name].dtype != kind for name, kind in kinds.items()):
            raise ShapeError("numbers of another kind")
        return described_table(about, **{name: arrays[name] for name in kinds})
    except (KeyError, TypeError, ValueError, ParameterError) as error:
        raise RunDirectoryError(
            f"{path} cannot be used ({one_line(error)}); delete {path.parent} to begin again"
        ) from error
