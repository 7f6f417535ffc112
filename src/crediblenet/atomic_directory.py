"""A directory that appears as a whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .exceptions import RunDirectoryError

__all__ = ["atomic_directory", "check_target"]


@contextmanager
def atomic_directory(target: Path, may_replace: Callable[[Path], bool]) -> Iterator[Path]:
    """Give a scratch directory that becomes `target` when the block ends without an error.

    The scratch directory lies beside the target, on the same file system, so that the last
    step is a rename; everything is on the disk before it. A reader never sees half a run,
    and a failure leaves what was there before.

    Parameters
    ----------
    target
        Where the directory goes.
    may_replace
        Says whether a directory that is there already, and not empty, may be replaced.

    Raises
    ------
    RunDirectoryError
        When something is there that may not be replaced, or the disk refuses.
    """
    check_target(target, may_replace)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = _directory_beside(target, ".part")
    except OSError as error:
        raise RunDirectoryError(f"{target} cannot be written: {error.strerror}") from error
    try:
        yield scratch
        for path in scratch.rglob("*"):
            _flush(path)
        _flush(scratch)
        # mkdtemp makes private directories; results are meant to be read by others too.
        scratch.chmod(0o777 & ~_umask())
        check_target(target, may_replace)
        _move_into_place(scratch, target)
    except OSError as error:
        raise RunDirectoryError(f"{target} cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _directory_beside(target: Path, suffix: str) -> Path:
    return Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.", suffix=suffix))


def check_target(target: Path, may_replace: Callable[[Path], bool]) -> None:
    """Raise RunDirectoryError when something is there that may not be replaced."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise RunDirectoryError(f"{target} is there already, and is not a directory")
    if target.is_dir() and any(target.iterdir()) and not may_replace(target):
        raise RunDirectoryError(
            f"{target} is there already, and is not empty; choose another name, "
            "or replace an earlier run with overwrite=True"
        )


def _move_into_place(scratch: Path, target: Path) -> None:
    """Rename the scratch directory; an earlier run is moved away first and deleted last."""
    if not target.exists():
        scratch.rename(target)
    else:
        earlier = _directory_beside(target, ".old")
        target.rename(earlier / target.name)
        try:
            scratch.rename(target)
        except OSError:
            (earlier / target.name).rename(target)
            raise
        finally:
            shutil.rmtree(earlier, ignore_errors=True)
    _flush(target.parent)


def _flush(path: Path) -> None:
    """Wait until a file or directory is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _umask() -> int:
    """Return the process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
