"""URLearning score files (.pss, "parent set scores").

``META key=value`` lines say how the file was made. Each variable has a line ``VAR name``,
its own META lines (arity, values), and one line per candidate: the score and the parents'
names::

    META pss_version = 0.1
    META score_type=bic
    VAR rain
    META arity=2
    -4.25
    VAR wet
    META arity=2
    -1.5 rain
    -3.0

Lines that begin with ``#`` are comments. What this package knows beyond the format goes
into META lines of its own, whose keys begin with ``crediblenet_``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..atomic_file import atomic_text_file
from ..reading_limits import check_limits
from ..score_table import ScoreTable
from .score_file import (
    MOST_VARIABLES,
    UNKNOWN_PRUNING,
    Candidates,
    Line,
    Lines,
    StrPath,
    file_name_of,
    finest_grid_bits,
    knows_pruning,
    make_table,
    non_negative,
    score_lines,
    variable_name_of,
)

__all__ = ["read_pss", "write_pss"]

KNOWN_SCORES = {"bic", "aic", "bdeu", "bds", "k2", "fnml", "qnml", "bic-g", "bge"}

# What of a table's metadata URLearning has a key for.
SHARED_KEYS = {"num_records": "rows", "parent_limit": "max_parents", "ess": "ess"}


def read_pss(path: StrPath) -> ScoreTable:
    """Read a URLearning score file.

    The META lines are kept as text in the table's `metadata`. Only a file that this package
    wrote can say that equivalent networks have equal scores, and what was pruned.

    Raises
    ------
    FormatError
        If the file is not what it should be; the message names the line.
    """
    lines = Lines(path)
    about, sections = split_into_sections(lines)
    bits = {section.word: 1 << index for index, section in enumerate(sections)}
    variables = [Candidates(section.name, bits[section.word]) for section in sections]
    for variable, section in zip(variables, sections, strict=True):
        check_limits()
        for line in section.candidates:
            score, *parents = line.text.split()
            variable.add(lines, line, score, parents, bits)
    check_complete(lines, about, variables)
    promises = own_promises(lines, about)
    table = make_table(
        lines,
        variables,
        score=score_name(about),
        metadata={
            "file": {key: line.text for key, line in about.items()},
            "variables": [section.details for section in sections],
            **({} if "epsilon" in promises else {"notes": [UNKNOWN_PRUNING]}),
        },
        **promises,
    )
    check_grid(lines, about, table)
    return table


@dataclass
class Section:
    """What follows a VAR line."""

    word: str
    details: dict[str, str] = field(default_factory=dict)
    candidates: list[Line] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The variable's name; its word in the file has no white space."""
        return variable_name_of(self.word)


def split_into_sections(lines: Lines) -> tuple[dict[str, Line], list[Section]]:
    """Return the META lines at the top, as key and (line number, value), and the sections."""
    about: dict[str, Line] = {}
    sections: list[Section] = []
    names: set[str] = set()
    for line in lines:
        keyword = line.text.split(maxsplit=1)[0].upper()
        if keyword == "VAR":
            section = new_section(lines, line)
            if section.name in names:
                lines.fail(line, f"there are two variables {section.name!r}")
            names.add(section.name)
            sections.append(section)
            if len(sections) > MOST_VARIABLES:
                lines.fail(line, f"more than {MOST_VARIABLES} variables are not possible")
        elif keyword == "META":
            key, value = key_and_value(lines, line)
            if sections:
                sections[-1].details[key] = value
            else:
                about[key] = Line(line.number, value)
        elif sections:
            sections[-1].candidates.append(line)
        else:
            lines.fail(line, "expected a META line or the first VAR line")
    if not sections:
        lines.fail_at_end("a .pss file needs a VAR line for each variable, but there is none")
    return about, sections


def new_section(lines: Lines, line: Line) -> Section:
    """Return the section that a VAR line begins."""
    words = line.text.split()
    if len(words) != 2:
        lines.fail(line, "expected VAR and one name")
    return Section(words[1])


def key_and_value(lines: Lines, line: Line) -> tuple[str, str]:
    """Return the two sides of a META line."""
    key, equals, value = line.text.strip()[len("META") :].partition("=")
    if not equals or not key.strip():
        lines.fail(line, "expected META key=value")
    return key.strip(), value.strip()


def check_complete(lines: Lines, about: Mapping[str, Line], variables: list[Candidates]) -> None:
    """See that every variable has candidates, and all that a file of ours announces."""
    for variable in variables:
        if not variable.costs:
            lines.fail_at_end(f"the variable {variable.name!r} has no parent sets")
    announced = about.get("crediblenet_candidates")
    found = sum(len(variable.costs) for variable in variables)
    if announced is None:
        return
    if announced.text != str(found):
        lines.fail(announced, f"{announced.text} parent sets are announced, but {found} follow")
    if not lines.ends_with_newline:
        lines.fail_at_end("the last line does not end")


def own_promises(lines: Lines, about: Mapping[str, Line]) -> dict[str, Any]:
    """Return what our own META lines say of the table."""
    promises: dict[str, Any] = {}
    if line := about.get("crediblenet_epsilon"):
        promises["epsilon"] = non_negative(lines, line)
    if line := about.get("crediblenet_score_equivalent"):
        if line.text not in ("true", "false"):
            lines.fail(line, "crediblenet_score_equivalent is either true or false")
        promises["score_equivalent"] = line.text == "true"
    if line := about.get("crediblenet_grid_bits"):
        bits = non_negative(lines, line)
        if not bits.is_integer() or not 0 <= bits <= 52:
            lines.fail(line, "crediblenet_grid_bits is a whole number from 0 to 52")
        promises["grid_bits"] = int(bits)
    return promises


def check_grid(lines: Lines, about: Mapping[str, Line], table: ScoreTable) -> None:
    """See that costs and sums of costs lie on the grid that the file announces."""
    line = about.get("crediblenet_grid_bits")
    if line is not None and not lies_on_grid(table):
        lines.fail(line, f"not every sum of scores is an exact multiple of 2^-{table.grid_bits}")


def lies_on_grid(table: ScoreTable) -> bool:
    """Say whether all costs, and sums of them, are exact multiples of the table's grid."""
    if table.grid_bits > finest_grid_bits(table) + 1:
        return False
    return not np.any(np.ldexp(table.costs, table.grid_bits) % 1)


def score_name(about: Mapping[str, Line]) -> str:
    """Return the name of the score when it is one that this package knows."""
    line = about.get("score_type")
    name = line.text.lower() if line else ""
    return name if name in KNOWN_SCORES else "file"


def write_pss(table: ScoreTable, path: StrPath) -> None:
    """Write a URLearning score file; every score reads back as the same number.

    A variable's name is written as it is, with white space as in web addresses
    (``sepal%20length``).
    """
    with atomic_text_file(path) as file:
        file.write("META pss_version = 0.1\n")
        if table.score != "file":
            file.write(f"META score_type={table.score}\n")
        for key, name in SHARED_KEYS.items():
            if table.metadata.get(name) is not None:
                file.write(f"META {key}={table.metadata[name]}\n")
        file.write(f"META crediblenet_candidates={len(table)}\n")
        if knows_pruning(table):
            file.write(f"META crediblenet_epsilon={table.epsilon!r}\n")
        equivalent = "true" if table.score_equivalent else "false"
        file.write(f"META crediblenet_score_equivalent={equivalent}\n")
        if lies_on_grid(table):
            file.write(f"META crediblenet_grid_bits={table.grid_bits}\n")
        arities = table.metadata.get("arities")
        names = [file_name_of(name) for name in table.names]
        for variable, name in enumerate(names):
            file.write(f"\nVAR {name}\n")
            if arities is not None:
                file.write(f"META arity={arities[variable]}\n")
            file.writelines(
                " ".join([score, *parents]) + "\n"
                for score, parents in score_lines(table, variable, names)
            )
