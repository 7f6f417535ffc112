"""pgmpy's exhaustive search: the whole credible set of five variables, found by both."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import crediblenet as cn

from ..sampling import discrete_sample
from .process import Interpreters, write_data

__all__ = ["compare"]

N_VARIABLES = 5
BAYES_FACTOR = 20
ESS = 1.0
#: What the peer is given, as it is written in its language.
SCORES = {"bic": "BIC(data)", "bdeu": f"BDeu(data, equivalent_sample_size={ESS:g})"}
#: Seconds after which the peer is given up.
PATIENCE = 600.0

Row = dict[str, object]


def data_sets() -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Yield data of five variables by name: two published networks and a random one."""
    for name in ("cancer", "earthquake"):
        data = cn.example(name).data
        yield name, np.repeat(data.codes.T, data.weights, axis=0).astype(np.int64)
    yield "random, 500 rows", discrete_sample(N_VARIABLES, 500, seed=1).astype(np.int64)


def compare(interpreters: Interpreters, folder: Path) -> Iterator[Row]:
    """Yield a row per data set and score.

    Parameters
    ----------
    interpreters
        Where to look for the peer.
    folder
        For the data that it reads.
    """
    for name, codes in data_sets():
        path = folder / "data.csv"
        write_data(path, codes)
        for score in ("bic", "bdeu"):
            task = {"data": str(path), "score": score, "ess": ESS}
            theirs = interpreters.run("pgmpy_exhaustive", "pgmpy", task, PATIENCE)
            began = time.process_time()
            ours = cn.find(path, score=score, ess=ESS, bayes_factor=BAYES_FACTOR)
            seconds = time.process_time() - began
            within = theirs["scores"][0] - math.log(BAYES_FACTOR) - 1e-6
            yield {
                "data": name,
                "score": score,
                "peer": f"pgmpy {theirs['version']}",
                "command": f"ExhaustiveSearch(data, scoring_method={SCORES[score]}).all_scores()",
                "graphs_scored": len(theirs["scores"]),
                "its_optimum": f"{-theirs['scores'][0]:.6f}",
                "our_optimum": f"{ours.optimal_cost:.6f}",
                "its_networks": sum(value >= within for value in theirs["scores"]),
                "our_networks": ours.n_networks,
                "its_seconds": f"{theirs['seconds']:.3f}",
                "our_seconds": f"{seconds:.3f}",
            }
