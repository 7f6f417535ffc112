"""GraphML, through networkx."""

from __future__ import annotations

import io
import warnings
from typing import Any

import networkx as nx

from ..exceptions import FormatError, ParameterError
from ..network import Network
from .xml_text import checked_xml, parsed_xml

__all__ = ["graphml_text", "read_graphml"]


def graphml_text(network: Network) -> str:
    """Return a network as GraphML; variables are numbered nodes with a name.

    Raises
    ------
    FormatError
        When a name has a character that XML cannot hold.
    """
    graph: nx.DiGraph[Any] = nx.DiGraph()
    if network.cost is not None:
        graph.graph["cost"] = network.cost
    for v, name in enumerate(network.names):
        graph.add_node(f"v{v}", name=checked_xml(name))
    for child, parents in enumerate(network.parent_sets):
        graph.add_edges_from((f"v{p}", f"v{child}") for p in parents)
    return "\n".join(nx.generate_graphml(graph)) + "\n"


def read_graphml(text: str) -> Network:
    """Return the network in a GraphML text: nodes are variables, by ``name`` or else by id.

    Raises
    ------
    FormatError
        When the text is not GraphML, or its graph is not directed and acyclic.
    """
    parsed_xml(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of attributes without a type
            graph = nx.read_graphml(io.BytesIO(text.encode()))
    except (nx.NetworkXError, KeyError, ValueError, TypeError, AttributeError) as error:
        # networkx says in its own words what is wrong, or stumbles over it.
        raise FormatError(f"the file is not GraphML: {str(error)!r}") from None
    if not graph.is_directed():
        raise FormatError("the graph is not directed")
    names = {node: str(graph.nodes[node].get("name", node)) for node in graph}
    edges = [(names[edge[0]], names[edge[1]]) for edge in graph.edges]
    cost = graph.graph.get("cost")
    try:
        if len(set(names.values())) < len(names):
            raise FormatError("two nodes have the same name")
        return Network.from_edges(names.values(), edges, float(cost) if cost is not None else None)
    except (ParameterError, ValueError) as error:
        raise FormatError(f"the file holds no Bayesian network: {error}") from error
