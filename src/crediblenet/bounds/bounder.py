"""Bound, filter and split parts of the search space."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..exceptions import STOPS
from ..score_table import ScoreTable
from .clusters import Clusters
from .local_cuts import LocalCuts
from .method import Block, blocks, subset_seconds, suits_subsets
from .multipliers import proof
from .near_networks import HEAT, best_network_near, network_near
from .part import Keep, Part, Strong
from .relaxation import LinearBound, Relaxation
from .splitting import Arc, decisive_arc, even_arc, halves, undecided_arcs

__all__ = ["FEW_VARIABLES", "Bounder"]

#: Restarts of the local search over orders for a first network.
RESTARTS = 400
#: A block of at most so many variables goes to the subset program in any case.
SMALL_BLOCK = 14
#: Relaxing and filtering is repeated while it removes at least this share of the candidates.
WORTH_REPEATING = 0.1
#: A search over subsets has no hope where the gap of the relaxation is larger, in nats; with
#: more than so many variables, where it is larger in proportion.
HOPEFUL_GAP = 25.0
FEW_VARIABLES = 40
#: It is tried whenever the relaxation went through so many rounds, with so much work allowed:
#: a few hundredths of a second; and at its end, if the gap is small, with more.
ROUNDS_PER_TRY = 10
WORK_PER_TRY = 200_000
WORK_AT_THE_END = 1_000_000
#: Work that it is worth before a part with a small gap, in nats, is split: for the whole
#: search space, and for a part. The latter grows with the number of splits so far, so that
#: neither searching nor splitting can waste much more than the other takes.
SMALL_GAP = 10.0
WHOLE_WORK = 15_000_000
PART_WORK = 200_000
SPLITS_PER_GROWTH = 8
#: In these rounds of the whole relaxation a network near its solution is looked for, not only at
#: its end, with more than a few variables: it may take minutes, and a run may be stopped in them.
EARLY_GUESSES = (10, 20, 40, 80)
#: The relaxation with cuts is given up when so many rounds, or for the whole search space
#: one for so many variables, take away less than this share of its gap, or for the whole search
#: space less than this smaller one; a local search is tried from its solution now and then.
CUT_PATIENCE = 20
VARIABLES_PER_ROUND = 10
WORTH_CUTTING = 0.05
WORTH_CUTTING_WHOLE = 0.02
#: With more than a few variables, clusters that greedy separation misses are looked for on so many
#: walks: in the whole search space, since all parts profit, and in a part.
WALKS_IN_WHOLE = 60
WALKS = 10
ROUNDS_PER_GUESS = 10
#: Cuts are kept for the parts of the search space if they close this share of its gap.
WORTH_KEEPING = 0.25
#: Where the gap of a part is larger, in nats (and in proportion with more than a few
#: variables), arcs are tried before it is split on one of them: one for so many variables.
#: Candidates with a larger reduced cost, in nats, are left out.
WORTH_TRYING = 1.0
VARIABLES_PER_TRY = 4
LIKELY = 1.0
#: Less than any bound.
NO_BOUND = -(2**62)


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
            (
                "linear_programs",
                "cut_programs",
                "subset_programs",
                "subset_searches",
                "splits",
                "layered_parts",
            ),
            0,
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

    def problem(self, keep: Keep, costs: NDArray[np.int64] | None = None) -> _core.Problem:
        """Return the search problem with only these rows."""
        costs = self.costs if costs is None else costs
        problem = _core.Problem.make(self.table.offsets, self.table.parents, costs)
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
        good enough; until then their reduced costs filter. A part of one that needed cuts
        is bounded with cuts first.
        """
        if part.strong is None:
            return self.relax(part)
        stronger = self.strengthen(part)
        return stronger and self.relax_after_cuts(stronger)

    def relax_after_cuts(self, part: Part) -> Part | None:
        """Tighten a part by what the relaxation without cuts can add, if anything."""
        if not part.cuts_only:
            return self.relax(part)
        return self.exact(part) if self._suits_subsets(part) else part

    def _suits_subsets(self, part: Part) -> bool:
        sizes = [len(block) for block in blocks(self.problem(part.keep))]
        return suits_subsets(sizes, int(np.count_nonzero(part.keep)), self.control)

    def relax(self, part: Part) -> Part | None:
        """Tighten a part without cuts."""
        while True:
            if not self._feasible(part.keep):
                return None
            n_before = np.count_nonzero(part.keep)
            if self._suits_subsets(part):
                return self.exact(part)
            relaxed = self._relax(part, self.problem(part.keep))
            if relaxed is None or relaxed.exact or self.control.poll():
                return relaxed
            part = relaxed
            if np.count_nonzero(part.keep) > (1 - WORTH_REPEATING) * n_before:
                return part if self._feasible(part.keep) else None

    def _relax(self, part: Part, problem: _core.Problem) -> Part | None:
        """Solve the relaxation of a part, or search its subsets on the way."""
        clusters = part.clusters or Clusters.none(self.table.parents.shape[1])
        relaxation = self._relaxation(problem, clusters, self._start(part))
        best, highest = replace(part, x=None), NO_BOUND
        is_large = part.share == 1.0 and self.table.n_variables > FEW_VARIABLES
        for number, bound in enumerate(relaxation.rounds(), 1):
            self.statistics["linear_programs"] += 1
            if bound.final or (is_large and number in EARLY_GUESSES):
                self._learn(bound, part)
            if bound.lower > self.upper + self.slack:
                return None
            if bound.lower >= highest:
                highest = bound.lower
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

    def strengthen(self, part: Part) -> Part | None:
        """Bound a part by the relaxation with cuts, and filter it.

        Returns None when no network of the part is within the limit. Where the cuts close
        little of the gap, they are of no use to parts of the part, either: then `strong`
        stays None, and `cuts_fail` is set. Where a search over subsets would have no hope
        without them, it has none in parts of the part: then `cuts_only` is set.
        """
        without_cuts, gap_before = part, self.gap(part)
        while True:
            if not self._feasible(part.keep):
                return None
            n_before = np.count_nonzero(part.keep)
            stronger = self._cut(part)
            if stronger is None or self.control.poll():
                return stronger
            part = stronger
            if np.count_nonzero(part.keep) > (1 - WORTH_REPEATING) * n_before:
                break
        if part.share == 1.0:
            if self.gap(part) > (1 - WORTH_KEEPING) * gap_before:
                part = replace(part, strong=None, cuts_fail=True)
            elif self.weighed_gap(without_cuts) > HOPEFUL_GAP:
                part = replace(part, cuts_only=True)
        return part if self._feasible(part.keep) else None

    def _cut(self, part: Part) -> Part | None:
        """Solve the relaxation with cuts, until that gets slow or filters much."""
        known = self._strong(part)
        start = np.append(self._start(part), np.flatnonzero(known.x > 0))
        relaxation = self._relaxation(self.problem(part.keep), known.clusters, start, known.cuts)
        enough = (1 - WORTH_REPEATING) * np.count_nonzero(part.keep)
        patience, worth, walks = CUT_PATIENCE, WORTH_CUTTING, WALKS
        if part.share == 1.0:
            patience = max(patience, self.table.n_variables // VARIABLES_PER_ROUND)
            worth, walks = WORTH_CUTTING_WHOLE, WALKS_IN_WHOLE
        if self.table.n_variables <= FEW_VARIABLES:
            worth, walks = WORTH_CUTTING, 0
        best, highest, last_gain, reached = part, NO_BOUND, 0, NO_BOUND
        for number, bound in enumerate(relaxation.rounds(walks), 1):
            self.statistics["linear_programs"] += 1
            self.statistics["cut_programs"] += len(bound.cuts) > 0
            if bound.final or number % ROUNDS_PER_GUESS == 0:
                self._learn(bound, part)
            room = self.upper + self.slack - bound.lower
            if room < 0:
                return None
            best = replace(best, keep=best.keep & (bound.reduced <= room))
            if bound.lower - reached > worth * room:
                last_gain, reached = number, bound.lower
            if bound.lower >= highest:
                highest = bound.lower
                strong = Strong(bound.clusters, bound.cuts, bound.x)
                best = replace(best, lower=max(best.lower, highest), strong=strong)
            if number - last_gain >= patience or np.count_nonzero(best.keep) < enough:
                break
        return best

    def improve(self, part: Part, threads: int = 1) -> None:
        """Look for a better network than the best so far, near a part's relaxed solution."""
        x = part.x if part.strong is None else part.strong.x
        if x is not None:
            problem = self.problem(np.ones(len(self.costs), dtype=bool))
            self._take(
                best_network_near(
                    problem, x, self.costs, self.rows, self.unit, self.control, threads
                )
            )

    def filter_again(self, part: Part) -> Part | None:
        """Filter a part with the multipliers it has, when a better network was found."""
        known = self._strong(part)
        problem = self.problem(part.keep)
        lower, above, _ = proof(problem, self.variable, known.clusters, known.cuts)
        keep = part.keep & (above <= self.upper + self.slack - lower)
        return replace(part, keep=keep) if self._feasible(keep) else None

    def worth(self, part: Part) -> int:
        """Return how much work a search over subsets is worth before splitting a part."""
        if self.weighed_gap(part) > SMALL_GAP:
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
        hopeless = part.cuts_only or self.weighed_gap(part) > HOPEFUL_GAP
        if clusters is None or work == 0 or hopeless:
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

    def weighed_gap(self, part: Part) -> float:
        """Return the gap of a part of few variables that would take as long to close."""
        return self.gap(part) * max(1.0, self.table.n_variables / FEW_VARIABLES)

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

    def _relaxation(
        self,
        problem: _core.Problem,
        clusters: Clusters,
        start: NDArray[np.int64],
        cuts: LocalCuts | None = None,
    ) -> Relaxation:
        """Return the relaxation of a problem, with inequalities and rows to start with."""
        return Relaxation(
            problem, self.variable, self.costs, self.unit, clusters, start, self.control, cuts
        )

    def _strong(self, part: Part) -> Strong:
        """Return where the relaxation with cuts ended, or what it begins with."""
        words = self.table.parents.shape[1]
        return part.strong or Strong(
            part.clusters or Clusters.none(words), LocalCuts.none(words), np.zeros(0)
        )

    def _start(self, part: Part) -> NDArray[np.int64]:
        """Return rows that are likely in the relaxation's solution."""
        rows = self.rows.astype(np.int64)
        return rows if part.x is None else np.append(rows, np.flatnonzero(part.x > 0))

    def split(self, part: Part) -> tuple[Part, Part] | None:
        """Split a part on an arc that its relaxation is not sure of.

        Networks without the arc go to one side, networks with it to the other. None when
        the relaxed solution leaves no arc open.
        """
        for x in (None if part.strong is None else part.strong.x, part.x):
            if x is None:
                continue
            most = max(1, int(self.table.n_variables / VARIABLES_PER_TRY))
            arcs = undecided_arcs(self.table, part.keep, x, most)
            if arcs:
                return self._halves(part, self._decisive(arcs, part))
        return None

    def _decisive(self, arcs: list[Arc], part: Part) -> Arc:
        """Return the arc of some that raises the bounds of both halves of a part most.

        The first of them where the gap is small, since no bound is needed there.
        """
        if len(arcs) == 1 or self.weighed_gap(part) <= WORTH_TRYING:
            return arcs[0]
        problem, known = self.problem(part.keep), self._strong(part)
        _, above, _ = proof(problem, self.variable, known.clusters, known.cuts)
        likely = np.flatnonzero(part.keep & (above <= LIKELY / self.unit))
        start = np.append(self._start(part), likely)
        relaxation = self._relaxation(problem, known.clusters, start, known.cuts)
        return decisive_arc(self.table, part.keep, arcs, relaxation)

    def split_evenly(self, part: Part) -> tuple[Part, Part]:
        """Split a part that has more than one network, without a relaxation."""
        return self._halves(part, even_arc(self.table, part.keep))

    def _halves(self, part: Part, arc: Arc) -> tuple[Part, Part]:
        self.statistics["splits"] += 1
        share = part.share / 2
        without, with_arc = halves(self.table, part.keep, arc)
        return replace(part, keep=without, share=share), replace(part, keep=with_arc, share=share)

    def _feasible(self, keep: Keep) -> bool:
        """Tell whether every variable has a candidate."""
        return bool(np.logical_or.reduceat(keep, self.table.offsets[:-1]).all())

    def _learn(self, bound: LinearBound, part: Part) -> None:
        """Take over the relaxed solution if it is a network, or else one near it."""
        if np.any(np.abs(bound.x[part.keep] - 0.5) < 0.5 - 1e-6):
            if self.upper > bound.lower:
                problem = self.problem(np.ones(len(self.costs), dtype=bool))
                seed = self.statistics["linear_programs"]  # another one each time
                heat = int(HEAT / self.unit) if part.share == 1.0 else 0
                self._take(network_near(problem, bound.x, heat, seed, self.control))
            return
        chosen = part.keep & (bound.x > 0.5)
        if self._feasible(chosen) and not blocks(self.problem(chosen)):
            self._take(np.flatnonzero(chosen).astype(np.uint32))

    def _take(self, rows: NDArray[np.uint32]) -> None:
        """Take over a network if it is better than the best so far."""
        cost = int(self.costs[rows].sum())
        if cost < int(self.costs[self.rows].sum()):
            self.rows = rows
        self.upper = min(self.upper, cost)
