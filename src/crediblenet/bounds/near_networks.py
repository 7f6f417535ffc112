"""Good networks near a relaxed solution: upper bounds, which prove nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _core

__all__ = ["HEAT", "network_near"]

#: Restarts of the local search over orders near a relaxed solution.
FEW_RESTARTS = 3
#: How long neighbourhoods of what it found are searched then: a hot search, of the whole search
#: space, in steps for each pair of variables (30 variables take some milliseconds, 400 some
#: seconds), a cold one, of a part, in steps for each variable; and how hot the former begins, in
#: nats.
STEPS_PER_PAIR = 500
PART_STEPS = 2_000
HEAT = 1.0


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
    n = len(rows)
    work = STEPS_PER_PAIR * n * n if heat > 0 else PART_STEPS * n
    return problem.search_neighbourhoods(rows, x, work, heat, seed, control)[1]
