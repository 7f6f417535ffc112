"""From a credible set to the probabilities of edges, paths and other features.

Three ways, the first that applies:

1. Directed edges and parent sets under the plain weights come from the network set
   itself, exactly and without listing a network, however many there are.
2. Features that are the same in a whole Markov equivalence class (adjacencies, compelled
   edges, v-structures, Markov blankets) are added up over the classes; others over the
   networks. Exact, while there are no more than a limit.
3. Beyond that, networks are drawn exactly from the posterior, and every number comes with
   its standard error. A prior that the network set does not know is applied to the draws
   by weighting (self-normalized importance sampling).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .estimate import FeatureMatrix
from .network_batch import ancestors, markov_blankets, parent_matrix, unpack
from .posterior import Mean, Posterior

if TYPE_CHECKING:
    from .score_table import ScoreTable

__all__ = ["LIMIT", "SAMPLES", "blanket_matrix", "directed_edges", "path_matrix"]

# How many networks or classes are listed unless the user says otherwise.
LIMIT = 200_000

# How many networks are drawn when there are too many to list.
SAMPLES = 10_000


def directed_edges(posterior: Posterior, limit: int, samples: int, seed: int) -> Mean:
    """Return ``[a, b]``: the probability of the edge a -> b."""
    table = posterior.members.table
    if posterior.is_plain:
        values = candidates_to_edges(table, posterior.candidate_probabilities())
        basis = "weights of all parent sets in the network set"
        return Mean(values, np.zeros_like(values), "exact", basis)
    n = table.n_variables
    return posterior.mean(
        lambda rows: parent_matrix(table.parents[rows]),
        n * n,
        same_in_class=False,
        limit=limit,
        samples=samples,
        seed=seed,
    )


def candidates_to_edges(
    table: ScoreTable, probabilities: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Add up the probabilities of the parent sets that hold an edge."""
    n = table.n_variables
    edges = np.zeros((n, n))
    for child in range(n):
        rows = np.arange(table.offsets[child], table.offsets[child + 1])
        rows = rows[probabilities[rows] > 0]
        members = unpack(table.parents[rows], n)
        edges[:, child] = np.einsum("c,cp->p", probabilities[rows], members)
    return np.minimum(edges, 1.0)


def path_matrix(posterior: Posterior, limit: int, samples: int, seed: int) -> FeatureMatrix:
    """Return the probability of a directed path for every pair."""
    table = posterior.members.table
    n = table.n_variables
    mean = posterior.mean(
        lambda rows: ancestors(table.parents[rows]),
        n * n,
        same_in_class=False,
        limit=limit,
        samples=samples,
        seed=seed,
    )
    return _matrix(table.names, mean, "a directed path leads from the first to the second")


def blanket_matrix(posterior: Posterior, limit: int, samples: int, seed: int) -> FeatureMatrix:
    """Return the probability of being in the Markov blanket for every pair."""
    table = posterior.members.table
    n = table.n_variables
    # The blanket of v is its neighbours and those it meets in a v-structure (other parents
    # of a child are adjacent or not), so it is the same in the whole class.
    mean = posterior.mean(
        lambda rows: markov_blankets(table.parents[rows]),
        n * n,
        same_in_class=True,
        limit=limit,
        samples=samples,
        seed=seed,
    )
    return _matrix(table.names, mean, "the first is in the Markov blanket of the second")


def _matrix(names: tuple[str, ...], mean: Mean, relation: str) -> FeatureMatrix:
    return FeatureMatrix(
        names, mean.values, mean.standard_errors, mean.method, mean.basis, relation
    )


def adjacencies(edges: Mean) -> Mean:
    """Return ``[a, b]``: the probability of an edge in either direction.

    a -> b and b -> a exclude each other, so their probabilities add up; so do, for draws,
    their means, and the standard error follows from the sum being a probability again.
    """
    values = np.minimum(edges.values + edges.values.T, 1.0)
    errors = edges.standard_errors
    # Var(x + y) for exclusive events: the covariance is negative, so this bounds it above.
    return Mean(values, np.hypot(errors, errors.T), edges.method, edges.basis)
