"""Columns as codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crediblenet.category_codes import ColumnCodes
from crediblenet.prediction import UNKNOWN


def test_few_numbers_are_categories() -> None:
    """Numbers with few values keep them."""
    codes = ColumnCodes.learn(np.array([3, 1, 2, 1]), bins=3)
    assert codes.labels == ("1", "2", "3")
    assert codes.apply(np.array([2, 3, 4])).tolist() == [1, 2, UNKNOWN]


def test_many_numbers_are_cut_into_even_bins() -> None:
    """About as many rows in each bin, borders belonging to the lower one."""
    column = np.arange(100.0)
    codes = ColumnCodes.learn(column, bins=4)
    assert np.bincount(codes.apply(column)).tolist() == [25, 25, 25, 25]
    assert codes.labels == ("up to 24", "up to 49", "up to 74", "above 74")
    assert codes.apply(np.array([-1e9, 24.0, 24.5, 1e9])).tolist() == [0, 0, 1, 3]


def test_values_that_many_rows_share() -> None:
    """A value that is several quantiles at once makes one border, and no bin is empty."""
    column = np.array([0.0] * 90 + list(range(1, 11)))
    codes = ColumnCodes.learn(column, bins=5)
    counts = np.bincount(codes.apply(column), minlength=len(codes.labels))
    assert np.all(counts > 0)
    column = np.array([0.0, 1, 2, 3, 4, 5] + [6.0] * 100)
    codes = ColumnCodes.learn(column, bins=3)
    assert np.all(np.bincount(codes.apply(column), minlength=len(codes.labels)) > 0)


@pytest.mark.parametrize(
    ("learned", "applied", "expected"),
    [
        (["b", "a"], ["a", "c", "b"], [0, UNKNOWN, 1]),
        ([True, False], [False, True], [0, 1]),
        (np.array(["x", 1, None], dtype=object), np.array([1, "x"], dtype=object), [0, 2]),
        (np.array([1, 2], dtype=object), np.array([2.0, 1.0]), [1, 0]),
        (np.array([1, 2]), np.array(["2", "x"]), [1, UNKNOWN]),
    ],
)
def test_values_of_any_kind(learned: Any, applied: Any, expected: list[int]) -> None:
    """Words, truth values, mixtures; numbers are found again as text."""
    codes = ColumnCodes.learn(np.asarray(learned), bins=5)
    assert codes.apply(np.asarray(applied)).tolist() == expected
