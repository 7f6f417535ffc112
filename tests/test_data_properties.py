"""Any table, written in any way, in any order, gives the same data."""

from __future__ import annotations

import csv
import hashlib
import os
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crediblenet.data import Dataset, as_dataset
from crediblenet.data.distinct import RowCollapser, distinct_rows
from crediblenet.data.labels import canonical_form, parse_number
from crediblenet.data.options import DEFAULT_MISSING_TEXTS
from crediblenet.exceptions import DataError, DataWarning
from tables import assert_same

# Any text that CSV can hold. A lone carriage return is no text to Python's csv module.
ANY_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=5)
# At the beginning of a file, a byte order mark is no part of the first name.
NAMES = ANY_TEXT.filter(lambda text: bool(text.strip()) and not text.startswith("\ufeff"))
VALUES = st.one_of(
    ANY_TEXT.filter(lambda text: text.strip() not in DEFAULT_MISSING_TEXTS),
    st.sampled_from(["1", "1.0", "2", "TRUE", "true", "01", "1e3"]),
)
NUMBERS = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, width=64), st.booleans()
)


@st.composite
def tables(draw: st.DrawFn, values: st.SearchStrategy[Any] = VALUES) -> dict[str, list[Any]]:
    """Draw columns with few distinct values each."""
    names = draw(st.lists(NAMES, min_size=2, max_size=5, unique=True))
    n_rows = draw(st.integers(1, 12))
    table = {}
    for name in names:
        pool = draw(st.lists(values, min_size=1, max_size=4))
        kind = type(pool[0])
        pool = [value for value in pool if type(value) is kind]
        table[name] = draw(st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows))
    return table


@contextmanager
def quietly() -> Iterator[None]:
    """Let constant columns pass: they are no concern of these tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield


def read(source: Any, **options: Any) -> Dataset:
    """Read without warnings."""
    with quietly():
        return as_dataset(source, **options)


def read_or_refused(path: Path, **options: Any) -> Dataset | None:
    """Read a file, or None when it is refused, which takes one printable line."""
    try:
        return read(path, **options)
    except DataError as error:
        message = str(error)
    assert message.isprintable()
    return None


def decoded(data: Dataset) -> Counter[tuple[str, ...]]:
    """Return how often each row of labels occurs."""
    rows = zip(*data.codes.tolist(), strict=True)
    counts: Counter[tuple[str, ...]] = Counter()
    for row, weight in zip(rows, data.weights.tolist(), strict=True):
        counts[tuple(states[c] for states, c in zip(data.states, row, strict=True))] += weight
    return counts


@given(tables())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_texts_from_everywhere(table: dict[str, list[str]]) -> None:
    """Texts written as CSV, Parquet, frames and arrays."""
    expected = read(table)
    frame = pd.DataFrame(table)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "data.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows(
                [list(table), *zip(*table.values(), strict=True)]
            )
        assert_same(read(path), expected)
        parquet = Path(directory) / "data.parquet"
        pa.parquet.write_table(pa.table(table), parquet)
        assert_same(read(parquet), expected)
    assert_same(read(frame), expected)
    assert_same(read(pl.DataFrame(table)), expected)
    assert_same(read(frame.to_numpy(), names=list(table)), expected)


@given(tables(NUMBERS))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_numbers_from_everywhere(table: dict[str, list[float]]) -> None:
    """Numbers of any size give the same states as the texts that programs write for them."""
    expected = read(table)
    frame = pl.DataFrame(table)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "data.csv"
        pd.DataFrame(table).to_csv(path, index=False)
        assert_same(read(path), expected)
        frame.write_parquet(path.with_suffix(".parquet"))
        assert_same(read(path.with_suffix(".parquet")), expected)
    assert_same(read(frame), expected)
    assert_same(read({name: [str(v) for v in values] for name, values in table.items()}), expected)


@given(tables(), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_the_order_of_rows_and_columns(table: dict[str, list[str]], random: Any) -> None:
    """Rows may come in any order; columns carry their states along."""
    expected = read(table)
    n_rows = len(next(iter(table.values())))
    order = random.sample(range(n_rows), n_rows)
    assert_same(
        read({name: [column[k] for k in order] for name, column in table.items()}), expected
    )
    names = random.sample(list(table), len(table))
    permuted = read({name: table[name] for name in names})
    places = [permuted.names.index(name) for name in expected.names]
    assert tuple(permuted.states[k] for k in places) == expected.states
    rows = Counter({tuple(row[k] for k in places): n for row, n in decoded(permuted).items()})
    assert rows == decoded(expected)


@given(tables())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_rows_survive(table: dict[str, list[str]]) -> None:
    """Labels, codes and weights together hold every row; encoding finds them again."""
    data = read(table)
    assert data.n_rows == len(next(iter(table.values())))
    codes = data.encode(table)
    again, weights = distinct_rows(codes)
    np.testing.assert_array_equal(again, data.codes)
    np.testing.assert_array_equal(weights, data.weights)
    for states, column, row in zip(data.states, table.values(), codes, strict=True):
        for value, code in zip(column, row.tolist(), strict=True):
            assert states[code] in (value, canonical_form(value))


@given(st.binary(max_size=200), st.sampled_from(["data.csv", "data.dat", "data.parquet"]))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_bytes_are_read_or_refused(content: bytes, name: str) -> None:
    """No input leads to anything but a data set or one printable line."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / name
        path.write_bytes(content)
        read_or_refused(path)


@given(st.text(alphabet='ab1,;"\n\r \t#', max_size=60), st.booleans())
@settings(max_examples=500, deadline=None, derandomize=True)
def test_any_csv_is_read_or_refused(text: str, header: bool) -> None:
    """Quotes and ends of lines in any order; what is read is what a strict reader reads."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "data.csv"
        path.write_bytes(text.encode())
        data = read_or_refused(path, header=header, missing="state")
        if data is None:
            return
        with path.open(encoding="utf-8", newline="") as file:
            records = [record for record in csv.reader(file, strict=True) if record]
    columns = zip(*records[header:], strict=True)
    assert_same(read(dict(zip(data.names, columns, strict=True)), missing="state"), data)


@given(st.text(max_size=30))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_labels_of_numbers(text: str) -> None:
    """A canonical label is a fixed point, and denotes the same number."""
    label = canonical_form(text)
    assert canonical_form(label) == label
    assert parse_number(text) == parse_number(label)


@given(st.data())
@settings(max_examples=50, deadline=None, derandomize=True)
def test_collapsing_in_pieces(data: st.DataObject) -> None:
    """Rows that come in pieces collapse to what they would at once, for any width of codes."""
    widths = data.draw(st.lists(st.sampled_from([1, 2, 300, 65_536]), min_size=1, max_size=12))
    seed = data.draw(st.integers(0, 1000))
    random = np.random.default_rng(seed)
    pieces = [
        np.stack([random.integers(0, width, n).astype(np.uint16) for width in widths])
        for n in random.integers(0, 50, 4)
    ]
    collapser = RowCollapser(len(widths))
    for piece in pieces:
        collapser.add(piece)
    codes, weights = collapser.result()
    expected, counts = np.unique(np.concatenate(pieces, axis=1), axis=1, return_counts=True)
    np.testing.assert_array_equal(codes, expected)
    np.testing.assert_array_equal(weights, counts)


PRINT_DIGEST = """
import hashlib, sys
from crediblenet.data import as_dataset
data = as_dataset(sys.argv[1], missing="state")
digest = hashlib.sha256(repr((data.names, data.states, data.notes)).encode())
digest.update(data.codes.tobytes())
digest.update(data.weights.tobytes())
print(digest.hexdigest())
"""


@pytest.mark.parametrize("seed", ["0", "1", "4711"])
def test_hash_seeds(tmp_path: Path, seed: str) -> None:
    """Python's random hashing of texts changes nothing."""
    random = np.random.default_rng(0)
    labels = np.array(["a", "A", "b ", "b", "", "NA", "c", "10", "9"])
    path = tmp_path / "data.csv"
    np.savetxt(path, random.choice(labels, (200, 6)), "%s", ",", header="p,q,r,s,t,u", comments="")
    data = as_dataset(path, missing="state")
    digest = hashlib.sha256(repr((data.names, data.states, data.notes)).encode())
    digest.update(data.codes.tobytes())
    digest.update(data.weights.tobytes())
    result = subprocess.run(
        [sys.executable, "-c", PRINT_DIGEST, str(path)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == digest.hexdigest()
