"""Columns of any kind as small whole numbers, learned once and applied again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .prediction import UNKNOWN

__all__ = ["ColumnCodes"]


@dataclass(frozen=True)
class ColumnCodes:
    """How one column is coded.

    Attributes
    ----------
    labels
        The text of each code.
    edges
        The inner borders of the bins of a numeric column; None for categories.
    categories
        The values of a column that is not cut into bins, sorted.
    """

    labels: tuple[str, ...]
    edges: NDArray[np.float64] | None = None
    categories: NDArray[Any] | None = None

    @classmethod
    def learn(cls, column: NDArray[Any], bins: int) -> ColumnCodes:
        """Learn the codes of a column.

        Numbers with more than `bins` different values are cut into as many bins, each with
        about equally many rows. Everything else is a category.
        """
        column = _comparable(column)
        categories = np.unique(column)
        if not np.issubdtype(column.dtype, np.number) or len(categories) <= bins:
            return cls(tuple(str(c) for c in categories.tolist()), categories=categories)
        quantiles = np.quantile(column, np.linspace(0, 1, bins + 1)[1:-1], method="inverted_cdf")
        # A value that many rows share may be several quantiles at once.
        edges = np.unique(quantiles.astype(np.float64))
        edges = edges[edges < categories[-1]]
        names = [f"{edge:.6g}" for edge in edges]
        labels = [f"up to {name}" for name in names]
        return cls((*labels, f"above {names[-1]}" if names else "any"), edges=edges)

    def apply(self, column: NDArray[Any]) -> NDArray[np.int64]:
        """Return the codes of a column; `UNKNOWN` for a value that was not there before."""
        if self.edges is not None:
            return np.searchsorted(self.edges, column.astype(np.float64), side="left").astype(
                np.int64
            )
        categories = self.categories
        if categories is None:
            raise ValueError("a column is coded by bins or by categories")
        column = _comparable(column)
        if column.dtype.kind != categories.dtype.kind and "U" in (
            column.dtype.kind,
            categories.dtype.kind,
        ):
            column, categories = column.astype(str), categories.astype(str)
            order = np.argsort(categories)
            return self._find(column, categories[order], order)
        return self._find(column, categories, np.arange(len(categories)))

    @staticmethod
    def _find(
        column: NDArray[Any], ordered: NDArray[Any], codes: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        places = np.minimum(np.searchsorted(ordered, column), len(ordered) - 1)
        return np.where(ordered[places] == column, codes[places], UNKNOWN).astype(np.int64)


def _comparable(column: NDArray[Any]) -> NDArray[Any]:
    """Return values that can be sorted: numbers as they are, everything else as text."""
    if column.dtype.kind in "biuf":
        return column
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        return column.astype(str)
