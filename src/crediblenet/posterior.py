"""Weights of networks and classes, and means of features under them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from .class_set import ClassSet
from .classes import Bits, class_sizes, feature_sums, group_networks
from .estimate import Method
from .exceptions import LimitError, ParameterError
from .level_counts import Spread
from .log_space import log_counts, log_sum_exp
from .members import ClassList, Members
from .network_batch import block_slices
from .prior import Prior

__all__ = ["ClassFeatures", "Effort", "EffortOptions", "Mean", "Posterior", "Weighted"]

# Features of a block of networks, given as bit sets: one line per network.
Kernel = Callable[[Bits], NDArray[Any]]


@dataclass(frozen=True)
class Effort:
    """How much may be listed, and how much is drawn when there is more.

    Attributes
    ----------
    limit
        At most so many networks or classes are listed.
    samples, seed
        How many networks are drawn beyond that, and from which seed.
    """

    limit: int = 200_000
    samples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.limit < 0:
            raise ParameterError(f"limit must not be negative, but is {self.limit}")
        if self.samples < 1:
            raise ParameterError(f"samples must be at least 1, not {self.samples}")
        if self.seed < 0:
            raise ParameterError(f"seed must not be negative, but is {self.seed}")


class EffortOptions(TypedDict, total=False):
    """The keywords of `Effort`, for functions that hand them on."""

    limit: int
    samples: int
    seed: int


@dataclass(frozen=True)
class Weighted:
    """Networks (candidate rows) with weights that add up to one."""

    rows: NDArray[np.int32]
    weights: NDArray[np.float64]
    method: Method
    basis: str

    @property
    def is_exact(self) -> bool:
        """Whether these are all networks, not a sample."""
        return self.method == "exact"

    def mean(
        self,
        values: NDArray[Any],
        squares: NDArray[Any] | None,
        second: NDArray[Any] | None = None,
    ) -> Mean:
        """Return weighted sums as means with their standard errors.

        Parameters
        ----------
        values
            The sums of w f.
        squares
            The sums of w^2 f; None when exact.
        second
            The sums of w^2 f^2; the same as `squares`, if not given, for features that
            are there or not.
        """
        values = np.asarray(values, dtype=np.float64)
        if squares is None:
            return Mean(values, np.zeros_like(values), self.method, self.basis)
        # The usual variance of a self-normalized mean: the sum of w^2 (f - mean)^2.
        total = float(np.add.reduce(np.square(self.weights)))
        last = squares if second is None else second
        variance = last - 2 * values * squares + values**2 * total
        if second is None:
            # Two imagined draws, one with and one without: all draws alike prove nothing.
            variance = variance + (values**2 + (1 - values) ** 2) / len(self.rows) ** 2
        errors = np.sqrt(np.maximum(variance, 0.0))
        return Mean(values, errors, self.method, self.basis)


@dataclass(frozen=True)
class Mean:
    """Means of an array of features with their standard errors."""

    values: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    method: Method
    basis: str


@dataclass(frozen=True)
class ClassFeatures:
    """Features that are the same in all networks of a class, for every pair (a, b).

    Attributes
    ----------
    directed
        a -> b, averaged over the members of each class: only for whole classes.
    compelled
        a -> b in every member of the class.
    adjacent
        a -> b or b -> a.
    blanket
        a is in the Markov blanket of b.
    """

    directed: Mean
    compelled: Mean
    adjacent: Mean
    blanket: Mean


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

    def spread(self) -> Spread:
        """Return how the plain weight is spread over the networks."""
        return self.members.network_set.spread(self.max_cost)

    def candidate_probabilities(self) -> NDArray[np.float64] | None:
        """Return the exact probability of each candidate under the plain weights.

        Nothing is listed: the network set adds up the weights by itself. None for other
        weights, and for more than 10^300 networks, which it cannot weigh.
        """
        if not self.is_plain:
            return None
        try:
            log_weights = self.members.candidate_log_weights(self.max_cost)
        except LimitError:
            return None
        return np.exp(log_weights - self.spread().log_weight)

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
        weights = None if classes is None else self.class_weights(classes, limit)
        if classes is None or weights is None:
            return None
        return Weighted(classes.rows, weights, "exact", f"all {len(classes):,} classes")

    def class_weights(self, classes: ClassList, limit: int) -> NDArray[np.float64] | None:
        """Return the probability of each class; None when a prior needs too long a list."""
        if self.prior.is_uniform_over_parents:
            log_weights = classes.log_weights
            if self.prior.over == "classes":
                log_weights = log_weights - log_counts(classes.sizes)
            return _normalized(log_weights)
        weighted = self.networks(limit)
        if weighted is None:
            return None
        if classes.member_of is not None:
            sums = np.bincount(classes.member_of, weights=weighted.weights)
            return np.asarray(sums, dtype=np.float64)
        # Both lists are in order of cost, but within a cost their orders differ.
        both = np.concatenate([self.members.bits(classes.rows), self.members.bits(weighted.rows)])
        group = group_networks(both)[len(classes) :]
        sums = np.bincount(group, weights=weighted.weights, minlength=len(classes))
        return np.asarray(sums, dtype=np.float64)

    def log_total(self, classes: ClassSet | None) -> float | None:
        """Return the log of the weight of all networks together, without listing them.

        None where that would need a list: for a prior on parent sets, and for one over
        classes that were not counted.
        """
        if self.is_plain:
            return self.spread().log_weight
        if classes is None or not self.prior.is_uniform_over_parents:
            return None
        return classes.log_weight(self.max_cost, self.members.network_set.optimal_cost)

    def some_class_weights(self, classes: ClassList, log_total: float) -> NDArray[np.float64]:
        """Return the probability of some classes of many, given what `log_total` says."""
        log_weights = classes.log_weights - log_total
        if self.prior.over == "classes":
            log_weights = log_weights - log_counts(classes.sizes)
        return np.exp(log_weights)

    def sampled(self, count: int, seed: int) -> Weighted:
        """Return networks drawn with probability exp(-cost), weighted by the prior.

        Raises
        ------
        LimitError
            When the prior is over classes, and they are not in the set as a whole: then
            nothing but listing tells how many networks of a class are in it.
        """
        rows = self.members.drawn(self.max_cost, count, seed)
        count = len(rows)  # fewer than asked for when the run had a limit
        log_weights = np.zeros(count)
        if not self.prior.is_uniform_over_parents:
            priors = self.prior.candidate_log_priors(self.members.table, rows)
            log_weights += priors[rows].sum(1)
        if self.prior.over == "classes":
            if not self.members.whole_classes:
                raise LimitError(
                    "with a prior over classes the networks must be listed, because "
                    "constraints or an early end cut through the classes, and there are too "
                    'many; use the prior "dags", a higher limit or a smaller Bayes factor'
                )
            log_weights -= log_counts(class_sizes(self.members.bits(rows)))
        basis = f"{count:,} networks drawn"
        return Weighted(rows, _normalized(log_weights), "sampling", basis)

    def weighted_networks(self, effort: Effort) -> Weighted:
        """Return all networks if that is possible, drawn ones otherwise."""
        listed = self.networks(effort.limit)
        return listed if listed is not None else self.sampled(effort.samples, effort.seed)

    def weighted_classes(self, effort: Effort) -> Weighted:
        """Return networks whose class-wide features have the right means.

        One per class, if there is a class-level search; all or drawn ones otherwise.
        """
        if self.members.has_class_search or self.prior.over == "classes":
            classes = self.classes(effort.limit)
            if classes is not None:
                return classes
        return self.weighted_networks(effort)

    def network_mean(self, kernel: Kernel, n_features: int, effort: Effort) -> Mean:
        """Return the mean of an array of truth values, given by each network as it is."""
        weighted = self.weighted_networks(effort)
        values: NDArray[np.float64] | float = 0.0
        squares: NDArray[np.float64] | float = 0.0
        for block in block_slices(len(weighted.rows), n_features):
            features = kernel(self.members.bits(weighted.rows[block]))
            weights = weighted.weights[block]
            # einsum adds in a fixed order; a matrix product might depend on the threads.
            values = values + np.einsum("g,g...->...", weights, features)
            if not weighted.is_exact:
                squares = squares + np.einsum("g,g...->...", np.square(weights), features)
        return weighted.mean(np.asarray(values), None if weighted.is_exact else np.asarray(squares))

    def class_features(self, effort: Effort) -> ClassFeatures:
        """Return the means of the features that the networks of a class share."""
        weighted = self.weighted_classes(effort)
        bits = self.members.bits(weighted.rows)
        sums = feature_sums(bits, weighted.weights)
        squares = None if weighted.is_exact else feature_sums(bits, np.square(weighted.weights))

        def mean(name: str) -> Mean:
            return weighted.mean(
                getattr(sums, name), None if squares is None else getattr(squares, name)
            )

        return ClassFeatures(mean("directed"), mean("compelled"), mean("adjacent"), mean("blanket"))
