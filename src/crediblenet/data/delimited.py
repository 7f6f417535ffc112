"""CSV and GOBNILP's .dat: batches of columns for the encoder, exact lines for messages.

Arrow's streaming reader does the work, block by block. It does not say in which line an
error is, and it accepts a quote that is never closed. So whenever it fails, or a quote looks
odd, the file is read once more with Python's strict but slow reader, which knows the lines.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from ..exceptions import DataError
from .arrow_threads import reading_ended
from .dataset import check_names
from .encoding import MAX_STATES
from .labels import parse_number, shown
from .text_stream import MAX_LINE_BYTES, TextFile, TextStream, inner_suffix

__all__ = ["CsvSource", "DatSource"]


@dataclass(frozen=True)
class _Record:
    """One record of the file: the lines it spans and its fields."""

    first_line: int
    last_line: int
    fields: list[str]


class _DelimitedSource:
    """What CSV and .dat have in common; the subclasses read the header."""

    names: tuple[str, ...]
    categorical: tuple[bool, ...]
    arities: tuple[int, ...] | None = None
    notes: tuple[str, ...] = ()

    def __init__(self, file: TextFile) -> None:
        self._file = file
        self._delimiter = file.delimiter or "\t"
        self._has_quotes = file.delimiter is not None
        self._n_header_records = 0
        self._n_header_lines = 0
        self.where = file.where

    def places(self, rows: Sequence[int]) -> list[str]:
        """Return where rows of data are, counting from 0, as the lines where they begin."""
        wanted = set(rows)
        lines: dict[int, int] = {}
        for row, record in enumerate(self._records(), start=-self._n_header_records):
            if row in wanted:
                lines[row] = record.first_line
                if len(lines) == len(wanted):
                    break
        return [f"line {lines[row]}" for row in rows]

    def batches(self) -> Iterator[list[pa.Array]]:
        """Yield the columns, block by block, as dictionary-coded text."""
        with self._file.open() as stream:
            for _ in range(self._n_header_lines):
                stream.readline()
            if stream.at_end():
                return
            try:
                yield from self._blocks(stream)
            except pa.ArrowException as error:
                self._check_records()
                raise DataError(f"{self.where}: {shown(str(error), limit=300)}") from error
            finally:
                reading_ended()
            if stream.has_odd_quote:
                self._check_records()

    def _blocks(self, stream: TextStream) -> Iterator[list[pa.Array]]:
        columns = [str(k) for k in range(len(self.names))]
        coded_text = pa.dictionary(pa.int32(), pa.string())
        reader = pyarrow.csv.open_csv(
            stream,
            pyarrow.csv.ReadOptions(column_names=columns, block_size=MAX_LINE_BYTES),
            pyarrow.csv.ParseOptions(
                delimiter=self._delimiter,
                quote_char='"' if self._has_quotes else False,
                newlines_in_values=self._has_quotes,
            ),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(columns, coded_text),
                strings_can_be_null=False,
                check_utf8=False,
            ),
        )
        seen_line_break = False
        for batch in reader:
            if stream.has_quote and not seen_line_break and any(map(_has_line_break, batch)):
                # Either a value of several lines, or a quote that is not closed.
                seen_line_break = True
                self._check_records()
            yield batch.columns

    def _records(self) -> Iterator[_Record]:
        """Yield every record that is not blank, with its lines; slow but exact."""
        with self._file.open() as stream:
            lines = (line.decode() for line in iter(stream.readline, b""))
            reader = csv.reader(
                lines,
                delimiter=self._delimiter,
                quoting=csv.QUOTE_MINIMAL if self._has_quotes else csv.QUOTE_NONE,
                strict=True,
            )
            while True:
                first_line = reader.line_num + 1
                try:
                    fields = next(reader)
                except StopIteration:
                    return
                except csv.Error as error:
                    self._fail_record(first_line, reader.line_num, error)
                if sum(map(len, fields)) > MAX_LINE_BYTES:
                    raise DataError(
                        f"{self.where}, line {first_line}: the row is longer than"
                        f" {MAX_LINE_BYTES:,} characters"
                    )
                if fields:
                    yield _Record(first_line, reader.line_num, fields)

    def _fail_record(self, first_line: int, last_line: int, error: csv.Error) -> NoReturn:
        where = f"{self.where}, line {first_line}"
        what = str(error)
        if "unexpected end" in what:
            raise DataError(f"{where}: a quote opens in this row and is never closed")
        if "expected after" in what:
            to_line = "" if last_line == first_line else f" (line {last_line})"
            raise DataError(
                f"{where}: text follows the closing quote of a field{to_line}; a quote inside a"
                " quoted field is written twice"
            )
        if "field larger" in what:
            raise DataError(
                f"{where}: a field is longer than {csv.field_size_limit():,} characters,"
                " or a quote is never closed"
            )
        if "new-line character" in what:
            raise DataError(
                f"{where}: a carriage return without a line feed; save the file with the usual"
                " ends of lines"
            )
        raise DataError(f"{where}: {shown(what, limit=200)}")

    def _check_records(self) -> None:
        """Raise DataError for the first record that is malformed or of another length."""
        for record in self._records():
            if len(record.fields) != len(self.names):
                found, expected = len(record.fields), len(self.names)
                at = (
                    f"no value for column {shown(self.names[found])}"
                    if found < expected
                    else f"nothing may follow column {shown(self.names[-1])}"
                )
                values = "1 value" if found == 1 else f"{found:,} values"
                raise DataError(
                    f"{self.where}, line {record.first_line}: {values} where {expected:,} are"
                    f" expected: {at}"
                )


def _has_line_break(column: pa.Array) -> bool:
    return bool(pc.any(pc.match_substring_regex(column.dictionary, "[\r\n]")).as_py())


class CsvSource(_DelimitedSource):
    """A CSV file, with a header line or without."""

    def __init__(
        self,
        path: Path,
        *,
        header: bool,
        names: Sequence[str] | None,
        delimiter: str | None,
        encoding: str,
    ) -> None:
        tabbed = inner_suffix(path) in (".tsv", ".tab")
        super().__init__(TextFile(path, encoding, delimiter or ("\t" if tabbed else ",")))
        first = next(self._records(), None)
        if first is None:
            raise DataError(f"{self.where} is empty")
        if header:
            self._n_header_records, self._n_header_lines = 1, first.last_line
        where = self.where
        if names is not None:
            self.names = tuple(map(str, names))
            if len(self.names) != len(first.fields):
                raise DataError(
                    f"{where}: {len(self.names):,} names for {len(first.fields):,} columns"
                )
        elif header:
            where = f"{where}, line {first.first_line}"
            self.names = tuple(first.fields)
            if all(parse_number(name) is not None for name in self.names):
                self.notes = (
                    "the header line holds only numbers; if it is a row of data, say header=False",
                )
        else:
            self.names = tuple(f"V{k}" for k in range(len(first.fields)))
        self._check_delimiter(first)
        self.categorical = (False,) * len(self.names)
        try:
            check_names(self.names, where)
        except DataError as error:
            hint = "; if there is no header line, say header=False" if self.notes else ""
            raise DataError(f"{error}{hint}") from None

    def _check_delimiter(self, first: _Record) -> None:
        for other in ";\t|":
            if len(first.fields) == 1 and other in first.fields[0]:
                raise DataError(
                    f"{self.where}, line {first.first_line}: there is only one column; if"
                    f" {other!r} separates the values, say delimiter={other!r}"
                )


class DatSource(_DelimitedSource):
    """GOBNILP's format: a line of names, a line of arities, then values, all between blanks."""

    def __init__(self, path: Path, *, names: Sequence[str] | None, encoding: str) -> None:
        super().__init__(TextFile(path, encoding, delimiter=None))
        records = self._records()
        head = [record for _, record in zip(range(2), records, strict=False)]
        if len(head) < 2:
            raise DataError(f"{self.where}: a line of names and a line of arities are needed")
        self.names = tuple(head[0].fields if names is None else map(str, names))
        check_names(self.names, f"{self.where}, line {head[0].first_line}")
        self._n_header_records, self._n_header_lines = 2, head[1].last_line
        where = f"{self.where}, line {head[1].first_line}"
        if len(head[1].fields) != len(self.names):
            raise DataError(
                f"{where}: {len(head[1].fields):,} arities for {len(self.names):,} variables"
            )
        for name, text in zip(self.names, head[1].fields, strict=True):
            if not (re.fullmatch("[1-9][0-9]{0,4}", text) and int(text) <= MAX_STATES):
                raise DataError(
                    f"{where}, column {shown(name)}: the arity {shown(text)} is no number from"
                    f" 1 to {MAX_STATES}"
                )
        self.categorical = (False,) * len(self.names)
        self.arities = tuple(map(int, head[1].fields))
