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
#: Another order is looked for in which much weight is within the limit: a candidate that costs one
#: so-manieth part of the limit more than the best one weighs e times less.
WEIGHING = 20
#: Candidates that are looked at on the way, for each pair of a variable and a candidate that comes
#: into question: some seconds with hundreds of variables, if there is as much time.
WORK = 1_000
#: More than the rounding error, in proportion, of the sums of numbers there, where these are
#: too large to be exact.
ROUNDING = 1e-9


class OneOrder:
    """The networks that fit an order of the variables.

    Parameters
    ----------
    space
        What is searched.
    order
        The variables, first to last; each has a candidate with parents before it.

    Attributes
    ----------
    rows
        The candidates along the order that are in some network within the limit of the best one
        along it, or nearly so.
    least
        The cost of the best network that fits the order.

    Examples
    --------
    >>> import crediblenet as cn
    >>> from crediblenet.enumeration import search
    >>> table = cn.score(cn.example("cancer").data, bayes_factor=20)
    >>> networks = search(table, table.epsilon).network_set
    >>> cost, best = next(networks.networks(networks.max_cost))
    >>> order = OneOrder.of_network(SearchSpace.within(table, table.epsilon), best)
    >>> order.least == cost, order.at_least(networks.max_cost)
    (True, 1)
    """

    def __init__(self, space: SearchSpace, order: NDArray[np.int64]) -> None:
        table = space.table
        self._space = space
        self._order = order
        variable = np.repeat(np.arange(table.n_variables), np.diff(table.offsets))
        along = np.flatnonzero(~(table.parents & ~_before(order)[variable]).any(axis=1))
        costs, starts = space.costs[along], np.searchsorted(along, table.offsets[:-1])
        least = np.minimum.reduceat(costs, starts)
        near = costs - least[variable[along]] <= space.slack
        self.rows = along[near]
        self.least = int(least.sum())
        self._least = least
        self._starts = np.searchsorted(self.rows, table.offsets[:-1])
        self._above = (costs - least[variable[along]])[near]

    @classmethod
    def of_network(cls, space: SearchSpace, rows: NDArray[np.uint32]) -> OneOrder:
        """Return those of an order that a network fits, given by its rows."""
        has_parent = unpack(space.table.parents[rows], space.table.n_variables)
        graph = nx.from_numpy_array(has_parent.T, create_using=nx.DiGraph)
        return cls(space, np.array(list(nx.topological_sort(graph)), dtype=np.int64))

    def widened(self, most: int, control: _core.Control) -> OneOrder:
        """Return those of an order along which more cost at most so much, if one is soon found.

        Parameters
        ----------
        most
            In grid units.
        control
            Says how long it may take.
        """
        space, table = self._space, self._space.table
        above = space.costs - np.repeat(self._least, np.diff(table.offsets))
        near = np.flatnonzero(np.abs(above) <= space.slack)
        offsets = np.searchsorted(near, table.offsets)
        problem = _core.Problem.make(offsets, table.parents[near], space.costs[near])
        weights = np.exp(-WEIGHING * above[near] / max(1, space.slack))
        work = WORK * table.n_variables * len(near)
        order = problem.wide_order(self._order.astype(np.uint32), weights, work, 1, control)
        other = OneOrder(space, order.astype(np.int64))
        return other if other.at_least(most) > self.at_least(most) else self

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


def _before(order: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return who is before each variable, as a bit set."""
    n = len(order)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    bits = np.zeros((n, -(-n // 64) * 64), dtype=bool)
    bits[:, :n] = place < place[:, None]
    return np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)
