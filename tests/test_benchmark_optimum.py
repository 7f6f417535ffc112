"""The methods that confirm the optimum are right themselves, on tables small enough to list."""

from __future__ import annotations

import numpy as np
from benchmarks.optimum import program, subsets
from benchmarks.optimum.runs import render

from crediblenet import reference
from crediblenet.network_set import grid_costs
from instances import random_table
from listed import on_grid


def test_both_methods_find_the_optimum_of_brute_force() -> None:
    """The dynamic program and the integer program, against all networks."""
    rows = 0
    for seed in range(25):
        table = on_grid(random_table(seed, variables=(2, 5)).table)
        every = reference.networks_within(table, 0.0)
        if not every:
            continue
        best = round(np.ldexp(min(every.values()), table.grid_bits))
        costs = grid_costs(table)
        assert subsets.least_cost(table, costs) == best, seed
        found, added = program.least_cost(table, costs, 10.0)
        assert found is not None, seed
        assert abs(found - best) * 2.0**-table.grid_bits <= 1e-6, seed
        rows += added
    assert rows > 10  # cycles did turn up


def test_rows_are_told() -> None:
    """How many were confirmed comes first."""
    row = {"file": "wine", "score": "bic", "confirmed": "yes"}
    assert render([row, row | {"confirmed": "not in time"}]).startswith("1 of 2 optima")
    assert render([]) == "Not run yet."
