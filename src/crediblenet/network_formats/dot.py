"""Graphviz's DOT language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from ..exceptions import FormatError, ParameterError
from ..network import Network

__all__ = ["dot_text", "quoted", "read_dot"]


def quoted(text: str) -> str:
    r"""Return text as a DOT string that shows exactly this text.

    Graphviz reads a backslash in a label as the beginning of an escape, and control
    characters break some viewers.

    Examples
    --------
    >>> print(quoted('say "a\\b"'))
    "say \"a\\b\""
    """
    shown = re.sub(r"[\x00-\x1f\x7f]", lambda m: chr(0x2400 + min(ord(m.group()), 0x21)), text)
    return '"' + shown.replace("\\", "\\\\").replace('"', '\\"') + '"'


def dot_text(network: Network, probabilities: Mapping[tuple[str, str], float] | None = None) -> str:
    """Return a network for Graphviz; with probabilities, edges are labelled and shaded.

    Nodes are numbered and carry their names as labels, so that no name can be taken for
    a keyword, a port or markup.
    """
    lines = ["digraph network {", "  node [shape=box, style=rounded];"]
    lines += [f"  v{v} [label={quoted(name)}];" for v, name in enumerate(network.names)]
    for child, parents in enumerate(network.parent_sets):
        for parent in parents:
            style = ""
            if probabilities is not None:
                p = probabilities.get((network.names[parent], network.names[child]), 0.0)
                style = f' [label="{p:.3f}", penwidth={0.5 + 3 * p:.2f}, color="{_shade(p)}"]'
            lines.append(f"  v{parent} -> v{child}{style};")
    return "\n".join([*lines, "}", ""])


def _shade(probability: float) -> str:
    """Return a grey that is black for a certain edge and still visible for a weak one."""
    level = round(190 * (1 - min(1.0, max(0.0, probability))))
    return f"#{level:02x}{level:02x}{level:02x}"


_TOKEN = re.compile(
    r"""
      (?P<space>\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/)
    | "(?P<string>(?:[^"\\]|\\.)*)"
    | (?P<arrow>->|--)
    | (?P<mark>[{}\[\];,=:])
    | (?P<word>[^\s{}\[\];,=:"-]+|-?\d+(?:\.\d+)?)
    """,
    re.VERBOSE | re.DOTALL,
)


def _tokens(text: str) -> list[tuple[str, str, int]]:
    found, place, line = [], 0, 1
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise FormatError(f"line {line}: {text[place]!r} cannot be read as DOT")
        kind = match.lastgroup or "space"
        if kind != "space":
            value = match.group(kind)
            if kind == "string":
                value = re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)
            found.append((kind, value, line))
        line += match.group().count("\n")
        place = match.end()
    return found


def read_dot(text: str) -> Network:
    """Return the network in a DOT text: one ``digraph``, nodes named by label or else by id.

    Attributes other than ``label`` are skipped; subgraphs are not read.

    Raises
    ------
    FormatError
        When the text is no such graph, with the line.
    """
    tokens = _tokens(text)
    head = [value for _, value, _ in tokens[:4]]
    if head[:1] == ["strict"]:
        tokens, head = tokens[1:], head[1:]
    if head[:1] != ["digraph"] or "{" not in head[1:3]:
        raise FormatError("line 1: a directed graph begins with 'digraph name {'")
    reader = _Statements(tokens, start=head.index("{") + 1)
    labels, edges = reader.read()
    names = [label if label is not None else node for node, label in labels.items()]
    if len(set(names)) < len(names):
        raise FormatError("two nodes have the same label")
    name = dict(zip(labels, names, strict=True))
    try:
        return Network.from_edges(names, [(name[a], name[b]) for a, b in edges])
    except ParameterError as error:
        raise FormatError(f"the file holds no Bayesian network: {error}") from error


class _Statements:
    """The statements of a graph: nodes, edges, and attributes to skip."""

    def __init__(self, tokens: list[tuple[str, str, int]], start: int) -> None:
        self.tokens = tokens
        self.next = start
        self.labels: dict[str, str | None] = {}
        self.edges: list[tuple[str, str]] = []

    def token(self) -> tuple[str, str, int]:
        if self.next >= len(self.tokens):
            raise FormatError(f"line {self.tokens[-1][2]}: the graph is not closed by '}}'")
        return self.tokens[self.next]

    def read(self) -> tuple[dict[str, str | None], list[tuple[str, str]]]:
        while True:
            kind, value, line = self.token()
            if (kind, value) == ("mark", "}"):
                if self.next + 1 < len(self.tokens):
                    raise FormatError(f"line {line}: something follows the graph")
                return self.labels, self.edges
            if (kind, value) == ("mark", ";"):
                self.next += 1
            elif kind in ("word", "string"):
                self.statement()
            else:
                raise FormatError(f"line {line}: {value!r} begins no node or edge")

    def statement(self) -> None:
        kind, value, line = self.token()
        self.next += 1
        if kind == "word" and value in ("graph", "node", "edge"):
            self.attributes()
            return
        if kind == "word" and value == "subgraph":
            raise FormatError(f"line {line}: subgraphs cannot be read")
        if self.token()[1] == "=" and self.token()[0] == "mark":
            self.next += 2  # a graph attribute: name = value
            return
        chain = [value]
        while self.token()[0] == "arrow":
            if self.token()[1] == "--":
                raise FormatError(f"line {self.token()[2]}: an edge of a network is directed")
            self.next += 1
            kind, value, line = self.token()
            if kind not in ("word", "string"):
                raise FormatError(f"line {line}: {value!r} is not the end of an edge")
            chain.append(value)
            self.next += 1
        attributes = self.attributes()
        for node in chain:
            self.labels.setdefault(node, None)
        if len(chain) == 1 and "label" in attributes:
            self.labels[chain[0]] = attributes["label"]
        self.edges += pairwise(chain)

    def attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while self.token()[:2] == ("mark", "["):
            self.next += 1
            while self.token()[:2] != ("mark", "]"):
                _, name, line = self.token()
                self.next += 1
                if self.token()[:2] == ("mark", "="):
                    self.next += 1
                    found[name] = self.token()[1]
                    self.next += 1
                elif name not in (",", ";"):
                    raise FormatError(f"line {line}: the attribute {name!r} has no value")
            self.next += 1
        return found
