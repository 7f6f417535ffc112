"""XMLBIF 0.3, the XML form of the Bayesian interchange format."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.sax.saxutils import escape

import numpy as np

from ..exceptions import FormatError, ParameterError
from ..fitted_network import FittedNetwork
from ..network import Network
from .xml_text import checked_xml, parsed_xml

__all__ = ["read_xmlbif", "xmlbif_text"]


def xmlbif_text(fitted: FittedNetwork) -> str:
    """Return a network in XMLBIF 0.3.

    Raises
    ------
    FormatError
        When a name has a character that XML cannot hold.
    """
    names = [escape(checked_xml(name)) for name in fitted.names]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<BIF VERSION="0.3">',
        "<NETWORK>",
        "<NAME>crediblenet</NAME>",
    ]
    for name, labels in zip(names, fitted.states, strict=True):
        lines += ['<VARIABLE TYPE="nature">', f"  <NAME>{name}</NAME>"]
        lines += [f"  <OUTCOME>{escape(checked_xml(label))}</OUTCOME>" for label in labels]
        lines.append("</VARIABLE>")
    for v, parents in enumerate(fitted.network.parent_sets):
        lines += ["<DEFINITION>", f"  <FOR>{names[v]}</FOR>"]
        lines += [f"  <GIVEN>{names[p]}</GIVEN>" for p in parents]
        # The variable's own value changes fastest, then the last parent's: C order.
        numbers = " ".join(repr(float(x)) for x in fitted.tables[v].ravel())
        lines += [f"  <TABLE>{numbers}</TABLE>", "</DEFINITION>"]
    return "\n".join([*lines, "</NETWORK>", "</BIF>", ""])


def read_xmlbif(text: str) -> FittedNetwork:
    """Return the network in an XMLBIF text.

    Raises
    ------
    FormatError
        When the text is not XMLBIF, with the place.
    """
    root = parsed_xml(text)
    found = root if root.tag == "NETWORK" else root.find("NETWORK")
    if root.tag not in ("BIF", "NETWORK") or found is None:
        raise FormatError(f"the file is not XMLBIF: it begins with <{root.tag}>")
    states: dict[str, tuple[str, ...]] = {}
    for variable in found.iter("VARIABLE"):
        name = _text(variable, "NAME")
        if name in states:
            raise FormatError(f"the variable {name!r} is declared twice")
        states[name] = tuple((outcome.text or "").strip() for outcome in variable.iter("OUTCOME"))
    number = {name: v for v, name in enumerate(states)}
    sets: dict[str, tuple[int, ...]] = {}
    tables: dict[str, np.ndarray] = {}
    for definition in found.iter("DEFINITION"):
        child = _text(definition, "FOR")
        parents = [(given.text or "").strip() for given in definition.iter("GIVEN")]
        for name in (child, *parents):
            if name not in states:
                raise FormatError(f"the variable {name!r} is not declared")
        if child in tables:
            raise FormatError(f"the probabilities of {child!r} are given twice")
        shape = [len(states[name]) for name in (*parents, child)]
        try:
            values = np.array([float(x) for x in _text(definition, "TABLE").split()])
            table = values.reshape(shape)
        except ValueError as error:
            raise FormatError(f"the table of {child!r} cannot be read: {error}") from None
        columns = [number[p] for p in parents]
        order = list(np.argsort(columns, kind="stable"))
        sets[child] = tuple(columns[k] for k in order)
        tables[child] = np.transpose(table, [*order, len(columns)])
    for name in states:
        if name not in tables:
            raise FormatError(f"the variable {name!r} has no probabilities")
    try:
        network = Network(tuple(states), tuple(sets[name] for name in states))
        return FittedNetwork(
            network, tuple(states.values()), tuple(tables[name] for name in states)
        )
    except ParameterError as error:
        raise FormatError(f"the file holds no Bayesian network: {error}") from error


def _text(element: ElementTree.Element, tag: str) -> str:
    child = element.find(tag)
    if child is None or not (child.text or "").strip():
        raise FormatError(f"a <{element.tag}> has no <{tag}>")
    return (child.text or "").strip()
