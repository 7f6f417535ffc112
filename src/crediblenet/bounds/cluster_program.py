"""The linear relaxation: choose parent sets, obey cluster inequalities.

Variables x[i, P] in [0, 1] choose a parent set for each variable; for a set C of variables
and k < |C|, the sum of x[i, P] over i in C with fewer than k parents in C is at least k in
every acyclic network. Rows are separated in the core and added while any is violated;
columns are added while any could lower the optimum, so that most candidates never enter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from .. import _core
from .half_cuts import HalfCuts, as_objects

__all__ = ["Clusters", "LinearBound", "Relaxation"]

#: Clusters with k up to this are separated. k = 2 closes most of the gap that k = 1
#: leaves; k = 3 changed no bound on the fourteen tables it was tried on.
MAX_K = 2
#: Rows added per round; more make each solve dearer without saving rounds.
ROWS_PER_ROUND = 100
#: Rows without a multiplier for so many rounds are dropped.
IDLE_ROUNDS = 3
#: By how much a cluster row must be violated to be added.
VIOLATION = 1e-4
#: Cuts are made of clusters with at most this slack, so many of them.
NEARLY_TIGHT = 0.3
TIGHT_ROWS = 10_000
#: Cuts added per round; they are looked for when fewer cluster rows than this are violated.
CUTS_PER_ROUND = 60
FEW_ROWS = 20
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
    clusters, cuts
        The inequalities with a positive multiplier.
    final
        Whether the relaxation is solved: no column and no inequality that separation
        could find is missing.
    """

    lower: int
    reduced: NDArray[np.int64]
    x: NDArray[np.float64]
    clusters: Clusters
    cuts: HalfCuts
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
    cuts
        Half cuts to start with; more are separated then. Without them, clusters only.
    """

    def __init__(
        self,
        problem: _core.Problem,
        variable: NDArray[np.int64],
        costs: NDArray[np.int64],
        unit: float,
        clusters: Clusters,
        start: NDArray[np.int64],
        cuts: HalfCuts | None = None,
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
        self.cuts = HalfCuts.none(clusters.members.shape[1])
        self.is_cut = np.zeros(0, dtype=bool)  # of the model's inequalities
        self.idle = np.zeros(0, np.int64)
        self.keys = np.zeros(0, dtype=object)  # what tells each inequality from others
        self.known: set[bytes] = set()  # the keys
        self.dropped: set[bytes] = set()  # keys of those that were dropped at some time
        self.table_variable = variable
        self.model = self._model()
        self._add_columns(self._cheapest(costs[self.rows]))
        self._add_columns(start[np.isin(start, self.rows)])
        self._add_rows(clusters.members, clusters.k)
        self.cutting = cuts is not None
        if cuts is not None:
            self._add_cuts(cuts)

    def rounds(self, control: _core.Control) -> Iterator[LinearBound]:
        """Solve, price and separate until nothing is missing; every bound is valid.

        A bound does not rest on the solver's tolerance: its multipliers are rounded to
        whole grid units, and *any* non-negative multipliers give a valid bound.
        """
        final = False
        while not final and not control.poll():
            # HiGHS adds up the time of all calls.
            self.model.setOptionValue("time_limit", self.model.getRunTime() + control.seconds_left)
            if self.model.run() == highspy.HighsStatus.kError:
                # In a thread that has solved something with more threads, one is refused.
                self.model.setOptionValue("threads", 0)
                if self.model.run() == highspy.HighsStatus.kError:
                    raise RuntimeError("HiGHS cannot solve a linear program")
            if self.model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
                return
            solution = self.model.getSolution()
            x = np.zeros(self.n_table_rows)
            x[self.columns] = np.asarray(solution.col_value)[1:]
            bound, missing = self._bound(np.asarray(solution.row_dual), x)
            self._drop_idle_rows(np.asarray(solution.row_dual))
            members, k = self._clusters(x, VIOLATION, ROWS_PER_ROUND, control)
            added = self._add_columns(missing) + self._add_rows(members, k)
            if self.cutting and added < FEW_ROWS:
                added += self._add_cuts(self._violated_cuts(x, control))
            final = added == 0 and not control.poll()  # a stopped separation misses some
            yield replace(bound, final=final)

    def _clusters(
        self, x: NDArray[np.float64], least: float, limit: int, control: _core.Control
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        members, k, _ = self.problem.violated_clusters(x, MAX_K, least, limit, control)
        return members, k

    def _violated_cuts(self, x: NDArray[np.float64], control: _core.Control) -> HalfCuts:
        """Return violated cuts made of rows of the model and of others that are nearly tight."""
        members, k = self._clusters(x, -NEARLY_TIGHT, TIGHT_ROWS, control)
        new = self._unknown(_keys(members, k))
        members, k = np.append(self.members, members[new], 0), np.append(self.k, k[new])
        return HalfCuts.violated(self.problem, x, members, k, CUTS_PER_ROUND, control)

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
        entries = np.zeros((len(rows), n + len(self.is_cut)))
        entries[np.arange(len(rows)), variable] = 1
        entries[:, n:][:, ~self.is_cut] = self.problem.counting(
            rows.astype(np.uint32), self.members, self.k
        )
        entries[:, n:][:, self.is_cut] = self.cuts.coefficients(
            self.problem, rows.astype(np.uint32)
        )
        column, row = np.nonzero(entries)
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
            entries[column, row],
        )
        self.columns = np.append(self.columns, rows)
        self.active[rows] = True
        return len(rows)

    def _add_rows(self, members: NDArray[np.uint64], k: NDArray[np.uint32]) -> int:
        keys = _keys(members, k)
        new = self._unknown(keys)
        members, k = members[new], k[new]
        if len(k) > 0:
            flags = self.problem.counting(self.columns.astype(np.uint32), members, k)
            self._add_to_model(flags, k)
            self.members = np.concatenate([self.members, members])
            self.k = np.concatenate([self.k, k])
            self._count_rows(keys[new], are_cuts=False)
        return len(k)

    def _add_cuts(self, cuts: HalfCuts) -> int:
        keys = cuts.keys()
        new = self._unknown(keys)
        cuts = cuts.only(new)
        if len(cuts) > 0:
            coefficients = cuts.coefficients(self.problem, self.columns.astype(np.uint32))
            self._add_to_model(coefficients, cuts.right_sides(self.problem))
            self.cuts = self.cuts.with_more(cuts)
            self._count_rows(keys[new], are_cuts=True)
        return len(cuts)

    def _unknown(self, keys: NDArray[np.object_]) -> NDArray[np.bool_]:
        """Return which inequalities are not in the model."""
        return np.array([key not in self.known for key in keys], dtype=bool)

    def _add_to_model(self, coefficients: NDArray[Any], right_sides: NDArray[Any]) -> None:
        """Add inequalities by their coefficients for all columns but the first.

        The first has that of the right side.
        """
        entries = np.vstack([right_sides, coefficients]).astype(np.float64).T
        row, column = np.nonzero(entries)
        count = len(right_sides)
        self.model.addRows(
            count,
            right_sides.astype(np.float64),
            np.full(count, highspy.kHighsInf),
            len(row),
            np.searchsorted(row, np.arange(count)).astype(np.int32),
            column.astype(np.int32),
            entries[row, column],
        )

    def _count_rows(self, keys: NDArray[np.object_], *, are_cuts: bool) -> None:
        self.is_cut = np.append(self.is_cut, np.full(len(keys), are_cuts))
        self.idle = np.append(self.idle, np.zeros(len(keys), dtype=np.int64))
        self.keys = np.append(self.keys, keys)
        self.known.update(keys)

    def _drop_idle_rows(self, duals: NDArray[np.float64]) -> None:
        """Drop inequalities that had no multiplier for some rounds: solving gets cheaper.

        None is dropped twice, so that the rounds come to an end.
        """
        n = len(self.starts)
        self.idle = np.where(duals[n:] > 1e-9, 0, self.idle + 1)
        drop = self.idle >= IDLE_ROUNDS
        drop[drop] = [key not in self.dropped for key in self.keys[drop]]
        if not drop.any():
            return
        self.model.deleteRows(int(drop.sum()), (n + np.flatnonzero(drop)).astype(np.int32))
        self.dropped.update(self.keys[drop])
        self.known.difference_update(self.keys[drop])
        clusters, cuts = ~drop[~self.is_cut], ~drop[self.is_cut]
        self.members, self.k = self.members[clusters], self.k[clusters]
        self.cuts = self.cuts.only(cuts)
        self.is_cut, self.idle, self.keys = self.is_cut[~drop], self.idle[~drop], self.keys[~drop]

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
        of_cuts, values = values[self.is_cut], values[~self.is_cut]
        positive = np.flatnonzero(values)
        clusters = Clusters(self.members[positive], self.k[positive], values[positive])
        full = self.problem.reduced_costs(clusters.members, clusters.k, clusters.values)
        cuts = replace(self.cuts, values=of_cuts).only(of_cuts > 0)
        full -= cuts.shares(self.problem)
        reduced = full[self.rows]
        least = np.minimum.reduceat(reduced, self.starts)
        lower = int(least.sum()) + int(clusters.k.astype(np.int64) @ clusters.values)
        lower += cuts.worth(self.problem)
        # A column is missing if it is cheaper, in reduced cost, than the solver believes.
        believed = duals[:n] / self.unit + self.least
        cheaper = reduced < (believed - 1e-7 / self.unit)[self.variable]
        missing = self._cheapest(np.where(cheaper, reduced, np.iinfo(np.int64).max))
        missing = missing[np.isin(missing, self.rows[cheaper])]
        full[self.rows] = reduced - least[self.variable]
        return LinearBound(lower, full, x, clusters, cuts, False), missing


def _keys(members: NDArray[np.uint64], k: NDArray[np.uint32]) -> NDArray[np.object_]:
    """Return for each cluster what tells it from others."""
    return as_objects(
        [words.tobytes() + size.tobytes() for words, size in zip(members, k, strict=True)]
    )
