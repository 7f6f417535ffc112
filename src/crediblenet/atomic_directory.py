"""A directory that appears as a whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from .exceptions import FormatError, RunDirectoryError
from .name_exchange import exchange

__all__ = ["AtomicDirectory", "present"]


class AtomicDirectory:
    """Replaces a directory in one step; one process at a time may do so.

    Parameters
    ----------
    target
        The directory, which need not be there yet.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        self._new = target.parent / f".{target.name}.part"
        self._old = _moved_away(target)

    def recover(self) -> None:
        """Undo what a process that was killed in the middle left behind."""
        with self._explained():
            if self._old.is_dir() and not self.target.exists():
                self._old.rename(self.target)
            self._tidy()

    def _tidy(self) -> None:
        for path in (self._new, self._old):
            shutil.rmtree(path, ignore_errors=True)

    def check(self, may_replace: Callable[[Path], bool]) -> None:
        """Raise RunDirectoryError when something is there that may not be replaced."""
        target = self.target
        if target.is_symlink() or (target.exists() and not target.is_dir()):
            raise RunDirectoryError(f"{target} is there already, and is not a directory")
        with self._explained():
            if target.is_dir() and any(target.iterdir()) and not may_replace(target):
                self.refuse()

    def refuse(self) -> NoReturn:
        """Say that the place is taken."""
        raise RunDirectoryError(
            f"{self.target} is there already, and is not empty; choose another name, "
            "or replace an earlier run with overwrite=True"
        )

    def try_out(self) -> None:
        """Raise RunDirectoryError when nothing can be written here."""
        with self._explained():
            self._new.mkdir()
            self._new.rmdir()

    @contextmanager
    def scratch(self, may_replace: Callable[[Path], bool]) -> Iterator[Path]:
        """Give a scratch directory that becomes the target when the block ends well.

        It lies beside the target, on the same file system, so that the last step is a
        rename; everything is on the disk before it. A reader never sees half a run, and a
        failure leaves what was there before.

        Parameters
        ----------
        may_replace
            Says whether a directory that is there already, and not empty, may be replaced.

        Raises
        ------
        RunDirectoryError
            When something is there that may not be replaced, or the disk refuses.
        """
        self.check(may_replace)
        with self._explained():
            self._tidy()
            self._new.mkdir()
            try:
                yield self._new
                for path in self._new.rglob("*"):
                    _flush(path)
                _flush(self._new)
                self.check(may_replace)
                self._move_into_place()
            finally:
                self._tidy()

    def _move_into_place(self) -> None:
        """Let the scratch directory and the target change places; the old one goes last.

        Where the disk cannot exchange two names in one step, what was there is moved away
        first: after a kill in between it is found by `present`, and moved back by `recover`.
        """
        if not self.target.exists():
            self._new.rename(self.target)
        elif not exchange(self._new, self.target):
            self.target.rename(self._old)
            try:
                self._new.rename(self.target)
            except OSError:
                self._old.rename(self.target)
                raise
        _flush(self.target.parent)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what the disk says into one clear error."""
        try:
            yield
        except (OSError, FormatError) as error:
            # Writers of single files name the scratch directory, which means nothing to anyone.
            cause = error if isinstance(error, OSError) else error.__cause__
            if not isinstance(cause, OSError):
                raise
            # Arrow has the reason in its message only.
            reason = cause.strerror or str(cause)
            raise RunDirectoryError(f"{self.target} cannot be written: {reason}") from error


def present(target: Path) -> Path:
    """Return where a directory is to be read: beside its place, if a kill left it there."""
    old = _moved_away(target)
    return old if not target.exists() and old.is_dir() else target


def _moved_away(target: Path) -> Path:
    return target.parent / f".{target.name}.old"


def _flush(path: Path) -> None:
    """Wait until a file or directory is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
