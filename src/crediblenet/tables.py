"""Where candidate parent sets come from: data that are scored on demand, or a given table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .checkpoints import Checkpoint
from .constraints import Arc, Constraints, Tiers
from .data import ContinuousDataset, Dataset
from .exceptions import LimitError, ParameterError
from .memory import MemoryBudget
from .progress import Progress, ProgressCallback
from .reading_limits import reading_within
from .score_table import ScoreTable
from .scores import read_data
from .scores import score as score_data
from .stopwatch import Stopwatch

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["GivenTable", "ScoreOptions", "ScoredData", "open_tables"]

#: Up to so many parent sets in all, scoring them all costs next to nothing.
FEW_PARENT_SETS = 100_000

#: In nats: a Bayes factor that no data in the world leave open.
FAR = 1000.0

#: Scoring takes hardly longer for a larger epsilon, and finds more candidates: where there were
#: at most so many, data that have to be scored again are scored for so many times the epsilon
#: that is asked for, and at most so many nats more.
MODERATE_TABLE = 200_000
FARTHER = 3.0
NATS_FARTHER = 10.0

SCORE_FILES = {".jkl": ScoreTable.from_jkl, ".pss": ScoreTable.from_pss}


@dataclass(frozen=True)
class ScoreOptions:
    """How parent sets are scored, and which are allowed; see `crediblenet.score`."""

    score: str = "bic"
    ess: float = 1.0
    max_parents: int | None = None
    require: Iterable[Arc] = ()
    forbid: Iterable[Arc] = ()
    tiers: Tiers | None = None


@dataclass
class ScoredData:
    """Scores data as deep as is asked for, and keeps the last table."""

    data: Dataset | ContinuousDataset
    options: ScoreOptions
    clock: Stopwatch
    threads: int | None = None
    memory: MemoryBudget = field(default_factory=lambda: MemoryBudget(None))
    progress: ProgressCallback | None = None
    client: Client | None = None
    checkpoint: Checkpoint | None = None
    last: ScoreTable | None = field(default=None, init=False)

    @property
    def content(self) -> Dataset | ContinuousDataset:
        """What the result depends on, besides `options_text`."""
        return self.data

    def options_text(self) -> str:
        """Return the options in one form, however they were written."""
        options = self.options
        constraints = Constraints.parse(
            self.data.names,
            require=options.require,
            forbid=options.forbid,
            tiers=options.tiers,
            max_parents=options.max_parents,
        )
        arcs = [
            [sorted(parents) for parents in way]
            for way in (constraints.required, constraints.forbidden)
        ]
        return repr([options.score, float(options.ess), options.max_parents, arcs])

    def table(self, epsilon: float) -> ScoreTable:
        """Score the data, unless the last table is deep enough."""
        if self.last is None or self.last.epsilon < epsilon:
            with self.clock.stage("scores"):
                make = partial(self._score, epsilon)
                known = self.checkpoint
                self.last = make(None) if known is None else known.table(epsilon, make)
            if self.progress is not None:
                words = f"{len(self.last):,} candidate parent sets kept"
                self.progress(Progress("scores", 1.0, found=len(self.last), message=words))
        return self.last

    def _score(self, epsilon: float, journal: _core.ScoreJournal | None) -> ScoreTable:
        return score_data(
            self.data,
            epsilon=epsilon,
            time_limit=self.clock.remaining(),
            memory_limit=self.memory.gigabytes_left(),
            threads=self.threads,
            progress=self.progress,
            client=self.client,
            journal=journal,
            **vars(self.options),
        )

    @property
    def deepest(self) -> float:
        """The largest epsilon that a table can be had for."""
        return math.inf

    def generous_table(self, epsilon: float) -> ScoreTable:
        """Return a table for this epsilon that will do for larger ones, where that is cheap.

        Nothing is pruned when there are few parent sets in all, and beyond any distance
        at which data leave a choice, so that a search that widens comes to an end.
        """
        if self.last is not None and self.last.epsilon >= epsilon:
            return self.last
        n = self.data.n_variables
        if n * 2 ** (n - 1) <= FEW_PARENT_SETS or epsilon > FAR:
            return self.table(math.inf)
        if self.last is not None and len(self.last) <= MODERATE_TABLE:
            try:
                return self.table(min(FARTHER * epsilon, epsilon + NATS_FARTHER))
            except LimitError:
                if self.clock.is_over():
                    raise
        return self.table(epsilon)  # as far as it must be: more may not fit


@dataclass
class GivenTable:
    """A table from a file or an earlier call, which is as deep as it is."""

    given: ScoreTable
    data: None = None
    checkpoint: Checkpoint | None = None

    @property
    def content(self) -> ScoreTable:
        """What the result depends on, besides `options_text`."""
        return self.given

    def options_text(self) -> str:
        """Return no options: the table is restricted already."""
        return ""

    def table(self, epsilon: float) -> ScoreTable:
        """Return the table.

        Raises
        ------
        ParameterError
            When it was pruned for less.
        """
        if epsilon > self.given.epsilon + 1e-9:
            raise ParameterError(
                f"the scores were pruned for epsilon {self.given.epsilon:.6g} (Bayes factor "
                f"{math.exp(min(700.0, self.given.epsilon)):.6g}), and {epsilon:.6g} is asked for; "
                f"score the data again with a larger one"
            )
        return self.given

    @property
    def deepest(self) -> float:
        """The largest epsilon that a table can be had for."""
        return self.given.epsilon

    def generous_table(self, epsilon: float) -> ScoreTable:
        """Return the table, which is as deep as it is."""
        return self.table(epsilon)


def open_tables(
    source: Any,
    options: ScoreOptions,
    data_options: Mapping[str, Any],
    clock: Stopwatch,
    *,
    threads: int | None = None,
    memory: MemoryBudget,
    progress: ProgressCallback | None = None,
    client: Client | None = None,
) -> ScoredData | GivenTable:
    """Read the source, whatever it is.

    Raises
    ------
    ParameterError
        When an option is given that the source leaves no room for.
    """
    with clock.stage("data"), reading_within(clock, memory):
        if isinstance(source, str | PathLike):
            reader = SCORE_FILES.get(Path(source).suffix.lower())
            if reader is not None:
                source = reader(source)
        if isinstance(source, ScoreTable):
            return GivenTable(restricted(source, options, data_options))
        data = read_data(source, options.score, **data_options)
    if progress is not None:
        words = f"{data.n_variables} variables, {data.n_rows:,} rows"
        progress(Progress("data", 1.0, message=words))
    return ScoredData(data, options, clock, threads, memory, progress, client)


def restricted(
    table: ScoreTable, options: ScoreOptions, data_options: Mapping[str, Any]
) -> ScoreTable:
    """Return the candidates of a table that the constraints allow.

    A pruned table has all that is needed under fewer parents or forbidden arcs: a set is
    pruned because of one of its subsets, and these constraints allow every subset of a set
    that they allow. Required arcs do not: they would need sets that are not there any more.
    """
    changed = [name for name in ("score", "ess") if getattr(options, name) != DEFAULTS[name]]
    if useless := [*changed, *data_options]:
        raise ParameterError(f"{useless[0]} has no effect on parent sets that are scored already")
    constraints = Constraints.parse(
        table.names,
        require=options.require,
        forbid=options.forbid,
        tiers=options.tiers,
        max_parents=options.max_parents,
    )
    if not constraints.any_arc and options.max_parents is None:
        return table
    if any(constraints.required) and math.isfinite(table.epsilon):
        raise ParameterError(
            "required arcs need parent sets that pruning removed; give them when scoring the data"
        )
    keep = np.array(
        [
            constraints.allows(child, table.parent_set(row))
            for child in range(table.n_variables)
            for row in range(int(table.offsets[child]), int(table.offsets[child + 1]))
        ]
    )
    kept = np.concatenate([[0], np.cumsum(keep)])
    offsets = kept[table.offsets].astype(np.int64)
    for child, count in enumerate(np.diff(offsets)):
        if count == 0:
            raise ParameterError(
                f"no candidate parent set of {table.names[child]!r} meets the constraints"
            )
    return replace(
        table,
        offsets=offsets,
        parents=np.ascontiguousarray(table.parents[keep]),
        costs=table.costs[keep],
        score_equivalent=table.score_equivalent and not constraints.any_arc,
    )


DEFAULTS = vars(ScoreOptions())
