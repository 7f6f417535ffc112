"""The place of one run on disk, from before it begins until its result is there.

While a run goes on in ``DIR``, these belong to it:

====================  ================================================================
``DIR/checkpoint``    what it has found so far, see `crediblenet.checkpoints`
``.DIR.lock``         keeps a second run out
``.DIR.part``         the result while it is written; becomes ``DIR``
``.DIR.old``          what was in ``DIR`` before, for the moment of the exchange, on disks
                      that cannot exchange two names in one step
====================  ================================================================

A finished run leaves nothing but ``DIR``; the next run in the same place tidies up after
one that was killed.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .atomic_directory import AtomicDirectory
from .checkpoints import FOLDER, Checkpoint, Fingerprint
from .directory_lock import DirectoryLock
from .exceptions import RunDirectoryError

__all__ = ["FORMAT", "RunPlace", "StrPath", "claim"]

# What summary.json says of itself. The number goes up when a reader has to know.
FORMAT = {"name": "crediblenet run", "version": 1}

StrPath = str | os.PathLike[str]


class RunPlace:
    """A directory that belongs to one run; made by `claim`.

    Attributes
    ----------
    target
        The directory.
    checkpoint
        What the run keeps while it goes on, once `open_checkpoint` was called.
    goes_on
        Whether an earlier run left something to go on with.
    is_finished
        Whether the result of this very run is there already: it was killed after its work
        was done, but before it could say so.
    """

    def __init__(self, target: Path, overwrite: bool, killed: bool) -> None:
        self.target = target
        self.overwrite = overwrite
        self.checkpoint: Checkpoint | None = None
        self.goes_on = self.is_finished = False
        self._killed = killed
        self._fingerprint: Fingerprint | None = None
        self._exchange = AtomicDirectory(target)

    def check(self) -> None:
        """Find out whether a result can be saved here.

        Raises
        ------
        RunDirectoryError
            When the place is taken, or cannot be written.
        """
        self._exchange.recover()
        # After a kill, what is there may be this run's own result: see `open_checkpoint`.
        self._exchange.check(lambda path: self._killed or self._may_replace(path))
        self._exchange.try_out()

    def _may_replace(self, path: Path) -> bool:
        """Say whether what is there is an earlier run that may go, or an unfinished one."""
        about = read_summary_of(path)
        if about is None:
            return [entry.name for entry in path.iterdir()] == [FOLDER]
        return self.overwrite or self._can_go_on(about)

    def _can_go_on(self, about: dict[str, Any]) -> bool:
        return about.get("complete") is False and (self.target / FOLDER).is_dir()

    def open_checkpoint(self, fingerprint: Fingerprint) -> None:
        """Look for what an earlier run with the same fingerprint left here.

        Raises
        ------
        RunDirectoryError
            When another run was stopped here.
        """
        self._fingerprint = fingerprint
        about = read_summary_of(self.target)
        if about is not None and not self.overwrite and not self._can_go_on(about):
            if fingerprint.differences(about.get("fingerprint")):
                self._exchange.refuse()
            self.is_finished = True
            return
        stored = Checkpoint.stored_fingerprint(self.target)
        differences = fingerprint.differences(stored)
        if stored is None or (differences and self.overwrite):
            self._forget()
        elif differences:
            raise RunDirectoryError(
                f"{self.target} holds what a run with other {' and '.join(differences)} left "
                "unfinished; repeat that command to finish it, choose another directory, or give "
                "it up with overwrite=True"
            )
        self.checkpoint = Checkpoint(self.target, fingerprint)
        self.goes_on = self.checkpoint.begun

    def _forget(self) -> None:
        shutil.rmtree(self.target / FOLDER, ignore_errors=True)

    def write(self, fill: Callable[[Path], dict[str, Any]], *, finished: bool = True) -> Path:
        """Make the result appear in the directory, as a whole or not at all.

        Parameters
        ----------
        fill
            Writes the files into a scratch directory and returns the summary.
        finished
            Whether there is nothing to go on with: the checkpoint is not kept.

        Raises
        ------
        RunDirectoryError
            When the disk refuses. What was there before is still there.
        """
        with self._exchange.scratch(self._may_replace) as scratch:
            about = fill(scratch)
            if self._fingerprint is not None:
                about["fingerprint"] = dict(self._fingerprint.parts)
            text = json.dumps(about, indent=2, allow_nan=False) + "\n"
            (scratch / "summary.json").write_text(text, encoding="utf-8", newline="\n")
            if not finished and self.checkpoint is not None:
                self.checkpoint.begin()
                _second_names(self.checkpoint.folder, scratch / FOLDER)
        return self.target


@contextmanager
def claim(directory: StrPath, *, overwrite: bool = False) -> Iterator[RunPlace]:
    """Keep a directory for one run, and check that its result can be saved there.

    Parameters
    ----------
    directory
        Where; it must not be there yet, be empty, or hold a run that was not finished.
    overwrite
        Whether an earlier run in that place may be replaced. Anything else never is.

    Raises
    ------
    RunDirectoryError
        When the place is taken, in use, or cannot be written.
    """
    target = Path(directory)
    if target.name in ("", ".."):  # no name to put others beside
        target = target.absolute().resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunDirectoryError(f"{target} cannot be written: {error.strerror}") from error
    lock = DirectoryLock(target)
    try:
        place = RunPlace(target, overwrite, lock.left_behind)
        place.check()
        yield place
    finally:
        lock.release()


def _second_names(folder: Path, target: Path) -> None:
    """Give the files of a checkpoint a second name each; copy what can have none.

    They never change, so that names are enough; but not every file system knows hard links.
    """
    target.mkdir()
    for path in sorted(folder.rglob("*")):  # a folder before what is in it
        name = target / path.relative_to(folder)
        if path.is_dir():
            name.mkdir()
            continue
        try:
            os.link(path, name)
        except OSError:
            shutil.copyfile(path, name)  # tells the reason when it is another one


def read_summary_of(place: Path) -> dict[str, Any] | None:
    """Return the summary of an earlier run, whatever its version; None if it is none."""
    try:
        about = json.loads((place / "summary.json").read_text(encoding="utf-8"))
        return dict(about) if about["format"]["name"] == FORMAT["name"] else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
