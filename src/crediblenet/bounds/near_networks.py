"""Good networks near a relaxed solution: upper bounds, which prove nothing."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import _core

__all__ = ["HEAT", "best_network_near", "network_near"]

#: Finds a network with the help of a seed.
Search: TypeAlias = Callable[[int], NDArray[np.uint32]]

#: Restarts of the local search over orders near a relaxed solution.
FEW_RESTARTS = 3
#: How long neighbourhoods of what it found are searched then: a hot search, of the whole search
#: space, in steps for each pair of variables (30 variables take some milliseconds, 400 some
#: seconds), a cold one, of a part, in steps for each variable; and how hot the former begins, in
#: nats.
STEPS_PER_PAIR = 500
PART_STEPS = 2_000
HEAT = 1.0
#: What one hot search ends with differs from seed to seed: with 400 variables by four nats. So many
#: are made in a round, the first round near the relaxed solution, the next ones from the best
#: network so far, with heat that leaves most of it as it is, until so many rounds were in vain.
#: With few variables they find what one of them finds, and would take a third of the time.
SMALL_PROBLEM = 64
SEARCHES = 8
REHEAT = 0.5
VAIN_ROUNDS = 3


def network_near(
    problem: _core.Problem,
    x: NDArray[np.float64],
    heat: int,
    seed: int,
    control: _core.Control,
) -> NDArray[np.uint32]:
    """Return the rows of a good network near a relaxed solution.

    Parameters
    ----------
    problem
        The candidates.
    x
        The relaxed solution.
    heat
        How hot the search of neighbourhoods begins, in grid units; 0 for a short, cold one.
    seed
        The same one gives the same network.
    control
        Stops the search.
    """
    _, rows = problem.order_search(FEW_RESTARTS, seed, x, control)
    if heat > 0:
        return _hot_search(problem, x, rows, heat, seed, control)
    return problem.search_neighbourhoods(rows, x, PART_STEPS * len(rows), 0, seed, control)[1]


def best_network_near(
    problem: _core.Problem,
    x: NDArray[np.float64],
    costs: NDArray[np.int64],
    rows: NDArray[np.uint32],
    unit: float,
    control: _core.Control,
    threads: int = 1,
) -> NDArray[np.uint32]:
    """Return the rows of the best network that many hot searches find.

    With few variables nothing is searched: the best network so far is returned.

    Parameters
    ----------
    problem
        The candidates.
    x
        The relaxed solution.
    costs
        The cost of each row of the table, in grid units.
    rows
        The best network so far.
    unit
        One grid unit in nats.
    control
        Stops the search.
    threads
        How many searches are made at a time: the network is the same, however many.
    """

    def cost(network: NDArray[np.uint32]) -> int:
        return int(costs[network].sum())

    if len(rows) <= SMALL_PROBLEM:
        return rows
    heat, reheat = int(HEAT / unit), int(REHEAT / unit)
    best, seeds, in_vain = rows, itertools.count(1), 0

    def near_solution(seed: int) -> NDArray[np.uint32]:
        return network_near(problem, x, heat, seed, control)

    def near_best(seed: int) -> NDArray[np.uint32]:
        return _hot_search(problem, x, best, reheat, seed, control)

    with ThreadPoolExecutor(threads) as pool:

        def best_of_round(search: Search) -> NDArray[np.uint32]:
            found = pool.map(
                lambda seed: best if control.poll() else search(seed),
                itertools.islice(seeds, SEARCHES),
            )
            return min((best, *found), key=cost)

        best = best_of_round(near_solution)
        while in_vain < VAIN_ROUNDS and not control.poll():
            better = best_of_round(near_best)
            in_vain = 0 if cost(better) < cost(best) else in_vain + 1
            best = better
    return best


def _hot_search(
    problem: _core.Problem,
    x: NDArray[np.float64],
    rows: NDArray[np.uint32],
    heat: int,
    seed: int,
    control: _core.Control,
) -> NDArray[np.uint32]:
    """Return the best network on a hot way from another one."""
    work = STEPS_PER_PAIR * len(rows) ** 2
    return problem.search_neighbourhoods(rows, x, work, heat, seed, control)[1]
