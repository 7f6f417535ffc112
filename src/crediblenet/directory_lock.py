"""One run per directory: the second one is refused."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from .exceptions import RunDirectoryError

__all__ = ["DirectoryLock", "is_locked"]


class DirectoryLock:
    """A lock on a directory, which need not be there yet.

    It is a file beside the directory, ``.NAME.lock``, that the operating system holds locked
    as long as the process lives. A killed process cannot keep it: its file stays, but
    nobody holds it any more.

    Parameters
    ----------
    directory
        What is locked.

    Attributes
    ----------
    left_behind
        Whether the lock was taken over from a process that ended without giving it back.

    Raises
    ------
    RunDirectoryError
        When another process, or this one, has the lock already, or the disk refuses.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.path = lock_file(directory)
        try:
            while True:
                self._descriptor, self.left_behind = self._open()
                if self._take():
                    break
        except OSError as error:
            raise RunDirectoryError(
                f"{directory} cannot be locked for this run: {error.strerror}"
            ) from error

    def _open(self) -> tuple[int, bool]:
        flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
        while True:
            try:
                return os.open(self.path, flags | os.O_CREAT | os.O_EXCL, 0o666), False
            except FileExistsError:
                pass
            try:
                return os.open(self.path, flags), True
            except FileNotFoundError:
                continue  # whoever had it has just given it back

    def _take(self) -> bool:
        """Lock the file; false when it is no longer the one that the others see."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            here, there = os.fstat(self._descriptor), self.path.stat()
            if (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino):
                with suppress(OSError):  # on a full disk the others are told no number
                    os.ftruncate(self._descriptor, 0)
                    os.write(self._descriptor, f"{os.getpid()}\n".encode())
                return True
        except BlockingIOError:
            owner = os.pread(self._descriptor, 20, 0).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            process = f" (process {owner})" if owner.isdigit() else ""
            raise RunDirectoryError(
                f"{self.directory} is in use by another run{process}; wait for it, or choose "
                "another directory"
            ) from None
        except FileNotFoundError:
            pass  # given back between opening and locking
        except OSError:
            os.close(self._descriptor)
            raise
        os.close(self._descriptor)
        return False

    def release(self) -> None:
        """Give the lock back."""
        self.path.unlink(missing_ok=True)
        os.close(self._descriptor)


def lock_file(directory: Path) -> Path:
    """Return the file that is locked in place of a directory."""
    return directory.parent / f".{directory.name}.lock"


def is_locked(directory: Path) -> bool:
    """Say whether a run goes on in a directory, or was killed there."""
    return lock_file(directory).exists()
