"""The least cost of a network by an integer program with rows added on demand.

One variable of the program per candidate, one of them chosen per variable of the network; where
the choice has a cycle, the variables on it get a row: one of them has no parent among the others
(Jaakkola et al. 2010). HiGHS solves the program again until there is no cycle left.
"""

from __future__ import annotations

import itertools
import time

import highspy
import networkx as nx
import numpy as np
from numpy.typing import NDArray

import crediblenet as cn

__all__ = ["least_cost"]


def least_cost(
    table: cn.ScoreTable, costs: NDArray[np.int64], time_limit: float
) -> tuple[int | None, int]:
    """Return the least cost, or None when it was not proved in time, and the rows added.

    The solver compares floating-point numbers: it is right within a millionth of a nat.

    Examples
    --------
    >>> import numpy as np
    >>> import crediblenet as cn
    >>> sets = [{frozenset(): 5.0, frozenset({1}): 2.0}, {frozenset(): 4.0, frozenset({0}): 1.0}]
    >>> table = cn.ScoreTable.from_candidates(["a", "b"], sets)
    >>> least_cost(table, np.rint(table.costs).astype(np.int64), 10.0)
    (6, 1)
    """
    deadline = time.monotonic() + time_limit
    solver = _program(table, costs)
    rows = 0
    # Cycles of two turn up first, and there are few of them.
    new = [[a, b] for a, b in itertools.combinations(range(table.n_variables), 2)]
    while True:
        for cluster in new:
            columns = _first_of(table, cluster)
            solver.addRow(1.0, highspy.kHighsInf, len(columns), columns, np.ones(len(columns)))
        rows += len(new)
        solver.setOptionValue("time_limit", solver.getRunTime() + deadline - time.monotonic())
        if time.monotonic() > deadline or solver.run() != highspy.HighsStatus.kOk:
            return None, rows
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None, rows
        chosen = np.flatnonzero(np.array(solver.getSolution().col_value) > 0.5)
        new = _cycles(table, chosen)
        if not new:
            return int(costs[chosen].sum()), rows


def _program(table: cn.ScoreTable, costs: NDArray[np.int64]) -> highspy.Highs:
    """Return the program without any row for cycles, its costs in nats."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    # Somebody else in this thread may have solved something with another number of threads.
    highspy.Highs.resetGlobalScheduler(True)
    solver.setOptionValue("threads", 2)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 1e-6)
    best = np.minimum.reduceat(costs, table.offsets[:-1])
    # Relative to the cheapest candidate of each variable: costs of thousands have no digits left.
    above = (costs - np.repeat(best, np.diff(table.offsets))) * 2.0**-table.grid_bits
    for column, cost in enumerate(above):
        solver.addCol(float(cost), 0.0, 1.0, 0, np.zeros(0, np.int32), np.zeros(0))
        solver.changeColIntegrality(column, highspy.HighsVarType.kInteger)
    for first, last in zip(table.offsets[:-1], table.offsets[1:], strict=True):
        columns = np.arange(first, last, dtype=np.int32)
        solver.addRow(1.0, 1.0, len(columns), columns, np.ones(len(columns)))
    return solver


def _cycles(table: cn.ScoreTable, chosen: NDArray[np.int64]) -> list[list[int]]:
    """Return a short cycle through each variable that is on one."""
    graph = nx.DiGraph(
        (parent, child)
        for child, row in enumerate(chosen.tolist())
        for parent in table.parent_set(row)
    )
    found: set[frozenset[int]] = set()
    for component in nx.strongly_connected_components(graph):
        if len(component) == 1:
            continue
        inside = graph.subgraph(component)
        for start in sorted(component):
            paths = nx.single_source_shortest_path(inside, start)
            back = [list(paths[end]) for end in inside.predecessors(start) if end in paths]
            found.add(frozenset(sorted(back, key=len)[0]))
    return sorted(sorted(cycle) for cycle in found)


def _first_of(table: cn.ScoreTable, cluster: list[int]) -> NDArray[np.int32]:
    """Return the candidates of a cluster's members without a parent in it."""
    inside = set(cluster)
    return np.array(
        [
            row
            for member in cluster
            for row in range(int(table.offsets[member]), int(table.offsets[member + 1]))
            if inside.isdisjoint(table.parent_set(row))
        ],
        dtype=np.int32,
    )
