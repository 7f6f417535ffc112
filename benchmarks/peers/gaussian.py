"""causal-learn's exact search on numbers: the same optimum, by the Gaussian BIC."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path

import crediblenet as cn

from ..sampling import gaussian_sample
from .process import Interpreters, write_data

__all__ = ["as_our_cost", "compare"]

SIZES = (5, 8, 10, 12)
ROWS = 500
PATIENCE = 600.0

Row = dict[str, object]


def as_our_cost(score: float, n: int, rows: int) -> float:
    """Return causal-learn's score in our unit.

    It is N ln(RSS/N) + p ln N for a variable with p parents, without an intercept. Ours is
    half of that, and N/2 (ln 2π + 1) for the normal density, and ln(N)/2 for each of the
    intercept and the variance: the same for every network. With columns of mean zero the
    intercept changes no residual.
    """
    constant = rows / 2 * (math.log(2 * math.pi) + 1) + math.log(rows)
    return score / 2 + n * constant


def compare(interpreters: Interpreters, folder: Path) -> Iterator[Row]:
    """Yield a row per number of variables; see `exhaustive.compare`."""
    for n in SIZES:
        path = folder / "data.csv"
        write_data(path, gaussian_sample(n, ROWS, seed=1))
        task = {"data": str(path)}
        theirs = interpreters.run("causal_learn_exact", "causallearn", task, PATIENCE)
        began = time.process_time()
        optimum = cn.find(path, score="bic-g", epsilon=0.0)
        seconds = time.process_time() - began
        began = time.process_time()
        credible = cn.find(path, score="bic-g", bayes_factor=20)
        yield {
            "variables": n,
            "rows": ROWS,
            "peer": f"causal-learn {theirs['version']}",
            "command": 'bic_exact_search(rows, search_method="astar")',
            "its_optimum": f"{as_our_cost(theirs['score'], n, ROWS):.6f}",
            "our_optimum": f"{optimum.optimal_cost:.6f}",
            "its_seconds": f"{theirs['seconds']:.3f}",
            "our_seconds": f"{seconds:.3f}",
            "our_seconds_bf20": f"{time.process_time() - began:.3f}",
            "our_networks_bf20": credible.n_networks,
        }
