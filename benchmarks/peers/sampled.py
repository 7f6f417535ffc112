"""sumu's sampled edge probabilities beside exact ones, under the same prior."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import crediblenet as cn
from crediblenet.reference.features import posterior_weights
from crediblenet.reference.networks import MOST_VARIABLES, Parents, networks_within

from ..paper.published import data_path
from ..sampling import discrete_sample
from .process import Interpreters, write_data

__all__ = ["compare", "with_fair_prior"]

ESS = 1.0
SEEDS = (1, 2)
CHAINS, BURN_IN, ITERATIONS, THINNING = 8, 5_000, 20_000, 10
#: Beyond a Bayes factor of 20, which is credible, out to where hardly anything is left.
BAYES_FACTORS = (20, 10_000)
PATIENCE = 900.0

Row = dict[str, object]


def with_fair_prior(table: cn.ScoreTable) -> cn.ScoreTable:
    """Return a table with the prior of sumu added to the costs.

    It gives every *number* of parents the same probability and shares that equally among
    the sets of this size, so a set of k parents costs ln C(n - 1, k) more.
    """
    n = table.n_variables
    by_size = np.array([math.log(math.comb(n - 1, k)) for k in range(n)])
    sizes = np.array([len(table.parent_set(row)) for row in range(len(table))])
    costs = table.costs + by_size[sizes]
    on_grid = np.ldexp(np.rint(np.ldexp(costs, table.grid_bits)), -table.grid_bits)
    child = np.repeat(np.arange(n), np.diff(table.offsets))
    order = np.lexsort((on_grid, child))  # the cheapest first for each variable
    return dataclasses.replace(
        table,
        parents=np.ascontiguousarray(table.parents[order]),
        costs=on_grid[order],
        score_equivalent=False,
    )


def data_sets() -> Iterator[tuple[str, cn.Dataset]]:
    """Yield data by name; the first has so few variables that all networks can be listed."""
    yield "random, 60 rows", cn.as_dataset(discrete_sample(5, 60, seed=3))
    yield "asia", cn.example("asia").data
    for file in ("tic-tac-toe", "wine"):
        yield file, cn.as_dataset(data_path(file), header=False)


def compare(interpreters: Interpreters, folder: Path) -> Iterator[Row]:
    """Yield a row per data set, seed and Bayes factor; see `exhaustive.compare`."""
    for name, data in data_sets():
        path = folder / "data.csv"
        write_data(path, np.repeat(data.codes.T, data.weights, axis=0).astype(np.int64))
        task = {
            "data": str(path),
            "ess": ESS,
            # All of them: no network is left out.
            "candidates": data.n_variables - 1,
            "others": data.n_variables - 1,
            "chains": CHAINS,
            "burn_in": BURN_IN,
            "iterations": ITERATIONS,
            "thinning": THINNING,
            "few": MOST_VARIABLES,
        }
        runs = [
            interpreters.run("sumu_sample", "sumu", task | {"seed": seed}, PATIENCE)
            for seed in SEEDS
        ]
        between = np.abs(np.subtract(*(np.array(run["edges"]) for run in runs))).max()
        for level in BAYES_FACTORS:
            edges, networks, seconds = exact_edges(data, level)
            weighed = weigh_all(runs[0]["local_scores"], data.n_variables)
            for seed, run in zip(SEEDS, runs, strict=True):
                difference = np.abs(np.array(run["edges"]) - edges)
                yield {
                    "data": name,
                    "variables": data.n_variables,
                    "rows": data.n_rows,
                    "seed": seed,
                    "bayes_factor": level,
                    "peer": f"sumu {run['version']}",
                    "command": "Gadget: " + ", ".join(f"{k}={task[k]}" for k in SETTINGS),
                    "its_networks": run["networks"],
                    "our_networks": networks,
                    "largest_difference": f"{difference.max():.4f}",
                    "mean_difference": f"{difference.sum() / (difference.size - len(edges)):.5f}",
                    "difference_between_seeds": f"{between:.4f}",
                    "difference_of_all_weighed": (
                        "" if weighed is None else f"{np.abs(weighed - edges).max():.5f}"
                    ),
                    "its_seconds": f"{run['seconds']:.2f}",
                    "our_seconds": f"{seconds:.3f}",
                }


SETTINGS = ("candidates", "others", "chains", "burn_in", "iterations", "thinning", "ess")


def weigh_all(
    local_scores: list[tuple[int, list[int], float]], n: int
) -> NDArray[np.float64] | None:
    """Return the edge probabilities of all networks by the peer's own scores, none without them."""
    if not local_scores:
        return None
    costs: list[dict[Parents, float]] = [{} for _ in range(n)]
    for child, parents, score in local_scores:
        costs[child][frozenset(parents)] = -score
    weights = posterior_weights(networks_within(costs, math.inf))
    edges = np.zeros((n, n))
    for network, weight in weights.items():
        for child, own in enumerate(network):
            edges[list(own), child] += weight
    return edges


def exact_edges(data: cn.Dataset, bayes_factor: float) -> tuple[NDArray[np.float64], int, float]:
    """Return the edge probabilities, the number of networks and the CPU seconds."""
    began = time.process_time()
    # A parent set is left out because a subset is better by epsilon. The prior adds at most
    # this much to the subset, and never makes a cost less, so with this much more epsilon the
    # subset is still better by epsilon after it.
    others = data.n_variables - 1
    spread = math.log(math.comb(others, others // 2))
    table = cn.score(data, score="bdeu", ess=ESS, epsilon=math.log(bayes_factor) + spread)
    result = cn.find(with_fair_prior(table), bayes_factor=bayes_factor)
    edges = result.edge_probabilities().matrix
    return edges, result.n_networks, time.process_time() - began
