"""Cut the search space into parts that are tight enough to be compiled."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..score_table import ScoreTable
from .cluster_program import Cluster, LinearBound, linear_bound

__all__ = ["Part", "Partition", "partition"]

Keep = NDArray[np.bool_]

#: A strongly connected block of at most so many variables goes to the subset program. It
#: doubles with each variable: 2^20 subsets take a fraction of a second.
SMALL_BLOCK = 20
#: A part is tight when its lower bound is within this much of the optimum, in nats: what
#: is left of the gap is small against the usual epsilon of 1 to 5.
TIGHT = 0.1
#: Restarts of the local search for a first solution.
RESTARTS = 200


@dataclass(frozen=True)
class Part:
    """Candidates among which to search, and no network among them costs less than `lower`."""

    keep: Keep
    lower: int


@dataclass
class Partition:
    """Parts that hold every network within the limit, each network in one part only.

    Attributes
    ----------
    parts
        The parts.
    open
        What was not looked at before the run was stopped; empty when complete.
    upper
        The cost of the best network seen, in grid units.
    rows
        A network of (nearly) that cost, from the local search.
    statistics
        What was counted.
    """

    parts: list[Part]
    open: list[Part]
    upper: int
    rows: NDArray[np.uint32]
    statistics: dict[str, int] = field(default_factory=dict)

    @property
    def lower(self) -> int:
        """No network costs less than this."""
        return min((part.lower for part in [*self.parts, *self.open]), default=self.upper)


def partition(
    table: ScoreTable, costs: NDArray[np.int64], slack: int, control: _core.Control
) -> Partition:
    """Cut a table into parts that hold every network within `slack` of the optimum.

    A part is worked on until it is tight: candidates whose bound exceeds the limit go;
    blocks that are small are bounded exactly by the subset program; large ones by the
    linear relaxation. Where that leaves a gap, the part is split on an arc that the
    relaxation cannot decide: networks with it, and networks without it.

    Parameters
    ----------
    table
        The candidates.
    costs
        Their costs in grid units.
    slack
        How far above the optimum networks matter, in grid units.
    control
        Stops the work; what is then undone is left in ``open``.
    """
    return _Partitioner(table, costs, slack, control).run()


class _Partitioner:
    def __init__(
        self, table: ScoreTable, costs: NDArray[np.int64], slack: int, control: _core.Control
    ) -> None:
        self.table = table
        self.costs = costs
        self.slack = slack
        self.control = control
        self.unit = float(np.ldexp(1.0, -table.grid_bits))
        self.variable = np.repeat(np.arange(table.n_variables), np.diff(table.offsets))
        self.upper = 0
        self.statistics = {"linear_programs": 0, "subset_programs": 0, "splits": 0}

    def run(self) -> Partition:
        problem = self.problem(np.ones(len(self.costs), dtype=bool))
        self.upper, rows = problem.order_search(RESTARTS, 1, self.control)
        everything = Part(np.ones(len(self.costs), dtype=bool), self.independent_bound())
        open_parts: list[tuple[Part, tuple[Cluster, ...]]] = [(everything, ())]
        parts: list[Part] = []
        while open_parts and not self.control.poll():
            part, clusters = open_parts.pop()
            tight, undecided = self.tighten(part, clusters)
            if tight is not None:
                parts.append(tight)
            open_parts.extend(undecided)
        return Partition(parts, [part for part, _ in open_parts], self.upper, rows, self.statistics)

    def problem(self, keep: Keep) -> _core.Problem:
        problem = _core.Problem.make(self.table.offsets, self.table.parents, self.costs)
        problem.filter(keep.astype(np.uint8))
        return problem

    def independent_bound(self) -> int:
        """Return the bound that lets every variable choose on its own."""
        return int(np.minimum.reduceat(self.costs, self.table.offsets[:-1]).sum())

    def feasible(self, keep: Keep) -> bool:
        """Tell whether every variable has a candidate."""
        return bool(np.logical_or.reduceat(keep, self.table.offsets[:-1]).all())

    def tighten(
        self, part: Part, clusters: tuple[Cluster, ...]
    ) -> tuple[Part | None, list[tuple[Part, tuple[Cluster, ...]]]]:
        """Bound and filter a part; return it when it is tight, else what it splits into."""
        keep, lower = part.keep, part.lower
        while True:
            if not self.feasible(keep):
                return None, []
            problem = self.problem(keep)
            blocks = self.blocks(problem)
            if all(len(block) <= SMALL_BLOCK for block in blocks):
                return self.exact(problem, keep, blocks), []
            bound = linear_bound(
                problem, self.variable, self.costs, self.unit, clusters, self.control
            )
            self.statistics["linear_programs"] += 1
            clusters, lower = bound.clusters, max(lower, bound.lower)
            if self.control.poll():
                return None, [(Part(keep, lower), clusters)]
            self.learn(bound, keep)
            if bound.lower > self.upper + self.slack:
                return None, []
            fewer = keep & (bound.reduced <= self.upper + self.slack - bound.lower)
            removed = int(keep.sum() - fewer.sum())
            keep = fewer
            if removed * 20 < len(keep) or removed == 0:
                break
        tight = Part(keep, lower)
        if (self.upper - lower) * self.unit <= TIGHT:
            return tight, []
        split = self.undecided_arc(bound, keep)
        if split is None:
            return tight, []
        self.statistics["splits"] += 1
        child, has_parent = split
        without = keep & ~((self.variable == child) & has_parent)
        with_arc = keep & ~((self.variable == child) & ~has_parent)
        return None, [(Part(without, lower), clusters), (Part(with_arc, lower), clusters)]

    def blocks(self, problem: _core.Problem) -> list[NDArray[np.uint32]]:
        """Return the strongly connected blocks of more than one variable."""
        component = problem.components()
        sizes = np.bincount(component)
        return [np.flatnonzero(component == c).astype(np.uint32) for c in np.flatnonzero(sizes > 1)]

    def exact(
        self, problem: _core.Problem, keep: Keep, blocks: list[NDArray[np.uint32]]
    ) -> Part | None:
        """Bound a part exactly, block by block, and keep only what some network uses."""
        least = np.full(self.table.n_variables, np.iinfo(np.int64).max)
        np.minimum.at(least, self.variable[keep], self.costs[keep])
        lower = int(least.sum())
        usable = np.zeros(len(keep), dtype=bool)
        alone = np.ones(self.table.n_variables, dtype=bool)
        for block in blocks:
            self.statistics["subset_programs"] += 1
            optimum, rows = problem.subset_program(block, self.slack, self.control)
            lower += optimum - int(least[block].sum())
            usable[rows] = True
            alone[block] = False
        usable |= keep & alone[self.variable] & (self.costs - least[self.variable] <= self.slack)
        # The optima of the blocks together are a network.
        self.upper = min(self.upper, lower)
        return None if lower > self.upper + self.slack else Part(usable, lower)

    def learn(self, bound: LinearBound, keep: Keep) -> None:
        """Take over the relaxed solution if it is a network."""
        if not bound.separated or np.any(np.abs(bound.x[keep] - 0.5) < 0.5 - 1e-6):
            return
        chosen = np.flatnonzero(keep & (bound.x > 0.5))
        problem = self.problem(np.isin(np.arange(len(keep)), chosen))
        if self.feasible(np.isin(np.arange(len(keep)), chosen)) and not self.blocks(problem):
            self.upper = min(self.upper, int(self.costs[chosen].sum()))

    def undecided_arc(self, bound: LinearBound, keep: Keep) -> tuple[int, Keep] | None:
        """Return the arc (child, rows with it) that the relaxation is least sure of."""
        rows = np.flatnonzero(keep & (bound.x > 1e-9))
        n = self.table.n_variables
        words = self.table.parents[rows]
        bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, :n]
        share = np.zeros((n, n))
        np.add.at(share, self.variable[rows], bound.x[rows, None] * bits)
        doubt = np.minimum(share, 1 - share)
        child, parent = np.unravel_index(int(np.argmax(doubt)), doubt.shape)
        if doubt[child, parent] < 1e-6:
            return None
        has_parent = (self.table.parents[:, parent // 64] >> np.uint64(parent % 64)) & np.uint64(1)
        return int(child), has_parent.astype(bool)
