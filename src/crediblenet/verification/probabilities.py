"""Checks of weights and probabilities: they add up, and they follow from the costs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..reference import compelled_edges_by_rules
from .listing import Listing
from .report import Check

__all__ = ["check_edges", "check_weights"]

# How far the same probability may differ when it is computed in two ways.
SAME = 1e-6


def check_weights(listing: Listing) -> Check:
    """See that the weights of the classes are probabilities and follow from the costs."""
    check = Check("weights", "the weights of the classes add up and follow from the costs")
    reason = why_unknown(listing)
    if reason:
        check.left_out = reason
        return check
    if not listing.all_classes:
        check.left_out = "sums of weights need all classes, and these are not all listed"
        check_ratios(check, listing)
        return check
    total = math.fsum(listed.weight for listed in listing.classes)
    check.expect(abs(total - 1) <= SAME, f"the weights of the classes add up to {total!r}")
    for listed, weight in zip(listing.classes, class_weights(listing), strict=True):
        check.expect(
            abs(listed.weight - weight) <= SAME,
            f"{listed.where} is said to weigh {listed.weight!r}, but weighs {weight!r}",
        )
    return check


def check_ratios(check: Check, listing: Listing) -> None:
    """See that the weights of some classes are to each other as the costs say."""
    listed_weight = math.fsum(listed.weight for listed in listing.classes)
    for listed, share in zip(listing.classes, class_weights(listing), strict=True):
        expected = share * listed_weight
        check.expect(
            0 <= listed.weight <= 1 + SAME and abs(listed.weight - expected) <= SAME * expected,
            f"{listed.where} is said to weigh {listed.weight!r}, but beside the others it "
            f"weighs {expected!r}",
        )
    check.expect(
        listed_weight <= 1 + SAME, f"the weights of some classes add up to {listed_weight!r}"
    )


def check_edges(listing: Listing) -> Check:
    """See that the probabilities of edges are probabilities and follow from the networks."""
    check = Check("edges", "the probabilities of edges add up and follow from the networks")
    edges = listing.claims.edges()
    directed, adjacent = edges.directed, edges.adjacent
    check_pairs(check, listing, directed, adjacent)
    reason = why_unknown(listing)
    if reason or not edges.exact:
        check.left_out = reason or "probabilities that were estimated from draws"
        return check
    if listing.all_networks:
        compare(check, listing, "have", directed, edges_of_networks(listing))
    else:
        check.left_out = "the probabilities need all networks, and these are too many"
    if listing.all_classes and edges.compelled is not None:
        expected = compelled_edges_of_classes(listing)
        compare(check, listing, "be compelled with", edges.compelled, expected)
    return check


def why_unknown(listing: Listing) -> str | None:
    """Say why weights cannot be recomputed from costs, if so."""
    return "the prior is the user's own" if listing.claims.prior is None else None


def check_pairs(
    check: Check, listing: Listing, directed: NDArray[np.float64], adjacent: NDArray[np.float64]
) -> None:
    """See that the two directions of an edge exclude each other and make up the adjacency."""
    names = listing.claims.names
    for a, b in zip(*np.triu_indices(len(names), 1), strict=True):
        there, back, either = (float(x) for x in (directed[a, b], directed[b, a], adjacent[a, b]))
        check.expect(
            min(there, back) >= -SAME
            and either <= 1 + SAME
            and abs(there + back - either) <= SAME
            and either == float(adjacent[b, a]),
            f"{names[a]} -> {names[b]} has probability {there!r}, the reverse {back!r}, "
            f"and either of them {either!r}",
        )


def compare(
    check: Check,
    listing: Listing,
    verb: str,
    stated: NDArray[np.float64],
    expected: NDArray[np.float64],
) -> None:
    """See that two matrices of probabilities are the same."""
    names = listing.claims.names
    for a, source in enumerate(names):
        for b, target in enumerate(names):
            check.expect(
                abs(stated[a, b] - expected[a, b]) <= SAME,
                f"{source} -> {target} is said to {verb} probability {float(stated[a, b])!r}, "
                f"but it is {float(expected[a, b])!r}",
            )


def class_weights(listing: Listing) -> list[float]:
    """Recompute the posterior probability of each class.

    Where the networks are not all listed their costs are taken to be equal in a class,
    which is so under the score-equivalent scores that classes are searched for.
    """
    masses = []
    for listed in listing.classes:
        members = listing.costs_by_class.get(listed.class_key, [])
        if listing.all_networks and members:
            mass = math.fsum(math.exp(listing.best_cost - cost) for cost in members)
        else:
            mass = math.exp(listing.best_cost - listed.cost) * listed.size
        masses.append(mass / listed.size if listing.claims.prior == "classes" else mass)
    total = math.fsum(masses)
    return [mass / total for mass in masses]


def edges_of_networks(listing: Listing) -> NDArray[np.float64]:
    """Recompute the probability of each directed edge from all networks."""
    total = np.zeros((len(listing.claims.names),) * 2)
    mass = 0.0
    for listed in listing.networks:
        weight = math.exp(listing.best_cost - listed.cost)
        if listing.claims.prior == "classes":
            weight /= len(listing.costs_by_class[listed.class_key])
        mass += weight
        for child, parents in enumerate(listed.network):
            for parent in parents:
                total[parent, child] += weight
    return total / mass


def compelled_edges_of_classes(listing: Listing) -> NDArray[np.float64]:
    """Recompute how probable it is that an edge is there and compelled, from all classes."""
    total = np.zeros((len(listing.claims.names),) * 2)
    for listed, weight in zip(listing.classes, class_weights(listing), strict=True):
        for edge in compelled_edges_by_rules(listed.network):
            total[edge] += weight
    return total
