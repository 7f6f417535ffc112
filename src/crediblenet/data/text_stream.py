"""Bytes of a text file on their way to the CSV reader: decoded, checked, counted."""

from __future__ import annotations

import codecs
import csv
import io
import re
import tempfile
import weakref
from pathlib import Path
from typing import BinaryIO, NoReturn

import pyarrow as pa

from ..exceptions import DataError, ParameterError
from .labels import shown

__all__ = ["MAX_LINE_BYTES", "TextFile", "TextStream", "inner_suffix"]

#: A longer line is no row of at most 512 values. The CSV reader's blocks have this size.
MAX_LINE_BYTES = 1 << 20

_COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
_BLANKS = re.compile(rb"[ \t\f\v]+")
_COMMENT_OR_MARGIN = re.compile(rb"(?m)^[ \t\f\v]*#.*$|^[ \t\f\v]+|[ \t\f\v]+$")


def inner_suffix(path: Path) -> str:
    """Return a file name's ending in lower case, without that of a compression.

    Examples
    --------
    >>> inner_suffix(Path("Data.CSV.gz"))
    '.csv'
    """
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() if suffix in _COMPRESSIONS else suffix


class TextFile:
    """A text file that can be opened more than once: to read it, then to explain an error.

    What can be read only once, such as a pipe, is first copied to a temporary file.

    Parameters
    ----------
    path
        A file, compressed when its name ends so (.gz, .bz2, .zst, .lz4).
    encoding
        How its characters are written.
    delimiter
        What separates values; None for any run of blanks.
    """

    def __init__(self, path: Path, encoding: str, delimiter: str | None) -> None:
        self.where = f"file {shown(str(path), limit=200)}"
        self.delimiter = delimiter
        self._path = path
        self._spool: BinaryIO | None = None
        try:
            self.encoding = codecs.lookup(encoding).name
            "".encode(encoding)  # fails for codecs that are no text encodings
        except LookupError:
            raise ParameterError(f"there is no text encoding {shown(encoding)}") from None

    def open(self) -> TextStream:
        """Return a stream of the file's text from its beginning."""
        try:
            file = self._open_bytes()
        except OSError as error:
            reason = error.strerror or shown(str(error), limit=200)
            raise DataError(f"{self.where} cannot be read: {reason}") from error
        compression = _COMPRESSIONS.get(self._path.suffix.lower())
        if compression is not None:
            file = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), compression)
        return TextStream(file, self)

    def _open_bytes(self) -> BinaryIO:
        if self._spool is None:
            file = self._path.open("rb")
            if self._path.is_file():
                return file
            self._spool = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as this)
            weakref.finalize(self, self._spool.close)
            with file:
                while chunk := file.read(1 << 20):
                    self._spool.write(chunk)
        self._spool.seek(0)
        # Closing the copy that a reader gets must not close the temporary file.
        return open(self._spool.fileno(), "rb", closefd=False)


class TextStream(io.RawIOBase):
    """The text of a file in UTF-8, whatever its encoding.

    Anything that is no text (a zero byte, bytes that the encoding does not allow) raises
    DataError with the line number. A byte order mark is removed. In a file whose values are
    separated by blanks, each run of blanks becomes one tab, and comment lines become empty.
    """

    def __init__(self, file: BinaryIO, source: TextFile) -> None:
        self._file = file
        self._source = source
        self._decoder = codecs.getincrementaldecoder(source.encoding)()
        self._ready = b""
        self._position = 0
        self._partial_line = b""
        self._n_lines = 0
        self._n_lines_given = 0
        self._ended = False
        self._at_start = True
        # A quote that neither opens a field nor closes one. Some are doubled quotes inside a
        # quoted field, which are as they should be; the rest are for the caller to find.
        outside = re.escape(source.delimiter or "\t").encode() + rb"\r\n"
        self._odd_quote = re.compile(rb'[^%b]"[^%b"]' % (outside, outside))
        self._last_bytes = b"\n"
        #: Whether there were quotes, and whether one was odd.
        self.has_quote = False
        self.has_odd_quote = False

    def readable(self) -> bool:
        """Say that this stream can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes, or nothing at the end."""
        if size < 0:
            return b"".join(iter(lambda: self.read(1 << 20), b""))
        while self._position >= len(self._ready) and not self._ended:
            self._advance(max(size, 1 << 16))
        data = self._ready[self._position : self._position + size]
        self._position += len(data)
        return data

    def readline(self, size: int | None = -1) -> bytes:  # noqa: ARG002 (the base class has it)
        """Return the next line with its ending, or nothing at the end."""
        while (end := self._ready.find(b"\n", self._position)) < 0 and not self._ended:
            if len(self._ready) - self._position > MAX_LINE_BYTES:
                self._fail(
                    f"line {self._n_lines_given + 1} is longer than {MAX_LINE_BYTES:,} bytes"
                )
            self._advance(1 << 16)
        line = self._ready[self._position : end + 1 if end >= 0 else None]
        self._position += len(line)
        self._n_lines_given += 1
        return line

    def at_end(self) -> bool:
        """Say whether nothing but blank space is left; blank space is skipped."""
        while not self._ready[self._position :].strip() and not self._ended:
            self._position = len(self._ready)
            self._advance(1 << 16)
        return not self._ready[self._position :].strip()

    def close(self) -> None:
        """Close the file underneath."""
        if not self.closed:
            self._file.close()
        super().close()

    def _fail(self, what: str) -> NoReturn:
        raise DataError(f"{self._source.where}, {what}")

    def _advance(self, size: int) -> None:
        """Read on, and make ready what is text; raise DataError for what is not."""
        try:
            raw = self._file.read(size)
        except (OSError, EOFError) as error:
            self._fail(f"after line {self._n_lines}: cannot be read on: {shown(str(error), 200)}")
        self._ended = not raw
        try:
            text = self._decoder.decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            self._fail_undecodable(error)
        if self._at_start and text:
            text, self._at_start = text.removeprefix("\ufeff"), False
        data = text.encode("utf-8")
        if (zero := data.find(b"\0")) >= 0:
            line = self._n_lines + data.count(b"\n", 0, zero) + 1
            self._fail(
                f"line {line}: a zero byte: the file is no text, or its encoding is not"
                f" {self._source.encoding} but perhaps encoding='utf-16'"
            )
        self._n_lines += data.count(b"\n")
        if self._source.delimiter is None:
            data = self._tabbed(data)
        else:
            data = self._with_quotes_seen(data)
        self._ready = self._ready[self._position :] + data
        self._position = 0

    def _with_quotes_seen(self, data: bytes) -> bytes:
        """Look for quotes; end the last line, so that an open quote swallows a line's end."""
        if self._ended and not self._last_bytes.endswith(b"\n"):
            data += b"\n"
        if b'"' in data or b'"' in self._last_bytes:
            self.has_quote = True
            if not self.has_odd_quote:
                self.has_odd_quote = bool(self._odd_quote.search(self._last_bytes + data))
        self._last_bytes = (self._last_bytes + data)[-2:]
        return data

    def _tabbed(self, data: bytes) -> bytes:
        """Return whole lines with one tab between values, keeping the rest for later."""
        data = self._partial_line + data
        end = len(data) if self._ended else data.rfind(b"\n") + 1
        self._partial_line = data[end:]
        if len(self._partial_line) > MAX_LINE_BYTES:
            self._fail(f"line {self._n_lines + 1} is longer than {MAX_LINE_BYTES:,} bytes")
        lines = data[:end].replace(b"\r\n", b"\n")
        return _BLANKS.sub(b"\t", _COMMENT_OR_MARGIN.sub(b"", lines))

    def _fail_undecodable(self, error: UnicodeDecodeError) -> NoReturn:
        before = error.object[: error.start].decode(error.encoding, "replace")
        line = self._n_lines + before.count("\n") + 1
        fields = before.rpartition("\n")[2]
        if self._source.delimiter is None:
            column = len(f"{fields}.".split())
        else:
            column = len(next(csv.reader([f"{fields}."], delimiter=self._source.delimiter)))
        # The line may have begun in an earlier piece of the file; then its column is unknown.
        known = "\n" in before or self._n_lines == 0
        guess = "utf-16" if error.object[:2] in (b"\xff\xfe", b"\xfe\xff") else "latin-1"
        self._fail(
            f"line {line}{f', column {column}' if known else ''}: byte"
            f" 0x{error.object[error.start]:02x} is no {self._source.encoding} text; give the"
            f" file's encoding, such as encoding={guess!r}, or save the file as UTF-8"
        )
