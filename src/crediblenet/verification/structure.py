"""Checks of networks and classes: cycles, costs, sizes, numbers."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise

from ..reference import count_class_members, is_acyclic
from .listing import Listed, Listing
from .report import Check

__all__ = [
    "check_acyclic",
    "check_cost",
    "check_counts",
    "check_distinct",
    "check_facts",
    "check_optimum",
    "check_order",
    "check_size",
    "check_within",
]

# A network is credible when its cost is within epsilon of the optimum and this much more.
TOLERANCE = 1e-6

# The exponential of more is no number.
LARGEST_EXPONENT = 709

# How far the same cost may differ when it is computed in two ways.
SAME_COST = 1e-6


def check_acyclic(listing: Listing) -> Check:
    """See that no variable is its own ancestor."""
    check = Check("acyclic", "no network has a cycle")
    for listed in listing.everything:
        check.expect(is_acyclic(listed.network), f"{listed.where} has a cycle")
    return check


def check_cost(listing: Listing) -> Check:
    """See that the data give the cost that is stated."""
    check = Check("cost", "every stated cost is what the data give")
    for listed in listing.everything:
        check.expect(
            abs(listed.cost - listed.stated_cost) <= SAME_COST,
            f"{listed.where} is said to cost {listed.stated_cost!r}, but costs {listed.cost!r}",
        )
    return check


def check_optimum(listing: Listing) -> Check:
    """See that the optimal cost is that of the best network listed."""
    check = Check("optimum", "the optimal cost is the least of all")
    stated = listing.claims.optimal_cost
    check.expect(
        abs(stated - listing.best_cost) <= SAME_COST,
        f"the optimal cost is said to be {stated!r}, but the least is {listing.best_cost!r}",
    )
    return check


def check_facts(listing: Listing) -> Check:
    """See that what is said about the data and the question is so."""
    check = Check("facts", "the number of rows and the Bayes factor are as stated")
    claims, rows = listing.claims, listing.n_rows
    if claims.n_rows is not None:
        check.expect(
            claims.n_rows == rows, f"{claims.n_rows:,} rows are stated, but the data have {rows:,}"
        )
    expected = math.exp(claims.epsilon) if claims.epsilon < LARGEST_EXPONENT else math.inf
    check.expect(
        math.isclose(claims.bayes_factor, expected, rel_tol=TOLERANCE),
        f"the Bayes factor is said to be {claims.bayes_factor!r}, but epsilon is "
        f"{claims.epsilon!r}",
    )
    return check


def check_within(listing: Listing) -> Check:
    """See that everything listed is credible."""
    check = Check("within", "every cost is within epsilon of the least")
    epsilon = listing.claims.epsilon
    for listed in listing.everything:
        excess = listed.cost - listing.best_cost
        check.expect(
            excess <= epsilon + TOLERANCE + SAME_COST,
            f"{listed.where} costs {excess!r} more than the best, and epsilon is {epsilon!r}",
        )
    return check


def check_order(listing: Listing) -> Check:
    """See that the best come first."""
    check = Check("order", "networks and classes come by increasing cost")
    listings: list[Sequence[Listed]] = [listing.networks, listing.classes]
    for sequence in listings:
        for before, after in pairwise(sequence):
            check.expect(
                before.cost <= after.cost + SAME_COST,
                f"{after.where} costs less than {before.where}",
            )
    return check


def check_distinct(listing: Listing) -> Check:
    """See that nothing is there twice."""
    check = Check("distinct", "no network is there twice, no two classes are equivalent")
    keys: list[Iterable[tuple[Listed, Hashable]]] = [
        ((listed, listed.network) for listed in listing.networks),
        ((listed, listed.class_key) for listed in listing.classes),
    ]
    for listed_with_key in keys:
        first: dict[Hashable, str] = {}
        for listed, key in listed_with_key:
            earlier = first.setdefault(key, listed.where)
            check.expect(earlier == listed.where, f"{listed.where} is the same as {earlier}")
    return check


def check_size(listing: Listing) -> Check:
    """See that classes have as many networks as they say.

    Under a score-equivalent score a class is in or out of a complete set as a whole, so that
    its size follows from one network. Otherwise it takes the list of networks.
    """
    check = Check("size", "every class has as many networks as it says")
    if listing.claims.whole_classes:
        for listed in listing.classes:
            expected = count_class_members(listed.network) if is_acyclic(listed.network) else 0
            check.expect(
                listed.size == expected,
                f"{listed.where} is said to have {listed.size:,} networks, but has {expected:,}",
            )
    if listing.all_networks:
        for listed in listing.classes:
            found = len(listing.costs_by_class.get(listed.class_key, []))
            check.expect(
                listed.size == found,
                f"{listed.where} is said to have {listed.size:,} networks, but lists {found:,}",
            )
    elif not listing.claims.whole_classes:
        check.left_out = "sizes need all networks, and these are too many"
    return check


def check_counts(listing: Listing) -> Check:
    """See that the numbers stated are the numbers listed."""
    check = Check("counts", "the numbers of networks and classes add up")
    n_networks = listing.claims.n_networks
    if listing.all_networks:
        check.expect(
            n_networks == len(listing.networks),
            f"{n_networks:,} networks are stated, but {len(listing.networks):,} are listed",
        )
    if listing.all_listed_classes:
        stated = listing.claims.n_listed_classes
        check.expect(
            stated == len(listing.classes),
            f"{stated:,} classes are stated, but {len(listing.classes):,} are listed",
        )
    if listing.all_classes:
        total = sum(listed.size for listed in listing.classes)
        check.expect(
            n_networks == total,
            f"{n_networks:,} networks are stated, but the classes have {total:,}",
        )
    elif None not in (listing.claims.n_classes, listing.claims.n_classes_of_networks):
        counted = listing.claims.n_classes_of_networks
        check.expect(
            listing.claims.n_classes == counted,
            f"{listing.claims.n_classes:,} classes are stated, but the networks have {counted:,}",
        )
    if check.checked == 0:
        check.left_out = "there are too many networks and classes to count them"
    return check
