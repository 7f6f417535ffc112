"""The credible set by trying every DAG, thousands of times a minute.

The same as `reference.networks_within`, with the list of all DAGs made once per number of
variables and the costs added up by numpy. Checked against the reference itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from crediblenet.reference import LocalCosts, Network, all_dags

# A cost that two programs compute differs in the last digits: networks this close to the
# threshold may be in one set and not in the other.
ROUNDING = 1e-8
TOLERANCE = 1e-6


@cache
def dag_masks(n: int) -> NDArray[np.int64]:
    """Return every DAG as a row of parent sets, one bit per parent."""
    return np.array([[sum(1 << p for p in parents) for parents in dag] for dag in all_dags(n)])


@cache
def _members(mask: int) -> frozenset[int]:
    return frozenset(v for v in range(mask.bit_length()) if mask >> v & 1)


@dataclass(frozen=True)
class AllNetworks:
    """The cost of every DAG; infinity where a parent set is not allowed."""

    n_variables: int
    costs: NDArray[np.float64]

    @classmethod
    def of(cls, local_costs: LocalCosts) -> AllNetworks:
        """Add up the local costs of every DAG."""
        n = len(local_costs)
        masks = dag_masks(n)
        total = np.zeros(len(masks))
        for child, options in enumerate(local_costs):
            by_mask = np.full(1 << n, math.inf)
            for parents, cost in options.items():
                by_mask[sum(1 << p for p in parents)] = cost
            total += by_mask[masks[:, child]]
        return cls(n, total)

    @property
    def optimum(self) -> float:
        """The least cost."""
        return float(self.costs.min())

    def within(self, epsilon: float) -> NDArray[np.bool_]:
        """Say of each DAG whether it is credible."""
        return np.isfinite(self.costs) & (self.costs <= self.limit(epsilon))

    def limit(self, epsilon: float) -> float:
        """Return what a credible network costs at most."""
        return self.optimum + epsilon + TOLERANCE

    def used(self, epsilon: float) -> list[set[frozenset[int]]]:
        """Return for each variable the parent sets that a credible network gives it.

        Not those that are in networks at the threshold only, where rounding decides.
        """
        inside = dag_masks(self.n_variables)[self.costs <= self.limit(epsilon) - ROUNDING]
        return [{_members(mask) for mask in np.unique(of).tolist()} for of in inside.T]

    def differences(self, other: AllNetworks, epsilon: float) -> list[Network]:
        """Return the DAGs that are credible in one of two and not in the other.

        Not counted are those whose cost is at the threshold but for rounding.
        """
        differ = self.within(epsilon) != other.within(epsilon)
        at_threshold = np.abs(self.costs - self.limit(epsilon)) <= ROUNDING
        dags = all_dags(self.n_variables)
        return [dags[k] for k in np.flatnonzero(differ & ~at_threshold)]
