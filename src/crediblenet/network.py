"""One Bayesian network structure: a directed acyclic graph over named variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .exceptions import ParameterError

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Network"]


def _first_cycle(parent_sets: Sequence[Iterable[int]]) -> list[int] | None:
    """Return the nodes of a directed cycle, or None if there is none."""
    n = len(parent_sets)
    state = [0] * n  # 0 not seen, 1 on the current path, 2 done
    for root in range(n):
        if state[root]:
            continue
        path = [root]
        pending = [iter(parent_sets[root])]
        state[root] = 1
        while path:
            parent = next(pending[-1], None)
            if parent is None:
                state[path.pop()] = 2
                pending.pop()
            elif state[parent] == 1:
                return path[path.index(parent) :]
            elif state[parent] == 0:
                state[parent] = 1
                path.append(parent)
                pending.append(iter(parent_sets[parent]))
    return None


@dataclass(frozen=True, slots=True)
class Network:
    """A Bayesian network structure.

    Two networks are equal when they have the same variables in the same order and the
    same edges; the cost plays no part.

    Parameters
    ----------
    names
        The variables.
    parent_sets
        For each variable the column numbers of its parents.
    cost
        The negated log score in nats (lower is better), None when it is not known.

    Raises
    ------
    ParameterError
        When the edges make a cycle or name a variable that does not exist.

    Examples
    --------
    >>> chain = Network(("rain", "grass", "shoes"), ((), (0,), (1,)))
    >>> chain.parents
    {'rain': (), 'grass': ('rain',), 'shoes': ('grass',)}
    >>> print(chain)
    [rain][grass|rain][shoes|grass]
    >>> chain.is_ancestor("rain", "shoes")
    True
    """

    names: tuple[str, ...]
    parent_sets: tuple[tuple[int, ...], ...]
    cost: float | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        names = tuple(self.names)
        if len(set(names)) != len(names):
            raise ParameterError("every variable of a network needs a name of its own")
        if len(self.parent_sets) != len(names):
            raise ParameterError(
                f"a network of {len(names)} variables needs {len(names)} parent sets, "
                f"not {len(self.parent_sets)}"
            )
        parent_sets = tuple(tuple(sorted({int(p) for p in s})) for s in self.parent_sets)
        for child, parents in enumerate(parent_sets):
            for parent in parents:
                if not 0 <= parent < len(names):
                    raise ParameterError(
                        f"{names[child]!r} has parent number {parent}, "
                        f"but the variables are numbered 0 to {len(names) - 1}"
                    )
        cycle = _first_cycle(parent_sets)
        if cycle is not None:
            path = " <- ".join(repr(names[v]) for v in [*cycle, cycle[0]])
            raise ParameterError(f"a Bayesian network has no cycle, but this one has {path}")
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "parent_sets", parent_sets)

    @classmethod
    def from_parents(
        cls, parents: Mapping[str, Iterable[str]], cost: float | None = None
    ) -> Network:
        """Make a network from a mapping of each variable to the names of its parents.

        Examples
        --------
        >>> Network.from_parents({"a": [], "b": ["a"]}).edges
        (('a', 'b'),)
        """
        names = tuple(parents)
        number = {name: i for i, name in enumerate(names)}
        for child, members in parents.items():
            for parent in members:
                if parent not in number:
                    raise ParameterError(
                        f"{child!r} has the parent {parent!r}, which is not a variable"
                    )
        return cls(names, tuple(tuple(number[p] for p in parents[v]) for v in names), cost)

    @classmethod
    def from_edges(
        cls, names: Iterable[str], edges: Iterable[tuple[str, str]], cost: float | None = None
    ) -> Network:
        """Make a network from its variables and its (parent, child) pairs."""
        parents: dict[str, list[str]] = {name: [] for name in names}
        for source, target in edges:
            if target not in parents:
                raise ParameterError(f"the edge into {target!r} ends at no variable")
            parents[target].append(source)
        return cls.from_parents(parents, cost)

    @classmethod
    def _trusted(
        cls, names: tuple[str, ...], parent_sets: tuple[tuple[int, ...], ...], cost: float | None
    ) -> Network:
        """Make a network from what the search found, without checking it again."""
        network = object.__new__(cls)
        object.__setattr__(network, "names", names)
        object.__setattr__(network, "parent_sets", parent_sets)
        object.__setattr__(network, "cost", cost)
        return network

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.names)

    @property
    def parents(self) -> dict[str, tuple[str, ...]]:
        """Each variable with the names of its parents."""
        names = self.names
        return {
            name: tuple(names[p] for p in members)
            for name, members in zip(names, self.parent_sets, strict=True)
        }

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The (parent, child) pairs, by child and then by parent, in column order."""
        names = self.names
        return tuple(
            (names[p], name)
            for name, members in zip(names, self.parent_sets, strict=True)
            for p in members
        )

    def _number(self, name: str) -> int:
        try:
            return self.names.index(name)
        except ValueError:
            raise ParameterError(
                f"there is no variable {name!r}; the variables are {', '.join(self.names)}"
            ) from None

    def has_edge(self, source: str, target: str) -> bool:
        """Say whether `source` is a parent of `target`."""
        return self._number(source) in self.parent_sets[self._number(target)]

    def children(self, name: str) -> tuple[str, ...]:
        """Return the variables that have `name` as a parent."""
        number = self._number(name)
        return tuple(
            child
            for child, members in zip(self.names, self.parent_sets, strict=True)
            if number in members
        )

    def ancestors(self, name: str) -> frozenset[str]:
        """Return every variable from which a directed path leads to `name`."""
        found: set[int] = set()
        pending = list(self.parent_sets[self._number(name)])
        while pending:
            node = pending.pop()
            if node not in found:
                found.add(node)
                pending.extend(self.parent_sets[node])
        return frozenset(self.names[v] for v in found)

    def is_ancestor(self, source: str, target: str) -> bool:
        """Say whether a directed path leads from `source` to `target`."""
        self._number(source)
        return source in self.ancestors(target)

    def markov_blanket(self, name: str) -> frozenset[str]:
        """Return the parents, the children and the children's other parents of `name`."""
        number = self._number(name)
        blanket = set(self.parent_sets[number])
        for child, members in enumerate(self.parent_sets):
            if number in members:
                blanket.add(child)
                blanket.update(members)
        return frozenset(self.names[v] for v in blanket - {number})

    def v_structures(self) -> tuple[tuple[str, str, str], ...]:
        """Return every a -> c <- b with a and b not adjacent, as (a, c, b).

        Two networks are Markov equivalent exactly when they have the same adjacencies
        and the same v-structures (Verma and Pearl, 1990).
        """
        sets = self.parent_sets
        return tuple(
            (self.names[a], self.names[c], self.names[b])
            for c, members in enumerate(sets)
            for i, a in enumerate(members)
            for b in members[i + 1 :]
            if a not in sets[b] and b not in sets[a]
        )

    def topological_order(self) -> tuple[str, ...]:
        """Return the variables with parents first, in column order where there is a choice."""
        placed: list[int] = []
        done: set[int] = set()
        while len(placed) < len(self.names):
            node = next(
                v
                for v, members in enumerate(self.parent_sets)
                if v not in done and done.issuperset(members)
            )
            placed.append(node)
            done.add(node)
        return tuple(self.names[v] for v in placed)

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph[Any]) -> Network:
        """Take over a directed graph whose nodes are the variables, by their text."""
        if not graph.is_directed():
            raise ParameterError("a Bayesian network is a directed graph; this one is not")
        names = [str(node) for node in graph]
        cost = graph.graph.get("cost")
        return cls.from_edges(names, ((str(a), str(b)) for a, b in graph.edges()), cost)

    def to_pgmpy(self) -> Any:
        """Return the structure as a ``DiscreteBayesianNetwork`` of pgmpy."""
        from .network_formats.pgmpy_models import network_to_pgmpy

        return network_to_pgmpy(self)

    @classmethod
    def from_pgmpy(cls, model: Any) -> Network:
        """Take over the structure of a pgmpy model."""
        from .network_formats.pgmpy_models import network_from_pgmpy

        return network_from_pgmpy(model)

    @classmethod
    def from_pyagrum(cls, model: Any) -> Network:
        """Take over the structure of a pyAgrum ``BayesNet``."""
        from .network_formats.pyagrum_models import network_from_pyagrum

        return network_from_pyagrum(model)

    def to_dot(self) -> str:
        """Return the network for Graphviz."""
        from .network_formats.dot import dot_text

        return dot_text(self)

    @classmethod
    def from_dot(cls, text: str) -> Network:
        """Read a directed graph in Graphviz's language."""
        from .network_formats.dot import read_dot

        return read_dot(text)

    def to_graphml(self) -> str:
        """Return the network as GraphML."""
        from .network_formats.graphml import graphml_text

        return graphml_text(self)

    @classmethod
    def from_graphml(cls, text: str) -> Network:
        """Read a directed graph in GraphML."""
        from .network_formats.graphml import read_graphml

        return read_graphml(text)

    def to_model_string(self) -> str:
        """Return the network as a model string of R's bnlearn: ``[a][b|a]``."""
        from .network_formats.bnlearn import model_string

        return model_string(self)

    @classmethod
    def from_model_string(cls, text: str) -> Network:
        """Read a model string of R's bnlearn."""
        from .network_formats.bnlearn import read_model_string

        return read_model_string(text)

    def to_networkx(self) -> nx.DiGraph[Any]:
        """Return the network as a networkx graph, with its cost as a graph attribute."""
        import networkx as nx

        graph: nx.DiGraph[Any] = nx.DiGraph()
        if self.cost is not None:
            graph.graph["cost"] = self.cost
        graph.add_nodes_from(self.names)
        graph.add_edges_from(self.edges)
        return graph

    def __str__(self) -> str:
        """Return one line in the manner of bnlearn: ``[a][b|a]``, parents joined by colons."""
        return "".join(
            f"[{name}|{':'.join(members)}]" if members else f"[{name}]"
            for name, members in self.parents.items()
        )

    def __repr__(self) -> str:
        cost = "" if self.cost is None else f", cost={self.cost!r}"
        text = str(self)
        shown = text if len(text) <= 200 else text[:197] + "..."
        return f"<Network of {len(self.names)} variables, {len(self.edges)} edges{cost}: {shown}>"
