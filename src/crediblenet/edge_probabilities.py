"""How sure each edge is: the table that users ask for first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .estimate import FeatureEstimate, position
from .posterior import Mean

__all__ = ["Edge", "EdgeProbabilities"]


@dataclass(frozen=True)
class Edge:
    """One line of the table: see the columns of `EdgeProbabilities.to_arrow`."""

    source: str
    target: str
    probability: float
    adjacency: float
    compelled: float | None


@dataclass(frozen=True)
class EdgeProbabilities:
    """How probable each edge is, over all networks of a credible set.

    ``edges["a", "b"]`` is the probability of a -> b. Iterating gives an `Edge` for every
    pair with a probability that is not zero, most probable first. Libraries that read Arrow
    streams take it as it is (``polars.DataFrame(edges)``); `to_pandas` for pandas.

    Attributes
    ----------
    names
        The variables.
    directed
        Entry ``[a, b]``: the edge a -> b is there.
    adjacent
        Entry ``[a, b]``: there is an edge between a and b, in either direction.
    compelled
        Entry ``[a, b]``: a -> b is there and cannot be turned without changing what the
        network says about independence; None when it was not asked for.
    """

    names: tuple[str, ...]
    directed: Mean
    adjacent: Mean
    compelled: Mean | None

    @property
    def method(self) -> str:
        """``"exact"``, or ``"sampling"`` if any column was sampled."""
        columns = [self.directed, self.adjacent, *([self.compelled] if self.compelled else [])]
        return "exact" if all(c.method == "exact" for c in columns) else "sampling"

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The probabilities of the directed edges: row source, column target."""
        return self.directed.values

    def __getitem__(self, pair: tuple[str, str]) -> FeatureEstimate:
        a, b = (position(self.names, name) for name in pair)
        mean = self.directed
        return FeatureEstimate(
            float(mean.values[a, b]), float(mean.standard_errors[a, b]), mean.method, mean.basis
        )

    def _pairs(self) -> list[tuple[int, int]]:
        """Return the pairs that are adjacent in some network, most probable edge first.

        An edge with probability zero is listed when its reverse is possible: that it
        never points this way is worth knowing.
        """
        a, b = np.nonzero(self.adjacent.values)
        keys = (b, a, -self.adjacent.values[a, b], -self.directed.values[a, b])
        order = np.lexsort(keys)
        return list(zip(a[order].tolist(), b[order].tolist(), strict=True))

    def __len__(self) -> int:
        """Return the number of ordered pairs that are adjacent in some network."""
        return int(np.count_nonzero(self.adjacent.values))

    def __iter__(self) -> Iterator[Edge]:
        for p in self._pairs():
            yield Edge(
                self.names[p[0]],
                self.names[p[1]],
                float(self.directed.values[p]),
                float(self.adjacent.values[p]),
                None if self.compelled is None else float(self.compelled.values[p]),
            )

    def to_arrow(self) -> pa.Table:
        """Return one line per ordered pair that is adjacent in some network.

        Columns: ``source``, ``target``, ``probability`` of the edge source -> target,
        ``adjacency`` (an edge in either direction), ``compelled``, and for each the standard
        error (``probability_se`` and so on), 0.0 where the number is exact.
        """
        pairs = self._pairs()
        columns: dict[str, list[Any]] = {
            "source": [self.names[a] for a, _ in pairs],
            "target": [self.names[b] for _, b in pairs],
        }
        means = {
            "probability": self.directed,
            "adjacency": self.adjacent,
            "compelled": self.compelled,
        }
        for name, mean in means.items():
            if mean is not None:
                columns[name] = [float(mean.values[p]) for p in pairs]
                columns[f"{name}_se"] = [float(mean.standard_errors[p]) for p in pairs]
        schema = [
            pa.field(name, pa.string() if name in ("source", "target") else pa.float64())
            for name in columns
        ]
        return pa.table(columns, schema=pa.schema(schema))

    def to_pandas(self) -> Any:
        """Return the table of `to_arrow` as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        lines = [f"{'edge':<40} probability  adjacency  compelled"]
        edges = list(self)
        for edge in edges[:30]:
            name = f"{edge.source} -> {edge.target}"
            compelled = "" if edge.compelled is None else f"{edge.compelled:11.4f}"
            lines.append(f"{name:<40} {edge.probability:11.4f}{edge.adjacency:11.4f}{compelled}")
        if len(edges) > 30:
            lines.append(f"and {len(edges) - 30} more")
        return "\n".join(lines)
