"""What the score files have in common: lines, names, numbers, and making the table."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from urllib.parse import unquote

import numpy as np

from .._core import max_nodes
from ..exceptions import FormatError
from ..plain_words import printable
from ..reading_limits import check_limits
from ..score_table import ScoreTable

__all__ = [
    "MOST_VARIABLES",
    "UNKNOWN_PRUNING",
    "Candidates",
    "Line",
    "Lines",
    "StrPath",
    "file_name_of",
    "finest_grid_bits",
    "knows_pruning",
    "make_table",
    "non_negative",
    "score_lines",
    "variable_name_of",
]

StrPath = str | os.PathLike[str]

# The widest node set of the core. It also bounds the memory that a line can ask for.
MOST_VARIABLES = max_nodes

# Lines that are read between two looks at the limits of the run.
LINES_PER_LOOK = 1024

# Scores must tell networks apart to the tolerance of 1e-6 that decides membership.
COARSEST_GRID_BITS = 20
# Finer than this has no use.
FINEST_GRID_BITS = 40

ROWS_AT_ONCE = 10_000

#: What is noted in a result of scores that do not say for which epsilon they were pruned.
UNKNOWN_PRUNING = (
    "the score file does not say which parent sets were left out of it: the result is complete "
    "for the parent sets in it, and networks with others may be missing"
)


class Line(NamedTuple):
    """A line that is neither empty nor a comment."""

    number: int
    text: str


class Lines:
    """The lines of a file, with errors that say where.

    Iterating gives every line that is neither empty nor a comment (``#``). It may be done
    more than once.
    """

    def __init__(self, path: StrPath) -> None:
        self.path = Path(path)
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise FormatError(f"{self.path}: cannot be read: {error.strerror or error}") from error
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.fail(content.count(b"\n", 0, error.start) + 1, "is not text in UTF-8")
        self.ends_with_newline = text.endswith("\n")
        self._text = text.split("\n")

    def __iter__(self) -> Iterator[Line]:
        for number, text in enumerate(self._text, start=1):
            if number % LINES_PER_LOOK == 0:
                check_limits()
            if text and not text.isspace() and not text.lstrip().startswith("#"):
                yield Line(number, text)

    def comments(self) -> Iterator[Line]:
        """Give every comment, without its mark."""
        for number, text in enumerate(self._text, start=1):
            if text.lstrip().startswith("#"):
                yield Line(number, text.lstrip()[1:].strip())

    def fail(self, line: Line | int, problem: str) -> NoReturn:
        """Raise the error that the line has this problem."""
        number = line.number if isinstance(line, Line) else line
        raise FormatError(f"{self.path}, line {number}: {printable(problem)}")

    def fail_at_end(self, problem: str) -> NoReturn:
        """Raise the error that the file ends too early."""
        last = max(1, len(self._text) - self.ends_with_newline)
        self.fail(last, f"{problem}; the file may be truncated")


def file_name_of(variable: str) -> str:
    """Return a variable's name as one word, which both formats need.

    White space, ``%``, a leading ``#`` and the empty name are written as in web
    addresses; every other name stays as it is.

    >>> file_name_of("sepal length"), file_name_of("age")
    ('sepal%20length', 'age')
    """
    if not variable:
        return "%"
    encoded = "".join(
        "".join(f"%{byte:02X}" for byte in letter.encode())
        if letter.isspace() or letter == "%" or not letter.isprintable()
        else letter
        for letter in variable
    )
    return "%23" + encoded[1:] if encoded.startswith("#") else encoded


def variable_name_of(word: str) -> str:
    """Undo `file_name_of`.

    >>> variable_name_of("sepal%20length"), variable_name_of("%")
    ('sepal length', '')
    """
    return "" if word == "%" else unquote(word, errors="replace")


@dataclass
class Candidates:
    """The candidates of one variable, as they are read."""

    name: str
    own_bit: int
    costs: list[float] = field(default_factory=list)
    line_of: dict[int, int] = field(default_factory=dict)
    """The parent sets, as bits, in the order of the costs; and where they were read."""

    def add(
        self, lines: Lines, line: Line, score: str, parents: Sequence[str], bits: Mapping[str, int]
    ) -> None:
        """Add the candidate of one line, or raise the error that it deserves.

        A file can have millions of lines, so that everything is checked at once here, and
        looked at closely only when something is wrong.
        """
        try:
            cost = 0.0 - float(score)
            # A sum of as many bits as it has terms is their union.
            parent_set = sum(map(bits.__getitem__, parents))
        except (ValueError, KeyError):
            self._explain(lines, line, score, parents, bits)
        if (
            not math.isfinite(cost)
            or "_" in score
            or parent_set.bit_count() != len(parents)
            or parent_set & self.own_bit
            or parent_set in self.line_of
        ):
            self._explain(lines, line, score, parents, bits)
        self.costs.append(cost)
        self.line_of[parent_set] = line.number

    def _explain(
        self, lines: Lines, line: Line, score: str, parents: Sequence[str], bits: Mapping[str, int]
    ) -> NoReturn:
        """Raise the error that says what is wrong with a candidate."""
        if not is_finite_number(score):
            lines.fail(line, f"the score {score!r} is not a finite number")
        for name in parents:
            if name not in bits:
                lines.fail(line, f"the parent {name!r} is not a variable of this file")
            if parents.count(name) > 1:
                lines.fail(line, f"the parent {name!r} is named twice")
            if bits[name] == self.own_bit:
                lines.fail(line, f"{self.name!r} is its own parent")
        first = self.line_of[sum(bits[name] for name in parents)]
        lines.fail(line, f"{self.name!r} has this parent set already in line {first}")


def is_finite_number(word: str) -> bool:
    """Say whether a word is a number; Python reads 1_000 as one, other programs do not."""
    try:
        return "_" not in word and math.isfinite(float(word))
    except ValueError:
        return False


def non_negative(lines: Lines, line: Line) -> float:
    """Return the number that a line is; it may be infinite, not negative."""
    try:
        value = float(line.text)
    except ValueError:
        value = math.nan
    if not value >= 0:
        lines.fail(line, f"{line.text!r} is not a number that makes sense here")
    return value


def knows_pruning(table: ScoreTable) -> bool:
    """Tell whether the epsilon of a table says what was left out of it."""
    return UNKNOWN_PRUNING not in table.metadata.get("notes", ())


def finest_grid_bits(table: ScoreTable) -> int:
    """Return the finest grid on which the cost of every network is exact in a double.

    Decision 0002 says what the grid is for. The largest cost of each variable bounds the
    cost of a network.
    """
    largest = np.maximum.reduceat(np.abs(table.costs), table.offsets[:-1])
    bound = sum(largest.tolist())
    return 52 - math.frexp(min(bound, sys.float_info.max))[1]


def make_table(lines: Lines, variables: Sequence[Candidates], **about: Any) -> ScoreTable:
    """Make the table of what was read, sorted as a table has to be."""
    n = len(variables)
    owner = np.repeat(np.arange(n), [len(variable.costs) for variable in variables])
    costs = np.concatenate([np.array(variable.costs) for variable in variables])
    parents = np.empty((len(costs), max(1, -(-n // 64))), dtype=np.uint64)
    for w in range(parents.shape[1]):
        parents[:, w] = [
            bits >> 64 * w & 0xFFFF_FFFF_FFFF_FFFF
            for variable in variables
            for bits in variable.line_of
        ]
    # The last key of lexsort is the first to sort by: variable, cost, parent set.
    order = np.lexsort((*parents.T, costs, owner))
    table = ScoreTable(
        names=tuple(variable.name for variable in variables),
        offsets=np.searchsorted(owner, np.arange(n + 1)).astype(np.int64),
        parents=np.ascontiguousarray(parents[order]),
        costs=costs[order],
        **about,
    )
    grid_bits = finest_grid_bits(table)
    if grid_bits < COARSEST_GRID_BITS:
        raise FormatError(
            f"{lines.path}: the scores are too large: rounding would decide which networks "
            f"are credible; leave out parent sets that are not allowed"
        )
    if "grid_bits" in about:
        return table
    return replace(table, grid_bits=min(grid_bits, FINEST_GRID_BITS))


def score_lines(
    table: ScoreTable, variable: int, names: Sequence[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the score, such that it reads back as the same number, and the parents' names.

    The names are those of all variables, as `file_name_of` writes them.
    """
    end = int(table.offsets[variable + 1])
    for first in range(int(table.offsets[variable]), end, ROWS_AT_ONCE):
        rows = slice(first, min(first + ROWS_AT_ONCE, end))
        as_bytes = table.parents[rows].astype("<u8").view(np.uint8)
        is_parent = np.unpackbits(as_bytes, axis=1, bitorder="little")
        parents = [names[column] for column in np.nonzero(is_parent)[1].tolist()]
        start = 0
        for cost, size in zip(
            table.costs[rows].tolist(), is_parent.sum(axis=1).tolist(), strict=True
        ):
            yield repr(0.0 - cost), parents[start : start + size]
            start += size
