"""The search: from candidate parent sets to every network within the limit."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from . import _core
from .bounds import Bounder, Part
from .checkpoints import SearchCheckpoint
from .compiled_set import CompiledSet
from .exceptions import LimitError, ParameterError
from .feasibility import require_a_network
from .members import Representatives
from .memory import GIGABYTE, MemoryBudget
from .network_set import grid_costs
from .progress import ProgressCallback, run_watched
from .representatives import class_representatives
from .score_table import TOLERANCE, ScoreTable
from .threads import thread_count

__all__ = ["SearchResult", "search"]

#: A part is tight when its lower bound is within this much of the optimum, in nats: what
#: is left of the gap is small against the usual epsilon of 1 to 5.
TIGHT = 0.1
#: How many states a part may take before other means are tried: with a gap, about as many as
#: the linear programs of two halves take; more without, since fewer of them are dead ends.
LOOSE_ATTEMPT = 200
TIGHT_ATTEMPT = 2000
#: How many states may be taken to look for a better network at the start.
IMPROVE = 1000
#: When splitting took more than so many rounds of the relaxation, the whole search space is
#: tried once more, with so much work for a search over subsets.
RESTART_ROUNDS = 40
RESTART_WORK = 20_000_000
#: A part that failed goes to the subset program rather than being split if that takes at
#: most so many seconds.
SPLIT_SECONDS = 1.0

#: Parts worked on together. The number is fixed, whatever the threads, so that what one
#: part learns reaches the others at the same points in every run.
BATCH = 8
#: Seconds that counting the networks of one part may take, for the progress only.
ANNOUNCE = 0.05
#: Seconds that a stopped run may take to count what it has found, and one that a user
#: stopped, who wants it to end at once.
GRACE, HURRIED_GRACE = 0.5, 0.03

T = TypeVar("T")


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
class _Outcome:
    """What the work on one part came to."""

    bounder: Bounder
    rest: list[Part]
    whole: Part | None = None
    stopped: bool = False
    circuit: _core.Circuit | None = None
    root: int | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)


class _Search:
    """One search: bound, compile, and split where that takes too long."""

    def __init__(
        self,
        table: ScoreTable,
        epsilon: float,
        threads: int,
        control: _core.Control,
        progress: ProgressCallback | None,
        checkpoint: SearchCheckpoint | None = None,
        memory: MemoryBudget | None = None,
    ) -> None:
        self.table = table
        self.memory = memory
        self.checkpoint = checkpoint
        self.threads = threads
        self.control = control
        self.progress = progress
        self.costs = grid_costs(table)
        self.unit = float(np.ldexp(1.0, -table.grid_bits))
        starts = table.offsets[:-1]
        spread = np.maximum.reduceat(self.costs, starts) - np.minimum.reduceat(self.costs, starts)
        # No network is farther from the optimum than the candidates are from the best.
        self.slack = int(min((epsilon + TOLERANCE) / self.unit, float(spread.sum())))
        self.circuit = _core.Circuit()
        self.roots: list[int] = []
        self.seconds = {"bounds": 0.0, "enumeration": 0.0}
        self.counted = dict.fromkeys(("nodes", "cache_hits", "dead_ends", "parts"), 0)
        self.open_parts: list[Part] = []
        self.whole: Part | None = None  # the whole search space, once it is tightened
        self.patience = 0  # rounds of the relaxation before it is tried once more

    def run(self, limit: int | None) -> SearchResult:
        """Search, count, and say what was found."""
        if self.checkpoint is None or not self.checkpoint.restore(self):
            self._begin()
        complete = self._watched("enumeration", self._explore)
        began = time.perf_counter()
        compiled, stopped_by, notes = self._watched(
            "enumeration", lambda: self._count(complete, limit)
        )
        self.seconds["enumeration"] += time.perf_counter() - began
        network_set = CompiledSet(self.table, compiled)
        lower = min((part.lower for part in self.open_parts), default=network_set.optimal_cost)
        return SearchResult(
            network_set=network_set,
            complete=stopped_by is None,
            stopped_by=stopped_by,
            optimal_cost=network_set.optimal_cost,
            gap=max(0, network_set.optimal_cost - lower) * self.unit,
            representatives=(
                class_representatives(self.table, network_set)
                if self.table.score_equivalent
                else None
            ),
            seconds=self.seconds,
            statistics={
                **self.bounder.statistics,
                **{f"search_{name}": count for name, count in self.counted.items()},
                "circuit_nodes": compiled.n_nodes,
                "circuit_levels": compiled.n_entries,
            },
            notes=notes,
        )

    def _begin(self) -> None:
        """Find a first network, and open the whole search space."""
        began = time.perf_counter()
        self.bounder = self._watched(
            "bounds", lambda: Bounder(self.table, self.costs, self.slack, self.control)
        )
        self.open_parts.append(self.bounder.whole())
        self.seconds["bounds"] += time.perf_counter() - began
        self._write_down()

    def state(self) -> dict[str, Any]:
        """Return all that the rest of the search depends on, but the circuit."""
        return {
            "open_parts": self.open_parts,
            "whole": self.whole,
            "patience": self.patience,
            "roots": self.roots,
            "seconds": self.seconds,
            "counted": self.counted,
            "bounder": self.bounder.state(),
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        self.open_parts, self.roots = state["open_parts"], state["roots"]
        self.whole, self.patience = state["whole"], state["patience"]
        rows = state["bounder"]["rows"]
        if any(part.keep.shape != self.costs.shape for part in self.open_parts) or not (
            rows.shape == (self.table.n_variables,) and rows.max() < len(self.costs)
        ):
            raise ValueError("it belongs to another table")
        self.seconds.update(state["seconds"])
        self.counted.update(state["counted"])
        known = state["bounder"]
        self.bounder = Bounder(self.table, self.costs, self.slack, self.control, known)

    def _write_down(self) -> None:
        """Let a killed run go on from here; once in a while, and not in a stopped run.

        A stopped run has given up parts of its last batch, and another run would not take
        them up again in the same batches.
        """
        if self.checkpoint is None or self.control.poll():
            return
        if self.checkpoint.due or (not self.open_parts and self.checkpoint.begun):
            self.checkpoint.record(self)

    def _watched(self, stage: str, function: Callable[[], T]) -> T:
        return run_watched(function, self.control, stage, self.progress, self.memory)

    def _explore(self) -> bool:
        """Work on parts until none is left; whether every one was searched to its end."""
        with ThreadPoolExecutor(self.threads) as pool:
            while self.open_parts:
                if self.control.poll():
                    return False
                if self.whole is not None and self._rounds() > self.patience:
                    self._restart(self.whole)
                    continue
                batch = self.open_parts[-BATCH:]
                began = time.perf_counter()
                outcomes = list(pool.map(self._work, batch))
                self._take_over(outcomes, time.perf_counter() - began)
                self.control.advance(1.0 - sum(part.share for part in self.open_parts))
                self._write_down()
        return not self.control.poll()

    def _rounds(self) -> int:
        return self.bounder.statistics["linear_programs"]

    def _restart(self, whole: Part) -> None:
        """Try to filter the whole search space exactly, instead of splitting on and on."""
        self.whole = None
        began = time.perf_counter()
        try:
            found = self.bounder.searched(whole, RESTART_WORK)
        except LimitError:
            # Stopped on the way: the open parts stay what they are.
            if not self.control.poll():
                raise
            return
        finally:
            self.seconds["bounds"] += time.perf_counter() - began
        if found is not whole:
            self.roots = []
            self.open_parts = [] if found is None else [found]

    def _take_over(self, outcomes: list[_Outcome], seconds: float) -> None:
        """Add what a batch found, in the order of its parts."""
        del self.open_parts[-len(outcomes) :]
        worked = {
            stage: sum(outcome.seconds.get(stage, 0.0) for outcome in outcomes)
            for stage in self.seconds
        }
        for stage, share in worked.items():
            self.seconds[stage] += seconds * share / max(1e-9, sum(worked.values()))
        for outcome in outcomes:
            self.open_parts.extend(outcome.rest)
            self.bounder.learn_from(outcome.bounder)
            if outcome.whole is not None:
                self.whole = outcome.whole
                self.patience = self._rounds() + RESTART_ROUNDS
            for name, count in outcome.counted.items():
                self.counted[name] += count
            if outcome.circuit is not None and outcome.root is not None:
                self._announce(outcome.circuit, outcome.root)
                self.roots.append(self._absorb(outcome.circuit, outcome.root))
                self.counted["parts"] += 1

    def _announce(self, circuit: _core.Circuit, root: int) -> None:
        """Let the progress say how many networks a part has, if that is soon counted.

        The last part is not worth it: all networks are counted next.
        """
        if self.progress is None or not self.open_parts:
            return
        most = self.bounder.upper + self.slack
        soon = _core.Control(time_limit=ANNOUNCE)
        try:
            part = _core.CompiledSet.make(circuit, root, self.table.offsets, self.costs, most, soon)
        except LimitError:
            return
        self.control.discover(min(sum(part.levels()[1]), 2**62))

    def _absorb(self, circuit: _core.Circuit, root: int) -> int:
        """Add the networks of a part; its node here."""
        if len(self.circuit) == 0 and self.control.poll():
            # A stopped run has no time to make a tidy copy.
            self.circuit = circuit
            return root
        return self.circuit.absorb(circuit, root)

    def _work(self, part: Part) -> _Outcome:
        """Tighten a part and compile it, or split it."""
        outcome = _Outcome(self.bounder.fork(), [part])
        bounder = outcome.bounder
        try:
            tight: Part | None = part
            if not part.exact:
                tight = self._timed(outcome, "bounds", bounder.tighten, part)
            if tight is not None and part.share == 1.0 and self._loose(bounder, tight):
                # Everything below profits from knowing the optimum.
                before = bounder.upper
                self._timed(outcome, "bounds", self._improve, outcome, tight)
                if bounder.upper < before:
                    tight = self._timed(outcome, "bounds", bounder.tighten, tight)
                outcome.whole = tight
            while tight is not None:
                if self.control.poll():
                    return outcome
                limited = self._timed(outcome, "enumeration", self._compile, outcome, tight)
                if not limited:
                    if not self.control.poll():
                        outcome.rest = []
                    return outcome
                if bounder.exact_seconds(bounder.problem(tight.keep)) <= SPLIT_SECONDS:
                    tight = self._timed(outcome, "bounds", bounder.exact, tight)
                    continue
                found = self._timed(
                    outcome, "bounds", bounder.searched, tight, bounder.worth(tight)
                )
                if found is not tight:
                    tight = found
                    continue
                halves = bounder.split(tight)
                if halves is not None:
                    outcome.rest = list(halves)
                    return outcome
                # Nothing to split on: compile it, however long it takes.
                found = self._timed(outcome, "bounds", bounder.searched, tight, RESTART_WORK)
                tight = found and replace(found, exact=True)
            outcome.rest = []
        except LimitError:
            # Stopped inside a program that has no partial result: the part stays open.
            if not self.control.poll():
                raise
        return outcome

    def _loose(self, bounder: Bounder, part: Part) -> bool:
        return not part.exact and bounder.gap(part) > TIGHT

    def _improve(self, outcome: _Outcome, part: Part) -> None:
        """Look for a better network than the best so far, for a while."""
        circuit, bounder = _core.Circuit(), outcome.bounder
        numbers: dict[str, Any] = {}
        root = circuit.compile(
            bounder.problem(part.keep), bounder.upper, IMPROVE, self.control, numbers
        )
        for name in ("nodes", "cache_hits", "dead_ends"):
            outcome.counted[name] = outcome.counted.get(name, 0) + numbers[name]
        if root is not None:
            bounder.upper = min(bounder.upper, circuit.least_cost(root, self.costs))

    def _timed(
        self, outcome: _Outcome, stage: str, function: Callable[..., T], *arguments: Any
    ) -> T:
        began = time.perf_counter()
        try:
            return function(*arguments)
        finally:
            spent = time.perf_counter() - began
            outcome.seconds[stage] = outcome.seconds.get(stage, 0.0) + spent

    def _compile(self, outcome: _Outcome, part: Part) -> bool:
        """Compile a part; give up one that is not exact after a number of states.

        Returns whether it was given up.
        """
        circuit = _core.Circuit()
        numbers: dict[str, Any] = {}
        loose = self._loose(outcome.bounder, part)
        root = circuit.compile(
            outcome.bounder.problem(part.keep),
            outcome.bounder.upper + self.slack,
            0 if part.exact else LOOSE_ATTEMPT if loose else TIGHT_ATTEMPT,
            self.control,
            numbers,
        )
        for name in ("nodes", "cache_hits", "dead_ends"):
            outcome.counted[name] = outcome.counted.get(name, 0) + numbers[name]
        if numbers["limited"]:
            return True
        outcome.circuit, outcome.root = circuit, root
        return False

    def _grace(self) -> _core.Control:
        hurried = self.control.stopped_by == "interrupted"
        memory = float("inf") if self.memory is None else self.memory.bytes_with_grace()
        return _core.Control(HURRIED_GRACE if hurried else GRACE, memory)

    def _count(
        self, complete: bool, limit: int | None
    ) -> tuple[_core.CompiledSet, str | None, tuple[str, ...]]:
        """Join the parts, which have no network in common, and count what is within.

        Returns the networks, why they are not all of them, and what there is to say.
        """
        if not self.roots:  # stopped before the first network: the local search has one
            self.roots.append(self.circuit.network(self.bounder.rows))
        root = self.circuit.choice(np.array(self.roots, dtype=np.uint32))
        least = self.circuit.least_cost(root, self.costs)

        def within(most: int, control: _core.Control) -> _core.CompiledSet:
            return _core.CompiledSet.make(
                self.circuit, root, self.table.offsets, self.costs, most, control
            )

        try:
            # A run that was stopped before still counts what it has.
            counting = self.control if complete else self._grace()
            compiled = within(least + self.slack, counting)
        except LimitError:
            note = "the search was stopped while it counted: only the best networks are kept"
            return within(least, _core.Control()), self.control.stopped_by or "memory", (note,)
        costs, counts = compiled.levels()
        if limit is None or sum(counts) <= limit:
            return compiled, None if complete else self.control.stopped_by, ()
        running = list(itertools.accumulate(counts))
        kept = max(1, sum(total <= limit for total in running))
        note = (
            f"{running[-1]:,} networks were found within epsilon; the limit of {limit:,} keeps the "
            f"{running[kept - 1]:,} best"
        )
        return within(int(costs[kept - 1]), _core.Control()), "limit", (note,)


def search(
    table: ScoreTable,
    epsilon: float,
    *,
    limit: int | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    checkpoint: SearchCheckpoint | None = None,
) -> SearchResult:
    """Find every network of a table within epsilon of the optimum.

    Parameters
    ----------
    table
        The candidate parent sets with their costs.
    epsilon
        How far above the optimal cost, in nats.
    limit
        Keep only the best networks, about so many: as many whole levels of equal cost as
        fit, and at least one.
    time_limit, memory_limit
        In seconds and GB; the result is then marked incomplete.
    threads
        How many threads to use; all processors by default.
    progress
        Called with a `Progress` several times a second.
    checkpoint
        Where the state is written now and then, and taken from if it is there.

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
        memory_limit=float("inf") if memory_limit is None else memory_limit * GIGABYTE,
    )
    if limit is not None and limit < 1:
        raise ParameterError(f"limit must be at least 1, not {limit}")
    memory = MemoryBudget(memory_limit)
    run = _Search(table, epsilon, thread_count(threads), control, progress, checkpoint, memory)
    return run.run(limit)
