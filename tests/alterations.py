"""A true result, and every way of making it wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from crediblenet.credible_class import CredibleClass
from crediblenet.credible_set import CredibleSet
from crediblenet.network import Network
from instances import random_data
from listed import bic_table, listed_set

# Three variables with enough networks within a Bayes factor of 20 to spoil.
ROWS = random_data(0, variables=(3, 3), rows=(60, 60)).rows
COLUMNS = {f"V{v}": column for v, column in enumerate(np.array(ROWS).T)}


def true_result() -> CredibleSet:
    """Return a true result."""
    table = bic_table(ROWS)
    found = CredibleSet(table, listed_set(table, math.log(20))[0], math.log(20))
    assert found.n_classes is not None
    assert found.n_classes >= 3
    assert found.n_networks > found.n_classes
    return found


class Altered:
    """A result in which some attributes are not what they should be."""

    def __init__(self, result: CredibleSet, **changes: Any) -> None:
        self._result = result
        self._changes = changes

    def __getattr__(self, name: str) -> Any:
        changes = self.__dict__["_changes"]
        return changes[name] if name in changes else getattr(self.__dict__["_result"], name)


def with_networks(result: CredibleSet, change: Callable[[list[Network]], list[Network]]) -> Any:
    """Return the result with another list of networks."""
    changed = change(list(result.networks()))
    return Altered(result, networks=lambda: iter(changed))


def with_classes(
    result: CredibleSet, change: Callable[[list[CredibleClass]], list[CredibleClass]]
) -> Any:
    """Return the result with another list of classes."""
    changed = change(list(result.classes()))
    return Altered(result, classes=lambda: iter(changed))


def cyclic(network: Network) -> Network:
    """Return a network with a cycle in it."""
    sets = ((1,), (0,), *network.parent_sets[2:])
    return Network._trusted(network.names, sets, network.cost)


def other_cost(network: Network) -> Network:
    """Return the same network with a cost that is a little too low."""
    assert network.cost is not None
    return Network._trusted(network.names, network.parent_sets, network.cost - 1e-5)


def with_edge_probability(result: CredibleSet, a: int, b: int, change: float) -> Any:
    """Return the result with the probability of one edge changed."""
    edges = result.edge_probabilities()
    values = edges.directed.values.copy()
    values[a, b] += change
    changed = replace(edges, directed=replace(edges.directed, values=values))
    return Altered(result, edge_probabilities=lambda: changed)


def with_adjacency(result: CredibleSet, a: int, b: int, change: float) -> Any:
    """Return the result with the probability of one adjacency changed, seen from both sides."""
    edges = result.edge_probabilities()
    values = edges.adjacent.values.copy()
    values[a, b] += change
    values[b, a] += change
    changed = replace(edges, adjacent=replace(edges.adjacent, values=values))
    return Altered(result, edge_probabilities=lambda: changed)


def doubled_class(classes: list[CredibleClass]) -> list[CredibleClass]:
    """Put a class in a second time, under another of its networks."""
    for k, found in enumerate(classes):
        for member in found.networks():
            if member.parent_sets != found.representative.parent_sets:
                return [*classes[: k + 1], replace(found, representative=member), *classes[k + 1 :]]
    raise AssertionError("every class has one network only")


ALTERATIONS: dict[str, tuple[Callable[[CredibleSet], Any], set[str]]] = {
    "a network with a cycle": (
        lambda r: with_networks(r, lambda found: [cyclic(found[0]), *found[1:]]),
        {"acyclic", "cost", "weights", "edges"},
    ),
    "a class with a cycle": (
        lambda r: with_classes(
            r, lambda found: [replace(found[0], representative=cyclic(found[0].representative))]
        ),
        {"acyclic", "cost", "size", "counts", "weights"},
    ),
    "the cost of a network": (
        lambda r: with_networks(r, lambda found: [*found[:-1], other_cost(found[-1])]),
        {"cost"},
    ),
    "the cost of a class": (
        lambda r: with_classes(
            r, lambda found: [*found[:-1], replace(found[-1], cost=found[-1].cost + 1e-5)]
        ),
        {"cost"},
    ),
    "no cost": (
        lambda r: with_networks(
            r, lambda found: [Network._trusted(g.names, g.parent_sets, None) for g in found]
        ),
        {"cost"},
    ),
    "the optimal cost": (lambda r: Altered(r, optimal_cost=r.optimal_cost - 0.1), {"optimum"}),
    "epsilon": (lambda r: Altered(r, epsilon=r.epsilon / 2), {"within", "facts"}),
    "the Bayes factor": (lambda r: Altered(r, bayes_factor=2 * r.bayes_factor), {"facts"}),
    "the number of rows": (lambda r: Altered(r, n_rows=len(ROWS) - 1), {"facts"}),
    "the order of networks": (
        lambda r: with_networks(r, lambda found: found[::-1]),
        {"order"},
    ),
    "the order of classes": (
        lambda r: with_classes(r, lambda found: found[::-1]),
        {"order"},
    ),
    "a network twice": (
        lambda r: with_networks(r, lambda found: [found[0], *found]),
        {"distinct", "size", "counts", "weights", "edges"},
    ),
    "a class twice": (
        lambda r: with_classes(r, doubled_class),
        {"distinct", "counts", "weights"},
    ),
    "a network missing": (
        lambda r: with_networks(r, lambda found: found[:-1]),
        {"size", "counts", "weights", "edges"},
    ),
    "a class missing": (
        lambda r: with_classes(r, lambda found: found[:-1]),
        {"counts", "weights"},
    ),
    "the size of a class": (
        lambda r: with_classes(r, lambda found: [replace(found[0], size=7), *found[1:]]),
        {"size", "counts"},
    ),
    "the number of networks": (lambda r: Altered(r, n_networks=r.n_networks + 1), {"counts"}),
    "the number of classes": (
        lambda r: Altered(r, n_classes=(r.n_classes or 0) + 1),
        {"counts"},
    ),
    "a weight": (
        lambda r: with_classes(
            r, lambda found: [replace(found[0], weight=found[0].weight + 1e-4), *found[1:]]
        ),
        {"weights"},
    ),
    "two weights": (
        lambda r: with_classes(
            r,
            lambda found: [
                replace(found[0], weight=found[1].weight),
                replace(found[1], weight=found[0].weight),
                *found[2:],
            ],
        ),
        {"weights"},
    ),
    "the probability of an edge": (lambda r: with_edge_probability(r, 0, 1, 1e-4), {"edges"}),
    "the probability of an adjacency": (lambda r: with_adjacency(r, 0, 1, -1e-4), {"edges"}),
    "a negative probability": (lambda r: with_edge_probability(r, 0, 0, -1e-4), {"edges"}),
}
