"""To and from pyAgrum."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..exceptions import ParameterError
from ..fitted_network import FittedNetwork
from ..network import Network

__all__ = ["fitted_from_pyagrum", "fitted_to_pyagrum", "network_from_pyagrum"]


def _pyagrum() -> Any:
    try:
        # Its extension module warns of missing attributes when it is loaded, and crashes the
        # interpreter where warnings are errors (pyAgrum 3.3 with Python 3.11 and later).
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pyagrum
    except ImportError as error:
        raise ParameterError(
            "pyAgrum is not installed; it comes with: pip install 'crediblenet[peers]'"
        ) from error
    return pyagrum


def fitted_to_pyagrum(fitted: FittedNetwork) -> Any:
    """Return a pyAgrum ``BayesNet`` with all tables and the names of all states."""
    gum = _pyagrum()
    model = gum.BayesNet("crediblenet")
    names, states = fitted.names, fitted.states
    for name, labels in zip(names, states, strict=True):
        model.add(gum.LabelizedVariable(name, name, list(labels)))
    for parent, child in fitted.network.edges:
        model.addArc(parent, child)
    for v, parents in enumerate(fitted.network.parent_sets):
        table = model.cpt(names[v])
        # pyAgrum's arrays have one axis per parent, the last parent first, the variable last.
        axes = [str(name) for name in table.names][::-1]
        have = [names[u] for u in (*parents, v)]
        values = np.transpose(fitted.tables[v], [have.index(name) for name in axes])
        table[:] = np.ascontiguousarray(values)
    return model


def network_from_pyagrum(model: Any) -> Network:
    """Return the structure of a pyAgrum ``BayesNet``."""
    ids = sorted(model.nodes())
    names = [model.variable(i).name() for i in ids]
    edges = [(model.variable(a).name(), model.variable(b).name()) for a, b in model.arcs()]
    return Network.from_edges(names, edges)


def fitted_from_pyagrum(model: Any) -> FittedNetwork:
    """Return a pyAgrum ``BayesNet``'s structure and tables."""
    network = network_from_pyagrum(model)
    states = tuple(tuple(model.variable(name).labels()) for name in network.names)
    tables = []
    for v, parents in enumerate(network.parent_sets):
        table = model.cpt(network.names[v])
        axes = [str(name) for name in table.names][::-1]
        wanted = [network.names[u] for u in (*parents, v)]
        values = np.asarray(table.toarray(), dtype=np.float64)
        tables.append(np.transpose(values, [axes.index(name) for name in wanted]))
    return FittedNetwork(network, states, tuple(tables))
