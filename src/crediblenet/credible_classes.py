"""A credible set as Markov equivalence classes by increasing cost."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .credible_base import CredibleBase
from .credible_class import CredibleClass
from .exceptions import LimitError, ParameterError
from .members import CLASS_LIMIT, ClassList
from .memory import GIGABYTE
from .network import Network
from .representatives import ClassEffort
from .run_tables import class_table

__all__ = ["NOT_COUNTED", "CredibleClasses"]

NOT_COUNTED = "The classes were not counted"
HOW_TO_COUNT = (
    "result.count_classes() counts them without a limit, "
    "and at() gives those of a smaller Bayes factor"
)


class CredibleClasses(CredibleBase):
    """The classes: counted, listed, and as a table."""

    @property
    def n_classes(self) -> int | None:
        """The exact number of Markov equivalence classes, None when it was not counted.

        `why_no_classes` says why, and `count_classes` counts with limits of your own.
        """
        try:
            return self._members.class_count(self._max_cost)
        except LimitError:
            return None

    @property
    def why_no_classes(self) -> str | None:
        """Why the classes were not counted, in a sentence; None when they were."""
        try:
            self._members.class_count(self._max_cost)
        except LimitError as error:
            return f"{NOT_COUNTED}: {error}. {HOW_TO_COUNT}"
        return None

    def count_classes(
        self, *, time_limit: float | None = None, memory_limit: float | None = None
    ) -> int:
        """Count the classes, however much it takes, or within limits of your own.

        Parameters
        ----------
        time_limit
            In seconds.
        memory_limit
            In GB, for the classes of blocks.

        Returns
        -------
        int
            The exact number; `n_classes` and `classes` know it from now on.

        Raises
        ------
        LimitError
            When a limit was reached; the message says how far it got.

        Examples
        --------
        >>> import crediblenet as cn
        >>> cn.find(cn.example("cancer").data).count_classes(time_limit=60)
        2
        """
        effort = ClassEffort(
            steps=2**63,
            seconds=math.inf if time_limit is None else time_limit,
            memory=2**63 if memory_limit is None else int(GIGABYTE * memory_limit),
        )
        found = self._members.classes_up_to(self._max_cost, effort)
        return (
            self._members.class_count(self._max_cost)
            if found is None
            else found.count(self._max_cost)
        )

    @property
    def known_classes(self) -> int | None:
        """The number of classes if it was counted already; counting takes a while."""
        return self._members.known_classes(self._max_cost)

    @property
    def class_statistics(self) -> dict[str, float]:
        """What finding the classes took, once they were counted; empty otherwise.

        ``class_blocks``: blocks of variables whose classes are independent of each other;
        ``largest_class_block``: variables in the largest; ``class_leaves``: networks of
        single blocks that were looked at; ``leaves_per_class``: the same per class found.
        """
        return self._members.class_statistics(self._max_cost)

    def classes(self, limit: int | None = None) -> Iterator[CredibleClass]:
        """Yield the Markov equivalence classes by increasing cost.

        Parameters
        ----------
        limit
            Stop after so many; None for all.

        Raises
        ------
        LimitError
            When there are too many classes to find.
        """
        if limit is not None and limit < 0:
            raise ParameterError("limit must not be negative")
        blocks = self._class_blocks(limit)
        found = (c for classes, weights in blocks for c in self._classes(classes, weights))
        return itertools.islice(found, limit)

    def _class_blocks(self, limit: int | None) -> Iterator[tuple[ClassList, NDArray[np.float64]]]:
        """Return the classes in blocks with their weights; the first ones, if that is enough."""
        posterior, members = self._posterior(), self._members
        if limit == 0:
            return iter(())
        try:
            found = members.classes_up_to(self._max_cost)
        except LimitError as error:
            return self._first_classes(limit, error)
        log_total = None if found is None else posterior.log_total(found)
        if found is not None and log_total is not None:
            total = log_total
            return (
                (block, posterior.some_class_weights(block, total))
                for block in members.class_blocks(self._max_cost, found)
            )
        classes = members.class_list(self._max_cost, CLASS_LIMIT)
        weights = None if classes is None else posterior.class_weights(classes, CLASS_LIMIT)
        if classes is None or weights is None:
            raise LimitError(
                f"{self.n_networks:,} networks are in too many classes to list: here the networks "
                "must be listed for that; take a smaller Bayes factor with at()"
            )
        return iter([(classes, weights)])

    def _first_classes(
        self, limit: int | None, error: LimitError
    ) -> Iterator[tuple[ClassList, NDArray[np.float64]]]:
        """Return the best classes of a set whose classes are too many to find."""
        posterior = self._posterior()
        log_total = posterior.log_total(None)
        if limit is not None and limit <= CLASS_LIMIT and log_total is not None:
            first = self._members.first_classes(self._max_cost, limit)
            if first is not None:
                return iter([(first, posterior.some_class_weights(first, log_total))])
        raise LimitError(
            f"{self.n_networks:,} networks are in too many classes to list: {error}. {HOW_TO_COUNT}"
        ) from error

    def _classes(self, classes: ClassList, weights: NDArray[np.float64]) -> Iterator[CredibleClass]:
        for c in range(len(classes)):
            cost = int(classes.costs[c])
            yield CredibleClass(
                cost=cost * self._members.unit,
                size=classes.sizes[c],
                weight=float(weights[c]),
                representative=self._members.network(cost, classes.rows[c]),
                _members=None if classes.listing is None else partial(self._listed, classes, c),
            )

    def _listed(self, classes: ClassList, number: int) -> Iterator[Network]:
        """Yield the listed networks of one class."""
        listing, member_of = classes.listing, classes.member_of
        if listing is not None and member_of is not None:
            for g in np.flatnonzero(member_of == number).tolist():
                yield self._members.network(int(listing.costs[g]), listing.rows[g])

    def class_table(self, limit: int = CLASS_LIMIT) -> pa.Table:
        """Return the classes as an Arrow table; see `crediblenet.run_tables.class_table`.

        Parameters
        ----------
        limit
            At most so many, the best ones.
        """
        tables = []
        left = limit
        for classes, weights in self._class_blocks(limit):
            shown = min(left, len(classes))
            tables.append(class_table(self._members, classes.first(shown), weights[:shown]))
            left -= shown
            if left == 0:
                break
        none = class_table(self._members, self._members.no_classes(), np.zeros(0))
        return pa.concat_tables(tables or [none])
