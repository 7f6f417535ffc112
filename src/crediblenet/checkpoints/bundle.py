"""One file of a checkpoint: named arrays and plain values, with a digest.

A line of JSON, then the bytes of the arrays. There is nothing in it to execute, the sizes
are checked against the length of the file before anything is made of them, and a file that
is not what was written is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import RunDirectoryError

__all__ = ["read_bundle", "write_bundle"]

MAGIC = "crediblenet checkpoint 1"
#: The kinds of numbers that a bundle may hold.
KINDS = {"bool", "uint8", "uint16", "uint32", "uint64", "int32", "int64", "float64"}


def write_bundle(path: Path, values: Mapping[str, Any], arrays: Mapping[str, Any]) -> int:
    """Write a file that appears as a whole or not at all, and return its size.

    Parameters
    ----------
    path
        Where; a file that is there is replaced.
    values
        What JSON can hold.
    arrays
        Numpy arrays of plain numbers.

    Raises
    ------
    OSError
        When the disk refuses.
    """
    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    digest = hashlib.sha256()
    for array in plain.values():
        if array.dtype.name not in KINDS:
            raise TypeError(f"a checkpoint holds no {array.dtype.name}")
        digest.update(array.data)
    content = {
        "values": values,
        "arrays": [[name, array.dtype.name, array.shape] for name, array in plain.items()],
        "sha256": digest.hexdigest(),
    }
    text = json.dumps(content)
    header = json.dumps([MAGIC, hashlib.sha256(text.encode()).hexdigest(), text]) + "\n"
    temporary = path.with_name(path.name + ".part")
    with temporary.open("wb") as file:
        file.write(header.encode())
        for array in plain.values():
            file.write(array.data)
        file.flush()
        os.fsync(file.fileno())
        size = file.tell()
    temporary.replace(path)
    return size


def read_bundle(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]] | None:
    """Return the values and arrays of a file, None when there is no such file.

    Raises
    ------
    RunDirectoryError
        When the file cannot be read, or is not what was written.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RunDirectoryError(f"{path} cannot be read: {error.strerror}") from error
    try:
        return _parse(content)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise RunDirectoryError(
            f"{path} is damaged, so that the run cannot go on; delete {path.parent} to begin again"
        ) from None


def _parse(content: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    end = content.index(b"\n") + 1
    magic, stated, text = json.loads(content[:end])
    if magic != MAGIC or hashlib.sha256(text.encode()).hexdigest() != stated:
        raise ValueError("not a checkpoint, or not as it was written")
    about = json.loads(text)
    if hashlib.sha256(content[end:]).hexdigest() != about["sha256"]:
        raise ValueError("the arrays are not those that were written")
    arrays: dict[str, NDArray[Any]] = {}
    for name, kind, shape in about["arrays"]:
        if kind not in KINDS or not all(isinstance(size, int) and size >= 0 for size in shape):
            raise ValueError("no array of plain numbers")
        dtype = np.dtype(kind)
        count = 1
        for size in shape:
            count *= size
        # Refuses a count that the content does not have; copied, so that it can be changed.
        arrays[name] = np.frombuffer(content, dtype, count, end).reshape(shape).copy()
        end += count * dtype.itemsize
    if end != len(content):
        raise ValueError("more bytes than arrays")
    return dict(about["values"]), arrays
