"""The credible set for six to eight variables, by taking away sinks.

Every DAG has a sink, a variable without children. Taking away the largest sink again and
again takes a DAG apart in exactly one order, so that building in that order meets every
DAG exactly once. The least cost of a DAG on the variables that remain, from the recursion
of Silander & Myllymäki (UAI 2006), says when a start leads nowhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..score_table import ScoreTable
from .networks import (
    TOLERANCE,
    LocalCosts,
    Network,
    Parents,
    costs_of_table,
    network_cost,
    subsets,
)

__all__ = ["networks_within_by_sinks", "optimal_cost"]

# Sums in another order differ by rounding; the last word has the sum of the whole network.
ROUNDING = 1e-7


def least_costs(local_costs: LocalCosts) -> dict[Parents, float]:
    """Return the least cost of a DAG on each set of variables; infinity when there is none."""
    least = {frozenset[int](): 0.0}
    for nodes in subsets(range(len(local_costs))):
        if nodes:
            least[nodes] = min(
                least[nodes - {sink}] + min(costs_within(local_costs, sink, nodes - {sink}))
                for sink in nodes
            )
    return least


def costs_within(local_costs: LocalCosts, child: int, allowed: Parents) -> list[float]:
    """Return the costs of the parent sets of `child` that are subsets of `allowed`."""
    costs = [cost for parents, cost in local_costs[child].items() if parents <= allowed]
    return costs or [math.inf]


def optimal_cost(local_costs: LocalCosts | ScoreTable) -> float:
    """Return the least cost of a DAG; infinity when none can be made.

    >>> optimal_cost([{frozenset({1}): 1.0}, {frozenset(): 2.0, frozenset({0}): 0.5}])
    3.0
    """
    if isinstance(local_costs, ScoreTable):
        local_costs = costs_of_table(local_costs)
    return least_costs(local_costs)[frozenset(range(len(local_costs)))]


def networks_within_by_sinks(
    local_costs: LocalCosts | ScoreTable, epsilon: float, tau: float = TOLERANCE
) -> dict[Network, float]:
    """Return every network of cost at most OPT + epsilon + tau, with its cost.

    The same as `networks_within`, for as many variables as patience allows.
    """
    if isinstance(local_costs, ScoreTable):
        local_costs = costs_of_table(local_costs)
    n = len(local_costs)
    least = least_costs(local_costs)
    optimum = least[frozenset(range(n))]
    if optimum == math.inf:
        return {}

    def take_sinks(
        nodes: Parents, removed: tuple[int, ...], chosen: dict[int, Parents], budget: float
    ) -> Iterator[Network]:
        """Choose the next sink among `nodes`; `removed` are the sinks so far, in order."""
        if not nodes:
            yield tuple(chosen[v] for v in range(n))
            return
        for sink in sorted(nodes):
            if not is_in_order(sink, removed, chosen):
                continue
            rest = nodes - {sink}
            for parents, cost in local_costs[sink].items():
                if parents <= rest and cost + least[rest] <= budget + ROUNDING:
                    yield from take_sinks(
                        rest, (*removed, sink), chosen | {sink: parents}, budget - cost
                    )

    found = take_sinks(frozenset(range(n)), (), {}, optimum + epsilon + tau)
    costs = {network: network_cost(network, local_costs) for network in found}
    optimum = min(costs.values())
    return {network: cost for network, cost in costs.items() if cost <= optimum + epsilon + tau}


def is_in_order(sink: int, removed: tuple[int, ...], chosen: dict[int, Parents]) -> bool:
    """Say whether taking `sink` next keeps to "the largest sink first".

    It has been a sink since the last of its children went, and everything taken after
    that child had to be larger, or else `sink` had been its turn.
    """
    for earlier in reversed(removed):
        if sink in chosen[earlier]:
            return True
        if earlier < sink:
            return False
    return True
