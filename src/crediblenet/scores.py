"""Candidate parent sets: every one that a credible network may use, with its cost."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _core
from .constraints import Arc, Constraints, Tiers
from .data import Dataset, as_dataset
from .exceptions import ParameterError
from .machine import memory_limit_bytes, thread_count
from .progress import ProgressCallback, run_watched
from .score_table import ScoreTable

__all__ = ["DISCRETE_SCORES", "RULES", "TOLERANCE", "resolve_epsilon", "score"]

#: Scores of discrete data, and whether Markov equivalent networks always score the same.
DISCRETE_SCORES = {
    "bic": True,
    "aic": True,
    "bdeu": True,
    "qnml": True,
    "bds": False,
    "k2": False,
    "fnml": False,
}

#: The pruning rules; see docs/algorithm.md.
RULES = ("R1", "R2", "R3", "C4", "R5", "R6")

#: Costs that differ by less than this count as equal: a network is credible when its cost
#: is at most the optimum + epsilon + TOLERANCE.
TOLERANCE = 1e-6

#: The customary levels are 3, 20 and 150.
DEFAULT_BAYES_FACTOR = 20.0


def resolve_epsilon(bayes_factor: float | None, epsilon: float | None) -> float:
    """Return how far from the optimum is credible, in nats; Bayes factor 20 by default.

    >>> resolve_epsilon(None, 0.5), resolve_epsilon(1, None)
    (0.5, 0.0)
    """
    if bayes_factor is not None and epsilon is not None:
        raise ParameterError("give bayes_factor or epsilon, not both")
    if epsilon is not None:
        if not epsilon >= 0:
            raise ParameterError(f"epsilon must be 0 or more, not {epsilon}")
        return float(epsilon)
    factor = DEFAULT_BAYES_FACTOR if bayes_factor is None else bayes_factor
    if not factor >= 1:
        raise ParameterError(f"bayes_factor must be 1 or more, not {factor}")
    return math.log(factor)


def check_rules(rules: Iterable[str] | None) -> list[str]:
    """Return the rules to use, all of them by default."""
    if rules is None:
        return list(RULES)
    chosen = [rules] if isinstance(rules, str) else list(rules)
    for rule in chosen:
        if rule not in RULES:
            raise ParameterError(f"there is no rule {rule!r}; they are {', '.join(RULES)}")
    return chosen


def score(
    data: Any,
    *,
    score: str = "bic",
    ess: float = 1.0,
    bayes_factor: float | None = None,
    epsilon: float | None = None,
    max_parents: int | None = None,
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
    tiers: Tiers | None = None,
    rules: Iterable[str] | None = None,
    threads: int | None = None,
    memory_limit: float | None = None,
    time_limit: float | None = None,
    progress: ProgressCallback | None = None,
    **data_options: Any,
) -> ScoreTable:
    """Score parent sets, keeping each that some credible network may use.

    Parameters
    ----------
    data
        A file, a pandas, polars or pyarrow table, a numpy array or a `Dataset`: see
        `crediblenet.data.as_dataset`, which also takes the further options.
    score
        ``"bic"``, ``"aic"``, ``"bdeu"`` or ``"qnml"``, which are the same for Markov
        equivalent networks, or ``"bds"``, ``"k2"`` or ``"fnml"``, which are not.
    ess
        The equivalent sample size of BDeu and BDs.
    bayes_factor, epsilon
        How much worse than the optimum a credible network may be: as a Bayes factor
        (default 20) or in nats (its logarithm). ``epsilon=inf`` keeps every parent set.
    max_parents
        The most parents that a variable may have.
    require, forbid
        Arcs that every, or no, network has: ``"rain->wet"`` or ``("rain", "wet")``.
    tiers
        Groups of variables in time: no arc leads from a later group to an earlier one.
    rules
        The pruning rules to use: some of R1, R2, R3, C4, R5, R6. All by default; fewer
        are slower, and without R1 more sets remain than any credible network uses.
    threads
        How many threads to use; all processors by default.
    memory_limit
        In GB; most of the free memory by default.
    time_limit
        In seconds.
    progress
        Called with a `Progress` several times a second.
    **data_options
        How to read the data: ``header``, ``states``, ``missing``, ``discretize``, ...

    Returns
    -------
    ScoreTable
        The candidates, the cheapest first for each variable.

    Raises
    ------
    ParameterError, DataError
        When the input cannot be used.
    LimitError
        When the time or the memory does not suffice: there is no partial result.

    Examples
    --------
    >>> import crediblenet as cn
    >>> data = {"rain": ["no", "no", "yes", "yes"] * 5, "wet": ["no", "no", "yes", "yes"] * 5}
    >>> table = cn.score(data, score="bdeu", bayes_factor=3)
    >>> for parents, cost in table.candidates(1):
    ...     print([table.names[p] for p in parents], round(cost, 3))
    ['rain'] 2.577
    [] 15.599
    """
    if score not in DISCRETE_SCORES:
        raise ParameterError(f"there is no score {score!r}; they are {', '.join(DISCRETE_SCORES)}")
    if not (0 < ess < math.inf):
        raise ParameterError(f"ess must be a positive number, not {ess}")
    slack = resolve_epsilon(bayes_factor, epsilon)
    chosen_rules = check_rules(rules)
    table = as_dataset(data, **data_options)
    constraints = Constraints.parse(
        table.names, require=require, forbid=forbid, tiers=tiers, max_parents=max_parents
    )
    check_constants(table, constraints)
    control = _core.Control(
        time_limit=math.inf if time_limit is None else time_limit,
        memory_limit=memory_limit_bytes(memory_limit),
    )
    count = thread_count(threads)
    started = time.perf_counter()
    n = table.n_variables
    result = run_watched(
        lambda: _core.score_discrete(
            codes=table.codes,
            arities=list(table.arities),
            weights=table.weights,
            score=score,
            ess=float(ess),
            epsilon=slack + TOLERANCE,
            max_parents=n if max_parents is None else max_parents,
            constant=[v in table.constant for v in range(n)],
            required=[sorted(parents) for parents in constraints.required],
            forbidden=[sorted(parents) for parents in constraints.forbidden],
            rules=chosen_rules,
            threads=count,
            control=control,
        ),
        control,
        "scores",
        progress,
    )
    limited = constraints.any_arc or (max_parents is not None and max_parents < n - 1)
    return ScoreTable(
        names=table.names,
        offsets=result["offsets"],
        parents=result["parents"],
        costs=np.ldexp(result["costs"].astype(np.float64), -result["grid_bits"]),
        score=score,
        epsilon=slack,
        score_equivalent=DISCRETE_SCORES[score] and not limited,
        grid_bits=result["grid_bits"],
        metadata={
            "rows": table.n_rows,
            "arities": list(table.arities),
            **({"ess": float(ess)} if score in ("bdeu", "bds") else {}),
            "max_parents": max_parents,
            "required": arcs(constraints.required),
            "forbidden": arcs(constraints.forbidden),
            "rules": chosen_rules,
            "removed": result["removed"],
            "joint_sets_counted": result["counted"],
            "parent_sets_scored": result["scored"],
            "seconds": time.perf_counter() - started,
            "peak_memory": control.memory_peak,
            "notes": list(table.notes),
        },
    )


def arcs(parents: Iterable[Iterable[int]]) -> list[tuple[int, int]]:
    """Return (parent, child) pairs by column number."""
    return [(p, child) for child, of_child in enumerate(parents) for p in sorted(of_child)]


def check_constants(table: Dataset, constraints: Constraints) -> None:
    """Raise ParameterError when a constant column would need an arc."""
    for parent, child in arcs(constraints.required):
        for end in (parent, child):
            if end in table.constant:
                raise ParameterError(
                    f"the arc {table.names[parent]}->{table.names[child]} is required, but "
                    f"{table.names[end]} has the same value in every row and stays isolated"
                )
