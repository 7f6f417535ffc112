"""The whole way: data, scores, bounds, enumeration, credible set."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from .checkpoints import fingerprint
from .constraints import Arc, Tiers
from .credible_set import CredibleSet
from .enumeration import SearchResult, search
from .exceptions import STOPS, ParameterError
from .interruption import hear
from .keywords import check_numbers, check_whole_numbers, data_keywords
from .libraries import load_in_background
from .memory import MemoryBudget
from .progress import Progress, ProgressCallback, each_note_once
from .request import DEFAULT_BAYES_FACTOR, Request
from .run_directory import load, save
from .run_place import RunPlace, claim
from .score_table import ScoreTable
from .stage_memory import averages_memory
from .stopwatch import Stopwatch, peak_memory_mb
from .tables import GivenTable, ScoredData, ScoreOptions, open_tables

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["find"]

#: How far to look first for the k best, in nats, and how many times farther after each failure
#: at most; at least so many nats farther.
FIRST_STEP = 1.0
NEXT_STEP = 1.6
SMALLEST_STEP = 0.2
#: How many times as far as seems to be enough.
MARGIN = 1.2

#: The share of a memory limit that the search gets; the rest is for counting, averages and files.
SEARCH_SHARE = 0.55
#: Under a limit: how many networks or classes are listed, averaged and written in a second,
#: with up to so many variables (more take longer), and how many bytes each takes per variable.
#: Rough, and on the safe side.
LISTED_PER_SECOND = 20_000
LISTED_VARIABLES = 50
LISTED_BYTES = 200
#: To draw a network takes as long as to list so many.
LISTED_PER_DRAW = 20
#: So few are always listed, and drawn if there is time.
LISTED_ALWAYS, DRAWN_ALWAYS = 1000, 500
#: The shares of the seconds that are left after a search: for listing, and for each of weighing
#: all networks and drawing some, where there are so many different ones that these take long.
LISTING_SHARE, AVERAGING_SHARE = 0.4, 0.15
#: What a result says the seconds of, also of stages that it had no need of.
STAGES = ("data", "scores", "bounds", "enumeration", "averages")
#: Seconds to write a candidate of the table to the run directory.
WRITE_SECONDS = 1e-5
#: How long a user who pressed Ctrl-C waits for classes, in seconds.
PATIENCE = 0.1


def find(
    source: Any,
    *,
    score: str = "bic",
    ess: float = 1.0,
    bayes_factor: float | None = None,
    epsilon: float | None = None,
    factor: float | None = None,
    k: int | None = None,
    k_classes: int | None = None,
    max_parents: int | None = None,
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
    tiers: Tiers | None = None,
    limit: int | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    threads: int | None = None,
    out: str | PathLike[str] | RunPlace | None = None,
    overwrite: bool = False,
    progress: ProgressCallback | None = None,
    client: Client | None = None,
    **data_options: Any,
) -> CredibleSet:
    """Find every network structure that the data cannot rule out.

    Parameters
    ----------
    source
        Data: the name of a file (CSV, Parquet, .dat), a pandas, polars or pyarrow table, a
        numpy array or a `Dataset`. Or scores: a `ScoreTable`, or the name of a .jkl or
        .pss file.
    score, ess
        What networks are compared by; see `crediblenet.score`.
    bayes_factor
        Networks that are at most so many times less probable than the best one. This is
        the default, with 20.
    epsilon
        The same, as a distance in nats: the logarithm of the Bayes factor.
    factor
        Networks whose cost is at most so many times the least one.
    k, k_classes
        The k best networks, or Markov equivalence classes, and all that tie with the last.
    max_parents, require, forbid, tiers
        Which networks are allowed; see `crediblenet.score`.
    limit
        Keep at most so many networks, the best ones. Networks of equal cost are kept or left out
        together, and those that are as good as the best are always kept.
    time_limit, memory_limit
        In seconds and GB, for the whole run, until this function returns. When one of them ends
        the search, what was found is returned, marked incomplete. Averages that are asked of the
        result afterwards, such as `CredibleSet.edge_probabilities`, are no part of the run and
        are computed when they are asked for: the limits decide how many networks they list and
        draw at most, as much as could be done in what was left, not when they end.
    threads
        How many threads to use; all processors by default.
    out
        A directory to save the result in, which must not be there yet, or be empty. While
        the run goes on, it keeps a checkpoint there: started again in the same way, a run
        that was killed goes on from it. (If the caller has claimed a place, only the
        checkpoint is kept there, and the caller saves the result.)
    overwrite
        Whether an earlier run in that directory may be replaced.
    progress
        Called with a `Progress` several times a second.
    client
        A ``dask.distributed.Client``: scoring and the search use its cluster instead of threads
        here, and the result is the same, bit for bit. A memory limit then holds here and for
        each task. Needs ``crediblenet[distributed]`` here and on the workers.
    **data_options
        How to read the data; see `crediblenet.as_dataset`.

    Returns
    -------
    CredibleSet
        Its `complete` says whether it is the whole set; its `epsilon` is the one reached.

    Raises
    ------
    ParameterError, DataError, FormatError
        When the input cannot be used.
    LimitError
        When a limit was reached before there was a network to return.
    RunDirectoryError
        When the result could not be saved in `out`; found out before the search.
    ClusterError
        When the cluster has no workers, or others than it should, or loses them too often.

    Examples
    --------
    >>> import crediblenet as cn
    >>> result = cn.find(cn.example("cancer").data, bayes_factor=3)
    >>> result.complete
    True
    """
    check_numbers(
        ess=ess,
        bayes_factor=bayes_factor,
        epsilon=epsilon,
        factor=factor,
        time_limit=time_limit,
        memory_limit=memory_limit,
    )
    check_whole_numbers(max_parents=max_parents, limit=limit, threads=threads)
    data_options = data_keywords(data_options)
    request = Request.parse(
        bayes_factor=bayes_factor, epsilon=epsilon, factor=factor, k=k, k_classes=k_classes
    )
    options = ScoreOptions(score, ess, max_parents, tuple(require), tuple(forbid), tiers)
    if client is not None:
        from .cluster import check

        check(client)
    heard = None if progress is None else each_note_once(progress)
    limits = _Limits(limit, MemoryBudget(memory_limit), threads, heard, client)
    clock = Stopwatch(time_limit)
    if not isinstance(out, str | PathLike):
        return _find(source, options, data_options, request, limits, clock, out)
    with claim(out, overwrite=overwrite) as place:
        result = _find(source, options, data_options, request, limits, clock, place)
        if not place.is_finished:
            save(result, place)
    return result


@dataclass(frozen=True)
class _Limits:
    """What one call of `find` may use, who works, and who wants to know how far it is."""

    limit: int | None
    memory: MemoryBudget
    threads: int | None
    progress: ProgressCallback | None
    client: Client | None


def _find(
    source: Any,
    options: ScoreOptions,
    data_options: dict[str, Any],
    request: Request,
    limits: _Limits,
    clock: Stopwatch,
    place: RunPlace | None,
) -> CredibleSet:
    """Find the set, going on with what an earlier run left in the place."""
    if clock.time_limit is not None or place is not None:
        load_in_background()
    tables = open_tables(
        source,
        options,
        data_options,
        clock,
        threads=limits.threads,
        memory=limits.memory,
        progress=limits.progress,
        client=limits.client,
    )
    if place is not None:
        about = [request.kind, request.value, limits.limit, tables.options_text()]
        place.open_checkpoint(fingerprint(tables.content, {"options": about}))
        if place.is_finished:
            return load(place.target, data=tables.data)
        tables.checkpoint = place.checkpoint
        if place.goes_on and limits.progress is not None:
            words = "going on with what an earlier run left"
            limits.progress(Progress("data", 1.0, message=words))
    result = _Run(tables, clock, limits).answer(request)
    in_time = listable_in_time(result, clock)
    fitting = limits.memory.bytes_left() / (LISTED_BYTES * len(result.names))
    listed = max(LISTED_ALWAYS, int(min(in_time, fitting)))
    drawn = max(DRAWN_ALWAYS, listed // LISTED_PER_DRAW)
    seconds_each = AVERAGING_SHARE * seconds_left(result, clock)
    result.list_at_most(listed, drawn, in_time, seconds_each)
    foreseen = averages_memory(result, listed)
    result.statistics["memory_foreseen"]["averages"] = foreseen.to_dict()
    foreseen.tell("averages", limits.memory.bytes_left(), limits.progress)
    if isinstance(source, str | PathLike):
        result.statistics["source"] = str(source)
    if data_options:
        result.statistics["data_options"] = data_options
    return result


@dataclass
class _Run:
    """One call of `find`: its tables, its clock and its limits."""

    tables: ScoredData | GivenTable
    clock: Stopwatch
    limits: _Limits

    def answer(self, request: Request) -> CredibleSet:
        """Return the set that was asked for."""
        if request.kind == "epsilon":
            return self.within(request.value)
        if request.kind == "factor":
            return self.within_factor(request.value)
        return self.best(request)

    def within(self, epsilon: float) -> CredibleSet:
        """Return the networks within epsilon nats of the optimum."""
        table = self.tables.table(epsilon)
        return self.credible_set(table, self.search(table, epsilon), epsilon)

    def within_factor(self, factor: float) -> CredibleSet:
        """Return the networks within a factor of the least cost, which is found first."""
        table = self.tables.table(0.0)
        optimum = self.search(table, 0.0)
        least = math.ldexp(optimum.optimal_cost, -table.grid_bits)
        if not optimum.complete:
            return self.credible_set(table, optimum, 0.0)
        if least < 0:
            raise ParameterError(
                f"a factor makes no sense here: the least cost, {least:.6g}, is negative; "
                f"use bayes_factor or epsilon"
            )
        try:
            return self.within((factor - 1) * least)
        except STOPS as stop:
            return self.credible_set(table, optimum, 0.0, stopped_by=self.reason(stop))

    def best(self, request: Request) -> CredibleSet:
        """Return the k best networks or classes: look farther until there are enough."""
        k, epsilon, deepest = int(request.value), FIRST_STEP, self.tables.deepest
        table = self.tables.table(min(math.log(DEFAULT_BAYES_FACTOR), deepest))
        last: tuple[ScoreTable, SearchResult, float] | None = None
        while True:
            epsilon = min(epsilon, deepest)
            try:
                if epsilon > table.epsilon:
                    table = self.tables.generous_table(epsilon)
                found = self.search(table, epsilon)
            except STOPS as stop:
                if last is None:
                    raise
                return self.credible_set(*last, stopped_by=self.reason(stop))
            if not found.complete and last is not None and last[1].n_networks > found.n_networks:
                # Stopped so early that the search before it, which looked less far, found more.
                return self.credible_set(*last, stopped_by=found.stopped_by)
            last = table, found, epsilon
            if found.interrupted:
                return self.credible_set(*last, stopped_by="interrupted")
            try:
                reached = self.kth_cost(table, found, request, epsilon)
            except KeyboardInterrupt as stop:
                return self.credible_set(*last, stopped_by=self.reason(stop))
            if reached is not None:
                distance = math.ldexp(reached - found.optimal_cost, -table.grid_bits)
                return self.with_ties(request, table, found, distance)
            if not found.complete:
                return self.credible_set(*last)
            if math.isinf(table.epsilon) and epsilon >= spread(table):
                made = "there are" if self.tables.data is not None else "these parent sets make"
                note = f"{made} fewer than {k:,} in all, and these are all of them"
                worst = found.network_set.cost_at_rank(found.n_networks - 1)
                distance = math.ldexp((worst or 0) - found.optimal_cost, -table.grid_bits)
                return self.credible_set(table, found, distance, note=note)
            if epsilon >= deepest:
                raise ParameterError(
                    f"fewer than {k:,} lie within the epsilon of {deepest:.6g} that the scores "
                    f"were pruned for; score the data again with a larger one"
                )
            epsilon = min(epsilon * NEXT_STEP, self.promising(table, found, request, epsilon))

    def promising(
        self, table: ScoreTable, found: SearchResult, request: Request, epsilon: float
    ) -> float:
        """Return an epsilon within which there are likely enough, and not many more.

        Numbers grow about exponentially with epsilon, and so does the work: the rate is that of
        the networks between half of epsilon and epsilon.
        """
        networks = found.network_set
        halfway = found.optimal_cost + math.ldexp(epsilon / 2, table.grid_bits)
        total = found.n_networks
        half = networks.count(math.floor(min(halfway, networks.max_cost)))
        if total == half:
            return math.inf
        rate = math.log(total / half) / (epsilon / 2)
        have = total
        if request.kind == "k_classes" and found.representatives is not None:
            k = int(request.value)
            have = len(found.representatives.first(networks.max_cost, k).costs)
        return epsilon + max(SMALLEST_STEP, MARGIN * math.log(request.value / max(1, have)) / rate)

    def with_ties(
        self, request: Request, table: ScoreTable, found: SearchResult, distance: float
    ) -> CredibleSet:
        """Return the k best, saying so when there are more because the last ones tie."""
        result = self.credible_set(table, found, distance)
        count = result.n_networks if request.kind == "k" else result.n_classes
        if count is None or count <= request.value:
            return result
        what = "networks" if request.kind == "k" else "classes"
        note = f"{count:,} {what} instead of {request.value:,}: the last of them tie"
        return self.credible_set(table, found, distance, note=note)

    def reason(self, stop: BaseException) -> str:
        """Return why a stage ended without a result."""
        if isinstance(stop, KeyboardInterrupt):
            hear()
            return "interrupted"
        return "time" if self.clock.is_over() else "memory"

    def kth_cost(
        self, table: ScoreTable, found: SearchResult, request: Request, epsilon: float
    ) -> int | None:
        """Return the cost of the k-th best in grid units, None if it was not found."""
        k = int(request.value)
        networks = found.network_set
        if request.kind == "k":
            return networks.cost_at_rank(k - 1)
        if found.representatives is not None:
            class_costs = found.representatives.first(networks.max_cost, k).costs
            return int(class_costs[k - 1]) if len(class_costs) >= k else None
        classes = self.credible_set(table, found, epsilon).classes(limit=k)
        last = next(itertools.islice(classes, k - 1, None), None)
        return None if last is None else round(math.ldexp(last.cost, table.grid_bits))

    def search(self, table: ScoreTable, epsilon: float) -> SearchResult:
        """Search one table, and note how long it took."""
        checkpoint = self.tables.checkpoint
        found = search(
            table,
            epsilon,
            limit=self.limits.limit,
            time_limit=self.time_for_search(table),
            memory_limit=self.memory_for_search(),
            threads=self.limits.threads,
            progress=self.limits.progress,
            client=self.limits.client,
            checkpoint=None if checkpoint is None else checkpoint.search(table, epsilon),
        )
        for stage in ("bounds", "enumeration"):
            self.clock.add(stage, found.seconds.get(stage, 0.0))
        if self.limits.progress is not None:
            count = found.n_networks
            words = f"{count:,} network{'' if count == 1 else 's'} found"
            # A search that was stopped has not come to its end: how far it got was said before.
            done = 1.0 if found.complete else None
            self.limits.progress(Progress("enumeration", done, found=count, message=words))
        return found

    def time_for_search(self, table: ScoreTable) -> float | None:
        """Return how long the search may take: candidates are to be written, too."""
        left = self.clock.remaining()
        if left is None or self.tables.checkpoint is None:
            return left
        return max(left / 2, left - WRITE_SECONDS * len(table))

    def memory_for_search(self) -> float | None:
        """Return how much the search may take: averages over what it finds take some, too."""
        left = self.limits.memory.gigabytes_left()
        return None if left is None else SEARCH_SHARE * left

    def credible_set(
        self,
        table: ScoreTable,
        found: SearchResult,
        epsilon: float,
        *,
        stopped_by: str | None = None,
        note: str = "",
    ) -> CredibleSet:
        """Wrap what the search found."""
        return CredibleSet(
            table,
            found.network_set,
            epsilon,
            complete=found.complete and stopped_by is None,
            stopped_by=found.stopped_by or stopped_by,
            gap=found.gap,
            representatives=found.representatives,
            data=self.tables.data,
            seconds={**dict.fromkeys(STAGES, 0.0), **self.clock.seconds()},
            statistics={
                **found.statistics,
                "memory_foreseen": dict(found.memory_foreseen),
                "peak_memory_mb": peak_memory_mb(),
            },
            notes=[*table.metadata.get("notes", ()), *found.notes, *([note] if note else [])],
        )


def listable_in_time(result: CredibleSet, clock: Stopwatch) -> int:
    """Return how many networks or classes can be listed in the time that is left."""
    per_second = LISTED_PER_SECOND * min(1.0, LISTED_VARIABLES / len(result.names))
    count = LISTING_SHARE * per_second * seconds_left(result, clock)
    return max(LISTED_ALWAYS, int(min(count, sys.maxsize)))


def seconds_left(result: CredibleSet, clock: Stopwatch) -> float:
    """Return how long averages may take: as long as the limit, or a waiting user, allows."""
    return PATIENCE if result.stopped_by == "interrupted" else clock.left()


def spread(table: ScoreTable) -> float:
    """Return how much worse than the optimum a network of the table can be at most."""
    worst = np.maximum.reduceat(table.costs, table.offsets[:-1])
    least = np.minimum.reduceat(table.costs, table.offsets[:-1])
    return float(np.sum(worst - least))
