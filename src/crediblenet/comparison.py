"""What changed between two results: more data, another score, other constraints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from .cpdag import Cpdag
from .exceptions import ParameterError
from .log_space import exp_or_inf
from .network import Network
from .posterior import Mean

if TYPE_CHECKING:
    from .credible_set import CredibleSet

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True)
class Comparison:
    """Two credible sets over the same variables, side by side.

    Attributes
    ----------
    names
        The variables, in the order of the first result.
    first, second
        Probabilities of the directed edges.
    first_adjacent, second_adjacent
        Probabilities of the adjacencies.
    distance_of_optima
        How many pairs of variables the equivalence classes of the two best networks treat
        differently (structural Hamming distance of their completed graphs).
    first_optimum_in_second
        The Bayes factor of the second result's best network to the first result's best, by
        the second result's scores. Above the second's Bayes factor, or infinity when its
        candidates are not even there, the first optimum is no longer credible.
    second_optimum_in_first
        The other way round.
    """

    names: tuple[str, ...]
    first: Mean
    second: Mean
    first_adjacent: Mean
    second_adjacent: Mean
    distance_of_optima: int
    first_optimum_in_second: float
    second_optimum_in_first: float

    def to_arrow(self) -> pa.Table:
        """Return one line per edge that either result has, greatest change first.

        Columns: ``source``, ``target``, ``first``, ``second`` (probability of the edge),
        ``change`` (second minus first), ``first_adjacency``, ``second_adjacency``.
        """
        p, q = self.first.values, self.second.values
        a, b = np.nonzero(np.maximum(p, q))
        order = np.lexsort((b, a, -np.maximum(p, q)[a, b], -np.abs(q - p)[a, b]))
        a, b = a[order], b[order]
        return pa.table(
            {
                "source": pa.array([self.names[v] for v in a], type=pa.string()),
                "target": pa.array([self.names[v] for v in b], type=pa.string()),
                "first": p[a, b],
                "second": q[a, b],
                "change": (q - p)[a, b],
                "first_adjacency": self.first_adjacent.values[a, b],
                "second_adjacency": self.second_adjacent.values[a, b],
            }
        )

    def to_pandas(self) -> Any:
        """Return the table of `to_arrow` as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        lines = [
            f"The best networks' classes differ in {self.distance_of_optima} pairs; the first "
            f"optimum has Bayes factor {self.first_optimum_in_second:.4g} in the second result, "
            f"the second {self.second_optimum_in_first:.4g} in the first.",
            "Edges that changed most (first, second):",
        ]
        lines += [
            f"  {row['source']} -> {row['target']}: {row['first']:.3f}, {row['second']:.3f}"
            for row in self.to_arrow().slice(0, 15).to_pylist()
        ]
        return "\n".join(lines)


def compare(first: CredibleSet, second: CredibleSet) -> Comparison:
    """Return what differs between two results over the same variables.

    Raises
    ------
    ParameterError
        When the variables differ; their order may.
    """
    if set(first.names) != set(second.names):
        only = sorted(set(first.names) ^ set(second.names))
        raise ParameterError(
            f"the results have different variables: {', '.join(map(repr, only[:10]))}"
        )
    edges, others = (r.edge_probabilities(compelled=False) for r in (first, second))
    # Where each variable of the first result stands in the second.
    place = np.array([second.names.index(name) for name in first.names])
    return Comparison(
        names=first.names,
        first=edges.directed,
        second=_reordered(others.directed, place),
        first_adjacent=edges.adjacent,
        second_adjacent=_reordered(others.adjacent, place),
        distance_of_optima=_class_distance(first.optimal, second.optimal),
        first_optimum_in_second=_bayes_factor(second, first.optimal),
        second_optimum_in_first=_bayes_factor(first, second.optimal),
    )


def _reordered(mean: Mean, place: np.ndarray) -> Mean:
    chosen = np.ix_(place, place)
    return Mean(mean.values[chosen], mean.standard_errors[chosen], mean.method, mean.basis)


def _class_distance(first: Network, second: Network) -> int:
    """Count the pairs that are adjacent in one class only, or directed differently."""
    kinds = []
    for graph in (Cpdag(first), Cpdag(second)):
        kind: dict[frozenset[str], tuple[str, str] | None] = {}
        kind.update({frozenset(edge): edge for edge in graph.directed})
        kind.update({frozenset(edge): None for edge in graph.undirected})
        kinds.append(kind)
    absent = ("", "")
    return sum(
        kinds[0].get(pair, absent) != kinds[1].get(pair, absent)
        for pair in kinds[0].keys() | kinds[1].keys()
    )


def _bayes_factor(result: CredibleSet, network: Network) -> float:
    """Return how much better the best network of a result is than another network."""
    cost = result.cost_of(network)
    return math.inf if cost is None else exp_or_inf(cost - result.optimal_cost)
