"""Data of every kind become the same codes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from crediblenet.data import Dataset, as_dataset
from crediblenet.exceptions import DataError, DataWarning

COLUMNS = {
    "size": [10, 9, 10, 100, 9, 10],
    "colour": ["red", "blue", "red", "green", "blue", "red"],
    "ripe": [True, False, True, True, False, True],
    "weight": [0.5, 1.0, 0.5, 2.0, 1.0, 0.5],
}
STATES = (("9", "10", "100"), ("blue", "green", "red"), ("false", "true"), ("0.5", "1", "2"))


def assert_same(one: Dataset, other: Dataset) -> None:
    """Check that two data sets are equal in all that scoring sees."""
    assert one.names == other.names
    assert one.states == other.states
    np.testing.assert_array_equal(one.codes, other.codes)
    np.testing.assert_array_equal(one.weights, other.weights)


def write(directory: Path, text: str | bytes, name: str = "data.csv") -> Path:
    """Write a file for a test."""
    path = directory / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_states_are_sorted_and_rows_collapsed() -> None:
    """Numbers sort by size, texts as texts; equal rows are counted."""
    data = as_dataset(COLUMNS)
    assert data.names == tuple(COLUMNS)
    assert data.states == STATES
    assert data.arities == (3, 3, 2, 3)
    assert data.codes.tolist() == [[0, 1, 2], [0, 2, 1], [0, 1, 1], [1, 0, 2]]
    assert data.codes.dtype == np.uint16
    assert data.codes.flags.c_contiguous
    assert data.weights.tolist() == [2, 3, 1]
    assert (data.n_variables, data.n_rows, data.n_distinct) == (4, 6, 3)
    assert data.constant == ()
    assert data.notes == ()


def test_every_source_gives_the_same_data(tmp_path: Path) -> None:
    """The same table from files, frames and arrays."""
    expected = as_dataset(COLUMNS)
    frame = pd.DataFrame(COLUMNS)
    polars_frame = pl.DataFrame(COLUMNS)
    frame.to_csv(tmp_path / "pandas.csv", index=False)
    polars_frame.write_csv(tmp_path / "polars.csv")
    frame.to_csv(tmp_path / "pandas.csv.gz", index=False)
    frame.to_parquet(tmp_path / "pandas.parquet")
    polars_frame.write_parquet(tmp_path / "polars.parquet")
    sources = [
        frame,
        polars_frame,
        polars_frame.lazy(),
        polars_frame.to_arrow(),
        frame.to_records(index=False),
        *sorted(tmp_path.iterdir()),
    ]
    for source in sources:
        assert_same(as_dataset(source), expected)
    array = as_dataset(frame.to_numpy(), names=tuple(COLUMNS))
    assert_same(array, expected)


def test_no_header(tmp_path: Path) -> None:
    """Without a header the names are V0, V1, ..."""
    data = as_dataset(write(tmp_path, "a,0\nb,1\n"), header=False)
    assert data.names == ("V0", "V1")
    assert data.n_rows == 2


def test_category_types_declare_states() -> None:
    """A category type lists states; those that never occur count and are noted."""
    column = pd.Categorical(["x", "y", "x"], categories=["z", "y", "x"])
    data = as_dataset(pd.DataFrame({"a": column, "b": [0, 1, 1]}))
    assert data.states[0] == ("z", "y", "x")
    assert data.notes == ("column 'a': declared state 'z' never occurs, but counts in the score",)


def test_constant_column_warns() -> None:
    """A constant column is kept, with a warning."""
    with pytest.warns(DataWarning, match="column 'b' has only one value"):
        data = as_dataset({"a": [0, 1], "b": ["x", "x"], "c": [1, 2]})
    assert data.constant == (1,)
    assert any("'b'" in note for note in data.notes)


def test_missing_values_are_an_error_with_two_ways_out(tmp_path: Path) -> None:
    """The message counts the missing values and names their lines."""
    path = write(tmp_path, 'a,b\n1,"two\nlines"\n,NA\n2,z\n')
    with pytest.raises(DataError) as caught:
        as_dataset(path)
    message = str(caught.value)
    assert "2 missing values in 1 of 3 rows" in message
    assert "column 'a' 1 (line 4); column 'b' 1 (line 4)" in message
    assert "missing='drop'" in message
    assert "missing='state'" in message
    dropped = as_dataset(path, missing="drop")
    assert dropped.n_rows == 2
    assert dropped.notes == ("1 of 3 rows lacks a value and is left out",)
    kept = as_dataset(path, missing="state")
    assert kept.states == (("1", "2", "missing"), ("two\nlines", "z", "missing"))


def test_further_rows_are_coded_with_the_same_states() -> None:
    """Columns are found by name; a new value is an error."""
    data = as_dataset({"a": ["x", "y", "x"], "b": [1, 2, 3]})
    further = pa.table({"other": [0, 0], "b": [3.0, 1.0], "a": ["y", "y"]})
    assert data.encode(further).tolist() == [[1, 1], [2, 0]]
    with pytest.raises(DataError, match="row 1, column 'a': value 'q' is none of the states"):
        data.encode({"a": ["x", "q"], "b": [1, 2]})
