"""Which parts come next, and what becomes of what they gave."""

from __future__ import annotations

import copy
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .. import _core
from ..bounds import Bounder, Part
from ..checkpoints import SearchCheckpoint
from ..counted_set import counted_set
from ..exceptions import STOPS, RunDirectoryError
from ..memory import MemoryBudget
from ..progress import ProgressCallback, run_watched
from ..representatives import FoundClasses
from ..score_table import TOLERANCE
from ..stage_memory import StageMemory, bounds_memory, search_memory
from .agenda import Agenda
from .counting import LONG_SEARCH, Count, count_best, count_networks, soon_counted
from .crew import Crew, Pending
from .one_order import OneOrder
from .outcome import Outcome, Spare
from .result import SearchResult
from .space import SearchSpace
from .state_shape import state_shape

__all__ = ["PartsSearch"]

#: When splitting took more than so many rounds of the relaxation, the whole search space is
#: tried once more, with so much work for a search over subsets.
RESTART_ROUNDS = 40
RESTART_WORK = 20_000_000

#: How many nodes of circuits a stopped search still takes over, about a microsecond each: so
#: many, or fewer for a user who waits, and more after each second of the search, about 1 % of it.
NODES_WHEN_STOPPED, NODES_WHEN_HURRIED, NODES_PER_SECOND = 200_000, 50_000, 10_000

#: What looking for an order that many networks fit may take in a stopped search, and what an
#: attempt to count them: this share of the seconds of the search.
SHARE_WHEN_STOPPED = 0.001
ALONG_ORDER = "the search was stopped: the networks kept are those along one order of the variables"

T = TypeVar("T")


class InWork(NamedTuple):
    """A part that is being worked on, and what was known when that began."""

    part: Part
    known: Mapping[str, Any]
    pending: Pending


class PartsSearch:
    """One search: work on parts until none is left, then count.

    Parameters
    ----------
    space
        What is searched.
    crew
        Who works on the parts.
    control
        Stops the search.
    progress
        Called with a `Progress` several times a second.
    checkpoint
        Where the state is written now and then, and taken from if it is there.
    memory
        Stops the search when it is used up.
    threads
        How many threads find the classes of what was found; all cores by default.
    """

    def __init__(
        self,
        space: SearchSpace,
        crew: Crew,
        control: _core.Control,
        progress: ProgressCallback | None = None,
        checkpoint: SearchCheckpoint | None = None,
        memory: MemoryBudget | None = None,
        threads: int | None = None,
    ) -> None:
        self.space = space
        self.threads = threads
        self.memory = memory
        self.checkpoint = checkpoint
        self.crew = crew
        self.control = control
        self.progress = progress
        self.circuit = _core.Circuit()
        self.roots: list[int] = []
        self.announced = 0  # networks of the parts that are done, for the progress
        self.seconds = {"bounds": 0.0, "enumeration": 0.0}
        self.counted = dict.fromkeys(("nodes", "cache_hits", "dead_ends", "parts"), 0)
        self.open_parts: list[Part] = []
        self.in_work: deque[InWork] = deque()
        self.to_begin_again: list[tuple[Part, Mapping[str, Any]]] = []  # from a checkpoint
        self.finished = 0  # parts that were worked on
        self.whole: Part | None = None  # the whole search space, once it is tightened
        self.patience = 0  # rounds of the relaxation before it is tried once more
        self.foreseen: dict[str, Any] = {}  # memory, by stage
        self.spare: Spare | None = None  # for a search that is stopped
        self.nodes_left: int | None = None  # that a stopped search may take over
        # In a search that was stopped: within epsilon of its best network, and of the optimum.
        self.classes_at_least = self.classes_surely = 0

    def run(self, limit: int | None) -> SearchResult:
        """Search, count, and say what was found."""
        self._foresee("bounds", bounds_memory(self.space, self.control))
        if self.checkpoint is None or not self.checkpoint.restore(self):
            self._begin()
        self._foresee("enumeration", search_memory(self.space))
        complete = self._watched("enumeration", self._explore)
        began = time.perf_counter()
        count = self._watched("enumeration", lambda: self._count(complete, limit))
        self.seconds["enumeration"] += time.perf_counter() - began
        table = self.space.table
        network_set = counted_set(table, count.compiled)
        return SearchResult(
            network_set=network_set,
            complete=count.stopped_by is None,
            stopped_by=count.stopped_by,
            interrupted=self.control.stopped_by == "interrupted",
            optimal_cost=network_set.optimal_cost,
            gap=self._gap(network_set.optimal_cost),
            representatives=(
                FoundClasses(table, network_set, self.threads) if table.score_equivalent else None
            ),
            seconds=self.seconds,
            statistics={
                **self.bounder.statistics,
                **{f"search_{name}": number for name, number in self.counted.items()},
                "circuit_nodes": count.compiled.n_nodes,
                "circuit_levels": count.compiled.n_entries,
                "classes_at_least": self.classes_at_least,
                "classes_surely": self.classes_surely,
            },
            memory_foreseen=self.foreseen,
            notes=count.notes,
        )

    def _gap(self, least: int) -> float:
        """Return by how much a network may be better than the best one found, in nats.

        What the tolerance does not tell apart is no gap.
        """
        gap = (least - self._lower(least)) * self.space.unit
        return gap if gap > TOLERANCE else 0.0

    def _lower(self, least: int) -> int:
        """Return what every network costs at least, given the cost of the best one found."""
        return min([least, *(part.lower for part in self.open_parts)])

    def _foresee(self, stage: str, foreseen: StageMemory) -> None:
        """Say what a stage is going to need."""
        self.foreseen[stage] = foreseen.to_dict()
        limit = float("inf") if self.memory is None else self.memory.bytes_left()
        foreseen.tell(stage, limit, self.progress)

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
            "in_work": [(begun.part, begun.known) for begun in self.in_work],
            "finished": self.finished,
            "whole": self.whole,
            "patience": self.patience,
            "roots": self.roots,
            "seconds": self.seconds,
            "counted": self.counted,
            "bounder": self.bounder.state(),
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        state_shape(self.space.table, len(self.circuit))(state, "the search")
        self.open_parts, self.roots = state["open_parts"], state["roots"]
        self.to_begin_again, self.finished = state["in_work"], state["finished"]
        self.whole, self.patience = state["whole"], state["patience"]
        self.seconds.update(state["seconds"])
        self.counted.update(state["counted"])
        self.bounder = self._new_bounder(state["bounder"])

    def _write_down(self) -> None:
        """Let a killed run go on from here; once in a while, and not in a stopped run.

        A stopped run has given up parts, and another run would not take them up again with
        the same knowledge.
        """
        if self.checkpoint is None or self.control.poll():
            return
        if self.checkpoint.due or (not self._left and self.checkpoint.begun):
            self.checkpoint.record(self)

    def _watched(self, stage: str, function: Callable[[], T]) -> T:
        return run_watched(function, self.control, stage, self.progress, self.memory, partial=True)

    def _explore(self) -> bool:
        """Work on parts until none is left; whether every one was searched to its end.

        Parts are begun as long as the agenda has one, and taken over in the order in which
        they were begun, whichever is finished first.
        """
        with self.crew:
            for part, known in self.to_begin_again:
                self._begin_work(part, known)
            began = time.perf_counter()
            while self._left and not self.control.poll():
                if self.whole is None or self._rounds() <= self.patience:
                    while (next_part := self._next()) is not None:
                        known = copy.deepcopy(self.bounder.state())
                        self._begin_work(next_part, known)
                elif not self.in_work:
                    self._restart(self.whole)
                    continue
                outcome = self.in_work[0].pending.outcome()
                part = self.in_work.popleft().part
                now = time.perf_counter()
                self._take_over(part, outcome, now - began)
                began = now
                done = 1.0 - sum(part.share for part in self._left)
                self.control.advance(done, outcome.told)
                self._write_down()
            while self.in_work:  # stopped: what there is of them
                begun = self.in_work[0]
                self._take_over(begun.part, begun.pending.outcome(), 0.0)
                self.in_work.popleft()
        return not self.control.poll()

    @property
    def _left(self) -> list[Part]:
        return [*self.open_parts, *(begun.part for begun in self.in_work)]

    def _next(self) -> Part | None:
        """Take the open part that is to be begun now; None when none is."""
        agenda = Agenda(len(self.space.costs), self.bounder.gap)
        in_work = [begun.part for begun in self.in_work]
        place = agenda.next_place(self.open_parts, in_work, self.finished)
        return None if place is None else self.open_parts.pop(place)

    def _begin_work(self, part: Part, known: Mapping[str, Any]) -> None:
        self.in_work.append(InWork(part, known, self.crew.begin(part, known)))

    def _rounds(self) -> int:
        return self.bounder.statistics["linear_programs"]

    def _restart(self, whole: Part) -> None:
        """Try to filter the whole search space exactly, instead of splitting on and on."""
        self.whole = None
        began = time.perf_counter()
        try:
            found = self.bounder.searched(whole, RESTART_WORK)
        except STOPS:
            # Stopped on the way: the open parts stay what they are.
            if not self.control.poll():
                raise
            return
        finally:
            self.seconds["bounds"] += time.perf_counter() - began
        if found is not whole:
            self.roots, self.announced = [], 0
            self.open_parts = [] if found is None else [found]

    def _take_over(self, part: Part, outcome: Outcome, seconds: float) -> None:
        """Add what one part gave, and share out the seconds that it took to wait for it."""
        worked = sum(outcome.seconds.values())
        for stage in self.seconds:
            self.seconds[stage] += seconds * outcome.seconds.get(stage, 0.0) / max(1e-9, worked)
        self.finished += 1
        self.open_parts.extend(outcome.rest)
        if outcome.learnt is not None:
            self.bounder.learn_from(outcome.learnt)
        if outcome.spare is not None:
            self.spare = outcome.spare
        if outcome.whole is not None:
            self.whole = outcome.whole
            self.patience = self._rounds() + RESTART_ROUNDS
        for name, count in outcome.counted.items():
            self.counted[name] += count
        if outcome.circuit is not None and outcome.root is not None:
            self._announce(outcome.circuit, outcome.root)
            if self._has_time_for(outcome.circuit):
                self.roots.append(self._absorb(outcome.circuit, outcome.root))
                self.counted["parts"] += 1
            elif not outcome.rest:
                self.open_parts.append(part)  # its networks are not there, so it is not done

    def _announce(self, circuit: _core.Circuit, root: int) -> None:
        """Let the progress say how many networks a part has, as far as that is soon counted.

        After the last part all networks are counted, so it is worth it in a long search only.
        """
        long = self.seconds["enumeration"] > LONG_SEARCH
        if self.progress is not None and (self._left or long) and not self.control.poll():
            most = self.bounder.upper + self.space.slack
            self.announced += soon_counted(self.space, circuit, root, most)[0]
            # Some of these may have been told of before their part was done.
            self.control.discover(max(0, self.announced - self.control.found))

    def _has_time_for(self, circuit: _core.Circuit) -> bool:
        """Tell whether the networks of a part can be taken over: always, unless it is late.

        What a stopped run cannot take over is lost, and the part stays open like the others.
        """
        if not self.control.poll() or len(self.circuit) == 0:
            return True
        if self.nodes_left is None:
            hurried = self.control.stopped_by == "interrupted"
            more = int(NODES_PER_SECOND * sum(self.seconds.values()))
            self.nodes_left = (NODES_WHEN_HURRIED if hurried else NODES_WHEN_STOPPED) + more
        if len(circuit) > self.nodes_left:
            return False
        self.nodes_left -= len(circuit)
        return True

    def _absorb(self, circuit: _core.Circuit, root: int) -> int:
        """Add the networks of a part; its node here."""
        if len(self.circuit) == 0 and self.control.poll():
            # A stopped run has no time to make a tidy copy.
            self.circuit = circuit
            return root
        return self.circuit.absorb(circuit, root)

    def _best_is_missing(self) -> bool:
        """Tell whether the parts that are done have no network as good as one that is known."""
        if not self.roots:
            return True
        found = self.circuit.choice(np.array(self.roots, dtype=np.uint32))
        known = int(self.space.costs[self.bounder.rows].sum())
        return self.circuit.least_cost(found, self.space.costs) > known

    def _count(self, complete: bool, limit: int | None) -> Count:
        if complete and not self.roots:
            # There is a best network, so somebody else wrote what this search went on from.
            raise RunDirectoryError(
                "the checkpoint cannot be used: no network is as good as it says that one is"
            )
        if not complete and self._best_is_missing():
            self.roots.append(self.circuit.network(self.bounder.rows))
        count = count_networks(
            self.space,
            self.circuit,
            self.roots,
            complete=complete,
            limit=limit,
            control=self.control,
            memory=self.memory,
            seconds=sum(self.seconds.values()),
        )
        if count.stopped_by is None or limit is not None:
            return count
        if not complete:
            count = self._with_more(count, self.spare)
        if self.control.stopped_by == "interrupted":
            return count  # the user waits, and more networks take more time to write down
        order = self._order()
        if not complete:
            count = self._with_more(count, self._along(order))
        least, slack = count.compiled.least_cost, self.space.slack
        self.classes_at_least = order.at_least(least + slack)
        self.classes_surely = order.at_least(self._lower(least) + slack)
        return replace(count, notes=(*count.notes, *self._at_least()))

    def _with_more(self, count: Count, spare: Spare | None) -> Count:
        """Return what was counted, or what is spare if these are more networks."""
        if spare is None or spare.networks <= count.networks:
            return count
        other = self._spare_count(spare)
        # Not all that were within the limit then are within that of a better network.
        return other if other.networks > count.networks else count

    def _order(self) -> OneOrder:
        """Return an order of the variables that many networks within the limit fit."""
        order = OneOrder.of_network(self.space, self.bounder.rows)
        control = _core.Control(time_limit=self._seconds_when_stopped())
        return order.widened(self.bounder.upper + self.space.slack, control)

    def _seconds_when_stopped(self) -> float:
        """Return how long one thing may take in a stopped search."""
        return SHARE_WHEN_STOPPED * sum(self.seconds.values())

    def _along(self, order: OneOrder) -> Spare:
        """Return the networks that fit an order, as far as they are soon counted."""
        circuit, root = order.circuit()
        most = min(order.least, self.bounder.upper) + self.space.slack
        seconds = self._seconds_when_stopped()
        counted = soon_counted(self.space, circuit, root, most, seconds, self.memory)
        return Spare(circuit, root, ALONG_ORDER, *counted)

    def _at_least(self) -> tuple[str, ...]:
        """Say how many classes there are at least, in a sentence."""
        if self.classes_at_least < 2:
            return ()
        surely = (
            ""
            if self.classes_surely == self.classes_at_least
            else f"; {self.classes_surely:,} of them are credible however good the optimum is"
        )
        return (
            f"at least {self.classes_at_least:,} equivalence classes are within epsilon of the "
            "best network found: so many networks fit one order of the variables, and no two "
            f"of them are equivalent{surely}",
        )

    def _spare_count(self, spare: Spare) -> Count:
        """Count what is spare instead of what was found in parts."""
        self.circuit, self.roots = spare.circuit, [spare.root]
        if self._best_is_missing():
            self.roots.append(self.circuit.network(self.bounder.rows))
        within = min(spare.within, self.bounder.upper + self.space.slack)
        reason = self.control.stopped_by or "memory"
        return count_best(self.space, self.circuit, self.roots, within, reason, spare.note)
