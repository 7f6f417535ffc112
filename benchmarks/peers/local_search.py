"""pyAgrum's greedy and tabu search: how far from the optimum they stop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import crediblenet as cn
from crediblenet.verification.recomputation import RecomputedCosts

from ..paper.jobs import Job
from ..paper.published import data_path
from ..paper.results import Results
from .process import Interpreters, PeerFailedError, write_data

__all__ = ["compare", "proved_optima"]

#: Its own defaults for the tabu list: how many changes, and how many that make it worse.
TABU_SIZE, DECREASES = 100, 2
THREADS = 1
PATIENCE = 120.0

Row = dict[str, object]


def proved_optima(results: Path) -> Iterator[tuple[str, str, float]]:
    """Yield data set, score and optimal cost where one of the tables has proved it."""
    tables = {"bic": "table1", "bdeu": "table2"}
    for score, table in tables.items():
        rows = Results(results / f"{table}.csv")
        for file in dict.fromkeys(row["file"] for row in rows):
            for bayes_factor in (3, 20):
                row = rows.get(Job(file, score, "bayes_factor", bayes_factor))
                if row is not None and row["complete"] == "yes":
                    yield file, score, float(row["optimal_cost"])
                    break


def compare(interpreters: Interpreters, folder: Path, results: Path) -> Iterator[Row]:
    """Yield a row per data set, score and algorithm.

    Parameters
    ----------
    interpreters
        Where to look for the peer.
    folder
        For the data that it reads.
    results
        Where the measured tables are, with the optima.
    """
    for file, score, optimum in proved_optima(results):
        data = cn.as_dataset(data_path(file), header=False)
        path = folder / "data.csv"
        write_data(path, np.repeat(data.codes.T, data.weights, axis=0).astype(np.int64))
        costs = RecomputedCosts(data, data.names, score, 1.0)
        for algorithm in ("greedy", "tabu"):
            task = {
                "data": str(path),
                "score": score,
                "algorithm": algorithm,
                "tabu_size": TABU_SIZE,
                "decreases": DECREASES,
                "threads": THREADS,
            }
            row: Row = {"data": file, "score": score, "algorithm": algorithm}
            try:
                theirs = interpreters.run("pyagrum_local", "pyagrum", task, PATIENCE)
            except PeerFailedError as error:
                yield row | failure(error)
                continue
            assert theirs["names"] == [f"V{v}" for v in range(data.n_variables)]
            cost = costs.network([frozenset(parents) for parents in theirs["parents"]])
            yield row | {
                "peer": f"pyAgrum {theirs['version']}",
                "command": command(score, algorithm),
                "optimum": f"{optimum:.6f}",
                "its_cost": f"{cost:.6f}",
                "its_cost_by_itself": f"{theirs['cost']:.6f}",
                "its_seconds": f"{theirs['seconds']:.3f}",
                "failed": "",
            }


def failure(error: PeerFailedError) -> Row:
    """Return the columns of a run without a result."""
    return {
        "peer": "pyAgrum",
        "command": "",
        "optimum": "",
        "its_cost": "",
        "its_cost_by_itself": "",
        "its_seconds": "",
        "failed": str(error),
    }


def command(score: str, algorithm: str) -> str:
    """Return what is asked of the peer."""
    by = "useNoPrior, useScoreBIC" if score == "bic" else "useScoreBDeu"
    how = (
        "useGreedyHillClimbing"
        if algorithm == "greedy"
        else f"useLocalSearchWithTabuList({TABU_SIZE}, {DECREASES})"
    )
    return f"BNLearner: {by}, {how}, learnDAG"
