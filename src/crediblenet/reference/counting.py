"""The size of a Markov equivalence class without listing its members.

`classes` defines what a class is; this is the same number by a recursion that is still
plain enough to read, for classes with more members than anybody wants to list.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from itertools import combinations
from typing import TypeAlias

from .classes import Edge, Skeleton, skeleton, v_structures
from .networks import Network

__all__ = ["compelled_edges_by_rules", "count_class_members"]

Nodes: TypeAlias = frozenset[int]


def close_under_rules(adjacent: Skeleton, directed: Iterable[Edge]) -> frozenset[Edge]:
    """Return all directions that follow when no cycle and no new v-structure may arise.

    These are the first three rules of Meek (UAI 1995), which are complete when one starts
    from the v-structures of a network (his theorem 3), or from all edges out of one node of
    a chordal graph.
    """
    arcs = set(directed)

    def must_point(a: int, b: int) -> bool:
        """Say whether the undirected a - b has to become a → b."""
        others = {v for pair in adjacent for v in pair} - {a, b}
        into_a = {c for c in others if (c, a) in arcs}
        if any(frozenset({c, b}) not in adjacent for c in into_a):
            return True  # c → a - b: the other way makes a v-structure at a.
        if any((c, b) in arcs for c in others if (a, c) in arcs):
            return True  # a → c → b: the other way closes a cycle.
        beside_a = {c for c in others if frozenset({a, c}) in adjacent} - into_a
        into_b = [c for c in beside_a if (c, b) in arcs]
        # a - c → b ← d - a: the other way would turn both into c → a ← d.
        return any(frozenset(pair) not in adjacent for pair in combinations(into_b, 2))

    changed = True
    while changed:
        changed = False
        for pair in adjacent:
            a, b = sorted(pair)
            if (a, b) in arcs or (b, a) in arcs:
                continue
            for arc in ((a, b), (b, a)):
                if must_point(*arc):
                    arcs.add(arc)
                    changed = True
                    break
    return frozenset(arcs)


@cache
def compelled_edges_by_rules(network: Network) -> frozenset[Edge]:
    """Return the edges that point the same way in every member of the class.

    >>> sorted(compelled_edges_by_rules((frozenset(), frozenset(), frozenset({0, 1}))))
    [(0, 2), (1, 2)]
    """
    arcs = {(parent, child) for pair, child in v_structures(network) for parent in pair}
    return close_under_rules(skeleton(network), arcs)


def components(pairs: Iterable[Nodes]) -> list[Skeleton]:
    """Return the connected parts of an undirected graph, each as its pairs."""
    parts: list[set[Nodes]] = []
    for pair in pairs:
        touching = [part for part in parts if any(pair & other for other in part)]
        parts = [part for part in parts if part not in touching]
        parts.append({pair}.union(*touching))
    return [frozenset(part) for part in parts]


@cache
def count_orientations(connected: Skeleton) -> int:
    """Count the orientations of a chordal graph without cycles and without v-structures.

    Exactly one node has no edge into it. For each choice of that node the edges that it
    forces leave smaller chordal graphs, which are independent of each other (He, Jia & Yu,
    JMLR 16, 2015, theorem 4).
    """
    nodes = frozenset[int]().union(*connected)
    total = 0
    for source in nodes:
        away = [(source, b) for pair in connected if source in pair for b in pair - {source}]
        arcs = close_under_rules(connected, away)
        rest = connected - {frozenset(arc) for arc in arcs}
        total += math.prod(count_orientations(part) for part in components(rest))
    return total


def count_class_members(network: Network) -> int:
    """Return the number of networks that are Markov equivalent to this one.

    >>> count_class_members((frozenset(), frozenset({0}), frozenset({0, 1})))
    6
    """
    directed = {frozenset(arc) for arc in compelled_edges_by_rules(network)}
    return math.prod(count_orientations(part) for part in components(skeleton(network) - directed))
