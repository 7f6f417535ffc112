"""To and from pgmpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exceptions import FormatError, ParameterError
from ..fitted_network import FittedNetwork
from ..network import Network

__all__ = ["fitted_from_pgmpy", "fitted_to_pgmpy", "network_from_pgmpy", "network_to_pgmpy"]


def _pgmpy() -> Any:
    try:
        import pgmpy.factors.discrete
        import pgmpy.models
    except ImportError as error:
        raise ParameterError(
            "pgmpy is not installed; it comes with: pip install 'crediblenet[peers]'"
        ) from error
    return pgmpy


def network_to_pgmpy(network: Network) -> Any:
    """Return the structure as pgmpy's ``DiscreteBayesianNetwork``."""
    model = _pgmpy().models.DiscreteBayesianNetwork()
    model.add_nodes_from(network.names)
    model.add_edges_from(network.edges)
    return model


def network_from_pgmpy(model: Any) -> Network:
    """Return the structure of a pgmpy model, or of any networkx graph with string nodes."""
    names = [str(node) for node in model.nodes]
    return Network.from_edges(names, [(str(a), str(b)) for a, b in model.edges])


def fitted_to_pgmpy(fitted: FittedNetwork) -> Any:
    """Return a pgmpy model with all tables and the names of all states."""
    pgmpy = _pgmpy()
    model = network_to_pgmpy(fitted.network)
    names, states = fitted.names, fitted.states
    for v, parents in enumerate(fitted.network.parent_sets):
        # pgmpy's tables have a line per state and a column per parent configuration, the
        # last parent's state changing fastest.
        values = fitted.tables[v].reshape(-1, len(states[v])).T
        model.add_cpds(
            pgmpy.factors.discrete.TabularCPD(
                names[v],
                len(states[v]),
                values,
                evidence=[names[p] for p in parents] or None,
                evidence_card=[len(states[p]) for p in parents] or None,
                state_names={names[u]: list(states[u]) for u in (v, *parents)},
            )
        )
    return model


def fitted_from_pgmpy(model: Any) -> FittedNetwork:
    """Return a pgmpy model's structure and tables.

    Raises
    ------
    FormatError
        When a variable has no table.
    """
    network = network_from_pgmpy(model)
    nodes = dict(zip(network.names, model.nodes, strict=True))
    cpds = {name: model.get_cpds(node) for name, node in nodes.items()}
    for name, cpd in cpds.items():
        if cpd is None:
            raise FormatError(f"the pgmpy model has no probabilities for {name!r}")
    labels = {name: cpds[name].state_names[nodes[name]] for name in network.names}
    tables = []
    for v, parents in enumerate(network.parent_sets):
        cpd = cpds[network.names[v]]
        axes = [str(variable) for variable in cpd.variables]
        values = np.asarray(cpd.values, dtype=np.float64)
        # A table may list its parents, and a parent its states, in another order.
        for axis, name in enumerate(axes):
            stated = list(cpd.state_names[cpd.variables[axis]])
            order = [stated.index(label) for label in labels[name]]
            values = np.take(values, order, axis=axis)
        wanted = [network.names[u] for u in (*parents, v)]
        tables.append(np.transpose(values, [axes.index(name) for name in wanted]))
    states = tuple(tuple(str(label) for label in labels[name]) for name in network.names)
    return FittedNetwork(network, states, tuple(tables))
