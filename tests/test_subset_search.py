"""The search over subsets against the program over all of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from crediblenet import _core
from crediblenet.exceptions import LimitError
from crediblenet.network_set import grid_costs
from crediblenet.score_table import ScoreTable
from instances import random_table
from listed import on_grid

UNLIMITED = 1 << 62


def problem_of(table: ScoreTable) -> _core.Problem:
    """Return the search problem of a table."""
    return _core.Problem.make(table.offsets, table.parents, grid_costs(table))


def random_clusters(
    rng: np.random.Generator, n: int, words: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.int64]]:
    """Return any inequalities with any multipliers, good or bad."""
    count = int(rng.integers(0, 6))
    members = np.zeros((count, words), np.uint64)
    for cluster in members:
        for v in rng.choice(n, size=int(rng.integers(2, n + 1)), replace=False):
            cluster[v // 64] |= np.uint64(1) << np.uint64(v % 64)
    k = rng.integers(1, 4, size=count).astype(np.uint32)
    return members, k, rng.integers(0, 1 << 42, size=count)


@pytest.mark.parametrize("first_seed", range(0, 1000, 100))
def test_optimum_and_rows_are_those_of_the_program(first_seed: int) -> None:
    """Whatever the multipliers, the optimum and the usable rows are exact."""
    found = 0
    for seed in range(first_seed, first_seed + 100):
        instance = random_table(seed, variables=(3, 8))
        table = on_grid(instance.table)
        problem, n = problem_of(table), table.n_variables
        block = np.arange(n, dtype=np.uint32)
        slack = int(min(instance.epsilon, 50.0) * 2.0**table.grid_bits)
        optimum, rows = problem.subset_program(block, slack, _core.Control())
        rng = np.random.default_rng(seed)
        clusters = random_clusters(rng, n, table.parents.shape[1])
        limit = int(1e15) if optimum is None else optimum + int(rng.integers(0, 1 << 40))
        finished, work, best, used = problem.subset_search(
            block, *clusters, limit, slack, UNLIMITED, _core.Control()
        )
        assert finished
        assert best == optimum, instance
        if optimum is not None:
            assert work > 0
            assert used.tolist() == rows.tolist(), instance
            found += 1
    assert found > 50


def test_a_limit_below_the_optimum() -> None:
    """Rows are then those of networks within the slack of the limit."""
    compared = 0
    for seed in range(200):
        instance = random_table(seed, variables=(3, 6))
        table = on_grid(instance.table)
        problem, n = problem_of(table), table.n_variables
        block = np.arange(n, dtype=np.uint32)
        none = random_clusters(np.random.default_rng(0), n, table.parents.shape[1])
        none = none[0][:0], none[1][:0], none[2][:0]
        below, slack = 3 << 36, 10 << 36
        optimum, rows = problem.subset_program(block, slack - below, _core.Control())
        if optimum is None:
            continue
        _, _, best, used = problem.subset_search(
            block, *none, optimum - below, slack, UNLIMITED, _core.Control()
        )
        assert best == optimum
        assert used.tolist() == rows.tolist()
        _, _, best, used = problem.subset_search(
            block, *none, optimum - below, below - 1, UNLIMITED, _core.Control()
        )
        assert best is None
        assert len(used) == 0
        compared += 1
    assert compared > 100


def test_work_is_limited() -> None:
    """A search that would take more work than allowed says so."""
    table = on_grid(random_table(3, variables=(8, 8)).table)
    block = np.arange(8, dtype=np.uint32)
    none = (np.zeros((0, 1), np.uint64), np.zeros(0, np.uint32), np.zeros(0, np.int64))
    finished, work, best, _ = problem_of(table).subset_search(
        block, *none, 1 << 55, 1 << 50, 5, _core.Control()
    )
    assert not finished
    assert work > 5
    assert best is None


def test_a_stopped_run_ends() -> None:
    """Time that is up ends the search with the reason."""
    table = on_grid(random_table(3, variables=(8, 8)).table)
    none = (np.zeros((0, 1), np.uint64), np.zeros(0, np.uint32), np.zeros(0, np.int64))
    with pytest.raises(LimitError, match="subset search was stopped"):
        problem_of(table).subset_search(
            np.arange(8, dtype=np.uint32),
            *none,
            1 << 55,
            1 << 50,
            UNLIMITED,
            _core.Control(time_limit=0.0),
        )
