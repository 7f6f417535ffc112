"""Which states count, and what happens to values that are missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from crediblenet.data import as_dataset
from tables import assert_same, complaint, write


def test_category_types_declare_states() -> None:
    """A category type lists states; those that never occur count and are noted."""
    column = pd.Categorical(["x", "y", "x"], categories=["z", "y", "x"])
    enum = pl.Series(["x", "y", "x"], dtype=pl.Enum(["z", "y", "x"]))
    frames = [
        pd.DataFrame({"a": column, "b": [0, 1, 1]}),
        pd.DataFrame({"a": column.as_ordered(), "b": [0, 1, 1]}),
        pa.Table.from_pandas(pd.DataFrame({"a": column, "b": [0, 1, 1]})),
        pl.DataFrame({"a": enum, "b": [0, 1, 1]}),
        pl.DataFrame({"a": enum, "b": [0, 1, 1]}).to_arrow(),
    ]
    for frame in frames:
        data = as_dataset(frame)
        assert data.states[0] == ("z", "y", "x")
        note = "column 'a': declared state 'z' never occurs, but counts in the score"
        assert data.notes == (note,)


def test_encodings_are_no_declarations() -> None:
    """A polars Categorical or an Arrow dictionary is a way of storing, no list of states."""
    table = pa.table({"a": pa.DictionaryArray.from_arrays([2, 1], ["z", "y", "x"]), "b": [0, 1]})
    assert as_dataset(table).states[0] == ("x", "y")
    frame = pl.DataFrame({"a": pl.Series(["y", "x", "z"], dtype=pl.Categorical), "b": [0, 1, 1]})
    assert as_dataset(frame.head(2)).states[0] == ("x", "y")


def test_values_of_a_dictionary_that_occur_late() -> None:
    """Each batch may use other entries of the same dictionary."""
    indices = np.repeat([0, 1, 2], 300_000)
    column = pa.DictionaryArray.from_arrays(indices, ["p", "q", "r"])
    data = as_dataset(pa.table({"a": column, "b": indices % 2}))
    assert data.states[0] == ("p", "q", "r")
    assert data.weights.tolist() == [300_000] * 3


def test_declared_states(tmp_path: Path) -> None:
    """The user's states count in the user's order; other values are errors."""
    path = write(tmp_path, "a,b\nlow,1\nhigh,2.0\n")
    data = as_dataset(path, states={"a": ["low", "mid", "high"], "b": [2, 1]})
    assert data.states == (("low", "mid", "high"), ("2", "1"))
    assert data.codes.tolist() == [[0, 2], [1, 0]]
    message = complaint(path, states={"a": ["low", "mid"]})
    assert "line 3, column 'a': value 'high' is none of the states 'low', 'mid'" in message


def test_states_from_a_file(tmp_path: Path) -> None:
    """A JSON file may hold the states; what is wrong with it is said."""
    columns = {"a": ["low", "high"], "b": [1, 2]}
    path = write(tmp_path, '{"a": ["low", "mid", "high"], "b": [2, 1]}', "states.json")
    assert as_dataset(columns, states=path).states == (("low", "mid", "high"), ("2", "1"))
    assert as_dataset(columns, states=str(path)).arities == (3, 2)
    broken: list[tuple[str | bytes, str]] = [
        ('{"a": [\n', "line 2: no JSON"),
        ("[1]", 'must hold an object such as {"column": ["low", "high"]}'),
        (b"\xff", "is no UTF-8 text"),
        ('{"q": ["x"]}', "there is no column 'q'"),
        ('{"a": {"x": 1}}', "those of column 'a' must be a list"),
    ]
    for content, words in broken:
        assert words in complaint(columns, states=write(tmp_path, content, "states.json"))
    assert "cannot be read: No such file" in complaint(columns, states=tmp_path / "none.json")


def test_declared_states_outweigh_the_type() -> None:
    """states= is the last word."""
    column = pd.Categorical(["x", "y"], categories=["z", "y", "x"])
    frame = pd.DataFrame({"a": column, "b": [0, 1]})
    assert as_dataset(frame, states={"a": ["x", "y"]}).states[0] == ("x", "y")


def test_declared_states_of_one_label() -> None:
    """Two declared categories that are the same number are refused."""
    column = pd.Categorical(["1", "1.0"], categories=["1", "1.0"])
    assert "two declared states are both '1'" in complaint(pd.DataFrame({"a": column, "b": [0, 1]}))


def test_missing_values_are_an_error_with_two_ways_out(tmp_path: Path) -> None:
    """The message counts the missing values and names their lines."""
    path = write(tmp_path, 'a,b\n1,"two\nlines"\n,NA\n2,z\n')
    message = complaint(path)
    assert "2 missing values in 1 of 3 rows" in message
    assert "column 'a' 1 (line 4); column 'b' 1 (line 4)" in message
    assert "missing='drop'" in message
    assert "missing='state'" in message
    assert "; 'NA' means missing" in message
    dropped = as_dataset(path, missing="drop")
    assert dropped.n_rows == 2
    assert dropped.notes == ("1 of 3 rows lacks a value and is left out",)
    kept = as_dataset(path, missing="state")
    assert kept.states == (("1", "2", "missing"), ("two\nlines", "z", "missing"))
    assert kept.n_rows == 3


def test_many_missing_values_are_summed_up() -> None:
    """The first three rows of five columns, and how many more."""
    columns = {f"c{k}": [None, 1, None, None, None, 2] for k in range(7)}
    message = complaint(columns)
    assert "28 missing values in 4 of 6 rows" in message
    assert "column 'c4' 4 (rows 0, 2, 3, ...); 2 more columns" in message


@pytest.mark.parametrize("value", ["", " ", "NA", "NaN", "nan", "null", "None", " NA ", "<NA>"])
def test_what_is_missing_in_text(tmp_path: Path, value: str) -> None:
    """The usual spellings, and blanks."""
    assert "1 missing value in 1 of 2 rows" in complaint(write(tmp_path, f"a,b\n{value},1\nx,2\n"))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1, None], "b": [1, 2]}),
        pd.DataFrame({"a": ["x", None], "b": [1, 2]}),
        pd.DataFrame({"a": ["x", np.nan], "b": [1, 2]}, dtype=object),
        pd.DataFrame({"a": pd.array([1, pd.NA], dtype="Int64"), "b": [1, 2]}),
        pd.DataFrame({"a": pd.Categorical(["x", None]), "b": [1, 2]}),
        pd.DataFrame({"a": pd.to_datetime(["2020-01-01", "NaT"]), "b": [1, 2]}),
        pl.DataFrame({"a": [1, None], "b": [1, 2]}),
        pl.DataFrame({"a": [1.0, float("nan")], "b": [1, 2]}),
        pl.DataFrame({"a": ["x", None], "b": [1, 2]}),
        pa.table({"a": pa.array([None, None, 3], pa.int8()).slice(1), "b": [1, 2]}),
        pa.table({"a": pa.DictionaryArray.from_arrays([0, 1], ["x", None]), "b": [1, 2]}),
        pa.table({"a": pa.nulls(2), "b": [1, 2]}),
        {"a": [1, None], "b": [1, 2]},
        np.array([[1.0, 1.0], [np.nan, 2.0]]),
        np.array([["x", 1], [None, 2]], dtype=object),
    ],
)
def test_what_is_missing_in_memory(frame: object) -> None:
    """Every kind of null, and NaN."""
    message = complaint(frame)
    assert "missing value" in message
    assert "column 'a'" in message or "column 'V0'" in message


def test_further_texts_that_mean_missing(tmp_path: Path) -> None:
    """A question mark is a value unless the user says otherwise."""
    path = write(tmp_path, "a,b\n?,1\nx,2\n")
    assert as_dataset(path).states[0] == ("?", "x")
    assert "1 missing value" in complaint(path, missing_values="?")
    assert "1 missing value" in complaint(path, missing_values=["?", "*"])


def test_a_declared_state_is_never_missing(tmp_path: Path) -> None:
    """'None' can be a degree of severity."""
    path = write(tmp_path, "a,b\nNone,1\nmild,2\n")
    assert as_dataset(path, states={"a": ["None", "mild"]}).states[0] == ("None", "mild")
    column = pd.Categorical(["None", "mild"])
    assert as_dataset(pd.DataFrame({"a": column, "b": [1, 2]})).states[0] == ("None", "mild")


def test_states_after_dropping() -> None:
    """A value that occurs only in dropped rows is no state."""
    columns = {"a": ["x", "y", "z"], "b": [1, 2, None]}
    data = as_dataset(columns, missing="drop")
    assert data.states == (("x", "y"), ("1", "2"))
    assert_same(data, as_dataset({"a": ["x", "y"], "b": [1, 2]}))


def test_dropping_everything() -> None:
    """Nothing left is an error."""
    message = complaint({"a": [1, None], "b": [None, 2]}, missing="drop")
    assert "every one of 2 rows lacks a value" in message


def test_the_missing_state_has_a_free_label() -> None:
    """One label for all columns, which none of them uses."""
    columns = {"a": ["missing", None], "b": [None, 1]}
    data = as_dataset(columns, missing="state")
    assert data.states == (("missing", "missing 2"), ("1", "missing 2"))
    assert data.missing_state == "missing 2"


def test_missing_may_be_all_there_is() -> None:
    """A column without any value has the missing state alone, and is constant."""
    with pytest.warns(UserWarning, match="column 'a' has only one value"):
        data = as_dataset({"a": [None, None], "b": [1, 2]}, missing="state")
    assert data.states[0] == ("missing",)
