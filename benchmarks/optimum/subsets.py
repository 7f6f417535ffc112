"""The least cost of a network by a dynamic program over all sets of variables.

Silander and Myllymäki (2006): a network over a set of variables has a sink, and what remains
without the sink is a network. 2**n sets are looked at, so n is at most 23 here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import crediblenet as cn

__all__ = ["MOST_VARIABLES", "least_cost"]

#: As many arrays of 2**23 numbers as there are variables take 1.5 gigabytes.
MOST_VARIABLES = 23
NEVER = np.int64(2**61)


def least_cost(table: cn.ScoreTable, costs: NDArray[np.int64]) -> int:
    """Return the least cost of a network, in the units of the costs.

    Examples
    --------
    >>> import numpy as np
    >>> import crediblenet as cn
    >>> sets = [{frozenset(): 5.0, frozenset({1}): 2.0}, {frozenset(): 4.0, frozenset({0}): 1.0}]
    >>> table = cn.ScoreTable.from_candidates(["a", "b"], sets)
    >>> least_cost(table, np.rint(table.costs).astype(np.int64))
    6
    """
    n = table.n_variables
    subsets = np.arange(2**n)
    sizes = sum(((subsets >> variable) & 1 for variable in range(n)), np.zeros_like(subsets))
    layers = np.split(np.argsort(sizes, kind="stable"), np.cumsum(np.bincount(sizes))[:-1])
    best_parents = [_best_within(table, costs, variable) for variable in range(n)]
    least = np.full(2**n, NEVER)
    least[0] = 0
    for layer in layers[1:]:
        found = np.full(len(layer), NEVER)
        for sink in range(n):
            has_sink = (layer >> sink) & 1 == 1
            rest = layer[has_sink] ^ (1 << sink)
            found[has_sink] = np.minimum(found[has_sink], least[rest] + best_parents[sink][rest])
        least[layer] = found
    return int(least[-1])


def _best_within(
    table: cn.ScoreTable, costs: NDArray[np.int64], variable: int
) -> NDArray[np.int64]:
    """Return for each set of variables the cheapest candidate within it."""
    n = table.n_variables
    rows = slice(int(table.offsets[variable]), int(table.offsets[variable + 1]))
    best = np.full(2**n, NEVER)
    np.minimum.at(best, table.parents[rows, 0].astype(np.int64), costs[rows])
    for other in range(n):
        pairs = best.reshape(-1, 2, 2**other)  # without and with the other variable
        np.minimum(pairs[:, 1], pairs[:, 0], out=pairs[:, 1])
    return best
