"""The calls of the core that score data: for all variables, or for some of them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import _core
from .constraints import Constraints
from .data import ContinuousDataset, Dataset
from .exceptions import DataError

__all__ = ["ScoringJob"]


@dataclass(frozen=True)
class ScoringJob:
    """What is to be scored; it can be sent to another process.

    Attributes
    ----------
    data
        The data.
    constraints
        Which parent sets are allowed.
    ess
        The equivalent sample size, or the weight of the prior mean.
    options
        Further arguments of the core: score, epsilon, max_parents, rules.
    """

    data: Dataset | ContinuousDataset
    constraints: Constraints
    ess: float
    options: Mapping[str, Any]

    def run(
        self,
        threads: int,
        control: _core.Control,
        journal: _core.ScoreJournal | None = None,
    ) -> dict[str, Any]:
        """Score, with what a journal has of it already; return what the core returns.

        Raises
        ------
        DataError
            When a variable is a linear function of others, and the score has no place for it.
        LimitError, OverflowError
            As the core does.
        """
        if isinstance(self.data, Dataset):
            return self._discrete(self.data, threads, control, journal)
        return self._continuous(self.data, threads, control, journal)

    def only(self, variables: Collection[int]) -> ScoringJob:
        """Return the job for some variables: the others keep just their required parents.

        What is kept of a variable's parent sets does not depend on the other variables'.
        """
        n = self.data.n_variables
        forbidden = tuple(
            self.constraints.forbidden[v]
            if v in variables
            else frozenset(range(n)) - {v} - self.constraints.required[v]
            for v in range(n)
        )
        return replace(self, constraints=replace(self.constraints, forbidden=forbidden))

    def _discrete(
        self,
        data: Dataset,
        threads: int,
        control: _core.Control,
        journal: _core.ScoreJournal | None,
    ) -> dict[str, Any]:
        return _core.score_discrete(
            codes=data.codes,
            arities=list(data.arities),
            weights=data.weights,
            ess=self.ess,
            constant=[v in data.constant for v in range(data.n_variables)],
            required=[sorted(parents) for parents in self.constraints.required],
            forbidden=[sorted(parents) for parents in self.constraints.forbidden],
            threads=threads,
            control=control,
            journal=journal,
            **self.options,
        )

    def _continuous(
        self,
        data: ContinuousDataset,
        threads: int,
        control: _core.Control,
        journal: _core.ScoreJournal | None,
    ) -> dict[str, Any]:
        """Score numbers.

        Determinants of the same variables in another order differ in their last digits. So
        the variables are handed over in an order that depends on their values and not on
        where their columns are; then no result depends on the order of the columns.
        """
        n = data.n_variables
        columns = np.ascontiguousarray(data.values.T)
        order = sorted(range(n), key=lambda v: hashlib.sha256(columns[v].tobytes()).digest())
        place = [order.index(v) for v in range(n)]

        def reorder(parents: Sequence[Iterable[int]]) -> list[list[int]]:
            return [sorted(place[p] for p in parents[v]) for v in order]

        result = _core.score_continuous(
            values=np.ascontiguousarray(columns[order].T),
            alpha_mu=self.ess,
            constant=[v in data.constant for v in order],
            required=reorder(self.constraints.required),
            forbidden=reorder(self.constraints.forbidden),
            threads=threads,
            control=control,
            journal=journal,
            **self.options,
        )
        if "dependent" in result:
            raise DataError(
                f"{data.names[order[result['dependent']]]} is a linear function of other "
                f"variables, or the {data.n_rows:,} rows are too few: leave it out, set "
                f"max_parents, or use the score 'bge', which has no such trouble"
            )
        return in_column_order(result, order)


def in_column_order(result: dict[str, Any], order: Sequence[int]) -> dict[str, Any]:
    """Rename the variables of a result: variable k of it is column ``order[k]``."""
    n = len(order)
    bits = np.unpackbits(result["parents"].view(np.uint8), axis=1, bitorder="little")
    renamed = np.zeros_like(bits)
    renamed[:, list(order)] = bits[:, :n]
    parents = np.packbits(renamed, axis=1, bitorder="little").view(np.uint64)
    child = np.repeat(np.array(order), np.diff(result["offsets"]))
    sort_keys = [*parents.T, result["costs"], child]  # the last one counts first
    by_child = np.lexsort(sort_keys)
    counts = np.bincount(child, minlength=n)
    return {
        **result,
        "offsets": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        "parents": np.ascontiguousarray(parents[by_child]),
        "costs": result["costs"][by_child],
    }
