"""The linear relaxation: choose parent sets, obey cluster inequalities.

Variables x[i, P] in [0, 1] choose a parent set for each variable; for a set C of variables
and k < |C|, the sum of x[i, P] over i in C with fewer than k parents in C is at least k in
every acyclic network. Rows are separated in the core and added until none is violated.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from .. import _core

__all__ = ["Cluster", "LinearBound", "linear_bound"]

#: Clusters with k up to this are separated. k = 2 closes most of the gap that k = 1
#: leaves; k = 3 changed no bound on the fourteen tables it was tried on.
MAX_K = 2
#: Rows added per round; more make each solve dearer without saving rounds.
ROWS_PER_ROUND = 100


@dataclass(frozen=True)
class Cluster:
    """One cluster inequality: the members as words of a bit set, and k."""

    members: bytes
    k: int

    def words(self) -> NDArray[np.uint64]:
        """Return the members as an array of words."""
        return np.frombuffer(self.members, dtype=np.uint64)


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
        The inequalities with a positive multiplier: where to start next time.
    separated
        Whether the solution obeys every inequality that separation could find.
    """

    lower: int
    reduced: NDArray[np.int64]
    x: NDArray[np.float64]
    clusters: tuple[Cluster, ...]
    separated: bool


def linear_bound(
    problem: _core.Problem,
    variable: NDArray[np.int64],
    costs: NDArray[np.int64],
    unit: float,
    clusters: tuple[Cluster, ...],
    control: _core.Control,
) -> LinearBound:
    """Solve the relaxation over the candidates that are left in a problem.

    The bound does not rest on the solver's tolerance: its multipliers are rounded to
    whole grid units, and *any* non-negative multipliers give a valid bound.

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
    control
        Ends the rounds early when the run is stopped; the bound is valid all the same.
    """
    program = _Program(problem, variable, costs, unit)
    for cluster in clusters:
        program.add(cluster)
    separated = False
    while program.solve() and not control.poll():
        found = program.violated()
        if not found:
            separated = True
            break
        for cluster in found:
            program.add(cluster)
    return program.bound(separated)


class _Program:
    """A HiGHS model and the bookkeeping between its columns and the table's rows."""

    def __init__(
        self,
        problem: _core.Problem,
        variable: NDArray[np.int64],
        costs: NDArray[np.int64],
        unit: float,
    ) -> None:
        self.problem = problem
        self.unit = unit
        self.rows = problem.rows().astype(np.int64)
        self.n_table_rows = len(costs)
        self.column = np.full(self.n_table_rows, -1, dtype=np.int32)
        self.column[self.rows] = np.arange(len(self.rows), dtype=np.int32)
        self.variable = variable[self.rows]
        self.costs = costs[self.rows]
        self.starts = np.flatnonzero(np.diff(self.variable, prepend=-1))
        self.least = np.minimum.reduceat(self.costs, self.starts)
        self.clusters: list[Cluster] = []
        self.covered: list[NDArray[np.int32]] = []
        self.known: set[Cluster] = set()
        self.x = np.zeros(self.n_table_rows)
        self.model = self._model()

    def _model(self) -> highspy.Highs:
        n, m = len(self.starts), len(self.rows)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = m, n
        lp.col_cost_ = np.asarray((self.costs - self.least[self.variable]) * self.unit, np.float64)
        lp.col_lower_ = np.zeros(m)
        lp.col_upper_ = np.full(m, highspy.kHighsInf)
        lp.row_lower_ = np.ones(n)
        lp.row_upper_ = np.ones(n)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.append(self.starts, m).astype(np.int32)
        lp.a_matrix_.index_ = np.arange(m, dtype=np.int32)
        lp.a_matrix_.value_ = np.ones(m)
        model = highspy.Highs()  # type: ignore[no-untyped-call]
        model.setOptionValue("output_flag", False)
        model.setOptionValue("threads", 1)
        model.passModel(lp)
        return model

    def add(self, cluster: Cluster) -> None:
        if cluster in self.known:
            return
        columns = self.column[self.problem.cluster_rows(cluster.words(), cluster.k)]
        self.model.addRow(
            float(cluster.k), highspy.kHighsInf, len(columns), columns, np.ones(len(columns))
        )
        self.known.add(cluster)
        self.clusters.append(cluster)
        self.covered.append(columns)

    def solve(self) -> bool:
        """Solve the model as it is; False if the solver gave up."""
        self.model.run()
        if self.model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return False
        self.x[self.rows] = self.model.getSolution().col_value
        return True

    def violated(self) -> list[Cluster]:
        members, k, _ = self.problem.violated_clusters(self.x, MAX_K, ROWS_PER_ROUND)
        found = [
            Cluster(words.tobytes(), int(size)) for words, size in zip(members, k, strict=True)
        ]
        return [cluster for cluster in found if cluster not in self.known]

    def bound(self, separated: bool) -> LinearBound:
        """Turn the multipliers into a proved bound.

        For whole multipliers m_C >= 0 let reduced = cost - (sum of m_C over the rows C
        that the candidate counts for) - u_i, with u_i the least such value of its
        variable. Then for every acyclic network
        cost = sum of u_i + sum of reduced + sum of m_C * count_C,  count_C >= k_C.
        """
        duals = np.asarray(self.model.getSolution().row_dual)[len(self.starts) :]
        lower = 0
        reduced = self.costs.copy()
        useful = []
        for cluster, columns, dual in zip(self.clusters, self.covered, duals, strict=False):
            multiplier = int(max(0.0, float(dual)) / self.unit)
            if multiplier > 0:
                reduced[columns] -= multiplier
                lower += multiplier * cluster.k
                useful.append(cluster)
        least = np.minimum.reduceat(reduced, self.starts)
        reduced -= least[self.variable]
        full = np.zeros(self.n_table_rows, dtype=np.int64)
        full[self.rows] = reduced
        return LinearBound(lower + int(least.sum()), full, self.x.copy(), tuple(useful), separated)
