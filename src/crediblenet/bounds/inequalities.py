"""The inequalities of a linear program, in its order: clusters and cuts."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .clusters import Clusters
from .local_cuts import LocalCuts

__all__ = ["Inequalities", "Kind"]

#: One of the kinds of inequalities.
Kind: TypeAlias = Clusters | LocalCuts

#: Inequalities without a multiplier for so many rounds are dropped.
IDLE_ROUNDS = 3


class Inequalities:
    """Which inequalities a linear program has, and how long each has been of no use.

    Parameters
    ----------
    words
        How many words a set of variables has.

    Attributes
    ----------
    clusters, cuts
        The inequalities, each kind in the program's order.
    """

    def __init__(self, words: int) -> None:
        self.clusters = Clusters.none(words)
        self.cuts = LocalCuts.none(words)
        self._is_cut = np.zeros(0, dtype=bool)  # each inequality
        self._idle = np.zeros(0, np.int64)  # rounds without a multiplier
        self._signatures = np.zeros(0, dtype=object)
        self._known: set[bytes] = set()  # the signatures
        self._dropped: set[bytes] = set()  # signatures of those that were dropped at some time

    def __len__(self) -> int:
        return len(self._signatures)

    def unknown(self, some: Kind) -> NDArray[np.bool_]:
        """Return which of some inequalities are not there yet."""
        return np.array(
            [signature not in self._known for signature in some.signatures()], dtype=bool
        )

    def add(self, some: Kind) -> None:
        """Add inequalities after the others."""
        if isinstance(some, LocalCuts):
            self.cuts = self.cuts.with_more(some)
        else:
            self.clusters = self.clusters.with_more(some)
        self._is_cut = np.append(self._is_cut, np.full(len(some), isinstance(some, LocalCuts)))
        self._idle = np.append(self._idle, np.zeros(len(some), dtype=np.int64))
        signatures = np.empty(len(some), dtype=object)  # numpy would strip zeros off bytes
        signatures[:] = some.signatures()
        self._signatures = np.append(self._signatures, signatures)
        self._known.update(signatures)

    @property
    def scales(self) -> NDArray[np.float64]:
        """What the solver multiplies each inequality by."""
        return np.where(self._is_cut, LocalCuts.scale, Clusters.scale)

    @property
    def most(self) -> NDArray[np.int64]:
        """The largest multiplier that each may have in a proof."""
        return np.where(self._is_cut, LocalCuts.most, Clusters.most)

    def coefficients(self, problem: _core.Problem, rows: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return the coefficient of each of these rows of the table in each inequality."""
        entries = np.zeros((len(rows), len(self)))
        entries[:, ~self._is_cut] = self.clusters.coefficients(problem, rows)
        entries[:, self._is_cut] = self.cuts.coefficients(problem, rows)
        return entries

    def weighed(self, values: NDArray[np.int64]) -> tuple[Clusters, LocalCuts]:
        """Return those with a positive multiplier, given the multipliers of all."""
        of_clusters, of_cuts = values[~self._is_cut], values[self._is_cut]
        return (
            replace(self.clusters, values=of_clusters).only(of_clusters > 0),
            replace(self.cuts, values=of_cuts).only(of_cuts > 0),
        )

    def drop_idle(self, duals: NDArray[np.float64]) -> NDArray[np.int64]:
        """Drop those that had no multiplier for some rounds; return which: places in the order.

        Solving gets cheaper. None is dropped twice, so that the rounds come to an end.
        """
        self._idle = np.where(duals > 1e-9, 0, self._idle + 1)
        drop = self._idle >= IDLE_ROUNDS
        drop[drop] = [signature not in self._dropped for signature in self._signatures[drop]]
        self._dropped.update(self._signatures[drop])
        self._known.difference_update(self._signatures[drop])
        self.clusters = self.clusters.only(~drop[~self._is_cut])
        self.cuts = self.cuts.only(~drop[self._is_cut])
        self._is_cut, self._idle = self._is_cut[~drop], self._idle[~drop]
        self._signatures = self._signatures[~drop]
        return np.flatnonzero(drop)
