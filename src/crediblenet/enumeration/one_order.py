"""The networks that fit one order of the variables: what a stopped search knows of the rest.

Along an order every variable chooses its parents among those before it, whatever the others
choose: so there is nothing to search. And no two of these networks are equivalent, because an
order and a skeleton leave one network (equivalent ones have the same skeleton: Verma and Pearl
1990). So they say at least how many classes there are.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..network_batch import unpack
from .space import SearchSpace

__all__ = ["OneOrder"]

#: Steps of cost for a lower bound on how many there are, at least: the cost of each choice that is
#: not the best one is rounded up to whole steps.
STEPS = 4096
#: More than the rounding error, in proportion, of the sums of numbers there, where these are
#: too large to be exact.
ROUNDING = 1e-9


class OneOrder:
    """The networks that fit an order of the variables of a network.

    Parameters
    ----------
    space
        What is searched.
    rows
        The network.

    Attributes
    ----------
    rows
        The candidates along the order that are in some network within the limit, or nearly so.
    least
        The cost of the best network that fits the order.

    Examples
    --------
    >>> import crediblenet as cn
    >>> from crediblenet.enumeration import search
    >>> table = cn.score(cn.example("cancer").data, bayes_factor=20)
    >>> networks = search(table, table.epsilon).network_set
    >>> cost, best = next(networks.networks(networks.max_cost))
    >>> order = OneOrder(SearchSpace.within(table, table.epsilon), best)
    >>> order.least == cost, order.at_least(networks.max_cost)
    (True, 1)
    """

    def __init__(self, space: SearchSpace, rows: NDArray[np.uint32]) -> None:
        table = space.table
        self._space = space
        variable = np.repeat(np.arange(table.n_variables), np.diff(table.offsets))
        near = np.flatnonzero(space.costs - space.costs[rows][variable] <= space.slack)
        before = _before(unpack(table.parents[rows], table.n_variables))
        self.rows = near[~(table.parents[near] & ~before[variable[near]]).any(axis=1)]
        self._starts = np.searchsorted(self.rows, table.offsets[:-1])
        costs = space.costs[self.rows]
        least = np.minimum.reduceat(costs, self._starts)
        self.least = int(least.sum())
        self._above = costs - np.repeat(least, np.diff(np.append(self._starts, len(costs))))

    def circuit(self) -> tuple[_core.Circuit, int]:
        """Return the networks in compiled form: a circuit and its node."""
        circuit = _core.Circuit()
        leaves = np.array(
            [circuit.network(self.rows[r : r + 1].astype(np.uint32)) for r in range(len(self.rows))]
        ).astype(np.uint32)
        choices = [circuit.choice(own) for own in np.split(leaves, self._starts[1:])]
        return circuit, circuit.product(np.array(choices, dtype=np.uint32))

    def at_least(self, most: int) -> int:
        """Return how many networks cost at most so much, or a little less than that."""
        room = most - self.least
        if room < 0:
            return 0
        unit = max(1, room // STEPS)
        steps, most_steps = -(-self._above // unit), room // unit  # rounded up, and down
        number = np.zeros(most_steps + 1)  # of choices for some variables, by their cost
        number[0] = 1.0
        for own in np.split(steps, self._starts[1:]):
            more = np.zeros_like(number)
            for step in own[own <= most_steps].tolist():
                more[step:] += number[: most_steps + 1 - step]
            number = more
        total = float(number.sum())
        return int(total if total < 2**53 else total * (1 - ROUNDING))


def _before(has_parent: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return who is before each variable, as a bit set, in an order with parents first.

    `has_parent` says for each child who is a parent.
    """
    n = len(has_parent)
    graph = nx.from_numpy_array(has_parent.T, create_using=nx.DiGraph)
    position = np.empty(n, dtype=np.int64)
    position[list(nx.topological_sort(graph))] = np.arange(n)
    bits = np.zeros((n, -(-n // 64) * 64), dtype=bool)
    bits[:, :n] = position < position[:, None]
    return np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)
