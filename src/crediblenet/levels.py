"""How the answer moves with the Bayes factor: several levels of one search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .exceptions import ParameterError

if TYPE_CHECKING:
    from .credible_set import CredibleSet

__all__ = ["CUSTOMARY_LEVELS", "Levels", "covered_levels", "levels_of"]

CUSTOMARY_LEVELS = (3.0, 20.0, 150.0)
"""Where Heckerman, Geiger and Chickering (1995) call evidence positive, strong, very strong."""


@dataclass(frozen=True)
class Levels:
    """Subsets of one credible set at growing Bayes factors.

    Attributes
    ----------
    names
        The variables.
    bayes_factors
        The levels, ascending.
    n_networks
        How many networks each has.
    edges
        Entry ``[k, a, b]``: the probability of the edge a -> b at level k.
    """

    names: tuple[str, ...]
    bayes_factors: tuple[float, ...]
    n_networks: tuple[int, ...]
    edges: NDArray[np.float64]

    def to_arrow(self) -> pa.Table:
        """Return source, target, one probability per level, and the range they span.

        One line per edge that is possible at some level, those that move most first.
        """
        top, bottom = self.edges.max(axis=0), self.edges.min(axis=0)
        a, b = np.nonzero(top)
        order = np.lexsort((b, a, -top[a, b], bottom[a, b] - top[a, b]))
        a, b = a[order], b[order]
        columns: dict[str, Any] = {
            "source": pa.array([self.names[v] for v in a], type=pa.string()),
            "target": pa.array([self.names[v] for v in b], type=pa.string()),
        }
        for k, factor in enumerate(self.bayes_factors):
            columns[f"bf_{factor:g}"] = self.edges[k, a, b]
        columns["range"] = (top - bottom)[a, b]
        return pa.table(columns)

    def to_pandas(self) -> Any:
        """Return the table of `to_arrow` as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        counts = ", ".join(
            f"{factor:g}: {count:,} networks"
            for factor, count in zip(self.bayes_factors, self.n_networks, strict=True)
        )
        lines = [f"Levels by Bayes factor ({counts}); edges that move most:"]
        for row in self.to_arrow().slice(0, 15).to_pylist():
            shares = ", ".join(f"{row[f'bf_{f:g}']:.3f}" for f in self.bayes_factors)
            lines.append(f"  {row['source']} -> {row['target']}: {shares}")
        return "\n".join(lines)


def covered_levels(result: CredibleSet) -> list[float]:
    """Return the customary Bayes factors that a set covers, and its own unless infinite.

    Not those within which the user's prior rules out every network.
    """
    reach = result.bayes_factor
    levels = [f for f in CUSTOMARY_LEVELS if f <= reach * (1 + 1e-9)]
    known = any(math.isclose(f, reach, rel_tol=1e-9) for f in levels)
    levels = [f for f in levels if _has_weight(result.at(bayes_factor=f))]
    return levels if known or not math.isfinite(reach) else [*levels, reach]


def _has_weight(subset: CredibleSet) -> bool:
    """Tell whether the prior leaves a network of a set: a prior of the user's may not."""
    if subset.prior.is_uniform_over_parents:
        return True
    try:
        subset.edge_probabilities(compelled=False)
    except ParameterError:
        return False
    return True


def levels_of(result: CredibleSet, bayes_factors: Sequence[float] | None) -> Levels:
    """Return the subsets of a result at several Bayes factors, without searching again."""
    if bayes_factors is None:
        bayes_factors = covered_levels(result)
        if math.isinf(result.bayes_factor):
            bayes_factors = [*bayes_factors, math.inf]
    factors = sorted(set(bayes_factors))
    if not factors:
        raise ParameterError("give at least one Bayes factor")
    # Infinity, the reach of a set without a bound, is the set itself.
    subsets = [result if math.isinf(f) else result.at(bayes_factor=f) for f in factors]
    return Levels(
        result.names,
        tuple(factors),
        tuple(subset.n_networks for subset in subsets),
        np.stack([subset.edge_probabilities(compelled=False).matrix for subset in subsets]),
    )
