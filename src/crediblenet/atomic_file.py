"""A text file that appears as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

from .exceptions import FormatError

__all__ = ["atomic_text_file"]


@contextmanager
def atomic_text_file(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    """Open a file that appears under its name only when it is complete.

    What is there and is no ordinary file, such as a pipe, is written to as it is.

    Raises
    ------
    FormatError
        When the disk refuses. A file that was there before is as it was.
    """
    target = Path(path).resolve()
    in_place = target.exists() and not target.is_file()
    unfinished = target if in_place else target.with_name(f".{uuid4().hex}.part")
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            yield file
            if not in_place:
                file.flush()
                os.fsync(file.fileno())  # or a power cut could leave the name without the text
        if not in_place:
            unfinished.replace(target)
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        if not in_place:
            with suppress(OSError):  # it is not there, or cannot be: the reason was told above
                unfinished.unlink()
