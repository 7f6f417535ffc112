"""Markov equivalence: same skeleton, same v-structures (Verma & Pearl 1990)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import combinations
from typing import TypeAlias

from .networks import Network

__all__ = [
    "class_members",
    "class_size",
    "collider_pattern",
    "compelled_edges",
    "covered_edges",
    "group_by_class",
    "markov_class",
    "skeleton",
    "v_structures",
]

Edge: TypeAlias = tuple[int, int]
"""(from, to)."""
Skeleton: TypeAlias = frozenset[frozenset[int]]
Collider: TypeAlias = tuple[frozenset[int], int]
"""Two parents and their common child."""
Colliders: TypeAlias = frozenset[Collider]


def edges(network: Network) -> list[Edge]:
    """Return the directed edges (from, to)."""
    return [(parent, child) for child, parents in enumerate(network) for parent in sorted(parents)]


def skeleton(network: Network) -> Skeleton:
    """Return the pairs of adjacent variables."""
    return frozenset(map(frozenset, edges(network)))


def colliders(network: Network) -> Colliders:
    """Return all converging pairs a → c ← b, whether or not a and b are adjacent."""
    return frozenset(
        (frozenset(pair), child)
        for child, parents in enumerate(network)
        for pair in combinations(sorted(parents), 2)
    )


def v_structures(network: Network) -> Colliders:
    """Return the converging pairs a → c ← b with a and b not adjacent.

    >>> v_structures((frozenset(), frozenset(), frozenset({0, 1})))
    frozenset({(frozenset({0, 1}), 2)})
    """
    return frozenset(
        (frozenset({a, b}), child)
        for child, parents in enumerate(network)
        for a, b in combinations(sorted(parents), 2)
        if a not in network[b] and b not in network[a]
    )


def markov_class(network: Network) -> tuple[Skeleton, Colliders]:
    """Return what all networks of the class share, and no other network has."""
    return skeleton(network), v_structures(network)


def collider_pattern(network: Network) -> tuple[Skeleton, Colliders]:
    """Return skeleton and *all* converging pairs: what Liao et al. (2019) count as |M|.

    This is finer than Markov equivalence. It is here only to reproduce their tables.
    """
    return skeleton(network), colliders(network)


def group_by_class(
    networks: Iterable[Network],
) -> dict[tuple[Skeleton, Colliders], list[Network]]:
    """Sort networks into Markov equivalence classes."""
    classes: dict[tuple[Skeleton, Colliders], list[Network]] = {}
    for network in networks:
        classes.setdefault(markov_class(network), []).append(network)
    return classes


def covered_edges(network: Network) -> list[Edge]:
    """Return the edges a → b with parents(b) = parents(a) ∪ {a}."""
    return [(a, b) for a, b in edges(network) if network[b] == network[a] | {a}]


def reverse(network: Network, edge: Edge) -> Network:
    """Turn a → b into a ← b."""
    a, b = edge
    parents = list(network)
    parents[a] |= {b}
    parents[b] -= {a}
    return tuple(parents)


@cache
def class_members(network: Network) -> frozenset[Network]:
    """Return every network that is Markov equivalent to this one, itself included.

    Reversals of covered edges connect the whole class and never leave it (Chickering,
    UAI 1995, theorem 2), so that the members are found by following them.

    >>> len(class_members((frozenset(), frozenset({0}), frozenset({1}))))
    3
    """
    members = {network}
    waiting = [network]
    while waiting:
        member = waiting.pop()
        for edge in covered_edges(member):
            neighbour = reverse(member, edge)
            if neighbour not in members:
                members.add(neighbour)
                waiting.append(neighbour)
    return frozenset(members)


def class_size(network: Network) -> int:
    """Return the number of networks that are Markov equivalent to this one."""
    return len(class_members(network))


@cache
def compelled_edges(network: Network) -> frozenset[Edge]:
    """Return the edges that point the same way in every member of the class."""
    return frozenset[Edge].intersection(
        *(frozenset(edges(member)) for member in class_members(network))
    )
