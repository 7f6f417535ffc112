"""Tables that are opened in a spreadsheet program: texts stay texts."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import crediblenet as cn
from crediblenet.exceptions import FormatError
from crediblenet.spreadsheets import safe_cell, write_csv


@pytest.mark.parametrize("text", ["", "x", "'x", "=x", "-1", "\tx", "x=1"])
def test_safe_cells_can_be_read_back(text: str) -> None:
    """One leading apostrophe taken away gives the text."""
    assert safe_cell(text).removeprefix("'") == text or safe_cell(text) == text
    assert not safe_cell(text).startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


def test_arc_strengths_of_hostile_names(tmp_path: Path) -> None:
    """Names are no formulas; numbers are numbers, negative ones too."""
    random = np.random.default_rng(2)
    names = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "plain", 'q"uo,te']
    result = cn.find({name: random.integers(0, 2, 60) for name in names}, bayes_factor=20)
    write_csv(result.strength_table(), tmp_path / "strength.csv")
    with (tmp_path / "strength.csv").open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert head == ["from", "to", "strength", "direction"]
    assert rows
    for source, target, strength, direction in rows:
        assert not source.startswith(("=", "+", "-", "@"))
        assert not target.startswith(("=", "+", "-", "@"))
        assert {source.removeprefix("'"), target.removeprefix("'")} <= set(names)
        assert 0 <= float(strength) <= 1
        assert 0 <= float(direction) <= 1
    write_csv(pa.table({"=head": [-1.5, None], "n": [1, 2]}), tmp_path / "numbers.csv")
    assert (tmp_path / "numbers.csv").read_text() == "'=head,n\n-1.5,1\n,2\n"


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    """One clear error."""
    with pytest.raises(FormatError, match="cannot be written: No such file or directory"):
        write_csv(pa.table({"a": [1]}), tmp_path / "nowhere" / "a.csv")
