"""The size of a Markov equivalence class without listing its members.

`classes` defines what a class is; this is the same number by a recursion that is still
plain enough to read, for classes with more members than anybody wants to list.
"""

from __future__ import annotations

import math
from collections import defaultdict
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
    neighbours: defaultdict[int, set[int]] = defaultdict(set)
    parents: defaultdict[int, set[int]] = defaultdict(set)
    children: defaultdict[int, set[int]] = defaultdict(set)
    for a, b in map(tuple, adjacent):
        neighbours[a].add(b)
        neighbours[b].add(a)
    for a, b in directed:
        parents[b].add(a)
        children[a].add(b)

    def must_point(a: int, b: int) -> bool:
        """Say whether the undirected a - b has to become a → b."""
        if parents[a] - neighbours[b]:
            return True  # c → a - b: the other way makes a v-structure at a.
        if children[a] & parents[b]:
            return True  # a → c → b: the other way closes a cycle.
        # a - c → b ← d - a: the other way would turn both into c → a ← d.
        beside = parents[b] & neighbours[a] - parents[a]
        return any(d not in neighbours[c] for c, d in combinations(beside, 2))

    undirected = set(adjacent) - {frozenset(arc) for arc in directed}
    changed = True
    while changed:
        changed = False
        for pair in sorted(map(sorted, undirected)):
            for a, b in (pair, reversed(pair)):
                if must_point(a, b):
                    parents[b].add(a)
                    children[a].add(b)
                    undirected.remove(frozenset(pair))
                    changed = True
                    break
    return frozenset((parent, child) for child in parents for parent in parents[child])


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
