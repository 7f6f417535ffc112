"""Candidate parent sets with their costs: what scoring makes and the search takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .exceptions import ParameterError

if TYPE_CHECKING:
    from .memory_forecast import MemoryForecast

__all__ = ["TOLERANCE", "ScoreTable"]

#: A network is credible when its cost is within epsilon of the optimum and this much more,
#: so that rounding, here or in somebody else's score file, does not decide what is in the
#: set. Every stage that prunes keeps what is within it.
TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """The candidate parent sets of every variable, with their costs.

    A cost is a negated log score: lower is better. The candidates of variable ``i``
    are the rows ``offsets[i]`` to ``offsets[i + 1]`` of `parents` and `costs`, sorted
    by cost and then by parent set.

    Attributes
    ----------
    names
        The variables.
    offsets
        Where each variable's candidates begin; one more entry than variables.
    parents
        Bit sets, one row per candidate: bit ``j % 64`` of word ``j // 64`` says
        whether variable ``j`` is a parent.
    costs
        One cost per candidate, finite.
    score
        What the costs are (``"bic"``, ``"bdeu"``, ...), or ``"file"``.
    epsilon
        The pruning kept every network within this much of the optimum; infinity
        when nothing was pruned or nothing is known.
    score_equivalent
        Whether Markov equivalent networks have equal costs *and* all of them are in
        the table: false under arc constraints.
    grid_bits
        All costs are multiples of ``2**-grid_bits``, so that sums are exact.
    metadata
        How the table was made: parameters, constraints, pruning counters, notes.
    """

    names: tuple[str, ...]
    offsets: NDArray[np.int64]
    parents: NDArray[np.uint64]
    costs: NDArray[np.float64]
    score: str = "file"
    epsilon: float = float("inf")
    score_equivalent: bool = False
    grid_bits: int = 32
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = len(self.names)
        if self.offsets.shape != (n + 1,) or self.offsets[0] != 0:
            raise ParameterError("offsets must have one entry more than there are variables")
        m = int(self.offsets[-1])
        if self.parents.shape != (m, max(1, -(-n // 64))) or self.costs.shape != (m,):
            raise ParameterError("parents and costs must have one row per candidate")
        if np.any(np.diff(self.offsets) < 1):
            raise ParameterError("every variable needs at least one candidate parent set")

    @classmethod
    def from_candidates(
        cls,
        names: Sequence[str],
        candidates: Sequence[Mapping[frozenset[int], float]],
        **about: Any,
    ) -> ScoreTable:
        """Make a table from plain dictionaries.

        Parameters
        ----------
        names
            The variables.
        candidates
            For each variable the cost of each parent set; parents by column number.
        about
            Other attributes of the table, such as `score` or `epsilon`.

        Examples
        --------
        >>> table = ScoreTable.from_candidates(
        ...     ["rain", "wet"],
        ...     [{frozenset(): 2.0}, {frozenset(): 3.0, frozenset({0}): 1.5}],
        ... )
        >>> list(table.candidates(1))
        [((0,), 1.5), ((), 3.0)]
        """
        n = len(names)
        if len(candidates) != n:
            raise ParameterError(f"{n} names, but candidates for {len(candidates)} variables")
        words = max(1, -(-n // 64))
        parents: list[list[int]] = []
        costs: list[float] = []
        for child, options in enumerate(candidates):
            by_cost = sorted((cost, sum(1 << p for p in pi)) for pi, cost in options.items())
            for cost, bits in by_cost:
                if bits >> n or bits >> child & 1 or not math.isfinite(cost):
                    raise ParameterError(
                        f"variable {child} has a candidate with an impossible parent "
                        f"or an infinite cost"
                    )
                parents.append([bits >> 64 * w & (2**64 - 1) for w in range(words)])
                costs.append(cost)
        return cls(
            names=tuple(names),
            offsets=np.cumsum([0, *map(len, candidates)], dtype=np.int64),
            parents=np.array(parents, dtype=np.uint64).reshape(len(costs), words),
            costs=np.array(costs, dtype=np.float64),
            **about,
        )

    @classmethod
    def from_jkl(cls, path: str | PathLike[str]) -> ScoreTable:
        """Read a Jaakkola score file; see `crediblenet.formats.jkl`."""
        from .formats import read_jkl

        return read_jkl(path)

    def to_jkl(self, path: str | PathLike[str]) -> None:
        """Write a Jaakkola score file; see `crediblenet.formats.jkl`.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> table = ScoreTable.from_candidates(
        ...     ["rain", "wet"],
        ...     [{frozenset(): 2.0}, {frozenset(): 3.0, frozenset({0}): 1.5}],
        ... )
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     path = pathlib.Path(directory, "scores.jkl")
        ...     table.to_jkl(path)
        ...     print(path.read_text())
        2
        rain 1
        -2.0 0
        wet 2
        -1.5 1 rain
        -3.0 0
        # crediblenet_epsilon=inf
        <BLANKLINE>
        """
        from .formats import write_jkl

        write_jkl(self, path)

    @classmethod
    def from_pss(cls, path: str | PathLike[str]) -> ScoreTable:
        """Read a URLearning score file; see `crediblenet.formats.pss`."""
        from .formats import read_pss

        return read_pss(path)

    def to_pss(self, path: str | PathLike[str]) -> None:
        """Write a URLearning score file; see `crediblenet.formats.pss`."""
        from .formats import write_pss

        write_pss(self, path)

    def __len__(self) -> int:
        """Return the number of candidate parent sets."""
        return len(self.costs)

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.names)

    @property
    def memory_forecast(self) -> MemoryForecast | None:
        """What scoring was foreseen to need; None for a table that was not scored here.

        >>> import crediblenet as cn
        >>> table = cn.score(cn.example("cancer").data)
        >>> forecast = table.memory_forecast
        >>> forecast.least <= table.metadata["peak_memory"] <= forecast.most
        True
        """
        from .memory_forecast import MemoryForecast

        foreseen = self.metadata.get("memory_forecast")
        # Nothing was foreseen in this process when the workers of a cluster scored.
        return MemoryForecast(**foreseen) if foreseen and foreseen["most"] else None

    def parent_set(self, row: int) -> tuple[int, ...]:
        """Return the parents in one row, by column number, lowest first."""
        members = []
        for w, word in enumerate(self.parents[row].tolist()):
            while word:  # few bits are set, and hundreds of variables have many more
                lowest = word & -word
                members.append(64 * w + lowest.bit_length() - 1)
                word ^= lowest
        return tuple(members)

    def candidates(self, variable: int) -> Iterator[tuple[tuple[int, ...], float]]:
        """Yield each candidate of a variable as (parents, cost), least cost first."""
        for row in range(int(self.offsets[variable]), int(self.offsets[variable + 1])):
            yield self.parent_set(row), float(self.costs[row])
