"""The search: from candidate parent sets to every network within the limit."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .bounds import Partition, partition
from .compiled_set import CompiledSet
from .exceptions import ParameterError
from .feasibility import require_a_network
from .members import Representatives
from .network_set import grid_costs
from .progress import ProgressCallback, run_watched
from .representatives import class_representatives
from .score_table import ScoreTable

__all__ = ["TOLERANCE", "SearchResult", "search"]

#: A network is credible when its cost is within epsilon of the optimum and this much more.
TOLERANCE = 1e-6


@dataclass(frozen=True)
class SearchResult:
    """What a search found.

    Attributes
    ----------
    network_set
        The networks.
    complete
        Whether these are all networks within epsilon of the optimum.
    stopped_by
        What ended the search early: ``"time"``, ``"memory"``, ``"limit"``,
        ``"interrupted"``; None when it is complete.
    optimal_cost
        The least cost found, in grid units.
    gap
        No network is better than the best one by more than this, in nats; 0.0 when the
        optimum is proved.
    representatives
        One network per Markov equivalence class, where the costs are score-equivalent.
    seconds
        How long the stages took.
    statistics
        What the stages counted.
    notes
        What the user should know.
    """

    network_set: CompiledSet
    complete: bool
    stopped_by: str | None
    optimal_cost: int
    gap: float
    representatives: Representatives | None
    seconds: Mapping[str, float]
    statistics: Mapping[str, Any]
    notes: tuple[str, ...] = ()


@dataclass
class _Search:
    table: ScoreTable
    epsilon: float
    control: _core.Control
    progress: ProgressCallback | None
    costs: NDArray[np.int64] = field(init=False)
    slack: int = field(init=False)

    def __post_init__(self) -> None:
        self.costs = grid_costs(self.table)
        starts = self.table.offsets[:-1]
        worst = np.maximum.reduceat(self.costs, starts) - np.minimum.reduceat(self.costs, starts)
        wanted = np.ldexp(self.epsilon + TOLERANCE, self.table.grid_bits)
        # No network is farther from the optimum than the candidates are from the best.
        self.slack = int(min(wanted, float(worst.sum())))

    def run(self) -> SearchResult:
        began = time.perf_counter()
        cut = self.watch(
            "bounds", lambda: partition(self.table, self.costs, self.slack, self.control)
        )
        bounded = time.perf_counter()
        statistics: dict[str, Any] = dict(cut.statistics)
        compiled, complete = self.watch("enumeration", lambda: self.compile(cut, statistics))
        done = time.perf_counter()
        network_set = CompiledSet(self.table, compiled)
        unit = float(np.ldexp(1.0, -self.table.grid_bits))
        gap = 0.0 if complete else max(0, network_set.optimal_cost - cut.lower) * unit
        return SearchResult(
            network_set,
            complete,
            None if complete else self.control.stopped_by,
            network_set.optimal_cost,
            gap,
            class_representatives(self.table, network_set) if self.table.score_equivalent else None,
            {"bounds": bounded - began, "enumeration": done - bounded},
            {**statistics, "circuit_nodes": compiled.n_nodes, "circuit_levels": compiled.n_entries},
        )

    def watch(self, stage: str, function: Any) -> Any:
        return run_watched(function, self.control, stage, self.progress)

    def compile(self, cut: Partition, statistics: dict[str, Any]) -> tuple[_core.CompiledSet, bool]:
        """Compile each part and join them; the parts have no network in common."""
        circuit = _core.Circuit()
        counted = {"nodes": 0, "cache_hits": 0, "dead_ends": 0}
        limit = cut.upper + self.slack
        complete = not cut.open
        found = []
        for part in cut.parts:
            problem = _core.Problem.make(self.table.offsets, self.table.parents, self.costs)
            problem.filter(part.keep.astype(np.uint8))
            numbers: dict[str, Any] = {}
            node = circuit.compile(problem, limit, self.control, numbers)
            for name in counted:
                counted[name] += numbers[name]
            complete = complete and numbers["complete"]
            if node is not None:
                found.append(node)
            if not complete:
                break
        statistics.update({f"search_{name}": count for name, count in counted.items()})
        statistics["parts"] = len(cut.parts)
        if not found:  # stopped before the first network: the local search has one
            found.append(circuit.network(cut.rows))
        root = circuit.choice(np.array(found, dtype=np.uint32))
        control = self.control if complete else _core.Control()
        compiled = self.counted(circuit, root, limit, control)
        optimum = int(compiled.levels()[0][0])
        if optimum < cut.upper:  # the limit was too generous
            compiled = self.counted(circuit, root, optimum + self.slack, control)
        return compiled, complete

    def counted(
        self, circuit: _core.Circuit, root: int, limit: int, control: _core.Control
    ) -> _core.CompiledSet:
        return _core.CompiledSet.make(circuit, root, self.table.offsets, self.costs, limit, control)


def search(
    table: ScoreTable,
    epsilon: float,
    *,
    limit: int | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> SearchResult:
    """Find every network of a table within epsilon of the optimum.

    Parameters
    ----------
    table
        The candidate parent sets with their costs.
    epsilon
        How far above the optimal cost, in nats.
    limit
        Keep at most so many networks.
    time_limit, memory_limit
        In seconds and GB; the result is then marked incomplete.
    threads
        How many threads to use; all processors by default.
    progress
        Called with a `Progress` several times a second.

    Examples
    --------
    >>> import crediblenet as cn
    >>> table = cn.score(cn.example("cancer").data, bayes_factor=3)
    >>> found = search(table, epsilon=0.0)
    >>> found.complete
    True
    """
    if not epsilon >= 0:
        raise ParameterError(f"epsilon must be zero or more, not {epsilon}")
    if epsilon > table.epsilon * (1 + 1e-12):
        raise ParameterError(
            f"the scores were pruned for epsilon = {table.epsilon:.6g}, so that networks within "
            f"{epsilon:.6g} may be missing; score the data again with the larger value"
        )
    require_a_network(table)
    control = _core.Control(
        time_limit=float("inf") if time_limit is None else max(0.0, time_limit),
        memory_limit=float("inf") if memory_limit is None else memory_limit * 2**30,
    )
    return _Search(table, epsilon, control, progress).run()
