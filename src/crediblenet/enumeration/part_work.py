"""The work on one part of the search space: tighten it, then compile or split it.

It depends on the part, the search space and what the bounder knows, and on nothing else, so
that it can be done in any thread, process or machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from .. import _core
from ..bounds import FEW_VARIABLES, Bounder, Part, guide
from ..exceptions import STOPS
from .counting import BEST_ONLY, soon_counted
from .outcome import Outcome, Spare
from .space import SearchSpace

__all__ = ["work_on"]

#: A part is tight when its lower bound is within this much of the optimum, in nats: what
#: is left of the gap is small against the usual epsilon of 1 to 5. (With more than a few
#: variables it is less in proportion.)
TIGHT = 0.1
#: How many states a part may take before other means are tried: so many for one candidate,
#: fewer for more of them, or for more than a few variables, so that it takes some tenths of a
#: second; and fewer by one more time for each nat of the gap (with hundreds of variables, for a
#: part of one), because then most states are dead ends.
ATTEMPT = 1_500_000
FEWEST_STATES = 50
#: With a larger gap, in nats, there is no hope at all.
HOPEFUL_GAP = 25.0
#: A part in which a first attempt had so many dead ends for each state needs better bounds: it
#: is split, if its relaxation says where, before it is compiled with a larger allowance. Where
#: it does not, the part is compiled with probing, unless it has more candidates than this:
#: probing tries every one in every state, and fewer states than some hundred say little.
MANY_DEAD_ENDS = 2
MOST_PROBED = 2_000
#: Whether bounds of states are raised by dual ascent: off only to measure what it is worth.
ASCENDING = True
#: Whether cuts are tried before a part is split: off only to measure what they are worth.
CUTTING = True
#: Steps that compiling layer by layer may take, where the subset program bounds a part in a
#: moment and a first attempt was given up; twenty to forty million take a second. Whether it is
#: tried at all: off only to measure what it is worth.
LAYERED_STEPS = 200_000_000
LAYERED = True
#: How many states an exact part, or one whose relaxation leaves no gap, may take before
#: it is split. Few, where the subset program or a relaxation can filter the halves in a
#: moment, which saves most dead ends; else many, since the halves do not share what the
#: compiler remembers, and together take about twice as long. They are split nevertheless: so
#: threads and workers share them, what is finished reaches the checkpoint, and the compiler's
#: memory stays small. Each split around a part doubles the number, so that what is given up
#: never takes much more than what is kept; after a relaxation, whose halves are often hardly
#: smaller, it makes it four times as large.
FILTERED_ATTEMPT = 20_000
RELAXED_ATTEMPT = 10_000
EXACT_ATTEMPT = 200_000
PROBED_ATTEMPT = 5_000
MOST_DOUBLINGS = 40
#: A part that failed goes to the subset program rather than being split if that takes at
#: most so many seconds.
SPLIT_SECONDS = 1.0

#: A part that cuts rid of at least this share of its candidates is tried again.
WORTH_ANOTHER_TRY = 0.1

T = TypeVar("T")


def work_on(
    part: Part,
    known: Mapping[str, Any],
    space: SearchSpace,
    control: _core.Control,
    threads: int = 1,
) -> Outcome:
    """Tighten a part and compile it, or split it.

    Parameters
    ----------
    part
        The part.
    known
        The state of the search's bounder.
    space
        What is searched.
    control
        Stops the work; what was found by then is in the outcome, with the part still open.
    threads
        How many threads look for a better network than is known.
    """
    bounder = Bounder(space.table, space.costs, space.slack, control, known).fork()
    return _PartWork(space, bounder, control, Outcome([part]), threads).run(part)


class _PartWork:
    """The work on one part, and what it came to so far."""

    def __init__(
        self,
        space: SearchSpace,
        bounder: Bounder,
        control: _core.Control,
        outcome: Outcome,
        threads: int,
    ) -> None:
        self.space = space
        self.bounder = bounder
        self.control = control
        self.outcome = outcome
        self.threads = threads
        self.many_dead_ends = False  # in the last attempt to compile
        self.suits_probing = False  # the part of that attempt

    def run(self, part: Part) -> Outcome:
        """Do the work."""
        try:
            self.outcome.rest = self._rest(part)
        except STOPS:
            # Stopped inside a program that has no partial result: the part stays open.
            if not self.control.poll():
                raise
        self.outcome.learnt = self.bounder.state()
        self.outcome.stopped_by = self.control.stopped_by
        return self.outcome

    def _rest(self, part: Part) -> list[Part]:
        """Tighten and compile the part; return what is left of it."""
        bounder = self.bounder
        tight: Part | None = part
        if part.waits:
            tight = self._timed("bounds", bounder.filter_again, part)
            return [] if tight is None else self._compile_or_split(replace(tight, waits=False))
        if not part.exact:
            tight = self._timed("bounds", bounder.tighten, part)
        elif part.given_up and self._filters_soon(part):
            tight = self._timed("bounds", self._filter_again, part)
        if tight is not None:
            self.outcome.rest = [tight]  # what stays open if the work is stopped
        loose = tight is not None and part.share == 1.0 and self._loose(tight)
        if tight is not None and loose and not self.control.poll():
            # Everything below profits from knowing the optimum.
            before = bounder.upper
            self._timed("bounds", self._improve, tight)
            if bounder.upper < before:
                tight = bounder.filter_again(tight)
            if tight is not None and self._hopeful(tight):
                self.outcome.whole = tight
        strengthened = part.strong is not None or part.cuts_fail
        while tight is not None:
            if self.control.poll():
                return [tight]  # not the part as it came: its bound states a smaller gap
            limited = not self._hopeful(tight) or self._timed(
                "enumeration", self._compile, tight, self._quick(tight)
            )
            if limited and tight.exact and LAYERED and self._suits_layers(tight):
                limited = self._timed("enumeration", self._compile_layers, tight)
            if limited and tight.exact:
                # Only this attempt and the layers are worth telling how far they are.
                states, share = self._thorough(tight), tight.share
                limited = self._timed("enumeration", self._compile, tight, states, share)
            if not limited:
                return self._rest_of_compiled(tight)
            if tight.exact:
                return self._split_again(tight)
            if self._filters_soon(tight):
                tight = self._timed("bounds", bounder.exact, tight)
                continue
            found = self._timed("bounds", bounder.searched, tight, bounder.worth(tight))
            if found is not tight:
                tight = found
                continue
            if not self._loose(tight) and not self.many_dead_ends:
                return self._compile_last(tight)
            if CUTTING and not strengthened and self._loose(tight):
                strengthened = True
                n_before = np.count_nonzero(tight.keep)
                tight = self._timed("bounds", bounder.strengthen, tight)
                if tight is None or self.control.poll():
                    continue
                self.outcome.rest = [tight]
                if part.share == 1.0:
                    self.outcome.whole = tight
                if np.count_nonzero(tight.keep) <= (1 - WORTH_ANOTHER_TRY) * n_before:
                    tight = self._timed("bounds", bounder.relax_after_cuts, tight)
                    continue
            halves = self._timed("bounds", bounder.split, tight)
            if halves is not None:
                return list(halves)
            if self.suits_probing:
                # Here probing helps more than the relaxations of halves.
                tight = replace(tight, exact=True)
                continue
            return self._compile_last(tight)
        return []

    def _compile_last(self, part: Part) -> list[Part]:
        """Let a part wait until no other has a gap, unless there is no other.

        Compiling may take long, and then it is worth more to know the optimum first: a search
        that is stopped states a smaller gap, and one that is not filters with a better network.
        """
        return self._compile_or_split(part) if part.share == 1.0 else [replace(part, waits=True)]

    def _compile_or_split(self, part: Part) -> list[Part]:
        """Compile a part whose relaxation has told all that it can, or split it."""
        first = max(FEWEST_STATES, int(RELAXED_ATTEMPT / self._more_variables()))
        states = first << min(2 * part.given_up, MOST_DOUBLINGS)
        if self._timed("enumeration", self._compile, part, states, part.share):
            return self._split_again(part)
        return self._rest_of_compiled(part)

    def _rest_of_compiled(self, part: Part) -> list[Part]:
        """Return what is left of a part that was not given up: nothing, unless it was stopped."""
        return [part] if self.control.poll() else []

    def _split_again(self, part: Part) -> list[Part]:
        """Split a part that took too many states; its halves may take more of them."""
        bounder = self.bounder
        halves = self._timed("bounds", bounder.split, part) or bounder.split_evenly(part)
        return [replace(half, given_up=part.given_up + 1) for half in halves]

    def _filters_soon(self, part: Part) -> bool:
        """Tell whether the subset program can filter a part in a moment."""
        return self.bounder.exact_seconds(self.bounder.problem(part.keep)) <= SPLIT_SECONDS

    def _filter_again(self, part: Part) -> Part | None:
        """Filter a half of an exact part: not every candidate of it is still in a network."""
        found = self.bounder.exact(part)
        return found and replace(found, given_up=part.given_up)

    def _thorough(self, part: Part) -> int:
        """Return how many states compiling an exact part may take."""
        if self.suits_probing:
            return PROBED_ATTEMPT << part.given_up
        least = FILTERED_ATTEMPT if self._filters_soon(part) else EXACT_ATTEMPT
        return least << part.given_up

    def _loose(self, part: Part) -> bool:
        return not part.exact and self.bounder.weighed_gap(part) > TIGHT

    def _hopeful(self, part: Part) -> bool:
        return part.exact or self.bounder.gap(part) <= HOPEFUL_GAP

    def _improve(self, part: Part) -> None:
        """Look for a better network than the best so far, for a while."""
        bounder = self.bounder
        bounder.improve(part, self.threads)
        if not self._hopeful(part) or self.control.poll():
            return
        circuit, root, _ = self._compiled(part, bounder.upper, self._quick(part))
        if root is not None:
            bounder.upper = min(bounder.upper, circuit.least_cost(root, self.space.costs))

    def _compile(self, part: Part, states: int, share: float = 0.0) -> bool:
        """Compile a part, or give it up after a number of states.

        Returns whether it was given up.
        """
        most = self.bounder.upper + self.space.slack
        circuit, root, limited = self._compiled(part, most, states, share)
        if not limited:
            self.outcome.circuit, self.outcome.root, self.outcome.told = circuit, root, share
        else:
            self._spare(part, circuit, root, most)
        return limited

    def _spare(self, part: Part, circuit: _core.Circuit, root: int | None, most: int) -> None:
        """Keep what a given-up attempt at the whole search space had found."""
        if part.share < 1.0 or root is None:
            return
        found, within = soon_counted(self.space, circuit, root, most)
        if part.exact:
            # The whole search is one part: until it is done, the progress has only these.
            self.control.discover(max(0, found - self.control.found))
        known = self.outcome.spare
        if found > (0 if known is None else known.networks):
            self.outcome.spare = Spare(circuit, root, BEST_ONLY, found, within)

    def _suits_layers(self, part: Part) -> bool:
        """Tell whether a part may be compiled layer by layer; halves of one that failed fail."""
        return part.given_up == 0 and self._filters_soon(part)

    def _compile_layers(self, part: Part) -> bool:
        """Compile a part layer by layer, or give it up; return whether it was given up."""
        circuit = _core.Circuit()
        numbers: dict[str, Any] = {}
        most = self.bounder.upper + self.space.slack
        problem = self.bounder.problem(part.keep)
        root = circuit.compile_layers(
            problem, most, LAYERED_STEPS, part.share, self.control, numbers
        )
        self.outcome.count(numbers)
        if not numbers["limited"]:
            self.outcome.circuit, self.outcome.root, self.outcome.told = circuit, root, part.share
            self.bounder.statistics["layered_parts"] += 1
        else:
            self._spare(part, circuit, root, most)
        return bool(numbers["limited"])

    def _compiled(
        self, part: Part, most: int, states: int, share: float = 0.0
    ) -> tuple[_core.Circuit, int | None, bool]:
        """Compile the networks of a part that cost at most so much; whether it was given up."""
        circuit = _core.Circuit()
        numbers: dict[str, Any] = {}
        guided = guide(self.bounder, part)
        root = circuit.compile(
            guided.problem,
            guided.clusters.members,
            guided.clusters.k,
            guided.clusters.values,
            most - guided.spared,
            states,
            # A part that is not exact and has more dead ends than states needs a better bound.
            0 if part.exact else states,
            part.exact and self.suits_probing,
            ASCENDING,
            share,
            self.control,
            numbers,
        )
        self.outcome.count(numbers)
        self.many_dead_ends = numbers["dead_ends"] > MANY_DEAD_ENDS * numbers["nodes"]
        few = int(np.count_nonzero(part.keep)) <= MOST_PROBED
        self.suits_probing = self.many_dead_ends and few
        return circuit, root, numbers["limited"]

    def _quick(self, part: Part) -> int:
        """Return how many states compiling a part may take before other means are tried."""
        candidates = int(np.count_nonzero(part.keep))
        gap = 0.0 if part.exact else max(0.0, self.bounder.weighed_gap(part))
        work = candidates * self._more_variables() * (1 + gap)
        return max(FEWEST_STATES, int(ATTEMPT / work))

    def _more_variables(self) -> float:
        """Return how many times as many variables there are as a few: a state takes longer."""
        return max(1.0, self.space.table.n_variables / FEW_VARIABLES)

    def _timed(self, stage: str, function: Callable[..., T], *arguments: Any) -> T:
        began = time.perf_counter()
        try:
            return function(*arguments)
        finally:
            spent = time.perf_counter() - began
            self.outcome.seconds[stage] = self.outcome.seconds.get(stage, 0.0) + spent
