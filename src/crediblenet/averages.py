"""From a credible set to the probabilities of edges, paths and other features.

Three ways, the first that applies:

1. Directed edges and parent sets under the plain weights come from the network set
   itself, exactly and without listing a network, for up to 10^300 of them.
2. Features that are the same in a whole Markov equivalence class (adjacencies, compelled
   edges, v-structures, Markov blankets) are added up over the classes; others over the
   networks. Exact, while there are no more than a limit.
3. Beyond that, networks are drawn exactly from the posterior, and every number comes with
   its standard error. A prior that the network set does not know is applied to the draws
   by weighting (self-normalized importance sampling).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .classes import v_structure_sums
from .estimate import FeatureEstimate, FeatureMatrix
from .network import Network
from .network_batch import ancestors, parent_matrix, unpack
from .posterior import Effort, Mean, Posterior
from .score_table import ScoreTable

__all__ = [
    "ParentSetProbability",
    "VStructureProbability",
    "adjacencies",
    "blanket_matrix",
    "directed_edges",
    "function_mean",
    "parent_sets",
    "path_matrix",
    "v_structures",
]


@dataclass(frozen=True)
class ParentSetProbability:
    """One parent set of a variable and how probable it is."""

    parents: tuple[str, ...]
    probability: FeatureEstimate


@dataclass(frozen=True)
class VStructureProbability:
    """How probable it is that first -> child <- second, the two not being adjacent."""

    first: str
    child: str
    second: str
    probability: FeatureEstimate


def directed_edges(posterior: Posterior, effort: Effort) -> Mean:
    """Return ``[a, b]``: the probability of the edge a -> b."""
    table = posterior.members.table
    exact = posterior.candidate_probabilities()
    if exact is not None:
        values = candidates_to_edges(table, exact)
        basis = "weights of all parent sets in the network set"
        return Mean(values, np.zeros_like(values), "exact", basis)
    if posterior.members.has_class_search and posterior.prior.is_uniform_over_parents:
        # Whole classes: orientations inside a class are counted, not listed.
        return posterior.class_features(effort).directed
    return posterior.network_mean(parent_matrix, table.n_variables**2, effort)


def candidates_to_edges(
    table: ScoreTable, probabilities: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Add up the probabilities of the parent sets that hold an edge.

    As a share of all, added up in the same order: an edge of every network has exactly 1.
    """
    n = table.n_variables
    edges = np.zeros((n, n))
    for child in range(n):
        rows = np.arange(table.offsets[child], table.offsets[child + 1])
        rows = rows[probabilities[rows] > 0]
        members = unpack(table.parents[rows], n)
        with_all = np.column_stack([members, np.ones(len(rows), dtype=members.dtype)])
        sums = np.einsum("c,cp->p", probabilities[rows], with_all)
        edges[:, child] = sums[:n] / sums[n]
    return np.minimum(edges, 1.0)


def adjacencies(edges: Mean) -> Mean:
    """Return ``[a, b]``: the probability of an edge in either direction.

    a -> b and b -> a exclude each other, so their probabilities add up. Exclusive events
    have a negative covariance, so the standard error stated for a sampled sum is not less
    than the true one.
    """
    values = np.minimum(edges.values + edges.values.T, 1.0)
    errors = np.hypot(edges.standard_errors, edges.standard_errors.T)
    return Mean(values, errors, edges.method, edges.basis)


def path_matrix(posterior: Posterior, effort: Effort) -> FeatureMatrix:
    """Return the probability of a directed path for every pair."""
    names = posterior.members.table.names
    mean = posterior.network_mean(ancestors, len(names) ** 2, effort)
    return _matrix(names, mean, "a directed path leads from the first to the second")


def blanket_matrix(posterior: Posterior, effort: Effort) -> FeatureMatrix:
    """Return the probability of being in the Markov blanket for every pair.

    The blanket of a variable is its neighbours and those it meets in a v-structure (the
    other parents of a child are adjacent to it or not), so equivalent networks agree on it.
    """
    mean = posterior.class_features(effort).blanket
    relation = "the first is in the Markov blanket of the second"
    return _matrix(posterior.members.table.names, mean, relation)


def _matrix(names: tuple[str, ...], mean: Mean, relation: str) -> FeatureMatrix:
    return FeatureMatrix(
        names, mean.values, mean.standard_errors, mean.method, mean.basis, relation
    )


def v_structures(posterior: Posterior, effort: Effort) -> list[VStructureProbability]:
    """Return every v-structure that occurs, most probable first."""
    names = posterior.members.table.names
    weighted = posterior.weighted_classes(effort)
    bits = posterior.members.bits(weighted.rows)
    sums = v_structure_sums(bits, weighted.weights)
    squares = None
    if not weighted.is_exact:
        squares = v_structure_sums(bits, np.square(weighted.weights)).weights
    mean = weighted.mean(sums.weights, squares)
    order = np.lexsort((*sums.triples.T[::-1], -mean.values))
    found = []
    for t in order.tolist():
        a, c, b = sums.triples[t].tolist()
        estimate = FeatureEstimate(
            float(mean.values[t]), float(mean.standard_errors[t]), mean.method, mean.basis
        )
        found.append(VStructureProbability(names[a], names[c], names[b], estimate))
    return found


def parent_sets(posterior: Posterior, variable: int, effort: Effort) -> list[ParentSetProbability]:
    """Return every parent set that a variable has in the set, most probable first."""
    table = posterior.members.table
    start, end = int(table.offsets[variable]), int(table.offsets[variable + 1])
    exact = posterior.candidate_probabilities()
    if exact is not None:
        values = exact[start:end]
        basis = "weights of all parent sets in the network set"
        mean = Mean(values, np.zeros_like(values), "exact", basis)
    else:
        weighted = posterior.weighted_networks(effort)
        used = weighted.rows[:, variable] - start
        sums, squares = (
            np.bincount(used, weights=w, minlength=end - start)
            for w in (weighted.weights, np.square(weighted.weights))
        )
        mean = weighted.mean(sums, None if weighted.is_exact else squares)
    found = []
    for k in np.argsort(-mean.values, kind="stable").tolist():
        if mean.values[k] > 0:
            parents = tuple(table.names[p] for p in table.parent_set(start + k))
            estimate = FeatureEstimate(
                float(mean.values[k]), float(mean.standard_errors[k]), mean.method, mean.basis
            )
            found.append(ParentSetProbability(parents, estimate))
    return found


def function_mean(
    posterior: Posterior,
    quantity: Callable[[Network], float],
    indicator: bool,
    same_in_class: bool,
    effort: Effort,
) -> FeatureEstimate:
    """Return the mean of a function of a network; `indicator` for one that says yes or no."""
    members = posterior.members
    if same_in_class:
        weighted = posterior.weighted_classes(effort)
    else:
        weighted = posterior.weighted_networks(effort)
    costs = members.costs(weighted.rows).tolist()
    found = (
        quantity(members.network(cost, rows))
        for cost, rows in zip(costs, weighted.rows, strict=True)
    )
    values = np.array([bool(value) if indicator else float(value) for value in found], dtype=float)
    squared = np.square(weighted.weights)
    squares = None if weighted.is_exact else np.sum(squared * values, keepdims=True)
    second = None if indicator else np.sum(squared * np.square(values), keepdims=True)
    mean = weighted.mean(np.sum(weighted.weights * values, keepdims=True), squares, second)
    return FeatureEstimate(
        float(mean.values[0]), float(mean.standard_errors[0]), mean.method, mean.basis
    )
