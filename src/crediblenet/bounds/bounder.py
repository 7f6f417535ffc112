"""Bound, filter and split parts of the search space."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..exceptions import STOPS
from ..score_table import ScoreTable
from .cluster_program import Clusters, LinearBound, Relaxation
from .method import Block, blocks, subset_seconds, suits_subsets

__all__ = ["Bounder", "Part"]

Keep = NDArray[np.bool_]

#: Restarts of the local search for a first solution, and of one from a relaxed solution.
RESTARTS = 400
GUIDED_RESTARTS = 3
#: A block of at most so many variables goes to the subset program in any case.
SMALL_BLOCK = 14
#: Relaxing and filtering is repeated while it removes at least this share of the candidates.
WORTH_REPEATING = 0.1
#: A search over subsets has no hope where the gap of the relaxation is larger, in nats.
HOPEFUL_GAP = 25.0
#: It is tried whenever the relaxation went through so many rounds, with so much work allowed:
#: a few hundredths of a second; and at its end, if the gap is small, with more.
ROUNDS_PER_TRY = 10
WORK_PER_TRY = 200_000
WORK_AT_THE_END = 1_000_000
#: Work that it is worth before a part with a small gap, in nats, is split: for the whole
#: search space, and for a part. The latter grows with the number of splits so far, so that
#: neither searching nor splitting can waste much more than the other takes.
SMALL_GAP = 10.0
WHOLE_WORK = 5_000_000
PART_WORK = 200_000
SPLITS_PER_GROWTH = 8


@dataclass(frozen=True)
class Part:
    """Some of the candidates; the networks made of them are a part of the search space.

    Attributes
    ----------
    keep
        Which rows of the table belong to the part.
    lower
        No network of the part costs less, in grid units.
    exact
        Whether every candidate is in a network within the limit, and `lower` is the cost
        of one.
    share
        How much of the search space it is, by the number of splits: for progress.
    clusters, x
        Where the linear relaxation ended: inequalities with their multipliers, and the
        relaxed solution.
    given_up
        How many parts around it were too large to be compiled as a whole, and had nothing
        that told where to split them.
    """

    keep: Keep
    lower: int
    exact: bool = False
    share: float = 1.0
    clusters: Clusters | None = None
    x: NDArray[np.float64] | None = None
    given_up: int = 0


class Bounder:
    """Bounds for one table and one limit.

    Parameters
    ----------
    table
        The candidates.
    costs
        Their costs in grid units.
    slack
        How far above the optimum networks matter, in grid units.
    control
        Stops the work.
    known
        What `state` of another bounder for the same table gave: instead of a first search.

    Attributes
    ----------
    upper
        The cost of the best network seen so far, in grid units.
    rows
        The best network seen so far of which more than the cost is known.
    statistics
        What was counted.
    """

    def __init__(
        self,
        table: ScoreTable,
        costs: NDArray[np.int64],
        slack: int,
        control: _core.Control,
        known: Mapping[str, Any] | None = None,
    ) -> None:
        self.table = table
        self.costs = costs
        self.slack = slack
        self.control = control
        self.unit = float(np.ldexp(1.0, -table.grid_bits))
        self.variable = np.repeat(np.arange(table.n_variables), np.diff(table.offsets))
        self.splits_before = 0
        self.statistics = dict.fromkeys(
            ("linear_programs", "subset_programs", "subset_searches", "splits"), 0
        )
        if known is not None:
            self.upper = int(known["upper"])
            self.rows = known["rows"]
            self.statistics.update(known["statistics"])
            return
        everything = np.ones(len(costs), dtype=bool)
        no_x = np.zeros(0)
        self.upper, self.rows = self.problem(everything).order_search(RESTARTS, 1, no_x, control)

    def state(self) -> dict[str, Any]:
        """Return what was learnt so far, for a checkpoint."""
        return {"upper": self.upper, "rows": self.rows, "statistics": self.statistics}

    def whole(self) -> Part:
        """Return the whole search space, with the bound of independent choices."""
        lower = int(np.minimum.reduceat(self.costs, self.table.offsets[:-1]).sum())
        return Part(np.ones(len(self.costs), dtype=bool), lower)

    def fork(self) -> Bounder:
        """Return a bounder that knows the same and learns on its own."""
        twin = copy.copy(self)
        twin.splits_before = self.statistics["splits"]
        twin.statistics = dict.fromkeys(self.statistics, 0)
        return twin

    def learn_from(self, state: Mapping[str, Any]) -> None:
        """Take over what a fork has learnt and counted: its `state`."""
        self.upper = min(self.upper, state["upper"])
        self._take(state["rows"])
        for name, count in state["statistics"].items():
            self.statistics[name] += count

    def problem(self, keep: Keep) -> _core.Problem:
        """Return the search problem with only these rows."""
        problem = _core.Problem.make(self.table.offsets, self.table.parents, self.costs)
        problem.filter(keep.astype(np.uint8))
        return problem

    def gap(self, part: Part) -> float:
        """Return how far the best network seen is above the part's bound, in nats."""
        return (self.upper - part.lower) * self.unit

    def tighten(self, part: Part) -> Part | None:
        """Bound a part and drop candidates that no network within the limit uses.

        Returns None when no network of the part is within the limit. Where the blocks are
        small, the subset program does it exactly. Otherwise multipliers of the linear
        relaxation guide a search over subsets, which does it exactly, too, once they are
        good enough; until then their reduced costs filter.
        """
        while True:
            if not self._feasible(part.keep):
                return None
            problem = self.problem(part.keep)
            n_before = np.count_nonzero(part.keep)
            sizes = [len(block) for block in blocks(problem)]
            if suits_subsets(sizes, int(n_before), self.control):
                return self.exact(part)
            relaxed = self._relax(part, problem)
            if relaxed is None or relaxed.exact or self.control.poll():
                return relaxed
            part = relaxed
            if np.count_nonzero(part.keep) > (1 - WORTH_REPEATING) * n_before:
                return part

    def _relax(self, part: Part, problem: _core.Problem) -> Part | None:
        """Solve the relaxation of a part, or search its subsets on the way."""
        relaxation = Relaxation(
            problem,
            self.variable,
            self.costs,
            self.unit,
            part.clusters or Clusters.none(self.table.parents.shape[1]),
            self._start(part),
        )
        best = replace(part, x=None)
        for number, bound in enumerate(relaxation.rounds(self.control), 1):
            self.statistics["linear_programs"] += 1
            self._learn(bound, part.keep)
            if bound.lower > self.upper + self.slack:
                return None
            if bound.lower >= best.lower or best.x is None:
                keep = part.keep & (bound.reduced <= self.upper + self.slack - bound.lower)
                lower = max(part.lower, bound.lower)
                best = replace(part, keep=keep, lower=lower, clusters=bound.clusters, x=bound.x)
            if bound.final or number % ROUNDS_PER_TRY == 0:
                at_the_end = bound.final and self.worth(best) >= WORK_AT_THE_END
                try:
                    found = self.searched(best, WORK_AT_THE_END if at_the_end else WORK_PER_TRY)
                except STOPS:
                    if not self.control.poll():
                        raise
                    return best  # stopped: the bound that was proved still holds
                if found is not best:
                    return found
        return best

    def filter_again(self, part: Part) -> Part | None:
        """Filter a part with the multipliers it has, when a better network was found."""
        if part.clusters is None:
            return part
        rows = part.clusters
        reduced = self.problem(part.keep).reduced_costs(rows.members, rows.k, rows.values)
        least = np.full(self.table.n_variables, np.iinfo(np.int64).max)
        np.minimum.at(least, self.variable[part.keep], reduced[part.keep])
        lower = int(least.sum() + rows.k @ rows.values)
        room = self.upper + self.slack - lower
        keep = part.keep & (reduced - least[self.variable] <= room)
        return replace(part, keep=keep) if self._feasible(keep) else None

    def worth(self, part: Part) -> int:
        """Return how much work a search over subsets is worth before splitting a part."""
        if self.gap(part) > SMALL_GAP:
            return 0
        if part.share == 1.0:
            return WHOLE_WORK
        return PART_WORK * (1 + self.splits_before // SPLITS_PER_GROWTH)

    def searched(self, part: Part, work: int) -> Part | None:
        """Bound a part exactly by searching subsets, with the multipliers it has.

        Returns the part itself if the work allowed does not suffice, None when no network
        of it is within the limit.
        """
        clusters = part.clusters
        if clusters is None or work == 0 or self.gap(part) > HOPEFUL_GAP:
            return part
        if not self._feasible(part.keep):
            return None
        problem = self.problem(part.keep)
        least = self._least(part.keep)

        def solve(block: Block) -> tuple[int | None, NDArray[np.uint32]] | None:
            if len(block) <= SMALL_BLOCK:
                return problem.subset_program(block, self.slack, self.control)
            limit = self.upper - int(least.sum() - least[block].sum())
            finished, _, optimum, rows = problem.subset_search(
                block,
                clusters.members,
                clusters.k,
                clusters.values,
                limit,
                self.slack,
                work,
                self.control,
            )
            return (optimum, rows) if finished else None

        self.statistics["subset_searches"] += 1
        return self._by_blocks(part, problem, solve)

    def exact_seconds(self, problem: _core.Problem) -> float:
        """Return about how long the subset program takes; infinity when it cannot be run."""
        return subset_seconds([len(block) for block in blocks(problem)], self.control)

    def exact(self, part: Part) -> Part | None:
        """Bound a part exactly, block by block, and keep only what some network uses."""
        problem = self.problem(part.keep)

        def solve(block: Block) -> tuple[int | None, NDArray[np.uint32]]:
            self.statistics["subset_programs"] += 1
            return problem.subset_program(block, self.slack, self.control)

        return self._by_blocks(part, problem, solve)

    def _by_blocks(
        self,
        part: Part,
        problem: _core.Problem,
        solve: Callable[[Block], tuple[int | None, NDArray[np.uint32]] | None],
    ) -> Part | None:
        """Join the exact solutions of the blocks; the part itself if one has none."""
        least = self._least(part.keep)
        lower = int(least.sum())
        usable = np.zeros(len(part.keep), dtype=bool)
        alone = np.ones(self.table.n_variables, dtype=bool)
        for block in blocks(problem):
            solution = solve(block)
            if solution is None:
                return part
            optimum, rows = solution
            if optimum is None:  # no acyclic choice within the limit
                return None
            lower += optimum - int(least[block].sum())
            usable[rows] = True
            alone[block] = False
        above_best = self.costs - least[self.variable]
        usable |= part.keep & alone[self.variable] & (above_best <= self.slack)
        # The optima of the blocks together are a network.
        self.upper = min(self.upper, lower)
        if lower > self.upper + self.slack:
            return None
        return Part(usable, lower, True, part.share, part.clusters)

    def _least(self, keep: Keep) -> NDArray[np.int64]:
        """Return the least cost of each variable's candidates."""
        least = np.full(self.table.n_variables, np.iinfo(np.int64).max)
        np.minimum.at(least, self.variable[keep], self.costs[keep])
        return least

    def _start(self, part: Part) -> NDArray[np.int64]:
        """Return rows that are likely in the relaxation's solution."""
        rows = self.rows.astype(np.int64)
        return rows if part.x is None else np.append(rows, np.flatnonzero(part.x > 0))

    def split(self, part: Part) -> tuple[Part, Part] | None:
        """Split a part on the arc that its relaxation is least sure of.

        Networks with the arc go to one side, networks without it to the other. None when
        the relaxed solution leaves no arc open.
        """
        arc = None if part.x is None else self._undecided_arc(part.x, part.keep)
        if arc is None:
            return None
        return self._halves(part, *arc)

    def split_evenly(self, part: Part) -> tuple[Part, Part]:
        """Split a part that has more than one network, without a relaxation.

        Of the variable with most candidates, half have the arc that is chosen, or nearly so.
        """
        counts = np.bincount(self.variable[part.keep], minlength=self.table.n_variables)
        child = int(np.argmax(counts))
        rows = np.flatnonzero(part.keep & (self.variable == child))
        with_parent = self._parent_bits(rows).sum(axis=0)
        balance = np.minimum(with_parent, len(rows) - with_parent)
        parent = int(np.argmax(balance))
        if balance[parent] == 0:
            raise ValueError("a part with a single network cannot be split")
        return self._halves(part, child, self._has_parent(parent))

    def _halves(self, part: Part, child: int, has_parent: Keep) -> tuple[Part, Part]:
        """Return the networks without an arc into a child, and those with it."""
        self.statistics["splits"] += 1
        own = self.variable == child
        without, with_arc = (
            replace(part, keep=keep, share=part.share / 2)
            for keep in (part.keep & ~(own & has_parent), part.keep & ~(own & ~has_parent))
        )
        return without, with_arc

    def _parent_bits(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return for each of these rows which variables are parents: 0 or 1."""
        words = np.ascontiguousarray(self.table.parents[rows])
        bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
        return bits[:, : self.table.n_variables]

    def _has_parent(self, parent: int) -> Keep:
        """Return for each row of the table whether this variable is a parent."""
        word, bit = divmod(parent, 64)
        return ((self.table.parents[:, word] >> np.uint64(bit)) & np.uint64(1)).astype(bool)

    def _feasible(self, keep: Keep) -> bool:
        """Tell whether every variable has a candidate."""
        return bool(np.logical_or.reduceat(keep, self.table.offsets[:-1]).all())

    def _learn(self, bound: LinearBound, keep: Keep) -> None:
        """Take over the relaxed solution if it is a network, or else one near it."""
        if not bound.final:
            return
        if np.any(np.abs(bound.x[keep] - 0.5) < 0.5 - 1e-6):
            if self.upper > bound.lower:
                problem = self.problem(np.ones(len(self.costs), dtype=bool))
                self._take(problem.order_search(GUIDED_RESTARTS, 1, bound.x, self.control)[1])
            return
        chosen = keep & (bound.x > 0.5)
        if self._feasible(chosen) and not blocks(self.problem(chosen)):
            self._take(np.flatnonzero(chosen).astype(np.uint32))

    def _take(self, rows: NDArray[np.uint32]) -> None:
        """Take over a network if it is better than the best so far."""
        cost = int(self.costs[rows].sum())
        if cost < int(self.costs[self.rows].sum()):
            self.rows = rows
        self.upper = min(self.upper, cost)

    def _undecided_arc(self, x: NDArray[np.float64], keep: Keep) -> tuple[int, Keep] | None:
        """Return the arc (child, rows with it) whose share is nearest to a half."""
        rows = np.flatnonzero(keep & (x > 1e-9))
        n = self.table.n_variables
        share = np.zeros((n, n))
        np.add.at(share, self.variable[rows], x[rows, None] * self._parent_bits(rows))
        doubt = np.minimum(share, 1 - share)
        child, parent = np.unravel_index(int(np.argmax(doubt)), doubt.shape)
        if doubt[child, parent] < 1e-6:
            return None
        return int(child), self._has_parent(int(parent))
