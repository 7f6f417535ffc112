"""Which parts come next, and what becomes of what they gave."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from .. import _core
from ..bounds import Bounder, Part
from ..checkpoints import SearchCheckpoint
from ..compiled_set import CompiledSet
from ..exceptions import LimitError
from ..memory import MemoryBudget
from ..progress import ProgressCallback, run_watched
from ..representatives import FoundClasses
from .counting import Count, count_networks, soon_counted
from .outcome import Outcome
from .part_work import RESTART_WORK, work_on
from .result import SearchResult
from .space import SearchSpace

__all__ = ["PartsSearch"]

#: When splitting took more than so many rounds of the relaxation, the whole search space is
#: tried once more, with `RESTART_WORK` for a search over subsets.
RESTART_ROUNDS = 40

#: Parts worked on together. The number is fixed, whatever the threads, so that what one
#: part learns reaches the others at the same points in every run.
BATCH = 8

T = TypeVar("T")


class PartsSearch:
    """One search: work on parts until none is left, then count.

    Parameters
    ----------
    space
        What is searched.
    threads
        How many parts are worked on at a time.
    control
        Stops the search.
    progress
        Called with a `Progress` several times a second.
    checkpoint
        Where the state is written now and then, and taken from if it is there.
    memory
        Stops the search when it is used up.
    """

    def __init__(
        self,
        space: SearchSpace,
        threads: int,
        control: _core.Control,
        progress: ProgressCallback | None = None,
        checkpoint: SearchCheckpoint | None = None,
        memory: MemoryBudget | None = None,
    ) -> None:
        self.space = space
        self.memory = memory
        self.checkpoint = checkpoint
        self.threads = threads
        self.control = control
        self.progress = progress
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
        count = self._watched("enumeration", lambda: self._count(complete, limit))
        self.seconds["enumeration"] += time.perf_counter() - began
        table = self.space.table
        network_set = CompiledSet(table, count.compiled)
        lower = min((part.lower for part in self.open_parts), default=network_set.optimal_cost)
        return SearchResult(
            network_set=network_set,
            complete=count.stopped_by is None,
            stopped_by=count.stopped_by,
            optimal_cost=network_set.optimal_cost,
            gap=max(0, network_set.optimal_cost - lower) * self.space.unit,
            representatives=(
                FoundClasses(table, network_set, self.threads) if table.score_equivalent else None
            ),
            seconds=self.seconds,
            statistics={
                **self.bounder.statistics,
                **{f"search_{name}": number for name, number in self.counted.items()},
                "circuit_nodes": count.compiled.n_nodes,
                "circuit_levels": count.compiled.n_entries,
            },
            notes=count.notes,
        )

    def _begin(self) -> None:
        """Find a first network, and open the whole search space."""
        began = time.perf_counter()
        self.bounder = self._watched("bounds", self._new_bounder)
        self.open_parts.append(self.bounder.whole())
        self.seconds["bounds"] += time.perf_counter() - began
        self._write_down()

    def _new_bounder(self, known: dict[str, Any] | None = None) -> Bounder:
        space = self.space
        return Bounder(space.table, space.costs, space.slack, self.control, known)

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
        rows, costs = state["bounder"]["rows"], self.space.costs
        if any(part.keep.shape != costs.shape for part in self.open_parts) or not (
            rows.shape == (self.space.table.n_variables,) and rows.max() < len(costs)
        ):
            raise ValueError("it belongs to another table")
        self.seconds.update(state["seconds"])
        self.counted.update(state["counted"])
        self.bounder = self._new_bounder(state["bounder"])

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

    def _work(self, part: Part) -> Outcome:
        return work_on(part, self.space, self.bounder.fork(), self.control)

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

    def _take_over(self, outcomes: list[Outcome], seconds: float) -> None:
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
            self.bounder.learn_from(outcome.learnt)
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
        if self.progress is not None and self.open_parts:
            most = self.bounder.upper + self.space.slack
            self.control.discover(soon_counted(self.space, circuit, root, most))

    def _absorb(self, circuit: _core.Circuit, root: int) -> int:
        """Add the networks of a part; its node here."""
        if len(self.circuit) == 0 and self.control.poll():
            # A stopped run has no time to make a tidy copy.
            self.circuit = circuit
            return root
        return self.circuit.absorb(circuit, root)

    def _count(self, complete: bool, limit: int | None) -> Count:
        if not self.roots:  # stopped before the first network: the local search has one
            self.roots.append(self.circuit.network(self.bounder.rows))
        return count_networks(
            self.space,
            self.circuit,
            self.roots,
            complete=complete,
            limit=limit,
            control=self.control,
            memory=self.memory,
        )
