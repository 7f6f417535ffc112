"""The inequalities of a linear program, in its order: clusters and cuts."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .clusters import Clusters
from .cuts import Cuts
from .half_cuts import HalfCuts
from .local_cuts import LocalCuts

__all__ = ["Inequalities", "Kind"]

#: One of the kinds of inequalities.
Kind: TypeAlias = Clusters | HalfCuts | LocalCuts

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
    clusters, half_cuts, local_cuts
        The inequalities, each kind in the program's order.
    """

    def __init__(self, words: int) -> None:
        self.clusters = Clusters.none(words)
        self.half_cuts = HalfCuts.none(words)
        self.local_cuts = LocalCuts.none(words)
        self._kind = np.zeros(0, dtype=object)  # of each inequality
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
        if isinstance(some, HalfCuts):
            self.half_cuts = self.half_cuts.with_more(some)
        elif isinstance(some, LocalCuts):
            self.local_cuts = self.local_cuts.with_more(some)
        else:
            self.clusters = self.clusters.with_more(some)
        self._kind = np.append(self._kind, np.full(len(some), type(some), dtype=object))
        self._idle = np.append(self._idle, np.zeros(len(some), dtype=np.int64))
        signatures = np.empty(len(some), dtype=object)  # numpy would strip zeros off bytes
        signatures[:] = some.signatures()
        self._signatures = np.append(self._signatures, signatures)
        self._known.update(signatures)

    def coefficients(self, problem: _core.Problem, rows: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return the coefficient of each of these rows of the table in each inequality."""
        entries = np.zeros((len(rows), len(self)))
        for kind in (self.clusters, self.half_cuts, self.local_cuts):
            entries[:, self._is(type(kind))] = kind.coefficients(problem, rows)
        return entries

    def weighed(self, values: NDArray[np.int64]) -> tuple[Clusters, Cuts]:
        """Return those with a positive multiplier, given the multipliers of all."""
        of_clusters = values[self._is(Clusters)]
        of_half, of_local = values[self._is(HalfCuts)], values[self._is(LocalCuts)]
        return (
            replace(self.clusters, values=of_clusters).only(of_clusters > 0),
            Cuts(
                replace(self.half_cuts, values=of_half).only(of_half > 0),
                replace(self.local_cuts, values=of_local).only(of_local > 0),
            ),
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
        self.clusters = self.clusters.only(~drop[self._is(Clusters)])
        self.half_cuts = self.half_cuts.only(~drop[self._is(HalfCuts)])
        self.local_cuts = self.local_cuts.only(~drop[self._is(LocalCuts)])
        self._kind, self._idle = self._kind[~drop], self._idle[~drop]
        self._signatures = self._signatures[~drop]
        return np.flatnonzero(drop)

    def _is(self, kind: type[Kind]) -> NDArray[np.bool_]:
        """Tell which inequalities are of a kind."""
        return np.asarray(self._kind == kind, dtype=bool)
