"""pgmpy: the scores of all directed acyclic graphs over a few variables."""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib.metadata import version
from typing import Any


def main(task: dict[str, Any]) -> dict[str, Any]:
    """Score every graph; return the scores, the best first."""
    # It warns of its own future, which is not what is compared.
    warnings.simplefilter("ignore")
    import pandas as pd
    from pgmpy.estimators import BIC, BDeu, ExhaustiveSearch

    data = pd.read_csv(task["data"], dtype="category")
    if task["score"] == "bic":
        scoring = BIC(data)
    else:
        scoring = BDeu(data, equivalent_sample_size=task["ess"])
    began = time.process_time()
    scored = ExhaustiveSearch(data, scoring_method=scoring).all_scores()
    seconds = time.process_time() - began
    scores = sorted((float(score) for score, _ in scored), reverse=True)
    return {"version": version("pgmpy"), "seconds": seconds, "scores": scores}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
