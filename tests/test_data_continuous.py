"""Continuous data: a matrix of finite numbers, or a clear refusal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from crediblenet.data import ContinuousDataset, as_continuous, as_dataset
from crediblenet.exceptions import CredibleNetError, DataWarning, ParameterError
from tables import write

VALUES = np.random.default_rng(3).normal(size=(50, 3))
NAMES = ("x", "y", "z")


def complaint(source: object, **options: object) -> str:
    """Return the message with which data are refused: one printable line."""
    with pytest.raises(CredibleNetError) as caught:
        as_continuous(source, **options)  # type: ignore[arg-type]
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_every_source_gives_the_same_numbers(tmp_path: Path) -> None:
    """Exactly the same: text and binary forms hold the same doubles."""
    frame = pd.DataFrame(VALUES, columns=list(NAMES))
    frame.to_csv(tmp_path / "data.csv", index=False)
    pl.from_pandas(frame).write_csv(tmp_path / "polars.csv")
    frame.to_parquet(tmp_path / "data.parquet")
    for source in [frame, pl.from_pandas(frame), frame.astype(object), *tmp_path.iterdir()]:
        data = as_continuous(source)
        assert data.names == NAMES
        np.testing.assert_array_equal(data.values, VALUES)
    data = as_continuous(VALUES, names=NAMES)
    np.testing.assert_array_equal(data.values, VALUES)
    assert as_continuous(data) is data
    assert (data.n_variables, data.n_rows, data.constant) == (3, 50, ())
    assert repr(data) == "ContinuousDataset(3 variables, 50 rows)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n3,x\n", "line 3, column 'b': 'x' is no number"),
        ("a,b\n1,2\n3,True\n", "line 3, column 'b': 'True' is no number"),
        ("a,b\n1,2\n3,inf\n", "line 3, column 'b': the value is infinite"),
        ("a,b\n1,2\n3,1e999\n", "line 3, column 'b': the value is infinite"),
        ("a,b\n1,2\n3,\n", "1 missing value in 1 of 2 rows: column 'b' 1 (line 3)"),
        ("a,b\n", "there are no rows"),
        ("a\n1\n", "only one column"),
    ],
)
def test_refusals(tmp_path: Path, text: str, words: str) -> None:
    """The line and the column are named."""
    assert words in complaint(write(tmp_path, text))


def test_missing_values(tmp_path: Path) -> None:
    """They can only be dropped."""
    path = write(tmp_path, "a,b\n1,+2\n?,3\n 4 ,5\n,\n")
    assert "'?' is no number" in complaint(path)
    data = as_continuous(path, missing="drop", missing_values="?")
    assert data.values.tolist() == [[1, 2], [4, 5]]
    assert data.notes == ("2 of 4 rows lack a value and are left out",)
    assert "missing='state' is for discrete data" in complaint(path, missing="state")
    none_left = {"a": [None, 1.0], "b": [1.0, None]}
    assert "every one of 2 rows lacks a value" in complaint(none_left, missing="drop")


def test_constant_columns_warn() -> None:
    """As for discrete data."""
    with pytest.warns(DataWarning, match="column 'a' has only one value"):
        data = as_continuous({"a": [1, 1], "b": [1, 2]})
    assert data.constant == (0,)


def test_misuse() -> None:
    """Discrete data stay discrete; options that have no effect are refused."""
    with pytest.raises(ParameterError, match="discrete already"):
        as_continuous(as_dataset({"a": [1, 2], "b": [1, 2]}))
    data = ContinuousDataset(NAMES, VALUES)
    with pytest.raises(ParameterError, match="missing= has no effect"):
        as_continuous(data, missing="drop")
    for values in (VALUES[:, :2], VALUES[:0], VALUES * np.inf, VALUES[0]):
        with pytest.raises(ParameterError):
            ContinuousDataset(NAMES, values)
