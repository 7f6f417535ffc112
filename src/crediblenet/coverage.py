"""How the weight is spread over a credible set."""

from __future__ import annotations

from dataclasses import dataclass

from .log_space import exp_or_inf
from .posterior import Posterior

__all__ = ["Coverage", "coverage"]


@dataclass(frozen=True)
class Coverage:
    """How much the set covers, under the weights exp(-cost).

    Attributes
    ----------
    worst_bayes_factor
        Bayes factor of the best network to the worst one in the set.
    entropy
        Entropy of the posterior over the networks, in nats.
    effective_networks
        exp(entropy): so many equally probable networks would be as uncertain. Infinity
        when that does not fit a floating-point number.
    best_weight
        Posterior probability of one optimal network within the set.
    """

    worst_bayes_factor: float
    entropy: float
    effective_networks: float
    best_weight: float


def coverage(posterior: Posterior) -> Coverage:
    """Return how the weight is spread; lists nothing."""
    spread = posterior.spread()
    # A network at deviation d has probability exp(-d - log_weight), so its share of the
    # entropy is that times (d + log_weight).
    entropy = spread.mean_deviation + spread.log_weight
    members = posterior.members
    worst = (spread.greatest_cost - members.network_set.optimal_cost) * members.unit
    return Coverage(
        worst_bayes_factor=exp_or_inf(worst),
        entropy=entropy,
        effective_networks=exp_or_inf(entropy),
        best_weight=exp_or_inf(-spread.log_weight),
    )
