"""Networks, and the credible set by trying every one of them.

A network is a tuple with the set of parents of each variable; variables are numbers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import TypeAlias

from ..exceptions import ParameterError
from ..score_table import ScoreTable

__all__ = [
    "TOLERANCE",
    "LocalCosts",
    "Network",
    "Parents",
    "all_dags",
    "costs_of_table",
    "is_acyclic",
    "network_cost",
    "networks_within",
    "subsets",
]

Parents: TypeAlias = frozenset[int]
Network: TypeAlias = tuple[Parents, ...]

# For each variable, the cost of each parent set that it may have. A parent set that is
# not listed is not allowed.
LocalCosts: TypeAlias = Sequence[Mapping[Parents, float]]

# Credible means cost <= OPT + epsilon + TOLERANCE: rounding must not decide membership.
TOLERANCE = 1e-6

# There are 3,781,503 DAGs on six variables: too many to try for each question.
MOST_VARIABLES = 5


def subsets(items: Iterable[int]) -> Iterator[Parents]:
    """Yield every subset, smaller ones first.

    >>> [sorted(subset) for subset in subsets([3, 5])]
    [[], [3], [5], [3, 5]]
    """
    pool = sorted(items)
    for size in range(len(pool) + 1):
        yield from map(frozenset, combinations(pool, size))


def is_acyclic(network: Sequence[Collection[int]]) -> bool:
    """Say whether no variable is its own ancestor.

    Variables without any parent left are taken away again and again; what remains at
    the end are the cycles and what hangs below them. A parent that has no entry in
    `network` counts as a variable without parents.

    >>> is_acyclic([{1}, set()]), is_acyclic([{1}, {0}])
    (True, False)
    """
    remaining = set(range(len(network)))
    while remaining:
        without_parents = {v for v in remaining if remaining.isdisjoint(network[v])}
        if not without_parents:
            return False
        remaining -= without_parents
    return True


@cache
def all_dags(n: int) -> tuple[Network, ...]:
    """Return every directed acyclic graph on `n` variables, for `n` up to 5.

    Their numbers are 1, 3, 25, 543 and 29,281 (OEIS A003024).

    >>> [len(all_dags(n)) for n in range(1, 5)]
    [1, 3, 25, 543]
    """
    if not 0 <= n <= MOST_VARIABLES:
        raise ParameterError(
            f"all DAGs can be listed for at most {MOST_VARIABLES} variables, not for {n}"
        )
    dags: list[Network] = [()]
    for child in range(n):
        choices = list(subsets(v for v in range(n) if v != child))
        extended = ((*dag, parents) for dag in dags for parents in choices)
        dags = [dag for dag in extended if is_acyclic(dag)]
    return tuple(dags)


def costs_of_table(table: ScoreTable) -> list[dict[Parents, float]]:
    """Return the candidates of a score table as plain dictionaries."""
    return [
        {frozenset(parents): cost for parents, cost in table.candidates(variable)}
        for variable in range(table.n_variables)
    ]


def network_cost(network: Network, local_costs: LocalCosts) -> float:
    """Return the sum of the local costs; infinity when a parent set is not allowed."""
    return math.fsum(
        costs.get(parents, math.inf) for costs, parents in zip(local_costs, network, strict=True)
    )


def networks_within(
    local_costs: LocalCosts | ScoreTable, epsilon: float, tau: float = TOLERANCE
) -> dict[Network, float]:
    """Return every network of cost at most OPT + epsilon + tau, with its cost.

    Each DAG is tried, so this is for at most five variables. The result is empty when
    no DAG can be made of the parent sets allowed.

    Examples
    --------
    >>> costs = [
    ...     {frozenset(): 2.0, frozenset({1}): 1.0},
    ...     {frozenset(): 2.0, frozenset({0}): 0.5},
    ... ]
    >>> for network, cost in networks_within(costs, epsilon=0.5).items():
    ...     print([sorted(parents) for parents in network], cost)
    [[], [0]] 2.5
    [[1], []] 3.0
    """
    if isinstance(local_costs, ScoreTable):
        local_costs = costs_of_table(local_costs)
    costs = {dag: network_cost(dag, local_costs) for dag in all_dags(len(local_costs))}
    optimum = min(costs.values())
    if optimum == math.inf:
        return {}
    return {dag: cost for dag, cost in costs.items() if cost <= optimum + epsilon + tau}
