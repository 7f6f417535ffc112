"""Credible sets made by exhaustive search, with what brute force says of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import TypeAlias

import numpy as np

from crediblenet import reference
from crediblenet.class_set import ListedClasses
from crediblenet.credible_set import CredibleSet
from crediblenet.network_set import ListedSet
from crediblenet.reference.networks import subsets
from crediblenet.representatives import StoredClasses
from crediblenet.score_table import ScoreTable
from instances import random_data, random_table

# Coarse enough for a network that costs some millions to be exact in a double.
GRID_BITS = 28


def on_grid(table: ScoreTable) -> ScoreTable:
    """Round the costs to the grid, as scoring does, so that costs compare exactly."""
    costs = np.ldexp(np.rint(np.ldexp(table.costs, GRID_BITS)), -GRID_BITS)
    return replace(table, costs=costs, grid_bits=GRID_BITS)


def listed_set(
    table: ScoreTable, epsilon: float
) -> tuple[ListedSet, dict[reference.Network, float]]:
    """Return every network within epsilon, as a set and as the reference lists them."""
    networks = reference.networks_within_by_sinks(table, epsilon)
    row_of = [
        {
            frozenset(table.parent_set(row)): row
            for row in range(int(table.offsets[v]), int(table.offsets[v + 1]))
        }
        for v in range(table.n_variables)
    ]
    rows = [[row_of[v][parents] for v, parents in enumerate(g)] for g in networks]
    return ListedSet(table, rows), networks


def class_search(listed: ListedSet, table: ScoreTable) -> StoredClasses:
    """Return a stand-in for the class-level search: the first network of each class."""
    plain = [tuple(frozenset(table.parent_set(r)) for r in rows) for rows in listed.rows.tolist()]
    first: dict[object, int] = {}
    for number, network in enumerate(plain):
        first.setdefault(reference.markov_class(network), number)
    chosen = np.array(sorted(first.values()))
    unit = float(np.ldexp(1.0, -table.grid_bits))
    return StoredClasses(ListedClasses(listed.costs[chosen], listed.rows[chosen], unit))


Instance: TypeAlias = tuple[str, CredibleSet, dict[reference.Network, float]]


def random_results(seeds: range) -> Iterator[Instance]:
    """Yield (instance, result, reference networks) of random tables and random data."""
    for seed in seeds:
        yield from _results(seed)


@cache
def _results(seed: int) -> tuple[Instance, ...]:
    found: list[Instance] = []
    instance = random_table(seed, variables=(2, 4))
    table = on_grid(instance.table)
    if reference.networks_within_by_sinks(table, 0.0):
        listed, networks = listed_set(table, instance.epsilon)
        found.append((repr(instance), CredibleSet(table, listed, instance.epsilon), networks))
    data = random_data(seed, variables=(2, 4))
    epsilon = [0.0, math.log(3), math.log(20), math.log(150)][seed % 4]
    table = bic_table(data.rows)
    listed, networks = listed_set(table, epsilon)
    # Every other one comes with a class-level search, which is used where it is there.
    search = class_search(listed, table) if seed % 2 else None
    result = CredibleSet(table, listed, epsilon, representatives=search)
    return (*found, (repr(data), result, networks))


def bic_table(rows: tuple[tuple[int, ...], ...]) -> ScoreTable:
    """Return every parent set with its BIC, rounded so that equivalent networks tie."""
    costs = reference.local_costs(rows, "bic")
    n = len(costs)
    # cost_i(P) = g(P + i) - g(P): recover g by adding up along one order, round it, and
    # take differences again, as decision 0002 says. Constant columns have no part in it.
    varying = [v for v in range(n) if len({row[v] for row in rows}) > 1]
    g: dict[frozenset[int], float] = {}
    for subset in subsets(varying):
        members = sorted(subset)
        total = math.fsum(costs[v][frozenset(members[:k])] for k, v in enumerate(members))
        g[subset] = math.ldexp(round(math.ldexp(total, GRID_BITS)), -GRID_BITS)
    exact = [
        {parents: g[parents | {v}] - g[parents] for parents in costs[v]}
        if v in varying
        else costs[v]
        for v in range(n)
    ]
    names = [f"V{v}" for v in range(n)]
    return ScoreTable.from_candidates(
        names, exact, score="bic", score_equivalent=True, grid_bits=GRID_BITS
    )
