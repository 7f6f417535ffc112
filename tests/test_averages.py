"""Probabilities of features against adding up over all networks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from crediblenet import reference
from listed import random_results

PRIORS = {"dags": "dags", "classes": "classes"}


def brute_force(
    networks: dict[reference.Network, float],
    prior: str,
    relation: Callable[[int, int], Callable[[reference.Network], bool]],
) -> NDArray[np.float64]:
    """Return the probability of a relation for every pair, network by network."""
    weights = reference.posterior_weights(networks, prior)  # type: ignore[arg-type]
    n = len(next(iter(networks)))
    return np.array(
        [
            [reference.probability(relation(a, b), weights) if a != b else 0.0 for b in range(n)]
            for a in range(n)
        ]
    )


def assert_equal(found: NDArray[np.float64], expected: NDArray[np.float64], instance: str) -> None:
    """Compare to 1e-12 relative."""
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300, err_msg=instance)


@pytest.mark.parametrize("prior", PRIORS)
def test_features_of_pairs_equal_brute_force(prior: str) -> None:
    """Edges, adjacencies, paths and blankets on every small instance."""
    for instance, found, networks in random_results(range(120)):
        result = found.with_prior(prior)  # type: ignore[arg-type]
        name = PRIORS[prior]
        edges = result.edge_probabilities()
        assert edges.method == "exact"
        expected = brute_force(networks, name, reference.directed_edge)
        assert_equal(edges.directed.values, expected, instance)
        expected = brute_force(networks, name, reference.adjacency)
        assert_equal(edges.adjacent.values, expected, instance)
        expected = brute_force(networks, name, reference.ancestor)
        assert_equal(result.path_probabilities().values, expected, instance)
        expected = brute_force(networks, name, reference.in_markov_blanket)
        assert_equal(result.markov_blanket_probabilities().values, expected, instance)
