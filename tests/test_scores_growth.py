"""The benchmark of scoring: rows replace each other, powers are fitted, the picture is drawn."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from benchmarks.scoring.growth import SERIES, draw, exponents
from benchmarks.scoring.measure import Figures, Task, run
from benchmarks.scoring.results import read_rows, store_row

KEYS = ("axis", "file", "value")
POWER = {"variables": 3.0, "rows": 0.5}


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    """Return a file in which sets grow as n^3, N^0.5 and e^ε, and seconds as their squares."""
    path = tmp_path / "growth.csv"
    for series in SERIES:
        for value in series.values:
            sets = math.exp(value) if series.axis == "epsilon" else value ** POWER[series.axis]
            row = {"axis": series.axis, "file": series.file, "value": f"{value:g}"}
            store_row(path, KEYS, {**row, "joint_sets": sets, "candidates": 1, "cpu": sets**2})
    return path


def test_powers(measured: Path) -> None:
    """The fits find the powers, and along epsilon the factor per nat."""
    expected = {"variables": (3, 6), "rows": (0.5, 1), "epsilon": (math.e, math.e**2)}
    fitted = exponents(measured)
    assert set(fitted) == {(series.axis, series.file) for series in SERIES}
    for (axis, _), slopes in fitted.items():
        assert slopes == pytest.approx(expected[axis])


def test_the_picture_is_always_the_same(measured: Path, tmp_path: Path) -> None:
    """No date or version is in it."""
    draw(tmp_path / "one.png", measured)
    draw(tmp_path / "two.png", measured)
    picture = (tmp_path / "one.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert picture == (tmp_path / "two.png").read_bytes()


def test_a_row_replaces_the_older_one(tmp_path: Path) -> None:
    """Measuring again changes one row, wherever it is, and adds none."""
    path = tmp_path / "rows.csv"
    for value, cpu in (("1", 2.5), ("2", 3.5), ("1", 9.0)):
        store_row(path, KEYS, {"axis": "rows", "file": "a", "value": value, "cpu": cpu})
    assert [(row["value"], row["cpu"]) for row in read_rows(path)] == [("1", "9.0"), ("2", "3.5")]
    assert read_rows(tmp_path / "nothing.csv") == []


def test_one_measurement(tmp_path: Path) -> None:
    """A table is made in another process; its size and its work come back."""
    path = tmp_path / "data.csv"
    path.write_text("0,0,0\n0,1,1\n1,0,0\n1,1,1\n" * 30)
    figures = run(Task(str(path), "bic", epsilon=0.0, threads=1))
    assert isinstance(figures, Figures)
    assert (figures.variables, figures.rows) == (3, 120)
    assert 3 <= figures.joint_sets <= 7
    assert figures.candidates >= 3
    assert figures.peak_mb > 1
    part = run(Task(str(path), "bic", epsilon=0.0, threads=1, columns=2, rows=40))
    assert (part.variables, part.rows) == (2, 40)
    with pytest.raises(RuntimeError, match="no score"):
        run(Task(str(path), "nonsense", epsilon=0.0))
