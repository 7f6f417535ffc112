"""The calls of the core that score data, as functions without arguments to be run and watched."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from . import _core
from .constraints import Constraints
from .data import ContinuousDataset, Dataset
from .exceptions import DataError

__all__ = ["continuous_work", "discrete_work"]


def discrete_work(
    table: Dataset, constraints: Constraints, ess: float, common: dict[str, Any]
) -> Callable[[], dict[str, Any]]:
    """Return the call of the core that scores categories."""
    n = table.n_variables

    def work() -> dict[str, Any]:
        return _core.score_discrete(
            codes=table.codes,
            arities=list(table.arities),
            weights=table.weights,
            ess=ess,
            constant=[v in table.constant for v in range(n)],
            required=[sorted(parents) for parents in constraints.required],
            forbidden=[sorted(parents) for parents in constraints.forbidden],
            **common,
        )

    return work


def continuous_work(
    table: ContinuousDataset, constraints: Constraints, ess: float, common: dict[str, Any]
) -> Callable[[], dict[str, Any]]:
    """Return the call of the core that scores numbers.

    Determinants of the same variables in another order differ in their last digits. So the
    variables are handed over in an order that depends on their values and not on where
    their columns are; then no result depends on the order of the columns.
    """
    n = table.n_variables
    columns = np.ascontiguousarray(table.values.T)
    order = sorted(range(n), key=lambda v: hashlib.sha256(columns[v].tobytes()).digest())
    place = [order.index(v) for v in range(n)]

    def reorder(parents: Sequence[Iterable[int]]) -> list[list[int]]:
        return [sorted(place[p] for p in parents[v]) for v in order]

    def work() -> dict[str, Any]:
        result = _core.score_continuous(
            values=np.ascontiguousarray(columns[order].T),
            alpha_mu=ess,
            constant=[v in table.constant for v in order],
            required=reorder(constraints.required),
            forbidden=reorder(constraints.forbidden),
            **common,
        )
        if "dependent" in result:
            raise DataError(
                f"{table.names[order[result['dependent']]]} is a linear function of other "
                f"variables, or the {table.n_rows:,} rows are too few: leave it out, set "
                f"max_parents, or use the score 'bge', which has no such trouble"
            )
        return in_column_order(result, order)

    return work


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
