"""pyAgrum: a network by greedy hill climbing or by local search with a tabu list."""

from __future__ import annotations

import json
import math
import sys
import time
from importlib.metadata import version
from typing import Any


def main(task: dict[str, Any]) -> dict[str, Any]:
    """Learn a network; return the parents of each variable."""
    import pyagrum

    learner = pyagrum.BNLearner(task["data"])  # type: ignore[no-untyped-call]
    learner.setNumberOfThreads(task["threads"])
    if task["score"] == "bic":
        learner.useNoPrior()
        learner.useScoreBIC()
    else:
        learner.useScoreBDeu()
    if task["algorithm"] == "greedy":
        learner.useGreedyHillClimbing()
    else:
        learner.useLocalSearchWithTabuList(task["tabu_size"], task["decreases"])
    began = time.process_time()
    graph = learner.learnDAG()
    seconds = time.process_time() - began
    names = learner.names()
    parents = [
        sorted(names.index(learner.nameFromId(p)) for p in graph.parents(learner.idFromName(name)))
        for name in names
    ]
    # Its scores are in bits.
    bits = sum(
        learner.score(names[child], [names[p] for p in own]) for child, own in enumerate(parents)
    )
    return {
        "version": version("pyagrum"),
        "seconds": seconds,
        "names": list(names),
        "parents": parents,
        "cost": -bits * math.log(2),
    }


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
