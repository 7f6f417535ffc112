"""Costs once more, from the data, by the formulas of the reference.

The search never comes here. Counting is done with numpy, because data can be large; what
the counts are worth is said by `crediblenet.reference`, which shares no code with the core.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence

import numpy as np

from ..data import ContinuousDataset, Dataset
from ..exceptions import DataError, ParameterError
from ..reference import DISCRETE_SCORES, GAUSSIAN_SCORES, Counts, Moments, Parents

__all__ = ["RecomputedCosts"]


class RecomputedCosts:
    """The cost of any network, from the data alone.

    Parameters
    ----------
    data
        The data; their columns are found by name.
    names
        The variables of the networks.
    score, ess
        What the costs are.
    """

    def __init__(
        self, data: Dataset | ContinuousDataset, names: Sequence[str], score: str, ess: float
    ) -> None:
        unknown = [name for name in names if name not in data.names]
        if unknown:
            raise DataError(
                f"the data have no column {unknown[0]!r}, which is a variable of the result; "
                f"the columns are {', '.join(data.names)}"
            )
        self.n_rows = data.n_rows
        columns = [data.names.index(name) for name in names]
        if isinstance(data, Dataset):
            self._family_cost = discrete_costs(data, columns, score, ess)
        else:
            self._family_cost = gaussian_costs(data, columns, score)
        self._known: dict[tuple[int, Parents], float] = {}

    def family(self, child: int, parents: Parents) -> float:
        """Return the local cost of a variable with its parents, by position in the names."""
        known = self._known.get((child, parents))
        if known is None:
            known = self._known[child, parents] = self._family_cost(child, parents)
        return known

    def network(self, parents: Sequence[Parents]) -> float:
        """Return the cost of a network."""
        return math.fsum(self.family(child, members) for child, members in enumerate(parents))


FamilyCost = Callable[[int, Collection[int]], float]


def discrete_costs(data: Dataset, columns: Sequence[int], score: str, ess: float) -> FamilyCost:
    """Return the local cost of discrete data as a function of a variable and its parents."""
    if score not in DISCRETE_SCORES:
        raise ParameterError(f"discrete data have no score {score!r}")
    formula = DISCRETE_SCORES[score].cost
    return lambda child, parents: formula(
        count(data, columns[child], [columns[p] for p in sorted(parents)]), ess
    )


def count(data: Dataset, child: int, parents: Sequence[int]) -> Counts:
    """Count a family: what `reference.count` does, for coded rows with multiplicities."""
    configuration = np.zeros(data.n_distinct, dtype=np.int64)
    for p in parents:
        # Numbered anew after each parent, so that the numbers stay below rows × states.
        joint = configuration * data.arities[p] + data.codes[p]
        configuration = np.unique(joint, return_inverse=True)[1]
    cells, cell = np.unique(
        configuration * data.arities[child] + data.codes[child], return_inverse=True
    )
    totals = np.zeros(len(cells), dtype=np.int64)
    np.add.at(totals, cell, data.weights)
    # Cells are sorted, so those of one configuration stand together.
    starts = np.flatnonzero(np.diff(cells // data.arities[child])) + 1
    return Counts(
        table=tuple(tuple(part.tolist()) for part in np.split(totals, starts)),
        arity=data.arities[child],
        parent_configurations=math.prod(data.arities[p] for p in parents),
    )


def gaussian_costs(data: ContinuousDataset, columns: Sequence[int], score: str) -> FamilyCost:
    """Return the local cost of continuous data as a function of a variable and its parents."""
    if score not in GAUSSIAN_SCORES:
        raise ParameterError(f"continuous data have no score {score!r}")
    formula = GAUSSIAN_SCORES[score]
    values = data.values[:, list(columns)]
    centred = values - values.mean(axis=0)
    moments = Moments(data.n_rows, values.mean(axis=0).tolist(), (centred.T @ centred).tolist())
    return lambda child, parents: formula(moments, child, parents)
