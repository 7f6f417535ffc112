"""Measurements: refused, cut into bins, and cut again in the same way."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crediblenet.data import Binning, as_dataset
from crediblenet.data.discretization import make_binning
from crediblenet.exceptions import DataError, ParameterError
from tables import assert_same, complaint, write

RANDOM = np.random.default_rng(7)
MEASUREMENTS = {
    "normal": RANDOM.normal(size=500),
    "wide": RANDOM.integers(0, 400, size=500),
    "class": RANDOM.integers(0, 4, size=500),
    "name": RANDOM.choice(["x", "y"], size=500),
}


def test_many_distinct_numbers_are_refused() -> None:
    """The message names the columns and the ways out."""
    message = complaint(MEASUREMENTS)
    assert "many distinct numbers in 500 rows" in message
    assert "columns 'normal' (500), 'wide' (" in message
    assert "'class'" not in message
    assert "discretize='equal-frequency'" in message
    assert "many_values='keep'" in message
    kept = as_dataset(MEASUREMENTS, many_values="keep")
    assert kept.arities[0] == 500


@pytest.mark.parametrize(
    ("values", "refused"),
    [
        ([k / 2 for k in range(20)] * 50, False),
        ([k / 2 for k in range(21)] * 50, True),
        (list(range(100)) * 10, False),
        (list(range(101)) * 9, True),
        (list(range(20)), False),
        (list(range(21)), True),
        (list(range(256)) * 50, False),
        (list(range(257)) * 50, True),
        ([f"{k:03}" for k in range(257)] * 50, False),
        ([f"s{k}" for k in range(257)] * 50, False),
    ],
)
def test_how_many_are_many(values: list[object], refused: bool) -> None:
    """More than 20 numbers; for whole ones a tenth of the rows, but no more than 256."""
    columns = {"a": values, "b": [0, 1] * (len(values) // 2) + [0] * (len(values) % 2)}
    if refused:
        assert "many distinct numbers" in complaint(columns)
    else:
        assert as_dataset(columns).arities[0] == len(set(values))


def test_declared_numbers_are_never_too_many() -> None:
    """Who declares states means them."""
    values = list(range(30))
    columns = {"a": values, "b": [0, 1] * 15}
    assert as_dataset(columns, states={"a": values}).arities[0] == 30
    frame = pd.DataFrame(columns).astype({"a": "category"})
    assert as_dataset(frame).arities[0] == 30
    assert as_dataset(frame, discretize="equal-width").arities[0] == 30


@pytest.mark.parametrize("method", ["equal-width", "equal-frequency", "kmeans"])
def test_only_measurements_are_cut(method: str) -> None:
    """Few values, and texts, stay what they are; everything is recorded and noted."""
    data = as_dataset(MEASUREMENTS, discretize=method, bins=4)
    assert data.arities == (4, 4, 4, 2)
    assert data.states[2:] == (("0", "1", "2", "3"), ("x", "y"))
    assert list(data.discretization) == ["normal", "wide"]
    assert {binning.method for binning in data.discretization.values()} == {method}
    assert len([note for note in data.notes if f"cut into 4 bins ({method}" in note]) == 2
    for name in data.discretization:
        counts = np.bincount(data.encode(MEASUREMENTS)[data.names.index(name)])
        assert counts.min() > 0
        if method == "equal-frequency":
            assert counts.max() - counts.min() <= 4


def test_equal_width() -> None:
    """Edges are evenly spaced between the extremes."""
    columns = {"a": [*np.linspace(0, 10, 41)], "b": [0, 1, *[0] * 39]}
    binning = as_dataset(columns, discretize="equal-width", bins=5).discretization["a"]
    np.testing.assert_allclose(binning.cuts, [2, 4, 6, 8])


@pytest.mark.parametrize(
    ("values", "bins", "cuts"),
    [
        ([1.0, 2.0, 3.0, 4.0], 2, (2.5,)),
        ([0.0] * 90 + [1.0, 2.0], 4, (0.5,)),
        ([0.0, 1.0] + [2.0] * 90, 4, (1.5,)),
        ([0.0] * 50 + [1.0] * 50, 5, (0.5,)),
        ([1.0, 1.0 + 2**-52], 2, (1.0 + 2**-52,)),
        ([0.0, 1.0, 2.0], 9, (0.5, 1.5)),
        ([7.0, 7.0], 3, ()),
        ([-1.7e308, 1.7e308], 2, (0.0,)),
    ],
)
def test_equal_frequency(values: list[float], bins: int, cuts: tuple[float, ...]) -> None:
    """Cuts lie between distinct values, near the quantiles, whatever the ties."""
    assert make_binning("equal-frequency", np.array(values), bins).cuts == cuts


def test_kmeans_finds_groups() -> None:
    """Three clusters are cut apart between them."""
    centres = np.repeat([0.0, 50.0, 100.0], 20)
    values = centres + np.tile(np.linspace(-1, 1, 20), 3)
    data = as_dataset({"a": values, "b": centres}, discretize="kmeans", bins=3)
    assert data.n_distinct == 3
    assert data.weights.tolist() == [20, 20, 20]


@pytest.mark.parametrize("method", ["equal-width", "equal-frequency", "kmeans"])
def test_no_bin_is_empty(method: str) -> None:
    """Ties and gaps leave fewer bins, never a state that does not occur."""
    values = np.concatenate([np.zeros(900), np.linspace(1000, 1001, 30), [5000.0]])
    columns = {"a": values, "b": np.arange(len(values)) % 2}
    data = as_dataset(columns, discretize=method, bins=20)
    assert 2 <= data.arities[0] <= 20
    assert set(data.codes[0]) == set(range(data.arities[0]))


def test_cuts_by_column(tmp_path: Path) -> None:
    """A mapping cuts just the columns it names, few values or many."""
    path = write(tmp_path, "age,class\n17,0\n18,1\n64,2\n65,3\n65.0,1\n")
    data = as_dataset(path, discretize={"age": [18, 65], "class": "equal-frequency"}, bins=2)
    assert data.states == (
        ("(-inf, 18)", "[18, 65)", "[65, inf)"),
        ("(-inf, 1.5)", "[1.5, inf)"),
    )
    assert data.encode(path).tolist() == [[0, 1, 1, 2, 2], [0, 0, 1, 1, 0]]
    given = as_dataset(path, discretize={"age": [0, 18, 65, 99]})
    assert given.arities[0] == 5
    unobserved = "column 'age': declared states '(-inf, 0)', '[99, inf)' never occur"
    assert any(note.startswith(unobserved) for note in given.notes)
    some = as_dataset(MEASUREMENTS, discretize="equal-width", bins={"normal": 3, "wide": 6})
    assert some.arities[:2] == (3, 6)


def test_text_cannot_be_cut() -> None:
    """A column that the user names must hold numbers."""
    message = complaint(MEASUREMENTS, discretize={"name": "equal-width"})
    assert "column 'name': 'x' is no number" in message or "'y' is no number" in message
    infinite = {"a": [1.0, np.inf, 2.0], "b": [1, 2, 3]}
    assert "infinite values cannot be cut" in complaint(infinite, discretize={"a": "equal-width"})


def test_discretization_can_be_repeated_elsewhere() -> None:
    """The record cuts other data in the same way, also after a trip through JSON."""
    data = as_dataset(MEASUREMENTS, discretize="equal-frequency", bins=3)
    text = json.dumps({name: b.to_dict() for name, b in data.discretization.items()})
    record = {name: Binning.from_dict(entry) for name, entry in json.loads(text).items()}
    assert record == data.discretization
    assert_same(as_dataset(MEASUREMENTS, discretize=record), data)
    other = {name: column[:50] for name, column in MEASUREMENTS.items()}
    again = as_dataset(other, discretize=record)
    assert again.states[:2] == data.states[:2]
    np.testing.assert_array_equal(
        np.unique(data.encode(other), axis=1), np.unique(again.encode(other), axis=1)
    )


def test_further_rows_are_cut_alike() -> None:
    """Values beyond the extremes fall into the outer bins; texts are refused."""
    data = as_dataset(MEASUREMENTS, discretize="equal-width", bins=3)
    row = {"normal": ["-1e9", "1e9"], "wide": [-5, 9999], "class": [0, 3], "name": ["x", "y"]}
    assert data.encode(row).tolist() == [[0, 2], [0, 2], [0, 3], [0, 1]]
    row["normal"] = ["0", "tall"]
    with pytest.raises(DataError, match="row 1, column 'normal': value 'tall' is no number"):
        data.encode(row)


def test_missing_values_and_bins() -> None:
    """Cuts come from the rows that are kept; a missing value has no bin."""
    values = np.append(np.linspace(0, 1, 100), [1e6, np.nan])
    columns = {"a": values, "b": [*["x", "y"] * 50, None, "x"]}
    assert "2 missing values in 2 of 102 rows" in complaint(columns, discretize="equal-width")
    dropped = as_dataset(columns, discretize="equal-width", bins=2, missing="drop")
    assert dropped.discretization["a"].cuts == (0.5,)
    assert dropped.n_rows == 100
    kept = as_dataset(columns, discretize="equal-width", bins=2, missing="state")
    assert kept.states[0] == ("(-inf, 500000)", "[500000, inf)", "missing")
    assert kept.n_rows == 102
    assert "no value to cut" in complaint(
        {"a": [None, None], "b": [1, 2]}, discretize={"a": "kmeans"}, missing="state"
    )


@pytest.mark.parametrize("form", ["numbers", "texts"])
def test_more_numbers_than_codes(form: str) -> None:
    """Columns with more values than codes can be cut, with missing values among them."""
    numbers = np.arange(70_000) / 8
    values = numbers if form == "numbers" else numbers.astype(str).astype(object)
    columns = {"a": [*values, None, *values], "b": [0, 1] * 70_000 + [0]}
    frame = pd.DataFrame(columns)
    advice = "cut them into bins with discretize='equal-frequency'"
    assert advice in complaint(frame, missing="state")
    assert "column 'a' 1 (row 70000)" in complaint(frame, discretize="equal-width")
    data = as_dataset(frame, discretize="equal-width", bins=7, missing="state")
    assert data.arities == (8, 2)
    assert data.weights.tolist() == [10_000] * 14 + [1]


def test_texts_among_more_numbers_than_codes() -> None:
    """One text among too many numbers is named."""
    values = [*map(str, range(70_000)), "tall"]
    message = complaint({"a": values, "b": [0, 1] * 35_000 + [0]}, discretize="equal-width")
    assert "column 'a': more than 65,535 distinct values, and 'tall' is no number" in message


def test_kmeans_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install."""
    monkeypatch.setitem(sys.modules, "sklearn.preprocessing", None)
    with pytest.raises(ParameterError, match=r"pip install 'crediblenet\[sklearn\]'"):
        as_dataset(MEASUREMENTS, discretize="kmeans")


def test_the_order_of_rows_does_not_matter() -> None:
    """Not one bit of any cut."""
    order = np.random.default_rng(1).permutation(500)
    shuffled: Mapping[str, object] = {name: c[order] for name, c in MEASUREMENTS.items()}
    for method in ("equal-width", "equal-frequency", "kmeans"):
        one = as_dataset(MEASUREMENTS, discretize=method)
        other = as_dataset(shuffled, discretize=method)
        assert one.discretization == other.discretization
        assert_same(one, other)


def test_labels_stay_distinct() -> None:
    """Cuts that six digits cannot tell apart are written in full."""
    assert Binning("given", (1.0, 1.0000001)).labels == (
        "(-inf, 1.0)",
        "[1.0, 1.0000001)",
        "[1.0000001, inf)",
    )
