"""The value of one column, predicted from the others by all networks together.

Given a network G, the target t depends on the other values x through the families that it
is in: P(t | x, G) is proportional to theta(t | parents) times theta(c | parents of c) for
each child c of t. Networks that agree on those families predict the same, so the set is
grouped by them first: thousands of networks are often a handful of such configurations. The
prediction is the mean of P(t | x, G) with the weights of the networks given the data that
they were learned from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .exceptions import DataError, ParameterError
from .network_batch import unpack
from .parameters import ParameterPrior, family_counts
from .posterior import Effort, Mean, Posterior, Weighted

if TYPE_CHECKING:
    from .data import Dataset

__all__ = ["UNKNOWN", "Predictor"]

# The code of a value that is not known, or was never seen.
UNKNOWN = -1

# Rows times configurations times states that are worked on at once.
_BLOCK_ENTRIES = 1 << 22


class Predictor:
    """Predicts one variable of a credible set.

    Parameters
    ----------
    posterior
        The networks with their weights.
    data
        What the probabilities are estimated from.
    target
        The variable to predict, by column number.
    prior
        The prior of the probabilities.
    effort
        How many networks may be listed, and how many are drawn when there are more.

    Attributes
    ----------
    method, basis
        ``"exact"`` or ``"sampling"``, and over what.
    n_configurations
        How many different predictions the networks make.
    """

    def __init__(
        self,
        posterior: Posterior,
        data: Dataset,
        target: int,
        prior: ParameterPrior,
        effort: Effort,
    ) -> None:
        table = posterior.members.table
        if tuple(data.names) != table.names:
            raise ParameterError("the data and the result must have the same variables, in order")
        self._table = table
        self._data = data
        self._prior = prior
        self._target = target
        self._counts: dict[int, NDArray[np.float64]] = {}
        weighted = posterior.weighted_networks(effort)
        self.method = weighted.method
        self.basis = weighted.basis
        self._n_drawn = 0 if weighted.is_exact else len(weighted.rows)
        self._configurations, self._weights = self._group(weighted)

    @property
    def n_configurations(self) -> int:
        """How many different predictions the networks make."""
        return len(self._weights)

    def _group(
        self, weighted: Weighted
    ) -> tuple[list[tuple[tuple[int, int], ...]], NDArray[np.float64]]:
        """Group networks by the families of the target: (variable, candidate row) pairs."""
        rows = weighted.rows.copy()
        holds_target = unpack(self._table.parents, self._table.n_variables)[:, self._target]
        relevant = holds_target[rows]
        relevant[:, self._target] = True
        rows[~relevant] = -1
        # Whole lines compare as bytes, which is much quicker than number by number.
        lines = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.itemsize * rows.shape[1])))
        _, first, group = np.unique(lines, return_index=True, return_inverse=True)
        weights = np.bincount(group.reshape(-1), weights=weighted.weights)
        configurations = [
            tuple((v, row) for v, row in enumerate(line) if row >= 0)
            for line in rows[first].tolist()
        ]
        return configurations, np.asarray(weights, dtype=np.float64)

    def probabilities(self, rows: Any) -> Mean:
        """Return the probability of each state of the target for each row of values.

        Parameters
        ----------
        rows
            A table with the columns of the data, found by name, or anything else that
            `crediblenet.data.Dataset.encode` takes. Or codes: one line per variable, one column
            per row to predict, `UNKNOWN` for a value that is not known. What the target is there
            plays no part.

        Returns
        -------
        Mean
            Values of shape (rows, states), with standard errors where networks were drawn.

        Raises
        ------
        DataError
            When the rows do not fit the data.
        """
        codes = self._coded(rows)
        n_rows, n_states = codes.shape[1], self._data.arities[self._target]
        values = np.zeros((n_rows, n_states))
        squares = np.zeros((n_rows, n_states))
        used = sorted({family for c in self._configurations for family in c})
        block = max(1, _BLOCK_ENTRIES // (n_states * max(1, len(used))))
        for first in range(0, n_rows, block):
            part = codes[:, first : first + block]
            factors = {family: self._log_factor(*family, part) for family in used}
            mean = np.zeros((part.shape[1], n_states))
            square = np.zeros_like(mean)
            for weight, families in zip(self._weights, self._configurations, strict=True):
                log_joint = sum((factors[family] for family in families), np.zeros(n_states))
                joint = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
                share = joint / joint.sum(axis=1, keepdims=True)
                mean += weight * share
                square += weight * np.square(share)
            values[first : first + block] = mean
            squares[first : first + block] = square
        errors = np.zeros_like(values)
        if self._n_drawn:
            # The variance of the mean of the draws, each with its configuration's prediction.
            errors = np.sqrt(np.maximum(squares - np.square(values), 0.0) / self._n_drawn)
        return Mean(values, errors, self.method, self.basis)

    def _coded(self, rows: Any) -> NDArray[np.int64]:
        """Return rows as codes, if they are not codes already."""
        if not isinstance(rows, np.ndarray) or not np.issubdtype(rows.dtype, np.integer):
            return self._data.encode(rows).astype(np.int64)
        n = len(self._data.names)
        if rows.ndim != 2 or len(rows) != n:
            raise DataError(f"codes must have {n} lines, one per variable, and a column per row")
        limits = np.array(self._data.arities)[:, None]
        if rows.size and (np.any(rows >= limits) or np.any(rows < UNKNOWN)):
            raise DataError("a code is none of the states of its variable")
        return rows

    def _log_factor(self, child: int, row: int, codes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return ln theta of a family for each row (axis 0) and state of the target (axis 1).

        A child whose value is not known says nothing. A parent whose value is not known is
        taken out of the family: the counts are added up over its values.
        """
        parents = self._table.parent_set(row)
        family = [v for v in (*parents, child) if v != self._target]
        result = np.zeros((codes.shape[1], self._data.arities[self._target]))
        unknown = codes[family] == UNKNOWN if family else np.zeros((0, codes.shape[1]), bool)
        patterns, group = np.unique(unknown, axis=1, return_inverse=True)
        for number, pattern in enumerate(patterns.T):
            missing = {v for v, is_missing in zip(family, pattern, strict=True) if is_missing}
            if child in missing:
                continue
            where = np.flatnonzero(group.reshape(-1) == number)
            known = [v for v in family if v not in missing]
            table = self._log_table(child, row, parents, missing)
            cells = tuple(codes[v, where] for v in known)
            result[where] = table[cells] if known else np.broadcast_to(table, result[where].shape)
        return result

    def _log_table(
        self, child: int, row: int, parents: tuple[int, ...], missing: set[int]
    ) -> NDArray[np.float64]:
        """Return ln theta with the target as the last axis, missing parents summed out."""
        counts = self._counts.get(row)
        if counts is None:
            counts = self._counts[row] = family_counts(self._data, child, parents)
        axes = [v for v in (*parents, child) if v not in missing]
        summed = counts.sum(axis=tuple(k for k, v in enumerate(parents) if v in missing))
        table = np.log(self._prior.means(summed))
        return np.moveaxis(table, axes.index(self._target), -1)
