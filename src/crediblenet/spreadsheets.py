"""Tables as CSV files that are safe to open in a spreadsheet program."""

from __future__ import annotations

import csv
import io
import os

import pyarrow as pa

from .atomic_file import atomic_text_file

__all__ = ["csv_text", "safe_cell", "write_csv"]

# A cell that begins with one of these is a formula to some spreadsheet programs.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def safe_cell(text: str) -> str:
    """Return text that no spreadsheet program takes for a formula.

    A text that begins with ``= + - @``, a tab, a line break or an apostrophe gets an
    apostrophe in front; taking away one leading apostrophe gives the text back.

    Examples
    --------
    >>> safe_cell("=1+1"), safe_cell("age"), safe_cell("'tis")
    ("'=1+1", 'age', "''tis")
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_text(table: pa.Table) -> str:
    r"""Return a table as CSV with a header line; texts are kept from being formulas.

    Examples
    --------
    >>> csv_text(pa.table({"from": ["=1+1"], "strength": [0.5]}))
    "from,strength\n'=1+1,0.5\n"
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(safe_cell(name) for name in table.column_names)
    columns = [
        [safe_cell(v) if isinstance(v, str) else "" if v is None else repr(v) for v in column]
        for column in table.to_pydict().values()
    ]
    writer.writerows(zip(*columns, strict=True))
    return buffer.getvalue()


def write_csv(table: pa.Table, path: str | os.PathLike[str]) -> None:
    """Write a table to a CSV file that appears as a whole or not at all.

    Texts are kept from being formulas, see `safe_cell`. ``pyarrow.csv.write_csv`` writes them
    as they are, which is right for programs and wrong for spreadsheets.

    Raises
    ------
    FormatError
        When the disk refuses.
    """
    with atomic_text_file(path) as file:
        file.write(csv_text(table))
