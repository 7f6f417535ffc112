"""Counting what was found: join the parts, and keep what is within the limits."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from .. import _core
from ..compiled_set import LONGEST, MOST_LEVELS
from ..counted_set import counted_set
from ..exceptions import STOPS, LimitError
from ..memory import MemoryBudget
from .space import SearchSpace

__all__ = [
    "BEST_ONLY",
    "LONG_SEARCH",
    "Count",
    "count_best",
    "count_networks",
    "soon_counted",
]

#: Seconds that a stopped run may take to count what it has found, or this share of what it took so
#: far if that is more; and one that a user stopped, who wants it to end at once.
GRACE, GRACE_SHARE, HURRIED_GRACE = 0.3, 0.004, 0.03
#: Seconds of a search after which counting what it found may take long, too.
LONG_SEARCH = 5.0
#: Counting goes over all nodes at least so many times.
PASSES = 4
#: Where memory does not suffice for all networks, those within so many eighths of epsilon are
#: counted, if there is time. The last ones, of which there are few, are counted first in a long
#: search: then there is something to fall back on, whatever ends the count of the others.
EIGHTHS = (7, 6, 4)
#: Seconds that one attempt to count the networks of a part may take, for the progress only.
ANNOUNCE = 0.05
#: Where not all are soon counted, those up to a sixteenth, an eighth, ... of the distance are. Each
#: attempt takes much longer than the one before, so that little is lost with the first ones.
DIVISORS = (16, 8, 4, 2)
BEST_ONLY = "the search was stopped while it counted: only the best networks are kept"


@dataclass(frozen=True)
class Count:
    """The networks of a search.

    Attributes
    ----------
    compiled
        The networks.
    stopped_by
        Why they are not all of them; None if they are.
    notes
        What the user should know.
    """

    compiled: _core.CompiledSet
    stopped_by: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def networks(self) -> int:
        """How many there are."""
        return self.compiled.count(2**62, _core.Control())[0]


def soon_counted(
    space: SearchSpace,
    circuit: _core.Circuit,
    root: int,
    most: int,
    seconds: float | None = None,
    memory: MemoryBudget | None = None,
) -> tuple[int, int]:
    """Return how many networks of a node cost at most so much, and that cost.

    If that takes longer than some seconds, or more memory than there is, those nearer to the best
    one are counted, as far from it as so many seconds more allow: a lower bound, which is 0 if they
    allow nothing.
    """
    least = circuit.least_cost(root, space.costs)
    if least > most:
        return 0, most
    counted = 0, least
    for divisors in ((1,), DIVISORS):
        bytes_left = float("inf") if memory is None else memory.bytes_with_grace()
        soon = _core.Control(ANNOUNCE if seconds is None else seconds, bytes_left)
        try:
            for divisor in divisors:
                within = least + (most - least) // divisor
                found = _counted(space, circuit, root, within, soon)
                counted = min(found.count(within, soon)[0], 2**62), within
            break
        except LimitError:
            continue
    return counted


def count_best(
    space: SearchSpace,
    circuit: _core.Circuit,
    roots: list[int],
    most: int,
    stopped_by: str,
    note: str,
) -> Count:
    """Count what is known to be soon counted, in a search that was stopped."""
    root = circuit.choice(np.array(roots, dtype=np.uint32))
    compiled = _counted(space, circuit, root, most, _core.Control())
    return Count(compiled, stopped_by, (note,))


def count_networks(
    space: SearchSpace,
    circuit: _core.Circuit,
    roots: list[int],
    *,
    complete: bool,
    limit: int | None,
    control: _core.Control,
    memory: MemoryBudget | None,
    seconds: float,
) -> Count:
    """Join parts, which have no network in common, and count what is within the slack.

    Parameters
    ----------
    space
        What was searched.
    circuit, roots
        What was found in the parts, at least one network.
    complete
        Whether every part was searched to its end.
    limit
        Keep only as many whole levels of equal cost as fit.
    control, memory
        Stop the counting; then only the best networks are kept.
    seconds
        How long the search took.
    """
    root = circuit.choice(np.array(roots, dtype=np.uint32))
    began = time.perf_counter()
    least = circuit.least_cost(root, space.costs)
    pass_seconds = time.perf_counter() - began
    most = least + space.slack
    grace = partial(_grace, control, memory, max(GRACE, GRACE_SHARE * seconds))
    few: _core.CompiledSet | None = None
    try:
        # A run that was stopped before still counts what it has.
        watched = control if complete else grace()
        _give_up_early(watched, pass_seconds)
        if complete and seconds > LONG_SEARCH:
            few = _counted(space, circuit, root, _within(space, least, EIGHTHS[-1]), control)
        compiled = _counted(space, circuit, root, most, watched)
        whole, _ = compiled.count(most, watched)
    except STOPS:
        best = (_nearer(space, circuit, root, least, control) if complete else None) or few
        if best is None:
            best = _some_best(space, circuit, root, least, pass_seconds, grace)
        return Count(best, control.stopped_by or "memory", (BEST_ONLY,))
    if limit is None or whole <= limit:
        return Count(compiled, None if complete else control.stopped_by)
    first_left_out = counted_set(space.table, compiled).cost_at_rank(limit)
    assert first_left_out is not None  # noqa: S101 - there are more than the limit
    best = _counted(space, circuit, root, max(least, first_left_out - 1), _core.Control())
    kept, _ = best.count(most, _core.Control())
    note = (
        f"{whole:,} networks were found within epsilon; the limit of {limit:,} keeps the "
        f"{kept:,} best"
    )
    return Count(best, "limit", (note,))


def _nearer(
    space: SearchSpace, circuit: _core.Circuit, root: int, least: int, control: _core.Control
) -> _core.CompiledSet | None:
    """Return as many of the best networks as memory allows; None if the run was stopped."""
    for eighths in EIGHTHS:
        if control.poll():
            break
        try:
            return _counted(space, circuit, root, _within(space, least, eighths), control)
        except STOPS:
            continue
    return None


def _within(space: SearchSpace, least: int, eighths: int) -> int:
    """Return the cost of networks within so many eighths of epsilon, at most."""
    return least + space.slack * eighths // 8


def _some_best(
    space: SearchSpace,
    circuit: _core.Circuit,
    root: int,
    least: int,
    pass_seconds: float,
    grace: Callable[[float], _core.Control],
) -> _core.CompiledSet:
    """Return networks near the optimum that are soon counted, or the optimal ones alone."""
    for divisor in (4, 16):
        try:
            soon = grace(1 / 3)
            _give_up_early(soon, pass_seconds)
            return _counted(space, circuit, root, least + space.slack // divisor, soon)
        except LimitError:
            continue
    return _counted(space, circuit, root, least, _core.Control())


def _give_up_early(watched: _core.Control, pass_seconds: float) -> None:
    """Raise LimitError when counting would surely be stopped: then it need not begin."""
    if watched.seconds_left < PASSES * pass_seconds:
        raise LimitError("there is no time to count")


def _counted(
    space: SearchSpace, circuit: _core.Circuit, root: int, most: int, watched: _core.Control
) -> _core.CompiledSet:
    offsets = space.table.offsets
    return _core.CompiledSet.make(
        circuit, root, offsets, space.costs, most, MOST_LEVELS, LONGEST, watched
    )


def _grace(
    control: _core.Control, memory: MemoryBudget | None, seconds: float, share: float = 1.0
) -> _core.Control:
    """Return a control for what a stopped run still does, with a share of the seconds for it."""
    hurried = control.stopped_by == "interrupted"
    bytes_left = float("inf") if memory is None else memory.bytes_with_grace()
    return _core.Control(share * (HURRIED_GRACE if hurried else seconds), bytes_left)
