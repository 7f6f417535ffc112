"""The linear relaxation: choose parent sets, obey cluster inequalities.

Variables x[i, P] in [0, 1] choose a parent set for each variable; for a set C of variables
and k < |C|, the sum of x[i, P] over i in C with fewer than k parents in C is at least k in
every acyclic network. Rows are separated in the core and added while any is violated;
columns are added while any could lower the optimum, so that most candidates never enter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from .. import _core

__all__ = ["Clusters", "LinearBound", "Relaxation"]

#: Clusters with k up to this are separated. k = 2 closes most of the gap that k = 1
#: leaves; k = 3 changed no bound on the fourteen tables it was tried on.
MAX_K = 2
#: Rows added per round; more make each solve dearer without saving rounds.
ROWS_PER_ROUND = 100
#: Rows without a multiplier for so many rounds are dropped.
IDLE_ROUNDS = 3
#: Columns per variable at the start, and added per variable and round.
COLUMNS = 5


@dataclass(frozen=True)
class Clusters:
    """Cluster inequalities with whole multipliers, in grid units.

    Attributes
    ----------
    members
        The variables of each, as words of a bit set.
    k, values
        How many members must count, and the multiplier.
    """

    members: NDArray[np.uint64]
    k: NDArray[np.uint32]
    values: NDArray[np.int64]

    @staticmethod
    def none(words: int) -> Clusters:
        """Return no inequality at all."""
        return Clusters(
            np.zeros((0, words), np.uint64), np.zeros(0, np.uint32), np.zeros(0, np.int64)
        )

    def __len__(self) -> int:
        return len(self.k)


@dataclass(frozen=True)
class LinearBound:
    """A proved bound, in whole grid units.

    Attributes
    ----------
    lower
        No acyclic network of the problem costs less.
    reduced
        For each row of the table: a network that uses it costs at least ``lower`` plus
        this. Only rows of the problem are meaningful.
    x
        The relaxed solution, one value per row of the table.
    clusters
        The inequalities with a positive multiplier.
    final
        Whether the relaxation is solved: no column and no inequality that separation
        could find is missing.
    """

    lower: int
    reduced: NDArray[np.int64]
    x: NDArray[np.float64]
    clusters: Clusters
    final: bool


class Relaxation:
    """The relaxation over the candidates that are left in a problem.

    Parameters
    ----------
    problem
        The candidates that are left.
    variable, costs
        For each row of the table its variable, and its cost in grid units.
    unit
        One grid unit in nats.
    clusters
        Inequalities to start with.
    start
        Rows to start with, besides the cheapest of each variable.
    """

    def __init__(
        self,
        problem: _core.Problem,
        variable: NDArray[np.int64],
        costs: NDArray[np.int64],
        unit: float,
        clusters: Clusters,
        start: NDArray[np.int64],
    ) -> None:
        self.problem = problem
        self.unit = unit
        self.rows = problem.rows().astype(np.int64)
        self.n_table_rows = len(costs)
        self.variable = variable[self.rows]
        self.costs = costs
        self.starts = np.flatnonzero(np.diff(self.variable, prepend=-1))
        self.least = np.minimum.reduceat(costs[self.rows], self.starts)
        self.columns = np.zeros(0, np.int64)  # the table's row of each column but the first
        self.active = np.zeros(self.n_table_rows, dtype=bool)
        self.members = np.zeros((0, clusters.members.shape[1]), np.uint64)
        self.k = np.zeros(0, np.uint32)
        self.idle = np.zeros(0, np.int64)
        self.known: set[tuple[bytes, int]] = set()
        self.table_variable = variable
        self.model = self._model()
        self._add_columns(self._cheapest(costs[self.rows]))
        self._add_columns(start[np.isin(start, self.rows)])
        self._add_rows(clusters.members, clusters.k)

    def rounds(self, control: _core.Control) -> Iterator[LinearBound]:
        """Solve, price and separate until nothing is missing; every bound is valid.

        A bound does not rest on the solver's tolerance: its multipliers are rounded to
        whole grid units, and *any* non-negative multipliers give a valid bound.
        """
        final = False
        while not final and not control.poll():
            # HiGHS adds up the time of all calls.
            self.model.setOptionValue("time_limit", self.model.getRunTime() + control.seconds_left)
            self.model.run()
            if self.model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
                return
            solution = self.model.getSolution()
            x = np.zeros(self.n_table_rows)
            x[self.columns] = np.asarray(solution.col_value)[1:]
            bound, missing = self._bound(np.asarray(solution.row_dual), x)
            self._drop_idle_rows(np.asarray(solution.row_dual))
            members, k, _ = self.problem.violated_clusters(x, MAX_K, ROWS_PER_ROUND, control)
            added = self._add_columns(missing) + self._add_rows(members, k)
            final = added == 0 and not control.poll()  # a stopped separation misses some
            yield LinearBound(bound.lower, bound.reduced, x, bound.clusters, final)

    def _model(self) -> highspy.Highs:
        """Return a model whose only column stands for breaking every inequality."""
        model = highspy.Highs()  # type: ignore[no-untyped-call]
        model.setOptionValue("output_flag", False)
        model.setOptionValue("threads", 1)
        n = len(self.starts)
        ends = np.append(self.starts, len(self.rows))
        spread = sum(
            int(self.costs[self.rows[a:b]].max()) - int(least)
            for a, b, least in zip(ends[:-1], ends[1:], self.least, strict=True)
        )
        model.addCol(spread * self.unit + 1.0, 0.0, 1.0, 0, [], [])
        model.addRows(n, np.ones(n), np.ones(n), 0, np.zeros(n, np.int32), [], [])
        return model

    def _cheapest(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows with the least value, a few for each variable."""
        order = np.lexsort((values, self.variable))
        rank = np.arange(len(order)) - np.repeat(
            self.starts, np.diff(np.append(self.starts, len(order)))
        )
        return self.rows[order[rank < COLUMNS]]

    def _add_columns(self, rows: NDArray[np.int64]) -> int:
        rows = np.unique(rows[~self.active[rows]])
        if len(rows) == 0:
            return 0
        n, variable = len(self.starts), self.table_variable[rows]
        flags = self.problem.counting(rows.astype(np.uint32), self.members, self.k)
        own = np.zeros((len(rows), n + len(self.k)), dtype=bool)
        own[np.arange(len(rows)), variable] = True
        own[:, n:] = flags
        column, row = np.nonzero(own)
        begin = np.searchsorted(column, np.arange(len(rows)))
        cost = np.asarray((self.costs[rows] - self.least[variable]) * self.unit, np.float64)
        self.model.addCols(
            len(rows),
            cost,
            np.zeros(len(rows)),
            np.full(len(rows), highspy.kHighsInf),
            len(row),
            begin.astype(np.int32),
            row.astype(np.int32),
            np.ones(len(row)),
        )
        self.columns = np.append(self.columns, rows)
        self.active[rows] = True
        return len(rows)

    def _add_rows(self, members: NDArray[np.uint64], k: NDArray[np.uint32]) -> int:
        new = []
        for index, (words, size) in enumerate(zip(members, k, strict=True)):
            key = (words.tobytes(), int(size))
            if key not in self.known:
                self.known.add(key)
                new.append(index)
        if not new:
            return 0
        members, k = members[new], k[new]
        flags = self.problem.counting(self.columns.astype(np.uint32), members, k)
        for cluster, size in enumerate(k):
            columns = 1 + np.flatnonzero(flags[:, cluster])
            self.model.addRow(
                float(size),
                highspy.kHighsInf,
                len(columns) + 1,
                np.insert(columns, 0, 0).astype(np.int32),
                np.insert(np.ones(len(columns)), 0, float(size)),
            )
        self.members = np.concatenate([self.members, members])
        self.k = np.concatenate([self.k, k])
        self.idle = np.append(self.idle, np.zeros(len(k), dtype=np.int64))
        return len(new)

    def _drop_idle_rows(self, duals: NDArray[np.float64]) -> None:
        """Drop inequalities that had no multiplier for some rounds: solving gets cheaper."""
        n = len(self.starts)
        self.idle = np.where(duals[n:] > 1e-9, 0, self.idle + 1)
        drop = np.flatnonzero(self.idle >= IDLE_ROUNDS)
        if len(drop) == 0:
            return
        self.model.deleteRows(len(drop), (n + drop).astype(np.int32))
        for cluster in drop:
            self.known.remove((self.members[cluster].tobytes(), int(self.k[cluster])))
        keep = np.ones(len(self.k), dtype=bool)
        keep[drop] = False
        self.members, self.k, self.idle = self.members[keep], self.k[keep], self.idle[keep]

    def _bound(
        self, duals: NDArray[np.float64], x: NDArray[np.float64]
    ) -> tuple[LinearBound, NDArray[np.int64]]:
        """Turn the multipliers into a proved bound, and say which columns are missing.

        For whole multipliers m_C >= 0 let reduced = cost - (sum of m_C over the rows C
        that the candidate counts for) - u_i, with u_i the least such value of its
        variable. Then for every acyclic network
        cost = sum of u_i + sum of reduced + sum of m_C * count_C,  count_C >= k_C.
        """
        n = len(self.starts)
        values = (np.maximum(duals[n:], 0.0) / self.unit).astype(np.int64)
        positive = np.flatnonzero(values)
        clusters = Clusters(self.members[positive], self.k[positive], values[positive])
        full = self.problem.reduced_costs(clusters.members, clusters.k, clusters.values)
        reduced = full[self.rows]
        least = np.minimum.reduceat(reduced, self.starts)
        lower = int(least.sum()) + int(clusters.k.astype(np.int64) @ clusters.values)
        # A column is missing if it is cheaper, in reduced cost, than the solver believes.
        believed = duals[:n] / self.unit + self.least
        cheaper = reduced < (believed - 1e-7 / self.unit)[self.variable]
        missing = self._cheapest(np.where(cheaper, reduced, np.iinfo(np.int64).max))
        missing = missing[np.isin(missing, self.rows[cheaper])]
        full[self.rows] = reduced - least[self.variable]
        return LinearBound(lower, full, x, clusters, False), missing
