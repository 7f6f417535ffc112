"""Which open part is worked on next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..bounds import Part
from ..score_table import TOLERANCE

__all__ = ["Agenda"]

#: How many parts may be in work at a time: as many as were finished so far, but within these
#: limits. So a short search learns from every few parts, and a long one has enough of them
#: for many workers. The number depends on nothing else, least of all on the number of
#: threads or workers: so what one part learns reaches the others at the same points in every
#: run.
LEAST_IN_WORK, MOST_IN_WORK = 8, 256
#: While a part has a gap, fewer for each one finished, since it matters which comes next; and of
#: parts without one still fewer, since those that come of what is in work would wait for them.
SHARE_WITH_GAP, SHARE_BESIDE_GAP = 0.25, 0.05
#: Bytes that the parts in work may take together, those that wait for parts with a gap, and those
#: that are open while the loosest comes first: one takes about so many per candidate.
BYTES_IN_WORK = BYTES_WAITING = BYTES_OPEN = 2**28
BYTES_PER_CANDIDATE = 18


class Agenda:
    """The order in which parts of one search space are begun.

    The loosest part comes first, that is the one with the largest gap between its bound and the
    best network known: so a search that is stopped states the smallest gap that it could. Parts
    that wait come when no other has a gap, open or in work, those with a gap first. Among parts
    without a gap the last comes first: then few are open at a time.

    Parameters
    ----------
    candidates
        How many candidates the search space has: for the memory that a part takes.
    gap
        How far the best network known is above a part's bound, in nats.
    """

    def __init__(self, candidates: int, gap: Callable[[Part], float]) -> None:
        self._candidates = candidates
        self._gap = gap

    def next_place(
        self, open_parts: Sequence[Part], in_work: Sequence[Part], finished: int
    ) -> int | None:
        """Return the place of the open part that is to be begun now; None when none is."""
        place, share = self._choice(open_parts, in_work)
        return place if len(in_work) < self._room(finished, share) else None

    def _choice(
        self, open_parts: Sequence[Part], in_work: Sequence[Part]
    ) -> tuple[int | None, float]:
        """Return the place of the part that comes next, and the share that leaves room for it."""
        waiting = [place for place, part in enumerate(open_parts) if part.waits]
        others = [place for place, part in enumerate(open_parts) if not part.waits]
        if len(waiting) > self._parts_in(BYTES_WAITING):
            return waiting[-1], 1.0
        begun = [part for part in in_work if not part.waits]
        if len(open_parts) <= self._parts_in(BYTES_OPEN):
            place = self._loosest(open_parts, others)
            if place is None and not any(map(self._has_gap, begun)):
                place = self._loosest(open_parts, waiting)
            if place is not None:
                return place, SHARE_WITH_GAP
        if others:
            beside_gap = any(map(self._has_gap, in_work))
            return others[-1], SHARE_BESIDE_GAP if beside_gap else 1.0
        return (waiting[-1] if waiting and not begun else None), 1.0

    def _loosest(self, parts: Sequence[Part], places: Sequence[int]) -> int | None:
        """Return the place with the loosest part, the last of several; None when none is loose."""
        loosest = max(places, key=lambda place: (self._gap(parts[place]), place), default=None)
        return loosest if loosest is not None and self._has_gap(parts[loosest]) else None

    def _has_gap(self, part: Part) -> bool:
        return self._gap(part) > TOLERANCE

    def _room(self, finished: int, share: float) -> int:
        """Return how many parts may be in work, given how many may be for each one finished."""
        most = min(MOST_IN_WORK, self._parts_in(BYTES_IN_WORK))
        return max(LEAST_IN_WORK, min(int(finished * share), most))

    def _parts_in(self, size: int) -> int:
        """Return how many parts so many bytes hold."""
        return size // (BYTES_PER_CANDIDATE * self._candidates)
