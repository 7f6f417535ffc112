"""A credible set as Markov equivalence classes by increasing cost."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .credible_base import CredibleBase
from .credible_class import CredibleClass
from .exceptions import LimitError, ParameterError
from .members import ClassList
from .network import Network
from .run_tables import class_table

__all__ = ["CLASS_LIMIT", "CredibleClasses"]

# No more classes than this are listed to count them, nor networks to group them.
CLASS_LIMIT = 500_000


class CredibleClasses(CredibleBase):
    """The classes: counted, listed, and as a table."""

    @property
    def n_classes(self) -> int | None:
        """The exact number of Markov equivalence classes, None when too many to list."""
        classes = self._members.class_list(self._max_cost, CLASS_LIMIT)
        return None if classes is None else len(classes)

    @property
    def known_classes(self) -> int | None:
        """The number of classes if it was counted already; counting takes a while."""
        return self._members.known_classes(self._max_cost)

    def classes(self, limit: int | None = None) -> Iterator[CredibleClass]:
        """Yield the Markov equivalence classes by increasing cost.

        Parameters
        ----------
        limit
            Stop after so many; None for all.

        Raises
        ------
        LimitError
            When there are too many classes to list.
        """
        if limit is not None and limit < 0:
            raise ParameterError("limit must not be negative")
        return self._classes(*self._weighted_classes(limit), limit)

    def _weighted_classes(self, limit: int | None) -> tuple[ClassList, NDArray[np.float64]]:
        """Return the classes with their weights; the first ones, where that is enough."""
        posterior = self._posterior()
        weights = None
        if limit == 0:
            return self._members.no_classes(), np.zeros(0)
        classes = self._members.class_list(self._max_cost, CLASS_LIMIT)
        if classes is not None:
            weights = posterior.class_weights(classes, CLASS_LIMIT)
        elif limit is not None and limit <= CLASS_LIMIT:
            classes = self._members.first_classes(self._max_cost, limit)
            weights = None if classes is None else posterior.first_class_weights(classes)
        if classes is None or weights is None:
            raise LimitError(
                f"{self.n_networks:,} networks are in too many classes to list; take a smaller "
                "Bayes factor with at()"
            )
        return classes, weights

    def _classes(
        self, classes: ClassList, weights: NDArray[np.float64], limit: int | None
    ) -> Iterator[CredibleClass]:
        for c in range(len(classes) if limit is None else min(limit, len(classes))):
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
        classes, weights = self._weighted_classes(limit)
        if len(classes) > limit:
            classes, weights = classes.first(limit), weights[:limit]
        return class_table(self._members, classes, weights)
