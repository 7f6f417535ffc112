"""What a list of weighted networks says: probabilities by adding up weights.

A feature is a yes-or-no question about one network. Its probability is the total weight
of the networks that say yes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Literal, TypeAlias

from .classes import compelled_edges, group_by_class, markov_class, v_structures
from .networks import Network

__all__ = [
    "Feature",
    "adjacency",
    "ancestor",
    "compelled_edge",
    "directed_edge",
    "has_parent_set",
    "has_v_structure",
    "in_markov_blanket",
    "posterior_weights",
    "probability",
]

Feature: TypeAlias = Callable[[Network], bool]


def posterior_weights(
    costs: Mapping[Network, float], prior: Literal["dags", "classes"] = "dags"
) -> dict[Network, float]:
    """Return the posterior probability of each network among those given.

    Parameters
    ----------
    costs
        The networks with their costs, such as `networks_within` returns.
    prior
        ``"dags"``: every network is equally probable beforehand. ``"classes"``: every
        Markov equivalence class is, and its prior is shared equally among those of its
        members that are in `costs`.
    """
    best = min(costs.values())
    classes = group_by_class(costs)
    weights = {
        network: math.exp(best - cost)
        / (len(classes[markov_class(network)]) if prior == "classes" else 1)
        for network, cost in costs.items()
    }
    total = math.fsum(weights.values())
    return {network: weight / total for network, weight in weights.items()}


def probability(feature: Feature, weights: Mapping[Network, float]) -> float:
    """Return the total weight of the networks that have the feature."""
    return math.fsum(weight for network, weight in weights.items() if feature(network))


def directed_edge(a: int, b: int) -> Feature:
    """Ask for an edge a → b."""
    return lambda network: a in network[b]


def adjacency(a: int, b: int) -> Feature:
    """Ask for an edge between a and b, in either direction."""
    return lambda network: a in network[b] or b in network[a]


def compelled_edge(a: int, b: int) -> Feature:
    """Ask for an edge a → b that every Markov equivalent network has too."""
    return lambda network: (a, b) in compelled_edges(network)


def has_v_structure(a: int, c: int, b: int) -> Feature:
    """Ask for a → c ← b with a and b not adjacent."""
    return lambda network: (frozenset({a, b}), c) in v_structures(network)


def in_markov_blanket(a: int, b: int) -> Feature:
    """Ask whether a is in the Markov blanket of b: parent, child, or other parent of a child."""
    return lambda network: (
        a != b
        and (a in network[b] or b in network[a] or any({a, b} <= parents for parents in network))
    )


def ancestor(a: int, b: int) -> Feature:
    """Ask for a directed path of at least one edge from a to b."""

    def feature(network: Network) -> bool:
        above: set[int] = set()
        waiting = [b]
        while waiting:
            parents = network[waiting.pop()] - above
            above |= parents
            waiting.extend(parents)
        return a in above

    return feature


def has_parent_set(child: int, parents: Collection[int]) -> Feature:
    """Ask whether `child` has exactly these parents."""
    return lambda network: network[child] == frozenset(parents)
