"""What R's bnlearn reads: model strings, and the table of arc strengths."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa

from ..edge_probabilities import EdgeProbabilities
from ..exceptions import FormatError, ParameterError
from ..network import Network

__all__ = ["model_string", "read_model_string", "strength_table"]


def model_string(network: Network) -> str:
    """Return a network as bnlearn's ``modelstring``: ``[a][b|a][c|a:b]``, parents first.

    Raises
    ------
    FormatError
        When a name has one of the four characters that have a meaning there.
    """
    for name in network.names:
        if re.search(r"[][|:]", name) or name != name.strip() or not name:
            raise FormatError(
                f"{name!r} cannot be in a model string, where the characters [ ] | : separate "
                "the names; rename the variable first"
            )
    parents = network.parents
    return "".join(
        f"[{name}|{':'.join(parents[name])}]" if parents[name] else f"[{name}]"
        for name in network.topological_order()
    )


def read_model_string(text: str) -> Network:
    """Return the network that a model string describes, variables in its order.

    Raises
    ------
    FormatError
        When the text is no model string, or its graph has a cycle.
    """
    text = text.strip()
    parents: dict[str, list[str]] = {}
    place = 0
    for match in re.finditer(r"\s*\[([^][|:]+)(?:\|([^][|]+))?\]", text):
        if match.start() != place:
            break
        name = match.group(1).strip()
        if name in parents:
            raise FormatError(f"the variable {name!r} is in the model string twice")
        members = [p.strip() for p in (match.group(2) or "").split(":") if p.strip()]
        parents[name] = members
        place = match.end()
    if place != len(text) or not parents:
        raise FormatError(
            f"the model string cannot be read from character {place + 1} on: "
            f"{text[place : place + 20]!r}; it should look like [a][b|a][c|a:b]"
        )
    try:
        return Network.from_parents(parents)
    except ParameterError as error:
        raise FormatError(f"the model string describes no network: {error}") from error


def strength_table(edges: EdgeProbabilities) -> pa.Table:
    """Return the columns from, to, strength, direction of bnlearn's ``custom.strength``.

    One line per ordered pair. ``strength`` is the probability that the two are adjacent;
    ``direction`` is the probability of from -> to given that they are, 0 when they never
    are. This is what ``custom.strength(networks, nodes, weights, cpdag = FALSE)`` gives for
    the list of all networks with their weights; docs/moving.md has the lines of R that make
    it an object of the class ``bn.strength``.
    """
    n = len(edges.names)
    source, target = np.nonzero(~np.eye(n, dtype=bool))
    strength = edges.adjacent.values[source, target]
    directed = edges.directed.values[source, target]
    direction = np.divide(directed, strength, out=np.zeros_like(strength), where=strength > 0)
    return pa.table(
        {
            "from": [edges.names[v] for v in source],
            "to": [edges.names[v] for v in target],
            "strength": strength,
            "direction": np.minimum(direction, 1.0),
        }
    )
