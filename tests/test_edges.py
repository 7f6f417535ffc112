"""Numbers and names at the edge of what can be: a result or one clear error, soon."""

from __future__ import annotations

import csv
import io
import math
import pickle
import re
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crediblenet as cn
from crediblenet.exceptions import CredibleNetError, DataError, DataWarning, ParameterError
from crediblenet.run_directory import load

SOURCES = Path(cn.__file__).parent


def quiet_find(data: Any, **options: Any) -> cn.CredibleSet:
    """Search data that warnings are given for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return cn.find(data, **options)


def test_a_hundred_thousand_columns(tmp_path: Path) -> None:
    """One error that says how many variables there may be, before the rows are read."""
    path = tmp_path / "wide.csv"
    names = ",".join(f"c{k}" for k in range(100_000))
    path.write_text(f"{names}\n" + "\n".join([",".join("01" * 50_000)] * 3) + "\n")
    started = time.process_time()
    with pytest.raises(DataError, match="100,000 columns, but at most 512 variables"):
        cn.find(path)
    assert time.process_time() - started < 20


def test_ten_million_rows() -> None:
    """They are counted, not kept one by one."""
    random = np.random.default_rng(1)
    first = random.integers(0, 2, 10_000_000, dtype=np.int8)
    second = np.where(random.random(10_000_000) < 0.3, 1 - first, first)
    table = pa.table({"a": first, "b": second, "c": random.integers(0, 3, 10_000_000)})
    result = cn.find(table, bayes_factor=3)
    assert result.n_rows == 10_000_000
    assert result.complete
    assert {frozenset(edge) for edge in result.optimal.edges} == {frozenset({"a", "b"})}


def test_ten_million_rows_in_a_file(tmp_path: Path) -> None:
    """A Parquet file is read in pieces, so that its columns are never in memory as a whole."""
    random = np.random.default_rng(1)
    first = random.integers(0, 2, 1_000_000, dtype=np.int8)
    table = pa.table({"a": first, "b": 1 - first})
    with pq.ParquetWriter(tmp_path / "long.parquet", table.schema) as file:
        for _ in range(10):
            file.write_table(table)
    data = cn.as_dataset(tmp_path / "long.parquet")
    assert data.n_rows == 10_000_000
    assert data.n_distinct == 2


def test_ten_thousand_states() -> None:
    """A column of identifiers is refused by default, and scored when it is meant."""
    column = np.arange(10_000)
    data = {"id": column.astype(str), "b": column % 2, "c": column % 3}
    with pytest.raises(DataError, match="id"):
        cn.find(data)
    result = quiet_find(data, many_values="keep")
    assert result.complete


@pytest.mark.parametrize("ess", [1e-300, 1e300])
def test_equivalent_sample_sizes(ess: float, tmp_path: Path) -> None:
    """Costs are finite, the answer is given, and it can be saved, read back and reported."""
    result = cn.find(cn.example("cancer", rows=200).data, score="bdeu", ess=ess)
    assert math.isfinite(result.optimal_cost)
    assert result.complete
    again = cn.load(result.save(tmp_path / "run"))
    assert again.n_networks == result.n_networks
    assert again.report(tmp_path / "report.html").exists()


def test_no_equivalent_sample_size() -> None:
    """Zero, negative and infinite ones are refused."""
    for ess in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ParameterError, match="ess"):
            cn.find(cn.example("cancer", rows=200).data, score="bdeu", ess=ess)


def test_epsilon_zero_and_huge() -> None:
    """0 is the optimum with its ties; 1e308 is every network."""
    data = {"a": [0, 0, 1, 1] * 9, "b": [0, 1, 1, 1] * 9, "c": [0, 1] * 18}
    exact = cn.find(data, epsilon=0.0)
    assert {network.cost for network in exact} == {exact.optimal_cost}
    assert cn.find(data, epsilon=1e308).n_networks == 25  # all DAGs over three variables


def test_one_row() -> None:
    """Every column is constant: one network, without edges."""
    result = quiet_find({"a": ["x"], "b": ["y"], "c": ["z"]})
    assert result.n_networks == 1
    assert list(result.optimal.edges) == []


def test_equal_rows() -> None:
    """The same."""
    assert quiet_find({"a": ["x"] * 50, "b": ["y"] * 50}).n_networks == 1


def test_equal_columns() -> None:
    """Perfect dependence: each column tells all others, and every tree is as good."""
    column = [0, 1, 1, 0, 1] * 20
    result = quiet_find(dict.fromkeys("abc", column), bayes_factor=1.0)
    assert result.complete
    assert all(len(network.edges) == 2 for network in result)
    assert result.n_classes == 3  # a - b - c, with any of the three in the middle


def test_perfect_dependence_on_two() -> None:
    """An exclusive or has no pairwise trace, and is found."""
    first, second = np.tile([0, 0, 1, 1], 30), np.tile([0, 1, 0, 1], 30)
    result = cn.find({"a": first, "b": second, "xor": first ^ second}, bayes_factor=3)
    assert result.complete
    assert {frozenset(edge) for edge in result.optimal.edges} > {frozenset({"a", "xor"})}


HOSTILE = [
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "../../etc/passwd",
    "C:\\windows\\x",
    "<script>alert(1)</script>",
    "line\nbreak",
    "tab\tbell\x07",
    "größe \u202e\U0001f600",
    "a" * 3000,
    "-> [b] | {}",
]


def test_names_of_all_kinds(tmp_path: Path) -> None:
    """They come back as they were, name no file, and are no formula in a spreadsheet."""
    random = np.random.default_rng(2)
    data = {name: random.integers(0, 2, 60) for name in HOSTILE}
    result = cn.find(data, bayes_factor=2, max_parents=1, out=tmp_path / "run")
    result.report(tmp_path / "run" / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    for path in (tmp_path / "run").rglob("*"):
        assert re.fullmatch(r"[a-z-]+\.(json|parquet|csv|bif|dot|jkl|html)", path.name)
    assert load(tmp_path / "run").names == tuple(HOSTILE)
    text = (tmp_path / "run" / "edges.csv").read_text(encoding="utf-8")
    for row in csv.reader(io.StringIO(text)):
        for cell in row:
            number = re.fullmatch(r"-?[0-9.e+-]+|inf|nan", cell)
            assert number or not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "<script>alert(1)</script>" not in page


# Loading executes nothing ----------------------------------------------------------------


class Bomb:
    """Leaves a trace when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.trace,))


def test_no_pickle_in_the_sources() -> None:
    """No module reads pickles, marshals, or evaluates text."""
    forbidden = re.compile(
        r"\b(c?[pP]ickle|cloudpickle|marshal|shelve|joblib|dill)\b(?! |,|;|$)"
        r"|\b(import|from) +(c?[pP]ickle|cloudpickle|marshal|shelve|joblib|dill|yaml)\b"
        r"|\beval\(|\bexec\(|allow_pickle=True"
    )
    for line in ("import pickle", "from pickle import loads", "x = dill.loads(y)", "eval(text)"):
        assert forbidden.search(line)
    found = [
        f"{path.name}: {line.strip()}"
        for path in SOURCES.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if forbidden.search(line)
    ]
    assert found == []


def test_a_hostile_run_directory(tmp_path: Path) -> None:
    """Pickles in place of any file, and beside them, are not executed."""
    place = cn.find(cn.example("cancer").data).save(tmp_path / "run")
    trace = tmp_path / "executed"
    bomb = pickle.dumps(Bomb(trace))
    (place / "more.pkl").write_bytes(bomb)
    (place / "checkpoint").mkdir()
    for name in ("run", "table-1", "state"):
        (place / "checkpoint" / name).write_bytes(bomb)
    assert load(place).complete
    for path in sorted(place.glob("*.*")):
        original = path.read_bytes()
        path.write_bytes(bomb)
        try:
            load(place)
        except CredibleNetError as error:
            assert "\n" not in str(error)  # noqa: PT017 - either is right
        path.write_bytes(original)
    assert not trace.exists()
    pickle.loads(bomb)  # noqa: S301 - what would have happened
    assert trace.exists()
