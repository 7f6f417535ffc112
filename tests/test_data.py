"""Data of every kind become the same codes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from crediblenet.data import ContinuousDataset, Dataset, as_dataset
from crediblenet.exceptions import DataError, DataWarning, ParameterError
from tables import assert_same, complaint, write

COLUMNS = {
    "size": [10, 9, 10, 100, 9, 10],
    "colour": ["red", "blue", "red", "green", "blue", "red"],
    "ripe": [True, False, True, True, False, True],
    "weight": [0.5, 1.0, 0.5, 2.0, 1.0, 0.5],
}
STATES = (("9", "10", "100"), ("blue", "green", "red"), ("false", "true"), ("0.5", "1", "2"))


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
    assert data.weights.dtype == np.int64
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
    for ending, compression in [("gz", "gzip"), ("bz2", "bz2"), ("zst", "zstd"), ("lz4", "lz4")]:
        with pa.output_stream(tmp_path / f"packed.csv.{ending}", compression=compression) as file:
            file.write((tmp_path / "pandas.csv").read_bytes())
    frame.to_csv(tmp_path / "tabs.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "pandas.parquet")
    polars_frame.write_parquet(tmp_path / "polars.parquet")
    sources = [
        frame,
        frame.astype(object),
        frame.convert_dtypes(),
        frame.set_index(pd.Index([3, 1, 1, 0, 5, 5])),
        polars_frame,
        polars_frame.lazy(),
        polars_frame.to_arrow(),
        frame.to_records(index=False),
        {name: np.array(values) for name, values in COLUMNS.items()},
        *sorted(tmp_path.iterdir()),
    ]
    for source in sources:
        assert_same(as_dataset(source), expected)
    assert_same(as_dataset(frame.to_numpy(), names=tuple(COLUMNS)), expected)
    assert_same(as_dataset(expected), expected)


@pytest.mark.parametrize("dtype", ["i1", "u8", "f2", "f4", "f8", "g", "U3", "S3", "O", "?"])
def test_arrays_of_every_type(dtype: str) -> None:
    """Any type of value can be a category."""
    data = as_dataset(np.array([[0, 1], [1, 1], [1, 0]]).astype(dtype))
    assert data.names == ("V0", "V1")
    assert data.n_rows == 3
    assert data.arities == (2, 2)
    assert data.codes.tolist() == [[0, 1, 1], [1, 0, 1]]


def test_masked_and_structured_arrays() -> None:
    """A mask hides values; fields have names."""
    masked = np.ma.masked_equal([[1, 2], [9, 4], [3, 4]], 9)
    assert "column 'V0' 1 (row 1)" in complaint(masked)
    assert as_dataset(masked, missing="drop").n_rows == 2
    structured = np.array([(1, "x"), (2, "y")], dtype=[("a", "i4"), ("b", "U1")])
    assert as_dataset(structured).states == (("1", "2"), ("x", "y"))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (np.zeros(3), "1 dimensions"),
        (np.zeros((2, 2, 2)), "3 dimensions"),
        (np.zeros((2, 0)), "no columns"),
        (np.zeros((0, 2)), "no rows"),
        (np.zeros((2, 1)), "only one column"),
        (np.zeros((1, 100_000)), "at most 512"),
        (3, "cannot be used"),
        (["a", "b"], "cannot be used"),
        ({}, "no columns"),
        ({"a": [], "b": []}, "no rows"),
        ({"a": [1], "b": [1, 2]}, "column 'b' has 2 rows, but column 'a' has 1"),
        ({"a": 1, "b": [1]}, "column 'a' is no sequence"),
        ({"a": "xy", "b": [1]}, "column 'a' is no sequence"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "columns 1 and 2 have the same name 'a'"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "columns 1 and 2 have the same name '1'"),
        (pd.DataFrame([[1, 2]], columns=["a", " "]), "column 2 has an empty name"),
        (pa.table([[1], [2]], names=["x", "x"]), "columns 1 and 2 have the same name 'x'"),
        (pa.table([[1], [2]], names=["", "x"]), "column 1 has an empty name"),
        (pd.Series([1, 2]), "cannot be used"),
        ({"\ud800": [1], "b": [1]}, "the name '\\ud800' of column 1 is no Unicode text"),
    ],
)
def test_unusable_data_in_memory(source: object, words: str) -> None:
    """What is no table of two or more named columns is refused in plain words."""
    assert words in complaint(source)


def test_rare_types_are_categories() -> None:
    """Dates, lists, bytes and mixtures have labels too."""
    frame = pl.DataFrame(
        {
            "day": [date(2020, 1, 2), date(2019, 12, 31)],
            "pair": [[1, 2], [0, 1]],
            "bytes": [b"b", b"a"],
        }
    )
    assert as_dataset(frame).states == (
        ("2019-12-31", "2020-01-02"),
        ("[0, 1]", "[1, 2]"),
        ("a", "b"),
    )
    objects = pl.DataFrame({"a": pl.Series([Path("q"), Path("p")], dtype=pl.Object), "b": [0, 1]})
    assert as_dataset(objects).states[0] == ("p", "q")
    mixed = as_dataset({"mixed": [1, "one", 2.5, True], "b": [0, 1, 0, 1]})
    assert mixed.states[0] == ("1", "2.5", "True", "one")


def test_intervals_and_periods_of_pandas() -> None:
    """What pandas.cut makes is a category type with labels that people know."""
    frame = pd.DataFrame({"a": pd.cut([1, 9, 1], [0, 3, 6, 10]), "b": [0, 1, 1]})
    assert as_dataset(frame).states[0] == ("(0, 3]", "(3, 6]", "(6, 10]")
    frame["a"] = pd.period_range("2020-01", periods=3, freq="M")
    assert as_dataset(frame).states[0] == ("2020-01", "2020-02", "2020-03")


def test_halves_of_surrogate_pairs() -> None:
    """Such a value is no text, but must not break anything."""
    halves = ["\ud800", "x"]
    for values in (halves, np.array(halves), pd.Series(halves, dtype=object)):
        assert as_dataset({"a": values, "b": [0, 1]}).states[0] == (r"\ud800", "x")


def test_names_for_arrays() -> None:
    """As many as there are columns; anything that has a text will do."""
    array = np.array([[1, 2], [2, 1]])
    assert as_dataset(array, names=np.array(["p", "q"])).names == ("p", "q")  # type: ignore[arg-type]
    assert as_dataset(array, names=[1, 2]).names == ("1", "2")  # type: ignore[list-item]
    structured = np.array([(1, 2)], dtype=[("a", "i4"), ("b", "i4")])
    for source in (array, structured):
        assert "3 names for 2 columns" in complaint(source, names=["p", "q", "r"])
        assert "names= must be a list" in complaint(source, names="pq")


@pytest.mark.parametrize(
    ("values", "states"),
    [
        (["1.0", "1", "2"], ("1", "2")),
        (["1e3", "-0.0", "+5", ".5"], ("0", "0.5", "5", "1000")),
        (["inf", "-inf", "1"], ("-inf", "1", "inf")),
        (["007", "7"], ("007", "7")),
        (["TRUE", "false", "True"], ("false", "true")),
        (["10", "9", "x"], ("10", "9", "x")),
        (["12345678901234567890", "12345678901234567891"], ()),
        (["0.1", "0.10", "0.1000000000000000000001"], ("0.1", "0.1000000000000000000001")),
        (["1e-9", "1e99"], ("1e-9", "1e+99")),
        (["é", "e", "Z"], ("Z", "e", "é")),
    ],
)
def test_labels(values: list[str], states: tuple[str, ...]) -> None:
    """Numbers are equal by value, however written; other texts only as texts."""
    data = as_dataset({"a": values, "b": [k % 2 for k in range(len(values))]})
    assert data.states[0] == (states or tuple(values))


def test_equal_values_and_lookalikes_are_noted() -> None:
    """A user sees what was merged and what perhaps should have been."""
    data = as_dataset({"a": ["1", "1.0", "2"], "b": ["yes", "Yes", "yes "]})
    assert data.notes == (
        "column 'a': '1' and '1.0' are the same value, hence one state",
        "column 'b': states 'Yes' and 'yes' differ only in case or blanks (and 1 more such pair)",
    )


def test_question_marks_are_noted() -> None:
    """They often mean a missing value; not where they are declared, or said to be missing."""
    columns = {"a": ["x", "?", "y"], "b": ["?", "?", "z"], "c": ["u", "v", "u"]}
    (note,) = as_dataset(columns).notes
    assert note.startswith("columns 'a', 'b': '?' counts as a value")
    states = {"a": ["?", "x", "y"], "b": ["?", "z"]}
    assert as_dataset(columns, states=states).notes == ()
    dropped = as_dataset(columns, missing_values=["?"], missing="state")
    assert not any("counts as a value" in note for note in dropped.notes)


def test_identifiers_are_noted() -> None:
    """A column that names its rows is allowed but noted."""
    data = as_dataset({"id": [f"p{k}" for k in range(100)], "b": [0, 1] * 50})
    assert "column 'id': 100 states in 100 rows: an identifier" in data.notes[0]


def test_constant_columns_warn() -> None:
    """A constant column is kept, with a warning."""
    with pytest.warns(DataWarning, match="column 'b' has only one value"):
        data = as_dataset({"a": [0, 1], "b": ["x", "x"], "c": [1, 2]})
    assert data.constant == (1,)
    assert data.arities == (2, 1, 2)
    assert any("'b'" in note for note in data.notes)
    with pytest.warns(DataWarning, match="columns 'a', 'b' have only one value"):
        assert as_dataset({"a": [0, 0], "b": ["x", "x"]}).constant == (0, 1)


def test_ten_thousand_states() -> None:
    """Many states are fine when the values are categories."""
    labels = [f"s{k:05}" for k in range(10_000)] * 3
    data = as_dataset({"a": labels, "b": ["x", "y", "z"] * 10_000})
    assert data.arities == (10_000, 3)
    assert data.states[0] == tuple(sorted(set(labels)))


def test_more_states_than_codes() -> None:
    """There are 65,535 codes; one more state is an error that names the column."""
    most = np.array([f"s{k}" for k in range(65_535)])
    other = np.arange(65_535) % 2
    assert as_dataset({"a": most, "b": other}).arities == (65_535, 2)
    message = complaint({"a": np.append(most, "t"), "b": np.append(other, 1)})
    assert "more than 65,535 distinct values in column 'a'; leave such columns out" in message


def test_many_columns() -> None:
    """512 variables are the most."""
    rows = np.arange(3)[:, None] + np.arange(512)
    assert as_dataset(rows % 2).n_variables == 512
    assert "513 columns, but at most 512" in complaint(np.zeros((2, 513)))


def test_further_rows_are_coded_with_the_same_states(tmp_path: Path) -> None:
    """Columns are found by name, in any order; a new value is an error."""
    data = as_dataset({"a": ["x", "y", "x"], "b": [1, 2, 3]})
    further = pa.table({"other": [0, 0], "b": [3.0, 1.0], "a": ["y", "y"]})
    codes = data.encode(further)
    assert codes.tolist() == [[1, 1], [2, 0]]
    assert codes.dtype == np.uint16
    path = write(tmp_path, "b;a\n2;x\n2;q\n")
    with pytest.raises(DataError, match="line 3, column 'a': value 'q' is none of the states"):
        data.encode(path, delimiter=";")
    with pytest.raises(DataError, match="there is no column 'b'; there are 'a', 'c'"):
        data.encode({"a": ["x"], "c": ["x"]})
    with pytest.raises(DataError, match="row 1, column 'b': a value is missing"):
        data.encode({"a": ["x", "x"], "b": [1, None]})
    assert data.encode(pl.DataFrame({"a": [], "b": []})).shape == (2, 0)


def test_further_rows_with_missing_values() -> None:
    """Where missing is a state, a missing value has a code."""
    data = as_dataset({"a": ["x", None, "y"], "b": [1, 2, 1]}, missing="state")
    assert data.missing_state == "missing"
    assert data.encode({"a": ["NA", "y"], "b": [1, 1]}).tolist() == [[2, 1], [0, 0]]


def test_a_data_set_is_returned_as_it_is() -> None:
    """Options that could have no effect are refused."""
    data = as_dataset(COLUMNS)
    assert as_dataset(data) is data
    with pytest.raises(ParameterError, match="missing= has no effect"):
        as_dataset(data, missing="drop")


def test_continuous_data_can_be_made_discrete() -> None:
    """What was read as numbers can still be cut."""
    values = np.arange(100.0).reshape(50, 2)
    data = as_dataset(ContinuousDataset(("a", "b"), values), discretize="equal-width", bins=2)
    assert data.arities == (2, 2)


def test_pickle() -> None:
    """A data set survives a trip to another process."""
    data = as_dataset(COLUMNS)
    assert_same(pickle.loads(pickle.dumps(data)), data)  # noqa: S301


def test_inconsistent_data_sets_cannot_be_made() -> None:
    """Whoever makes a data set by hand is held to its rules."""
    good = as_dataset(COLUMNS)
    states, codes, weights = good.states, good.codes, good.weights
    bad: list[Callable[[], Dataset]] = [
        lambda: Dataset(good.names, states[:3], codes, weights),
        lambda: Dataset(good.names, states, codes.astype(np.int64), weights),
        lambda: Dataset(good.names, states, np.asfortranarray(codes), weights),
        lambda: Dataset(good.names, states, codes, weights[:2]),
        lambda: Dataset(good.names, states, codes, weights * 0),
        lambda: Dataset(good.names, states, codes + np.uint16(1), weights),
    ]
    for make in bad:
        with pytest.raises(ParameterError):
            make()


@pytest.mark.parametrize(
    ("name", "n_variables", "n_rows", "most_states"),
    [("wine", 14, 178, 3), ("adult", 14, 30_162, 2), ("mildew1000", 35, 1000, 79)],
)
def test_data_of_the_paper(
    data_file: Callable[[str], Path], name: str, n_variables: int, n_rows: int, most_states: int
) -> None:
    """The data sets of the paper load as they are, as categories."""
    data = as_dataset(data_file(name), header=False)
    assert (data.n_variables, data.n_rows) == (n_variables, n_rows)
    assert max(data.arities) == most_states
    assert data.notes == ()
