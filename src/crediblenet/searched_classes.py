"""What the class-level search found, kept for all subsets of a credible set."""

from __future__ import annotations

from .class_set import ClassSet, ListedClasses
from .exceptions import LimitError
from .representatives import ClassEffort, Representatives

__all__ = ["SearchedClasses"]


class SearchedClasses:
    """The classes of a set and all of its subsets, searched for once.

    Parameters
    ----------
    representatives
        The class-level search.
    """

    def __init__(self, representatives: Representatives) -> None:
        self._representatives = representatives
        self._found: tuple[int, ClassSet] | None = None
        self._failures: list[tuple[int, ClassEffort, str]] = []
        self._stopped = False

    def known(self, max_cost: int) -> ClassSet | None:
        """Return a set that holds all classes up to a cost, if one was found before."""
        if self._found is not None and max_cost <= self._found[0]:
            return self._found[1]
        return None

    def up_to(self, max_cost: int, effort: ClassEffort) -> ClassSet:
        """Return a set that holds all classes up to a cost, and perhaps costlier ones.

        Raises
        ------
        LimitError
            When that takes more than the effort allows, now or when it was tried before.
        """
        found = self.known(max_cost)
        if found is not None:
            return found
        for failed_cost, failed, reason in self._failures:
            if failed_cost <= max_cost and failed.covers(effort):
                raise LimitError(reason)
        self._stopped = False
        try:
            found = self._representatives.find(max_cost, effort)
        except LimitError as error:
            if not self._stopped:  # a search that was stopped proves nothing
                self._failures.append((max_cost, effort, str(error)))
            raise
        self._found = max_cost, found
        return found

    def stop(self) -> None:
        """End a search that is under way, as if its effort were used up."""
        self._stopped = True
        self._representatives.stop()

    def first(self, max_cost: int, count: int) -> ListedClasses:
        """Return the best classes, `count` of them unless they are fewer or hard to find."""
        return self._representatives.first(max_cost, count)
