"""The Bayesian interchange format (BIF), as bnlearn, pgmpy and pyAgrum read it.

The programs disagree on what a name may be, so names and labels are written as plain
words (`safe_names`). Where that changes one, the original goes into a property, which
the other programs skip and `read_bif` takes back::

    variable gr__e {
      type discrete [ 2 ] { klein, gro_ };
      property crediblenet_name = "gr%C3%B6%C3%9Fe";
      property crediblenet_states = "klein,gro%C3%9F";
    }

Probabilities are written with the digits that give the same number back. R's bnlearn
drops variables with a single state when it reads a file, with a warning; pyAgrum
refuses them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from itertools import product
from typing import NoReturn
from urllib.parse import quote, unquote

import numpy as np

from ..exceptions import FormatError, ParameterError
from ..fitted_network import FittedNetwork
from ..network import Network
from ..parameters import LARGEST_TABLE
from .safe_names import safe_labels, safe_names

__all__ = ["bif_text", "read_bif"]


def bif_text(fitted: FittedNetwork) -> str:
    """Return a network in the Bayesian interchange format."""
    names = safe_names(fitted.names)
    states = [safe_labels(labels) for labels in fitted.states]
    lines = ["network crediblenet {", "}"]
    for name, labels, original, originals in zip(
        names, states, fitted.names, fitted.states, strict=True
    ):
        lines.append(f"variable {name} {{")
        # bnlearn wants the blanks around the braces and brackets.
        lines.append(f"  type discrete [ {len(labels)} ] {{ {', '.join(labels)} }};")
        if name != original:
            lines.append(f'  property crediblenet_name = "{_encoded([original])}";')
        if tuple(labels) != tuple(originals):
            lines.append(f'  property crediblenet_states = "{_encoded(originals)}";')
        lines.append("}")
    for v, parents in enumerate(fitted.network.parent_sets):
        table = fitted.tables[v]
        if not parents:
            lines.append(f"probability ( {names[v]} ) {{")
            lines.append(f"  table {_numbers(table)};")
        else:
            given = ", ".join(names[p] for p in parents)
            lines.append(f"probability ( {names[v]} | {given} ) {{")
            for cell in product(*(range(len(states[p])) for p in parents)):
                values = ", ".join(states[p][k] for p, k in zip(parents, cell, strict=True))
                lines.append(f"  ({values}) {_numbers(table[cell])};")
        lines.append("}")
    return "\n".join([*lines, ""])


def _numbers(values: np.ndarray) -> str:
    return ", ".join(repr(float(v)) for v in values)


def _encoded(texts: Iterable[str]) -> str:
    """Write texts with no character that means something in a BIF file: percent-encoded."""
    return ",".join(quote(text, safe="", errors="surrogatepass") for text in texts)


_TOKEN = re.compile(
    r"""
      (?P<space>\s+|//[^\n]*|/\*.*?\*/)
    | "(?P<string>[^"]*)"
    | (?P<mark>[{}()\[\],;|])
    | (?P<word>[^\s{}()\[\],;|"]+)
    """,
    re.VERBOSE | re.DOTALL,
)


class _Tokens:
    """The words and marks of a BIF text, with the line of each."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.items: list[tuple[str, str, int]] = []
        self.starts: list[int] = []
        place, line = 0, 1
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise FormatError(f"line {line}: a quote is not closed")
            kind = match.lastgroup or "space"
            if kind != "space":
                self.items.append((kind, match.group(kind), line))
                self.starts.append(place)
            line += match.group().count("\n")
            place = match.end()
        self.next = 0

    def fail(self, message: str) -> NoReturn:
        line = self.items[min(self.next, len(self.items) - 1)][2] if self.items else 1
        raise FormatError(f"line {line}: {message}")

    def peek(self) -> str | None:
        return self.items[self.next][1] if self.next < len(self.items) else None

    def kind(self) -> str | None:
        return self.items[self.next][0] if self.next < len(self.items) else None

    def take(self, *wanted: str) -> str:
        found = self.peek()
        if found is None:
            self.fail(f"the file ends where {' or '.join(wanted) or 'more'} should be")
        if wanted and found not in wanted:
            self.fail(f"{found!r} stands where {' or '.join(map(repr, wanted))} should be")
        self.next += 1
        return found

    def word(self) -> str:
        if self.kind() not in ("word", "string"):
            self.fail(f"{self.peek()!r} stands where a name should be")
        return self.take()

    def statement(self) -> str:
        """Take everything up to the next semicolon, as it is written."""
        start = self.starts[self.next]
        while self.take() != ";":
            pass
        return self.text[start : self.starts[self.next - 1]]

    def words(self, end: str) -> list[str]:
        """Read words up to a mark; commas between them may be left out."""
        found = []
        while self.peek() != end:
            if self.peek() == ",":
                self.take(",")
            else:
                found.append(self.word())
        self.take(end)
        return found


class _Variable:
    """What a file says of one variable."""

    def __init__(self) -> None:
        self.states: list[str] = []
        self.original_name: str | None = None
        self.original_states: list[str] | None = None
        self.parents: list[str] | None = None
        self.table: np.ndarray | None = None


def read_bif(text: str) -> FittedNetwork:
    """Return the network in a BIF text.

    Raises
    ------
    FormatError
        When the text is not BIF, with the line.
    """
    tokens = _Tokens(text)
    variables: dict[str, _Variable] = {}
    while (word := tokens.peek()) is not None:
        if word == "network":
            tokens.take("network")
            while tokens.take() != "}":
                pass
        elif word == "variable":
            _read_variable(tokens, variables)
        elif word == "probability":
            _read_table(tokens, variables)
        else:
            tokens.fail(f"{word!r} begins no part of a BIF file")
    if not variables:
        raise FormatError("the file has no variables; is it a BIF file?")
    return _assemble(variables)


def _read_variable(tokens: _Tokens, variables: dict[str, _Variable]) -> None:
    tokens.take("variable")
    name = tokens.word()
    if name in variables:
        tokens.fail(f"the variable {name!r} is declared twice")
    variable = variables[name] = _Variable()
    tokens.take("{")
    while tokens.peek() != "}":
        if tokens.peek() == "property":
            _read_property(tokens, variable)
            continue
        tokens.take("type")
        tokens.take("discrete")
        tokens.take("[")
        count = tokens.word()
        tokens.take("]")
        tokens.take("{")
        variable.states = tokens.words("}")
        if str(len(variable.states)) != count:
            tokens.fail(f"{name!r} should have {count!r} states and has {len(variable.states)}")
        tokens.take(";")
    tokens.take("}")
    if not variable.states:
        tokens.fail(f"the variable {name!r} has no states")


def _read_property(tokens: _Tokens, variable: _Variable) -> None:
    match = re.fullmatch(r'property\s+crediblenet_(name|states) = "(.*)"', tokens.statement())
    if match is not None:
        try:
            texts = [unquote(text, errors="surrogatepass") for text in match.group(2).split(",")]
        except UnicodeDecodeError:
            tokens.fail(f"{match.group(2)!r} is no percent-encoded text")
        if match.group(1) == "name":
            variable.original_name = texts[0]
        else:
            variable.original_states = texts


def _read_table(tokens: _Tokens, variables: dict[str, _Variable]) -> None:
    tokens.take("probability")
    tokens.take("(")
    child = tokens.word()
    parents: list[str] = []
    if tokens.take("|", ",", ")") != ")":
        parents = tokens.words(")")
    for name in (child, *parents):
        if name not in variables:
            tokens.fail(f"the variable {name!r} is not declared before its probabilities")
    variable = variables[child]
    if variable.table is not None:
        tokens.fail(f"the probabilities of {child!r} are given twice")
    shape = [len(variables[p].states) for p in parents] + [len(variable.states)]
    if math.prod(shape) > LARGEST_TABLE:
        tokens.fail(f"the table of {child!r} would have {math.prod(shape):,} entries: too many")
    table = np.full(shape, np.nan)
    places = [{label: k for k, label in enumerate(variables[p].states)} for p in parents]
    tokens.take("{")
    while tokens.peek() != "}":
        if tokens.peek() == "property":
            tokens.statement()
        elif tokens.peek() == "(":
            tokens.take("(")
            labels = tokens.words(")")
            if len(labels) != len(parents):
                tokens.fail(f"{child!r} has {len(parents)} parents, not {len(labels)}")
            for place, label in zip(places, labels, strict=True):
                if label not in place:
                    tokens.fail(f"{label!r} is not a state of a parent of {child!r}")
            cell = tuple(place[label] for place, label in zip(places, labels, strict=True))
            table[cell] = _read_numbers(tokens, shape[-1])
        elif tokens.take("table", "default") == "default":
            missing = np.isnan(table).any(axis=-1)
            table[missing] = _read_numbers(tokens, shape[-1])
        else:
            # In a flat table the child's state changes slowest, the last parent's fastest.
            values = np.array(_read_numbers(tokens, table.size))
            table = np.moveaxis(values.reshape([shape[-1], *shape[:-1]]), 0, -1)
    tokens.take("}")
    variable.parents, variable.table = parents, table


def _read_numbers(tokens: _Tokens, count: int) -> list[float]:
    words = tokens.words(";")
    if len(words) != count:
        tokens.fail(f"there are {len(words)} probabilities where {count} should be")
    try:
        return [float(word) for word in words]
    except ValueError as error:
        tokens.fail(str(error))


def _assemble(variables: dict[str, _Variable]) -> FittedNetwork:
    number = {name: v for v, name in enumerate(variables)}
    tables = []
    sets = []
    for name, variable in variables.items():
        if variable.table is None or variable.parents is None:
            raise FormatError(f"the variable {name!r} has no probabilities")
        if np.isnan(variable.table).any():
            raise FormatError(f"some parent values of {name!r} have no probabilities")
        columns = [number[p] for p in variable.parents]
        order = list(np.argsort(columns, kind="stable"))
        tables.append(np.transpose(variable.table, [*order, len(columns)]))
        sets.append(tuple(columns[k] for k in order))
    try:
        names = tuple(variable.original_name or name for name, variable in variables.items())
        states = tuple(tuple(v.original_states or v.states) for v in variables.values())
        return FittedNetwork(Network(names, tuple(sets)), states, tuple(tables))
    except ParameterError as error:
        raise FormatError(f"the file holds no Bayesian network: {error}") from error
