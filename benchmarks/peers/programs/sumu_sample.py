"""sumu: edge probabilities from networks sampled by Gadget (partition MCMC)."""

from __future__ import annotations

import itertools
import json
import sys
import time
import warnings
from importlib.metadata import version
from typing import Any


def main(task: dict[str, Any]) -> dict[str, Any]:
    """Sample; return how often each edge is there, [parent][child], and few variables' scores."""
    import numpy as np
    import sumu

    # It takes logarithms of zero on purpose.
    warnings.simplefilter("ignore", RuntimeWarning)
    rows = np.loadtxt(task["data"], delimiter=",", skiprows=1, dtype=np.int32)
    n = rows.shape[1]
    # It draws from NumPy's global generator.
    np.random.seed(task["seed"])  # noqa: NPY002
    began = time.process_time()
    networks, _ = sumu.Gadget(
        data=sumu.Data(rows),
        scoref="bdeu",
        ess=task["ess"],
        max_id=-1,
        K=task["candidates"],
        d=task["others"],
        cp_algo="top",
        mc3_chains=task["chains"],
        burn_in=task["burn_in"],
        iterations=task["iterations"],
        thinning=task["thinning"],
        tolerance=2**-32,
    ).sample()
    edges = np.zeros((n, n))
    for network in networks:
        for child, *parents in network:
            # A family is (child,) without parents, and (child, (parents...)) with them.
            for parent in parents[0] if parents else ():
                edges[parent, child] += 1
    seconds = time.process_time() - began
    local_scores = []
    if n <= task["few"]:
        scores = sumu.gadget.LocalScore(
            sumu.Data(rows), scoref="bdeu", maxid=-1, ess=task["ess"], stats={}
        )
        for child in range(n):
            others = [v for v in range(n) if v != child]
            for size in range(n):
                for parents in itertools.combinations(others, size):
                    score = scores.local(child, np.array(parents, dtype=np.int32))
                    local_scores.append([child, parents, float(score)])
    return {
        "local_scores": local_scores,
        "version": version("sumu"),
        "seconds": seconds,
        "networks": len(networks),
        "edges": (edges / len(networks)).tolist(),
    }


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
