"""Jaakkola score files (.jkl).

The first line is the number of variables. Each variable then has a line with its name and
the number of its candidate parent sets, and one line per candidate: the score, the number
of parents, the parents' names::

    2
    rain 1
    -4.25 0
    wet 2
    -1.5 1 rain
    -3.0 0

A file of this package ends with a comment that says for which epsilon the parent sets were
pruned: after the last candidate, where programs that count what they read have stopped.

Most programs name the variables 0, 1, 2, ...; then these are the column numbers, in
whatever order the file lists them. Other names are numbered as they come. The format is
that of Jaakkola, Sontag, Globerson & Meila (AISTATS 2010).
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from ..atomic_file import atomic_text_file
from ..score_table import ScoreTable
from .score_file import (
    MOST_VARIABLES,
    UNKNOWN_PRUNING,
    Candidates,
    Line,
    Lines,
    StrPath,
    file_name_of,
    knows_pruning,
    make_table,
    non_negative,
    score_lines,
    variable_name_of,
)

__all__ = ["read_jkl", "write_jkl"]

#: What the comment begins with that says what was pruned.
PRUNED_FOR = "crediblenet_epsilon="


def read_jkl(path: StrPath) -> ScoreTable:
    """Read a Jaakkola score file.

    Nothing in the file says how the scores were made, so that the table makes no promise
    about equivalent networks; nor about what was pruned, unless this package wrote it.

    Raises
    ------
    FormatError
        If the file is not what it should be; the message names the line.
    """
    lines = Lines(path)
    names = variable_names(lines)
    bits = {name: 1 << index for index, name in enumerate(names)}
    variables = {name: Candidates(variable_name_of(name), bit) for name, bit in bits.items()}

    reader = iter(lines)
    next(reader)
    for header in reader:
        name, candidates = variable_header(lines, header)
        for line in islice(reader, candidates):
            score, *rest = line.text.split()
            if not rest or rest[0] != str(len(rest) - 1):
                lines.fail(line, "expected a score, the number of parents, and that many parents")
            variables[name].add(lines, line, score, rest[1:], bits)
    return make_table(lines, list(variables.values()), **pruning(lines))


def pruning(lines: Lines) -> dict[str, Any]:
    """Return what the file says about the parent sets that were left out."""
    for comment in lines.comments():
        if comment.text.startswith(PRUNED_FOR):
            epsilon = Line(comment.number, comment.text.removeprefix(PRUNED_FOR))
            return {"epsilon": non_negative(lines, epsilon)}
    return {"metadata": {"notes": [UNKNOWN_PRUNING]}}


def variable_names(lines: Lines) -> list[str]:
    """Read the lines that name variables, step over the others, and return the names."""
    reader = iter(lines)
    first = next(reader, None)
    if first is None:
        lines.fail_at_end("the file is empty")
    n = number_of_variables(lines, first)
    line_of: dict[str, int] = {}
    decoded: set[str] = set()
    for header in reader:
        if len(line_of) == n:
            lines.fail(header, f"more follows after the last of {n} variables")
        name, candidates = variable_header(lines, header)
        if name in line_of:
            lines.fail(header, f"the variable {name!r} is already in line {line_of[name]}")
        if variable_name_of(name) in decoded:
            lines.fail(header, f"two variables are called {variable_name_of(name)!r}")
        line_of[name] = header.number
        decoded.add(variable_name_of(name))
        found = sum(1 for _ in islice(reader, candidates))
        if found < candidates:
            lines.fail_at_end(f"{name!r} should have {candidates} parent sets, but has {found}")
    if len(line_of) < n:
        lines.fail_at_end(f"the file should have {n} variables, but has {len(line_of)}")
    numbers = [str(index) for index in range(n)]
    return numbers if line_of.keys() == set(numbers) else list(line_of)


def number_of_variables(lines: Lines, line: Line) -> int:
    """Return the number in the first line."""
    n = whole_number(line.text.strip())
    if n is None or n < 1:
        lines.fail(line, "a .jkl file begins with a line that holds the number of variables")
    if n > MOST_VARIABLES:
        lines.fail(line, f"{n} variables are too many: at most {MOST_VARIABLES} are possible")
    return n


def variable_header(lines: Lines, line: Line) -> tuple[str, int]:
    """Return the name of a variable and the number of its candidates."""
    words = line.text.split()
    candidates = whole_number(words[1]) if len(words) == 2 else None
    if candidates is None:
        lines.fail(line, "expected a variable's name and the number of its parent sets")
    if candidates < 1:
        lines.fail(line, f"the variable {words[0]!r} has no parent sets")
    return words[0], candidates


def whole_number(word: str) -> int | None:
    """Return the number that a word of at most 18 digits is, or None."""
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 18 else None


def write_jkl(table: ScoreTable, path: StrPath) -> None:
    """Write a Jaakkola score file; every score reads back as the same number.

    A variable's name is written as it is, with white space as in web addresses
    (``sepal%20length``).
    """
    with atomic_text_file(path) as file:
        file.write(f"{table.n_variables}\n")
        names = [file_name_of(name) for name in table.names]
        for variable, name in enumerate(names):
            candidates = int(table.offsets[variable + 1] - table.offsets[variable])
            file.write(f"{name} {candidates}\n")
            file.writelines(
                " ".join([score, str(len(parents)), *parents]) + "\n"
                for score, parents in score_lines(table, variable, names)
            )
        if knows_pruning(table):
            file.write(f"# {PRUNED_FOR}{table.epsilon!r}\n")
