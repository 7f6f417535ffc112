"""Files: what is malformed is refused with the file, the line and the column."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from crediblenet.data import arrow_threads, as_dataset
from crediblenet.exceptions import DataWarning, ParameterError
from tables import assert_same, complaint, write

LATIN = "a,b\nx,y\nz,\u00e9\n".encode("latin-1")


def test_no_header(tmp_path: Path) -> None:
    """Without a header the names are V0, V1, ..., or those the user gives."""
    path = write(tmp_path, "a,0\nb,1\n")
    data = as_dataset(path, header=False)
    assert data.names == ("V0", "V1")
    assert data.n_rows == 2
    assert as_dataset(path, header=False, names=["x", "y"]).names == ("x", "y")
    assert as_dataset(write(tmp_path, "a,0\nb,1\nc,0\n"), names=["x", "y"]).n_rows == 2
    assert "3 names for 2 columns" in complaint(path, names=["x", "y", "z"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,b", "there are no rows"),
        ("a,b\n\n \n", "there are no rows"),
        ("a\n1\n", "line 1: there is only one column"),
        ("\na;b\n1;2\n", "line 2: there is only one column; if ';' separates the values"),
        ("a,b,a\n1,2,3\n", "line 1: columns 1 and 3 have the same name 'a'"),
        ("0,0\n0,1\n", "if there is no header line, say header=False"),
        ("a,,c\n1,2,3\n", "line 1: column 2 has an empty name"),
        ("a,b,c\n1,2,3\n1,2\n", "line 3: 2 values where 3 are expected: no value for column 'c'"),
        ('a,b\n1,"x\ny"\n\n1,2,3\n', "line 5: 3 values where 2 are expected: nothing may follow"),
        ("a,b\n1\n", "line 2: 1 value where 2 are expected"),
        (LATIN, "line 3, column 2: byte 0xe9 is no utf-8 text"),
        ("a,b\n1,2\n".encode("utf-16"), "such as encoding='utf-16'"),
        ("a,b\n1,2\n".encode("utf-16-le"), "line 1: a zero byte"),
        (b"a,b\n1,2\n3,\x00\n", "line 3: a zero byte"),
        ('a,b\n1,2\n1,"2\n3,4\n', "line 3: a quote opens in this row and is never closed"),
        ('a,b\n1,"2\n3,"4\n5,6\n', "line 2: text follows the closing quote of a field (line 3)"),
        ('a,b\n1,"2" x\n', "line 2: text follows the closing quote"),
        ("a,b\r1,2\r", "a carriage return without a line feed"),
        ("a,b\n1," + "x" * 20_000 + "\n", "line 2, column 'b': a value is longer than 10,000"),
        ("a,b\n1," + "x" * 9_000_000 + "\n", "line 2 is longer than 1,048,576 bytes"),
        ('a,b\n1,"' + "x\n" * 4_000_000 + '"\n', "line 2: a field is longer than"),
        ("x" * 9_000_000, "line 1 is longer than"),
        (",".join(f"c{k}" for k in range(100_000)), "line 1: 100,000 columns, but at most 512"),
        ('"a\n\x07",b\n1,\n', r"column 'b' 1 (line 3)"),
        ('"a\n\x07",b\n,1\n', r"column 'a\n\x07' 1 (line 3)"),
    ],
)
def test_malformed_csv(tmp_path: Path, content: str | bytes, words: str) -> None:
    """One clear message, on one line."""
    message = complaint(write(tmp_path, content))
    assert words in message
    assert "data.csv'" in message


def test_the_line_is_right_far_into_a_file(tmp_path: Path) -> None:
    """Beyond the first block of the reader, lines are still counted exactly."""
    rows = f'x,"{"y" * 50}\nz"\n' * 30_000
    assert "line 60002: 1 value" in complaint(write(tmp_path, f"a,b\n{rows}q\n"))
    latin = f"a,b\n{rows}".encode() + LATIN
    assert "line 60004, column 2: byte 0xe9" in complaint(write(tmp_path, latin))


def test_odd_but_legal_csv(tmp_path: Path) -> None:
    """What spreadsheets write is read."""
    expected = as_dataset({"a": ['5" pipe', "x,y"], "b": ["p\r\nq", 'say "hi"']})
    text = 'a,b\r\n5" pipe,"p\r\nq"\r\n\r\n"x,y","say ""hi"""\r\n'
    assert_same(as_dataset(write(tmp_path, text)), expected)
    assert_same(as_dataset(write(tmp_path, b"\xef\xbb\xbf" + text.encode())), expected)
    assert_same(as_dataset(write(tmp_path, text.encode("utf-16")), encoding="utf-16"), expected)
    assert as_dataset(write(tmp_path, LATIN), encoding="latin-1").states[1] == ("y", "\u00e9")
    semicolons = write(tmp_path, "a;b\n1,5;x\n2,5;y\n")
    assert as_dataset(semicolons, delimiter=";").states[0] == ("1,5", "2,5")


def test_header_of_numbers_warns(tmp_path: Path) -> None:
    """It may be a row of data."""
    path = write(tmp_path, "0,1\n1,0\n0,1\n")
    with pytest.warns(DataWarning, match="the header line holds only numbers"):
        data = as_dataset(path)
    assert data.names == ("0", "1")
    assert as_dataset(path, header=False).n_rows == 3


def test_a_pipe_can_be_read(tmp_path: Path) -> None:
    """A source that can be read only once is enough, also to explain an error."""
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def feed(text: str) -> threading.Thread:
        thread = threading.Thread(target=path.write_text, args=(text,))
        thread.start()
        return thread

    writer = feed("a,b\n1,x\n2,y\n")
    assert as_dataset(path).n_rows == 2
    writer.join()
    writer = feed("a,b\n1,x\n2\n")
    assert "line 3: 1 value" in complaint(path)
    writer.join()


def test_a_row_of_many_lines_may_be_too_long(tmp_path: Path) -> None:
    """Each line is short, but the row does not fit the reader's block."""
    row = ",".join('"' + "x\n" * 60_000 + '"' for _ in range(10))
    message = complaint(write(tmp_path, f"{','.join('abcdefghij')}\n{row}\n{row}\n"))
    assert "line 2: the row is longer than 1,048,576 characters" in message


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none.csv", "cannot be read: No such file or directory"),
        ("none.parquet", "cannot be read: No such file or directory"),
        ("none.dat", "cannot be read: No such file or directory"),
        (".", "is a directory"),
    ],
)
def test_no_such_file(tmp_path: Path, name: str, words: str) -> None:
    """The system's reason is given."""
    assert words in complaint(tmp_path / name)
    assert words in complaint(str(tmp_path / name))


def test_damaged_archives(tmp_path: Path) -> None:
    """Files that are not what their names say."""
    assert "cannot be read" in complaint(write(tmp_path, "a,b\n1,2\n", "data.csv.gz"))
    assert "cannot be read as Parquet" in complaint(write(tmp_path, "a,b\n", "data.parquet"))
    whole = tmp_path / "whole.parquet"
    random = np.random.default_rng(0)
    pl.DataFrame(random.integers(0, 200, (20_000, 2))).write_parquet(whole)
    assert as_dataset(whole).n_rows == 20_000
    damaged = bytearray(whole.read_bytes())
    damaged[100:10_000] = b"\xff" * 9_900
    assert "as Parquet" in complaint(write(tmp_path, bytes(damaged), "damaged.parquet"))


def test_parquet_keeps_declared_states(tmp_path: Path) -> None:
    """Category types survive in Parquet; a mere dictionary is no declaration."""
    path = tmp_path / "data.parquet"
    declared = pd.Categorical(["x", "y"] * 5, categories=["z", "y", "x"])
    pd.DataFrame({"a": declared, "b": [0, 1] * 5}).to_parquet(path, row_group_size=3)
    assert as_dataset(path).states[0] == ("z", "y", "x")
    enum = pl.Series(["x", "y"], dtype=pl.Enum(["z", "y", "x"]))
    pl.DataFrame({"a": enum, "b": [0, 1]}).write_parquet(path)
    assert as_dataset(path).states[0] == ("z", "y", "x")
    mere = pa.DictionaryArray.from_arrays([2, 1], ["z", "y", "x"])
    pa.parquet.write_table(pa.table({"a": mere, "b": [0, 1]}), path)
    assert as_dataset(path).states[0] == ("x", "y")


def test_parquet_pieces_that_declare_different_states(tmp_path: Path) -> None:
    """Pieces with dictionaries of their own declare nothing."""
    path = tmp_path / "data.parquet"
    schema = pa.schema([("a", pa.dictionary(pa.int32(), pa.string(), ordered=True)), ("b", "int8")])
    with pa.parquet.ParquetWriter(path, schema) as writer:
        for states in (["z", "x"], ["y", "x"]):
            column = pa.DictionaryArray.from_arrays([0, 1], states, ordered=True)
            writer.write_table(pa.table([column.cast(schema[0].type), [0, 1]], schema=schema))
    data = as_dataset(path)
    assert data.states[0] == ("x", "y", "z")
    assert data.n_rows == 4


def test_dat(tmp_path: Path) -> None:
    """GOBNILP's format: names, arities, values; the arities count."""
    text = "# a comment\n A\tB  C\n2 3 2\n\n0 1 x\r\n1   0\ty \n"
    data = as_dataset(write(tmp_path, text, "data.dat"))
    assert data.names == ("A", "B", "C")
    assert data.states == (("0", "1"), ("0", "1", "2"), ("x", "y"))
    assert data.codes.tolist() == [[0, 1], [1, 0], [0, 1]]
    assert data.notes == ("column 'B': declared state '2' never occurs, but counts in the score",)
    assert_same(as_dataset(write(tmp_path, text, "data.txt"), format="dat"), data)
    labels = as_dataset(write(tmp_path, "A B\n3 4\nno 1\nyes 4\n", "data.dat")).states
    assert labels == (("no", "yes", "unobserved 1"), ("1", "4", "unobserved 1", "unobserved 2"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A B\n", "a line of names and a line of arities are needed"),
        ("A B\n2 2\n", "there are no rows"),
        ("A B\n2\n0 1\n", "line 2: 1 arities for 2 variables"),
        ("A B\n2 x\n0 1\n", "line 2, column 'B': the arity 'x' is no number"),
        ("A B\n2 0\n0 1\n", "line 2, column 'B': the arity '0' is no number"),
        ("A B\n2 70000\n0 1\n", "the arity '70000' is no number from 1 to 65535"),
        ("A A\n2 2\n0 1\n", "line 1: columns 1 and 2 have the same name 'A'"),
        ("A B\n2 2\n0 1\n1\n", "line 4: 1 value where 2 are expected: no value for column 'B'"),
        ("A B\n2 2\n0 1\n1 0\n2 0\n", "column 'A': 3 values occur ('0', '1', '2'), but"),
        (b"A B\n2 2\n0 \xff\n", "line 3, column 2: byte 0xff"),
        ("A B\n2 2\n0 " + "x" * 5_000_000, "longer than 1,048,576 bytes"),
    ],
)
def test_malformed_dat(tmp_path: Path, text: str | bytes, words: str) -> None:
    """As for CSV: the line and the column."""
    assert words in complaint(write(tmp_path, text, "data.dat"))


@pytest.mark.parametrize(
    "options",
    [
        {"format": "xls"},
        {"delimiter": ",,"},
        {"delimiter": '"'},
        {"encoding": "klingon"},
        {"encoding": "base64"},
        {"missing": "guess"},
        {"many_values": "guess"},
        {"discretize": "magic"},
        {"discretize": {"a": "magic"}},
        {"discretize": {"q": "kmeans"}},
        {"discretize": {"a": [3, 1]}},
        {"discretize": {"a": ["x"]}},
        {"discretize": "kmeans", "bins": 1},
        {"discretize": "kmeans", "bins": 2.5},
        {"discretize": "kmeans", "bins": {"q": 3}},
        {"bins": 3},
        {"states": {"q": ["x"]}},
        {"states": {"a": "xy"}},
        {"states": {"a": []}},
        {"states": {"a": ["x", "x"]}},
        {"states": {"a": [1, "1.0"]}},
    ],
)
def test_nonsensical_options(tmp_path: Path, options: dict[str, object]) -> None:
    """An option that makes no sense is an error of the user's, not of the data."""
    path = write(tmp_path, "a,b\n1,2\n2,1\n")
    with pytest.raises(ParameterError):
        as_dataset(path, **options)  # type: ignore[arg-type]


def test_options_that_do_not_fit_the_source(tmp_path: Path) -> None:
    """Nothing is ignored in silence."""
    frame = pd.DataFrame({"a": [1, 2], "b": [1, 2]})
    for options in ({"format": "csv"}, {"delimiter": ","}, {"names": ["x", "y"]}):
        complaint(frame, **options)
    path = tmp_path / "data.parquet"
    frame.to_parquet(path)
    for options in ({"delimiter": ","}, {"names": ["x", "y"]}):
        complaint(path, **options)


def test_a_process_that_ends_right_after_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It puts off its end until Arrow's threads are at rest, and only then."""
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    as_dataset(write(tmp_path, "a,b\n0,1\n1,0\n"))
    arrow_threads._come_to_rest()
    complaint(write(tmp_path, "a,b\n0,1\n1\n"))
    arrow_threads._come_to_rest()
    assert pauses == [arrow_threads.PAUSE] * 2
    later = time.monotonic() + arrow_threads.REST
    monkeypatch.setattr(time, "monotonic", lambda: later)
    arrow_threads._come_to_rest()
    assert len(pauses) == 2


def test_the_index_of_pandas_is_no_variable(tmp_path: Path) -> None:
    """Neither one with labels nor what is left of a count, with or without a name."""
    frame = pd.DataFrame({"a": [0, 1, 0, 1], "b": ["x", "x", "y", "y"]})
    labelled = frame.set_axis(["s0", "s1", "s2", "s3"])
    for number, table in enumerate([frame, labelled, labelled.rename_axis("who"), frame[1:]]):
        path = tmp_path / f"{number}.parquet"
        table.to_parquet(path)
        assert as_dataset(path).names == ("a", "b")
        assert as_dataset(path).n_rows == len(table)
