"""Helpers of the data tests: compare data sets, write small files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crediblenet.data import Dataset, as_dataset
from crediblenet.exceptions import CredibleNetError

__all__ = ["assert_same", "complaint", "write"]


def assert_same(one: Dataset, other: Dataset) -> None:
    """Check that two data sets are equal in all that scoring sees."""
    assert one.names == other.names
    assert one.states == other.states
    np.testing.assert_array_equal(one.codes, other.codes)
    np.testing.assert_array_equal(one.weights, other.weights)


def write(directory: Path, content: str | bytes, name: str = "data.csv") -> Path:
    """Write a file for a test."""
    path = directory / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def complaint(source: object, **options: object) -> str:
    """Return the message with which data are refused: one printable line."""
    with pytest.raises(CredibleNetError) as caught:
        as_dataset(source, **options)  # type: ignore[arg-type]
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 1_000
    return message
