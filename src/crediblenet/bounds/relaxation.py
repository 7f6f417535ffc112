"""The linear relaxation: choose parent sets, obey cluster inequalities.

Variables x[i, P] in [0, 1] choose a parent set for each variable; for a set C of variables
and k < |C|, the sum of x[i, P] over i in C with fewer than k parents in C is at least k in
every acyclic network. Rows are separated in the core and added while any is violated;
columns are added while any could lower the optimum, so that most candidates never enter.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import highspy
import numpy as np
from numpy.typing import NDArray

from .. import _core
from .clusters import Clusters
from .inequalities import Inequalities, Kind
from .local_cuts import LocalCuts
from .multipliers import proof
from .part import Keep

__all__ = ["LinearBound", "Relaxation"]

#: Rows added per round; more make each solve dearer without saving rounds.
ROWS_PER_ROUND = 400
#: By how much a cluster row must be violated to be added.
VIOLATION = 1e-4
#: Cosine of the angle between rows that are added in one round, at most.
MOST_PARALLEL = 0.9
#: Cuts added per round; they are looked for when fewer cluster rows than this are violated, and
#: after so many rounds without: there are problems with some dozens of such rows in every round,
#: which raise the bound by next to nothing, so that it would be given up before the first cut.
CUTS_PER_ROUND = 60
FEW_ROWS = 20
ROUNDS_WITHOUT_CUTS = 8
#: How many variables a local cut has. With ten or twelve, separating them takes most of the
#: time, and closes little more of the gap.
LOCAL_VARIABLES = 8
#: Steps of the simplex method after which it is taken to go round in circles: so many, and so
#: many for each row and column. It happens: a program with 1,438 rows did not end in 25 minutes,
#: and took 0.3 seconds from nothing; another went round from nothing, too, and took 0.7 seconds
#: with the primal method, which gets so many times the steps.
FEW_STEPS = 2_000
STEPS_PER_LINE = 2
PRIMAL_STEPS = 10
#: Of the solver.
DUAL, PRIMAL = 1, 4
#: Columns per variable at the start, and added per variable and round.
COLUMNS = 5


@dataclass(frozen=True)
class LinearBound:
    """A proved bound, in whole grid units.

    Attributes
    ----------
    lower, reduced
        As in `Proof`.
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
    cuts: LocalCuts
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
    control
        Stops the solver, and the search for inequalities.
    cuts
        Cuts to start with; more are separated then. Without them, clusters only.
    """

    def __init__(
        self,
        problem: _core.Problem,
        variable: NDArray[np.int64],
        costs: NDArray[np.int64],
        unit: float,
        clusters: Clusters,
        start: NDArray[np.int64],
        control: _core.Control,
        cuts: LocalCuts | None = None,
    ) -> None:
        self.problem = problem
        self.control = control
        self.unit = unit
        self.rows = problem.rows().astype(np.int64)
        self.n_table_rows = len(costs)
        self.variable = variable[self.rows]
        self.costs = costs
        self.starts = np.flatnonzero(np.diff(self.variable, prepend=-1))
        self.least = np.minimum.reduceat(costs[self.rows], self.starts)
        self.columns = np.zeros(0, np.int64)  # the table's row of each column but the first
        self.active = np.zeros(self.n_table_rows, dtype=bool)
        self.inequalities = Inequalities(clusters.members.shape[1])
        self.table_variable = variable
        self.model = self._model()
        self._add_columns(self._cheapest(costs[self.rows]))
        self._add_columns(start[np.isin(start, self.rows)])
        self._add(clusters)
        self.cutting = cuts is not None
        if cuts is not None:
            self._add(cuts)

    def rounds(self, walks: int = 0) -> Iterator[LinearBound]:
        """Solve, price and separate until nothing is missing; every bound is valid.

        A bound does not rest on the solver's tolerance: its multipliers are rounded to
        whole grid units, and *any* non-negative multipliers give a valid bound.

        Clusters that greedy separation does not find are looked for on so many walks, if any.
        """
        final, without_cuts = False, 0
        for number in itertools.count(1):
            if final or self.control.poll():
                return
            if not self.solve():
                return  # what was proved before holds
            solution = self.model.getSolution()
            duals = np.asarray(solution.row_dual)
            x = np.zeros(self.n_table_rows)
            x[self.columns] = np.asarray(solution.col_value)[1:]
            bound, missing = self._bound(duals, x)
            self._drop_idle(duals)
            violated = Clusters.violated(
                self.problem, x, VIOLATION, ROWS_PER_ROUND, self.control, MOST_PARALLEL
            )
            added = self._add_columns(missing) + self._add(violated)
            if walks > 0 and added < FEW_ROWS:
                added += self._add(self._annealed(x, walks, number))
            without_cuts += 1
            if self.cutting and (added < FEW_ROWS or without_cuts >= ROUNDS_WITHOUT_CUTS):
                without_cuts = 0
                added += self._add(
                    LocalCuts.violated(
                        self.problem, x, LOCAL_VARIABLES, CUTS_PER_ROUND, self.control
                    )
                )
            final = added == 0 and not self.control.poll()  # a stopped separation misses some
            yield replace(bound, final=final)

    def _annealed(self, x: NDArray[np.float64], walks: int, seed: int) -> Clusters:
        return Clusters.annealed(
            self.problem, x, walks, seed, VIOLATION, ROWS_PER_ROUND, self.control, MOST_PARALLEL
        )

    def solve(self) -> bool:
        """Solve the program as it is; False when it was stopped, or ran out of digits.

        From the solution of a similar program, or, if that takes too many steps, from nothing;
        if that does, too, with the primal simplex method in the place of the dual one.
        """
        steps = FEW_STEPS + STEPS_PER_LINE * (self.model.getNumRow() + self.model.getNumCol())
        if self._run(steps):
            return True
        for strategy, more in ((DUAL, 1), (PRIMAL, PRIMAL_STEPS)):
            if self.model.getModelStatus() != highspy.HighsModelStatus.kIterationLimit:
                return False
            self.model.clearSolver()
            self.model.setOptionValue("simplex_strategy", strategy)
            is_solved = self._run(more * steps)
            self.model.setOptionValue("simplex_strategy", DUAL)
            if is_solved:
                return True
        return False

    def _run(self, steps: int) -> bool:
        self.model.setOptionValue("simplex_iteration_limit", steps)
        # HiGHS adds up the time of all calls.
        self.model.setOptionValue("time_limit", self.model.getRunTime() + self.control.seconds_left)
        if self.model.run() == highspy.HighsStatus.kError:
            # In a thread that has solved something with more threads, one is refused.
            self.model.setOptionValue("threads", 0)
            if self.model.run() == highspy.HighsStatus.kError:
                raise RuntimeError("HiGHS cannot solve a linear program")
        return bool(self.model.getModelStatus() == highspy.HighsModelStatus.kOptimal)

    def rises(self, pairs: Iterable[tuple[Keep, Keep]]) -> Iterator[tuple[float, float]]:
        """Yield how much the optimum rises, in nats, with one half of the candidates or the other.

        Not a bound, but a hint: no row is separated, and no column is added.
        """
        if not self.solve():
            return
        optimum, basis = self.model.getObjectiveValue(), self.model.getBasis()
        for halves in pairs:
            if self.control.poll():
                return
            rises = []
            for keep in halves:
                off = 1 + np.flatnonzero(~keep[self.columns]).astype(np.int32)
                none = np.zeros(len(off))
                self.model.changeColsBounds(len(off), off, none, none)
                is_solved = self.solve()
                rises.append(self.model.getObjectiveValue() - optimum)
                self.model.changeColsBounds(
                    len(off), off, none, np.full(len(off), highspy.kHighsInf)
                )
                self.model.setBasis(basis)
                if not is_solved:
                    return
            yield rises[0], rises[1]

    def _model(self) -> highspy.Highs:
        """Return a model whose only column stands for breaking every inequality."""
        model = highspy.Highs()  # type: ignore[no-untyped-call]
        model.setOptionValue("output_flag", False)
        model.setOptionValue("threads", 1)
        # Little goes away, and what is put back costs the dual method steps.
        model.setOptionValue("presolve", "off")
        # Not a method of this object: a cycle through the solver is never collected.
        model.cbSimplexInterrupt += partial(_interrupt, self.control)
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
        entries = np.zeros((len(rows), n + len(self.inequalities)))
        entries[np.arange(len(rows)), variable] = 1
        coefficients = self.inequalities.coefficients(self.problem, rows.astype(np.uint32))
        entries[:, n:] = coefficients * self.inequalities.scales
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

    def _add(self, some: Kind) -> int:
        """Add those of some inequalities that are not there yet; return how many."""
        new = some.only(self.inequalities.unknown(some))
        count = len(new)
        if count > 0:
            right_sides = np.asarray(new.right_sides(self.problem) * new.scale, np.float64)
            coefficients = new.coefficients(self.problem, self.columns.astype(np.uint32))
            # The first column, which breaks every inequality, has as much as is needed.
            entries = np.vstack([right_sides, coefficients * new.scale]).T
            row, column = np.nonzero(entries)
            self.model.addRows(
                count,
                right_sides,
                np.full(count, highspy.kHighsInf),
                len(row),
                np.searchsorted(row, np.arange(count)).astype(np.int32),
                column.astype(np.int32),
                entries[row, column],
            )
            self.inequalities.add(new)
        return count

    def _drop_idle(self, duals: NDArray[np.float64]) -> None:
        n = len(self.starts)
        dropped = self.inequalities.drop_idle(duals[n:])
        if len(dropped) > 0:
            self.model.deleteRows(len(dropped), (n + dropped).astype(np.int32))

    def _bound(
        self, duals: NDArray[np.float64], x: NDArray[np.float64]
    ) -> tuple[LinearBound, NDArray[np.int64]]:
        """Turn the multipliers into a proved bound, and say which columns are missing."""
        n = len(self.starts)
        scales = self.inequalities.scales
        # Cut off where a part has hardly a network: any multipliers that are not negative will do.
        exact = np.clip(duals[n:] * scales / self.unit, 0.0, self.inequalities.most)
        values = exact.astype(np.int64)
        clusters, cuts = self.inequalities.weighed(values)
        lower, above, least = proof(self.problem, self.table_variable, clusters, cuts)
        # A column is missing if it is cheaper, in reduced cost, than the solver believes.
        reduced = above[self.rows] + least[self.variable]
        believed = duals[:n] / self.unit + self.least
        cheaper = reduced < (believed - 1e-7 / self.unit)[self.variable]
        missing = self._cheapest(np.where(cheaper, reduced, np.iinfo(np.int64).max))
        missing = missing[np.isin(missing, self.rows[cheaper])]
        return LinearBound(lower, above, x, clusters, cuts, False), missing


def _interrupt(control: _core.Control, step: highspy.highs.HighsCallbackEvent) -> None:
    """End a program within a step of the simplex method once the control says so."""
    step.interrupt(control.poll())
