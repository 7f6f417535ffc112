"""Candidate parent sets: every one that a credible network may use, with its cost."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .constraints import Arc, Constraints, Tiers
from .core_scoring import ScoringJob
from .data import ContinuousDataset, Dataset, as_continuous, as_dataset
from .exceptions import LimitError, ParameterError
from .keywords import check_numbers, check_whole_numbers, data_keywords
from .memory import MemoryBudget, bytes_in_words, memory_limit_bytes
from .memory_forecast import Foreteller, MemoryForecast
from .progress import ProgressCallback, run_watched
from .reading_limits import reading_within
from .request import Request
from .score_kinds import check_rules, find_score
from .score_table import TOLERANCE, ScoreTable
from .stopwatch import Stopwatch
from .threads import thread_count

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["read_data", "score"]


#: Beyond this many nats, a distance means every network: nothing is pruned, and the grid of
#: the costs need not reach that far.
EVERYTHING = 1e9


def read_data(source: Any, score: str = "bic", **options: Any) -> Dataset | ContinuousDataset:
    """Read data as a score needs it: categories, or numbers for ``"bge"`` and ``"bic-g"``.

    >>> read_data({"a": [1, 2], "b": [3, 5]}, "bge")
    ContinuousDataset(2 variables, 2 rows)
    """
    if not find_score(score).continuous:
        return as_dataset(source, **options)
    for name in ("states", "discretize", "bins", "many_values"):
        if name in options:
            raise ParameterError(f"{name} is for discrete data, and {score!r} scores numbers")
    return as_continuous(source, **options)


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
    client: Client | None = None,
    journal: _core.ScoreJournal | None = None,
    **data_options: Any,
) -> ScoreTable:
    """Score parent sets, keeping each that some credible network may use.

    Parameters
    ----------
    data
        A file, a pandas, polars or pyarrow table, a numpy array or a `Dataset`: see
        `crediblenet.data.as_dataset`, which also takes the further options.
    score
        For categories ``"bic"``, ``"aic"``, ``"bdeu"`` or ``"qnml"``, which are the same for
        Markov equivalent networks, or ``"bds"``, ``"k2"`` or ``"fnml"``, which are not. For
        numbers ``"bge"`` or ``"bic-g"``; nothing is known to end their search early, so with
        more than some 25 variables they need `max_parents`.
    ess
        The equivalent sample size of BDeu and BDs; the weight of the prior mean in BGe.
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
        Called with a `Progress` several times a second. Its notes say how much memory the
        scoring is going to need; `ScoreTable.memory_forecast` has the numbers.
    client
        A ``dask.distributed.Client``: its cluster scores, several variables at a time, instead
        of threads here. The limits hold for each of its tasks.
    journal
        Keeps finished pieces of the largest parent sets, for a run that is killed; `find`
        with `out` gives one. A cluster has no use for it.
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
        When the time or the memory does not suffice: there is no partial result. Where what
        is surely needed exceeds the memory limit, nothing is counted at all.

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
    kind = find_score(score)
    check_numbers(
        ess=ess,
        bayes_factor=bayes_factor,
        epsilon=epsilon,
        time_limit=time_limit,
        memory_limit=memory_limit,
    )
    check_whole_numbers(max_parents=max_parents, threads=threads)
    if not 0 < ess < math.inf:
        raise ParameterError(f"ess must be a positive number, not {ess}")
    slack = Request.parse(bayes_factor=bayes_factor, epsilon=epsilon).value
    if slack > EVERYTHING:
        slack = math.inf
    chosen_rules = check_rules(rules)
    count = thread_count(threads)
    if time_limit is not None and not time_limit >= 0:
        raise ParameterError(f"time_limit must not be negative, but it is {time_limit}")
    clock = Stopwatch(time_limit or None)
    budget = MemoryBudget(memory_limit)
    with reading_within(clock, budget):
        table = read_data(data, score, **data_keywords(data_options))
    constraints = Constraints.parse(
        table.names, require=require, forbid=forbid, tiers=tiers, max_parents=max_parents
    )
    check_constants(table, constraints)
    limit = memory_limit_bytes(memory_limit)
    control = _core.Control(0.0 if time_limit == 0 else clock.left(), limit)
    n = table.n_variables
    job = ScoringJob(
        table,
        constraints,
        float(ess),
        {
            "score": score,
            "epsilon": slack + TOLERANCE,
            "max_parents": n if max_parents is None else max_parents,
            "rules": chosen_rules,
        },
    )
    started = time.perf_counter()

    def work() -> dict[str, Any]:
        if client is None:
            return job.run(count, control, journal)
        from .cluster import score_on

        return score_on(client, job, control, math.inf if memory_limit is None else limit)

    # What the machines of a cluster have is not known here.
    allowed = limit if client is None or memory_limit is not None else math.inf
    watcher = None if progress is None else Foreteller(control, allowed, progress)
    try:
        result = run_watched(work, control, "scores", watcher, budget)
    except LimitError as error:
        reason = str(error)
        reached = control.stopped_by == "memory" or reason.startswith(
            ("scoring needs", "counting needs")
        )
        if reached and memory_limit is not None:
            reason = "the memory limit was reached while scoring"
        expected = MemoryForecast.of(control).expected
        if "memory limit" in reason and expected is not None:
            reason += f" (about {bytes_in_words(expected)} were expected)"
        raise LimitError(f"{reason}. {way_out(max_parents)}") from None
    except OverflowError as error:
        raise ParameterError(
            f"score {score!r}, ess {ess:g}, {table.n_rows:,} rows: {error}"
        ) from None
    if watcher is not None:
        watcher.tell()
    units = result.pop("costs")
    pruned = "R1" in chosen_rules and math.isfinite(slack)
    if pruned and not sums_are_exact(units, result["offsets"]):
        raise ParameterError(
            f"score {score!r}: columns are so nearly dependent that sums of scores would not be "
            f"exact. Leave out columns that others determine"
        )
    costs = units.astype(np.float64)
    np.ldexp(costs, -result["grid_bits"], out=costs)
    return ScoreTable(
        names=table.names,
        offsets=result["offsets"],
        parents=result["parents"],
        costs=costs,
        score=score,
        epsilon=slack if chosen_rules else math.inf,
        # A limit on the parents keeps or leaves out whole classes: docs/algorithm.md, 6.
        score_equivalent=kind.equivalent and not constraints.any_arc,
        grid_bits=result["grid_bits"],
        metadata={
            "rows": table.n_rows,
            **({"arities": list(table.arities)} if isinstance(table, Dataset) else {}),
            **({"ess": float(ess)} if kind.uses_ess else {}),
            "max_parents": max_parents,
            "required": arcs(constraints.required),
            "forbidden": arcs(constraints.forbidden),
            "rules": chosen_rules,
            "removed": result["removed"],
            "joint_sets_counted": result["counted"],
            "parent_sets_scored": result["scored"],
            "seconds": time.perf_counter() - started,
            "memory_forecast": asdict(MemoryForecast.of(control)),
            "peak_memory": result.get("memory_peak", control.memory_peak),
            "notes": list(table.notes),
        },
    )


def sums_are_exact(costs: NDArray[np.int64], offsets: NDArray[np.int64]) -> bool:
    """Tell whether costs of networks, in grid units, are exact as doubles: decision 0002."""
    largest = np.maximum.reduceat(np.abs(costs), offsets[:-1])
    return float(largest.sum(dtype=np.float64)) <= 2.0**52


def way_out(max_parents: int | None) -> str:
    """Return what a user can do when a limit stops the scoring."""
    fewer = "max_parents" if max_parents is None else "a smaller max_parents"
    return (
        f"There is no partial result: set {fewer}, choose a smaller Bayes factor or "
        f"fewer variables, or allow more"
    )


def arcs(parents: Iterable[Iterable[int]]) -> list[tuple[int, int]]:
    """Return (parent, child) pairs by column number."""
    return [(p, child) for child, of_child in enumerate(parents) for p in sorted(of_child)]


def check_constants(table: Dataset | ContinuousDataset, constraints: Constraints) -> None:
    """Raise ParameterError when a constant column would need an arc."""
    for parent, child in arcs(constraints.required):
        for end in (parent, child):
            if end in table.constant:
                raise ParameterError(
                    f"the arc {table.names[parent]}->{table.names[child]} is required, but "
                    f"{table.names[end]} has the same value in every row and stays isolated"
                )
