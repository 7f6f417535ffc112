"""The probabilities of a network: posterior means under the score's own prior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .exceptions import LimitError, ParameterError
from .fitted_network import FittedNetwork

if TYPE_CHECKING:
    from .data import Dataset
    from .network import Network

__all__ = ["LARGEST_TABLE", "ParameterPrior", "family_table", "fit_network"]

# A table with more entries than this is not made: nobody can read it, and it would not fit.
LARGEST_TABLE = 1 << 24


@dataclass(frozen=True)
class ParameterPrior:
    """How many imagined rows each cell of a family starts with.

    The Bayesian scores are marginal likelihoods under a Dirichlet prior; with the same
    prior, the posterior mean of a probability is (n_ijk + a_jk) / (n_ij + a_j). The other
    scores have no prior; their maximum likelihood estimates are smoothed, or a cell that
    never occurred would make every network that uses it certain of its absence.

    Attributes
    ----------
    score
        The score of the structures. ``"bdeu"``: a_jk = ess / (r_parents * r_child).
        ``"bds"``: the same over the parent configurations that occur, and a uniform
        distribution for one that does not. ``"k2"``: a_jk = 1. All others:
        a_jk = smoothing / r_child, as if each parent configuration had been seen
        `smoothing` times, with every value equally often.
    ess
        The equivalent sample size of BDeu and BDs.
    smoothing
        Imagined rows per parent configuration, for the scores without a prior.
    """

    score: str = "bic"
    ess: float = 1.0
    smoothing: float = 1.0

    def __post_init__(self) -> None:
        for name, value in (("ess", self.ess), ("smoothing", self.smoothing)):
            if not (math.isfinite(value) and value > 0):
                raise ParameterError(f"{name} must be a positive number, not {value}")

    def imagined(self, arity: int, n_configurations: int, n_occurring: int) -> float:
        """Return a_jk for the configurations that occur."""
        if self.score == "bdeu":
            return self.ess / (n_configurations * arity)
        if self.score == "bds":
            return self.ess / (max(1, n_occurring) * arity)
        if self.score == "k2":
            return 1.0
        return self.smoothing / arity

    def means(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each value (last axis) in each parent configuration."""
        totals = counts.sum(axis=-1, keepdims=True)
        n_configurations = math.prod(counts.shape[:-1])
        imagined = self.imagined(counts.shape[-1], n_configurations, int(np.count_nonzero(totals)))
        # Without a row and with equal imagined counts the mean is uniform, which is also
        # what BDs is given for a configuration that does not occur.
        means = (counts + imagined) / (totals + imagined * counts.shape[-1])
        return np.asarray(means, dtype=np.float64)


def family_counts(data: Dataset, child: int, parents: tuple[int, ...]) -> NDArray[np.float64]:
    """Return how often each value of the child (last axis) occurs with its parents' values."""
    family = (*parents, child)
    shape = tuple(data.arities[v] for v in family)
    if math.prod(shape) > LARGEST_TABLE:
        raise LimitError(
            f"the table of {data.names[child]!r} with {len(parents)} parents would have "
            f"{math.prod(shape):,} entries, more than {LARGEST_TABLE:,}"
        )
    cells = np.ravel_multi_index(tuple(data.codes[v].astype(np.intp) for v in family), shape)
    counts = np.bincount(cells, weights=data.weights, minlength=math.prod(shape))
    return counts.reshape(shape).astype(np.float64)


def family_table(
    data: Dataset, child: int, parents: tuple[int, ...], prior: ParameterPrior
) -> NDArray[np.float64]:
    """Return the probabilities of a variable (last axis) given its parents."""
    return prior.means(family_counts(data, child, parents))


def fit_network(network: Network, data: Dataset, prior: ParameterPrior) -> FittedNetwork:
    """Return a network with its probabilities.

    Raises
    ------
    ParameterError
        When the network and the data have different variables.
    LimitError
        When a table would be too large.
    """
    if network.names != tuple(data.names):
        raise ParameterError("the network and the data must have the same variables, in order")
    tables = tuple(
        family_table(data, child, parents, prior)
        for child, parents in enumerate(network.parent_sets)
    )
    return FittedNetwork(network, tuple(data.states), tables)
