"""Clusters found by annealing: those of many variables, which greedy separation misses."""

from __future__ import annotations

import math
import random

import networkx as nx
import numpy as np
import pytest
from benchmarks.scale.structures import draw
from numpy.typing import NDArray

import crediblenet as cn
from crediblenet import _core
from crediblenet.bounds import Bounder
from crediblenet.bounds.clusters import Clusters
from crediblenet.enumeration.space import SearchSpace
from crediblenet.score_table import ScoreTable
from listed import on_grid

LEAST = 1e-4


def expander(n: int, choices: int, seed: int) -> ScoreTable:
    """Give each variable some single parents, drawn at random, and a dearer choice: none."""
    rng = random.Random(seed)
    costs = []
    for child in range(n):
        others = [v for v in range(n) if v != child]
        costs.append(
            {frozenset[int](): 1.0}
            | {frozenset((parent,)): 0.0 for parent in rng.sample(others, choices)}
        )
    return on_grid(ScoreTable.from_candidates([f"v{v}" for v in range(n)], costs))


def even_shares(table: ScoreTable) -> NDArray[np.float64]:
    """Return the point that is made of all single parents alike: it breaks the whole cluster."""
    has_parents = table.parents.any(axis=1)
    choices = np.add.reduceat(has_parents, table.offsets[:-1], dtype=np.int64)
    return has_parents / np.repeat(choices, np.diff(table.offsets))


def problem_of(table: ScoreTable) -> _core.Problem:
    """Return the search problem with all candidates."""
    return _core.Problem.make(table.offsets, table.parents, np.zeros(len(table.costs), np.int64))


def test_a_cluster_of_nearly_all_variables_is_found() -> None:
    """Smaller ones are not violated, by whichever variable it is approached."""
    for seed in range(3):
        table = expander(100, 6, seed)
        problem, x = problem_of(table), even_shares(table)
        assert len(Clusters.violated(problem, x, LEAST, 50, _core.Control())) == 0
        found = Clusters.annealed(problem, x, 10, seed, LEAST, 50, _core.Control())
        arcs = (
            (parent, int(child))
            for row, child in enumerate(np.repeat(np.arange(100), np.diff(table.offsets)))
            for parent in table.parent_set(row)
        )
        largest = max(nx.strongly_connected_components(nx.DiGraph(arcs)), key=len)
        assert largest in members(found)
        # What is found is violated: shares of candidates with no parent inside come to less.
        rows = np.arange(len(x), dtype=np.uint32)
        assert (found.coefficients(problem, rows).T @ x < 1 - LEAST).all()


def members(clusters: Clusters) -> list[set[int]]:
    """Return the variables of each cluster."""
    bits = np.unpackbits(clusters.members.view(np.uint8), axis=1, bitorder="little")
    return [set(np.flatnonzero(row).tolist()) for row in bits]


def test_the_seed_decides() -> None:
    """The same one finds the same clusters, others may find others."""
    table = expander(40, 2, 1)
    problem, even = problem_of(table), even_shares(table)
    x = even * np.random.default_rng(1).random(len(even))
    x /= np.repeat(np.add.reduceat(x, table.offsets[:-1]), np.diff(table.offsets))
    found = set()
    for seed in range(6):
        first, again = (
            Clusters.annealed(problem, x, 2, seed, LEAST, 50, _core.Control()).signatures()
            for _ in range(2)
        )
        assert first == again
        found.add(tuple(first))
    assert len(found) > 1


def test_they_close_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where greedy separation leaves a gap on data of a large network."""
    data = draw("chest clinics", 80, 1_000, seed=1)
    table = cn.score(data, score="bdeu", bayes_factor=3, max_parents=2, many_values="keep")
    gaps = []
    for walks in (0, 60):
        monkeypatch.setattr("crediblenet.bounds.bounder.WALKS_IN_WHOLE", walks)
        space = SearchSpace.within(table, math.log(3))
        bounder = Bounder(table, space.costs, space.slack, _core.Control())
        weak = bounder.relax(bounder.whole())
        assert weak is not None
        strong = bounder.strengthen(weak)
        assert strong is not None
        gaps.append(bounder.gap(strong))
    assert gaps[0] > 0.2
    assert gaps[1] < 0.75 * gaps[0]


def test_a_stopped_search_finds_none() -> None:
    """It is stopped between walks."""
    table = expander(100, 6, 1)
    control = _core.Control()
    control.interrupt()
    found = Clusters.annealed(problem_of(table), even_shares(table), 10, 1, LEAST, 50, control)
    assert len(found) == 0
