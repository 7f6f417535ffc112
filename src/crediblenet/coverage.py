"""How the weight is spread over a credible set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .log_space import exp_or_inf, log_sum_exp
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
    """Return how the weight is spread; needs the levels only, lists nothing."""
    members = posterior.members
    costs = members.level_costs[: members.n_levels(posterior.max_cost)]
    deviations = members.deviations(costs)
    log_weights = posterior.level_log_weights()
    log_total = log_sum_exp(log_weights)
    # A network at deviation d has probability exp(-d - log_total), so its share of the
    # entropy is that times (d + log_total).
    shares = np.exp(log_weights - log_total)
    entropy = float(np.add.reduce(shares * (deviations + log_total)))
    return Coverage(
        worst_bayes_factor=exp_or_inf(float(deviations[-1])),
        entropy=entropy,
        effective_networks=exp_or_inf(entropy),
        best_weight=float(np.exp(-log_total)),
    )
