"""A Markov equivalence class as the graph that all its members share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .classes import (
    Bits,
    canonical_members,
    class_sizes,
    cpdags,
    pack_networks,
    sample_members,
)
from .exceptions import ParameterError
from .network import Network
from .network_batch import unpack

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Cpdag"]

# Members are fetched from the core in blocks that grow from one to this many.
_LARGEST_BLOCK = 1024


def _sets(block: Bits) -> list[tuple[tuple[int, ...], ...]]:
    """Return the members of bit sets of shape (networks, variables, words)."""
    k, n, _ = block.shape
    truth = unpack(block, n)
    members = np.nonzero(truth)[2].tolist()
    ends = np.cumsum(np.count_nonzero(truth, axis=2)).tolist()
    sets = [tuple(members[a:b]) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
    return [tuple(sets[g * n : (g + 1) * n]) for g in range(k)]


class Cpdag:
    """The completed partially directed graph of a Markov equivalence class.

    Edges that point the same way in every member are directed, all others undirected.
    Two of them are equal when the variables and the class are the same.

    Parameters
    ----------
    network
        Any member of the class.

    Examples
    --------
    >>> network = Network.from_parents({"rain": [], "grass": ["rain"], "shoes": ["grass"]})
    >>> graph = Cpdag(network)
    >>> graph
    <Cpdag of 3 variables, 3 networks: rain -- grass, grass -- shoes>
    >>> graph.size
    3
    >>> for member in graph.members():
    ...     print(member)
    [rain][grass|rain][shoes|grass]
    [rain|grass][grass][shoes|grass]
    [rain|grass][grass|shoes][shoes]
    >>> graph.edge_counts()[("grass", "rain")]
    2
    """

    def __init__(self, network: Network) -> None:
        self._set(network.names, pack_networks([network.parent_sets]))

    def _set(self, names: tuple[str, ...], parents: Bits) -> None:
        compelled, reversible = cpdags(parents, threads=1)
        self.names = names
        self._canonical = canonical_members(parents, threads=1)
        self._parents = _sets(compelled)[0]
        self._neighbours = _sets(reversible)[0]

    @classmethod
    def from_bits(cls, names: tuple[str, ...], parents: Bits) -> Cpdag:
        """Make the graph of a network that is given as bit sets (variables, words)."""
        graph = cls.__new__(cls)
        graph._set(names, parents[None])
        return graph

    @classmethod
    def from_edges(
        cls,
        names: Iterable[str],
        directed: Iterable[tuple[str, str]],
        undirected: Iterable[tuple[str, str]],
    ) -> Cpdag:
        """Make the graph from its edges.

        Parameters
        ----------
        names
            The variables.
        directed
            The (parent, child) pairs of the directed edges.
        undirected
            The pairs of the undirected edges.

        Raises
        ------
        ParameterError
            When these are not the edges of such a graph: there is no network whose class
            they describe.

        Examples
        --------
        >>> Cpdag.from_edges("abc", [("a", "c"), ("b", "c")], []).size
        1
        >>> Cpdag.from_edges("abc", [("a", "b")], [("b", "c")])
        Traceback (most recent call last):
        ...
        crediblenet.exceptions.ParameterError: no Markov equivalence class has exactly these ...
        """
        names = tuple(names)
        arcs, edges = set(directed), {frozenset(edge) for edge in undirected}
        network = Network.from_edges(names, arcs | _orient(names, edges))
        graph = cls(network)
        if set(graph.directed) != arcs or {frozenset(e) for e in graph.undirected} != edges:
            raise ParameterError(
                "no Markov equivalence class has exactly these directed and undirected edges"
            )
        return graph

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.names)

    @property
    def directed(self) -> tuple[tuple[str, str], ...]:
        """The (parent, child) pairs that every member has, by child and then by parent."""
        return tuple(
            (self.names[parent], self.names[child])
            for child, parents in enumerate(self._parents)
            for parent in parents
        )

    @property
    def undirected(self) -> tuple[tuple[str, str], ...]:
        """The edges that point either way, each once, in column order."""
        return tuple(
            (self.names[a], self.names[b])
            for a, others in enumerate(self._neighbours)
            for b in others
            if a < b
        )

    @cached_property
    def size(self) -> int:
        """The exact number of networks in the class."""
        return class_sizes(self._canonical, threads=1)[0]

    @property
    def canonical(self) -> Network:
        """One fixed member of the class: see `crediblenet.classes.canonical_members`."""
        return self._networks(self._canonical)[0]

    def _networks(self, block: Bits) -> list[Network]:
        return [Network._trusted(self.names, sets, None) for sets in _sets(block)]

    def __contains__(self, network: object) -> bool:
        """Say whether a network is in the class."""
        return isinstance(network, Network) and Cpdag(network) == self

    def members(self) -> Iterator[Network]:
        """Yield every network of the class once, in a fixed order, without listing them first.

        The time from one to the next is polynomial in the number of variables.
        """
        for block in self.member_blocks():
            yield from self._networks(block)

    def member_blocks(self) -> Iterator[Bits]:
        """Yield the members as bit sets, in blocks (networks, variables, words)."""
        walk = _core.ClassMembers(self._canonical)
        count = 1
        while len(block := walk.next(count)):
            yield block
            count = min(2 * count, _LARGEST_BLOCK)

    def sample(self, count: int, *, seed: int) -> list[Network]:
        """Draw members uniformly and independently.

        Examples
        --------
        >>> graph = Cpdag(Network.from_parents({"a": [], "b": ["a"]}))
        >>> all(network in graph for network in graph.sample(5, seed=0))
        True
        """
        if count < 0:
            raise ParameterError(f"cannot draw {count} networks")
        draws = sample_members(np.repeat(self._canonical, count, axis=0), seed=seed, threads=1)
        return self._networks(draws)

    def edge_counts(self) -> dict[tuple[str, str], int]:
        """Return for every adjacent (a, b) the exact number of members with a -> b.

        Both directions of an undirected edge are there; of a directed one only its own,
        with all members. The members are counted, not listed.
        """
        names = self.names
        counts = dict.fromkeys(self.directed, self.size)
        for a, b, members in _core.orientation_counts(self._canonical):
            counts[(names[a], names[b])] = members
        return counts

    def v_structures(self) -> tuple[tuple[str, str, str], ...]:
        """Return every a -> c <- b with a and b not adjacent, as (a, c, b)."""
        return self.canonical.v_structures()

    def to_networkx(self) -> nx.DiGraph[Any]:
        """Return a networkx graph in which an undirected edge is a pair of opposite edges.

        The edge attribute ``compelled`` says which edges are directed.

        Examples
        --------
        >>> graph = Cpdag(Network.from_parents({"a": [], "b": ["a"]}))
        >>> sorted(graph.to_networkx().edges(data="compelled"))
        [('a', 'b', False), ('b', 'a', False)]
        """
        import networkx as nx

        graph: nx.DiGraph[Any] = nx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from(self.directed, compelled=True)
        for a, b in self.undirected:
            graph.add_edges_from([(a, b), (b, a)], compelled=False)
        return graph

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cpdag):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.names, self._parents, self._neighbours

    def __str__(self) -> str:
        """Return the edges, directed ones first: ``a -> c, b -> c, c -- d``."""
        arrows = [f"{a} -> {b}" for a, b in self.directed]
        return ", ".join(arrows + [f"{a} -- {b}" for a, b in self.undirected])

    def __repr__(self) -> str:
        text = str(self) or "no edges"
        shown = text if len(text) <= 200 else text[:197] + "..."
        networks = "1 network" if self.size == 1 else f"{self.size:,} networks"
        return f"<Cpdag of {len(self.names)} variables, {networks}: {shown}>"


def _orient(names: tuple[str, ...], edges: set[frozenset[str]]) -> set[tuple[str, str]]:
    """Orient edges by maximum cardinality search.

    If they are the undirected edges of a class, this makes no v-structure and no cycle.
    """
    neighbours: dict[str, set[str]] = {name: set() for name in names}
    for edge in edges:
        if len(edge) != 2 or not edge <= neighbours.keys():
            raise ParameterError(f"{sorted(edge)} are not two variables of the graph")
        a, b = edge
        neighbours[a].add(b)
        neighbours[b].add(a)
    arcs = set()
    visited: set[str] = set()
    while len(visited) < len(names):
        node = max(
            (name for name in names if name not in visited),
            key=lambda name: len(neighbours[name] & visited),
        )
        arcs |= {(earlier, node) for earlier in neighbours[node] & visited}
        visited.add(node)
    return arcs
