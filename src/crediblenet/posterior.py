"""Weights of networks and classes, and means of features under them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .estimate import Method
from .exceptions import LimitError, ParameterError
from .log_space import log_counts, log_sum_exp
from .members import Members
from .network_batch import block_slices
from .prior import Prior

__all__ = ["Mean", "Posterior", "Weighted"]

# Features of a block of networks, given as candidate rows: one line per network.
Kernel = Callable[[NDArray[np.int32]], NDArray[Any]]


@dataclass(frozen=True)
class Weighted:
    """Networks (candidate rows) with weights that add up to one."""

    rows: NDArray[np.int32]
    weights: NDArray[np.float64]
    method: Method
    basis: str


@dataclass(frozen=True)
class Mean:
    """Means of an array of features with their standard errors."""

    values: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    method: Method
    basis: str


def _normalized(log_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    total = log_sum_exp(log_weights)
    if total == -np.inf:
        raise ParameterError("the prior rules out every network of the set")
    return np.exp(log_weights - total)


class Posterior:
    """The posterior over the networks up to a cost: exp(-cost) times a prior.

    Parameters
    ----------
    members
        The networks and classes.
    max_cost
        Networks that cost more do not count, in grid units.
    prior
        The prior.
    """

    def __init__(self, members: Members, max_cost: int, prior: Prior) -> None:
        self.members = members
        self.max_cost = max_cost
        self.prior = prior

    @property
    def is_plain(self) -> bool:
        """Whether the weight of a network is exp(-cost) and nothing else."""
        return self.prior.over == "dags" and self.prior.is_uniform_over_parents

    def level_log_weights(self) -> NDArray[np.float64]:
        """Return for each distinct cost the log of the plain weight of its networks."""
        count = self.members.n_levels(self.max_cost)
        costs = self.members.level_costs[:count]
        return log_counts(self.members.level_counts[:count]) - self.members.deviations(costs)

    def candidate_probabilities(self) -> NDArray[np.float64]:
        """Return the exact probability of each candidate under the plain weights.

        Nothing is listed: the network set adds up the weights by itself.
        """
        log_weights = self.members.network_set.candidate_log_weights(self.max_cost)
        return np.exp(log_weights - log_sum_exp(self.level_log_weights()))

    def networks(self, limit: int) -> Weighted | None:
        """Return every network with its probability, None when there are too many."""
        listing = self.members.listing(self.max_cost, limit)
        if listing is None:
            return None
        log_weights = -self.members.deviations(listing.costs)
        if not self.prior.is_uniform_over_parents:
            table = self.members.table
            log_weights += self.prior.candidate_log_priors(table, listing.rows)[listing.rows].sum(1)
        if self.prior.over == "classes":
            member = self.members.class_of(listing)
            log_weights -= np.log(np.bincount(member))[member]
        basis = f"all {len(listing):,} networks"
        return Weighted(listing.rows, _normalized(log_weights), "exact", basis)

    def classes(self, limit: int) -> Weighted | None:
        """Return one network per class with the probability of the class.

        None when there are too many classes, or when the prior differs within a class.
        """
        if not self.prior.is_uniform_over_parents:
            return None
        classes = self.members.class_list(self.max_cost, limit)
        if classes is None:
            return None
        log_weights = classes.log_weights
        if self.prior.over == "classes":
            log_weights = log_weights - log_counts(classes.sizes)
        basis = f"all {len(classes):,} classes"
        return Weighted(classes.rows, _normalized(log_weights), "exact", basis)

    def sampled(self, count: int, seed: int) -> Weighted:
        """Return networks drawn with probability exp(-cost), weighted by the prior."""
        if count < 1:
            raise ParameterError(f"the number of samples must be at least 1, not {count}")
        rows = self.members.network_set.sample(count, seed, self.max_cost)
        log_weights = np.zeros(count)
        if not self.prior.is_uniform_over_parents:
            priors = self.prior.candidate_log_priors(self.members.table, rows)
            log_weights += priors[rows].sum(1)
        if self.prior.over == "classes":
            raise LimitError(
                "there are too many networks to list, and the prior over classes needs the "
                'class of each; use the prior "dags" or a smaller Bayes factor'
            )
        basis = f"{count:,} networks drawn"
        return Weighted(rows, _normalized(log_weights), "sampling", basis)

    def mean(
        self,
        kernel: Kernel,
        n_features: int,
        *,
        same_in_class: bool,
        limit: int,
        samples: int,
        seed: int,
    ) -> Mean:
        """Return the mean of a feature array: exact by listing, or else by sampling.

        `same_in_class` promises that Markov equivalent networks have the same features, so
        that one network per class is enough.
        """
        weighted = self.classes(limit) if same_in_class else None
        weighted = weighted or self.networks(limit) or self.sampled(samples, seed)
        return weighted_mean(weighted, kernel, n_features)


def weighted_mean(weighted: Weighted, kernel: Kernel, n_features: int) -> Mean:
    """Return means and standard errors of features over weighted networks."""
    total: NDArray[np.float64] | float = 0.0
    squares: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
    indicator = True
    exact = weighted.method == "exact"
    for block in block_slices(len(weighted.rows), n_features):
        features = kernel(weighted.rows[block])
        indicator = indicator and features.dtype == np.bool_
        weights = weighted.weights[block]
        # einsum adds in a fixed order; a matrix product might depend on the threads.
        total = total + np.einsum("g,g...->...", weights, features)
        if not exact:
            squared = np.square(weights)
            first = np.einsum("g,g...->...", squared, features)
            second = first if indicator else np.einsum("g,g...->...", squared, features**2.0)
            squares.append((first, second))
    values = np.asarray(total, dtype=np.float64)
    if exact:
        return Mean(values, np.zeros_like(values), weighted.method, weighted.basis)
    # The usual variance of a self-normalized mean: the sum of w^2 (f - mean)^2.
    first = np.sum([f for f, _ in squares], axis=0)
    second = np.sum([s for _, s in squares], axis=0)
    variance = second - 2 * values * first + values**2 * np.sum(np.square(weighted.weights))
    if indicator:
        variance = variance + (values**2 + (1 - values) ** 2) / len(weighted.rows) ** 2
    errors = np.sqrt(np.maximum(variance, 0.0))
    return Mean(values, errors, weighted.method, weighted.basis)
