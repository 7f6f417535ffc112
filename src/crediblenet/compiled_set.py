"""The networks that the search found, in compiled form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from . import _core
from .exceptions import LimitError, RunDirectoryError
from .network_set import grid_costs, network_set_kinds
from .score_table import ScoreTable

__all__ = ["CompiledSet"]

#: Networks listed per call into the core.
BLOCK = 1 << 14


class CompiledSet:
    """A set of networks as an AND/OR circuit: see `NetworkSet` for what it offers.

    Counts, probabilities, draws and every smaller Bayes factor come from the circuit;
    networks are made only when they are listed.

    Parameters
    ----------
    table
        The candidates that the networks are made of.
    compiled
        The circuit with its counts.
    """

    kind: ClassVar[str] = "compiled"

    def __init__(self, table: ScoreTable, compiled: _core.CompiledSet) -> None:
        self._table = table
        self._compiled = compiled
        self._unit = float(np.ldexp(1.0, -table.grid_bits))
        self._costs, self._counts = compiled.levels()
        #: Nodes of the circuit.
        self.n_nodes = compiled.n_nodes

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return self._table.n_variables

    @property
    def optimal_cost(self) -> int:
        """The least cost, in grid units."""
        return int(self._costs[0])

    @property
    def max_cost(self) -> int:
        """The greatest cost, in grid units."""
        return int(self._costs[-1])

    def levels(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return the distinct costs, ascending, and the exact number of networks at each."""
        return self._costs, self._counts

    def count(self, max_cost: int) -> int:
        """Return how many networks cost at most `max_cost`."""
        return sum(self._counts[: int(np.searchsorted(self._costs, max_cost, side="right"))])

    def candidate_log_weights(self, max_cost: int) -> NDArray[np.float64]:
        """Return for each row of the table the log weight of the networks that use it.

        Raises
        ------
        LimitError
            When there are more networks than a floating-point number can say.
        """
        limit = min(max_cost, self.max_cost)
        try:
            return self._compiled.candidate_log_weights(limit, self._unit, _core.Control())
        except OverflowError as error:
            raise LimitError(f"the networks cannot be weighed exactly: {error}") from error

    def blocks(
        self, max_cost: int, size: int, start: int = 0
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """Yield (costs, candidate rows) of at most `size` networks at a time, by cost."""
        end = self.count(max_cost)
        while start < end:
            costs, rows = self._compiled.list(start, min(size, end - start))
            yield costs, rows
            start += len(costs)

    def networks(self, max_cost: int, start: int = 0) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """Yield (cost, candidate row of each variable) by increasing cost, lazily."""
        size = 64
        end = self.count(max_cost)
        while start < end:
            costs, rows = self._compiled.list(start, min(size, end - start))
            yield from zip(costs.tolist(), rows, strict=True)
            start += len(costs)
            size = min(2 * size, BLOCK)

    def sample(self, count: int, seed: int, max_cost: int) -> NDArray[np.int32]:
        """Draw networks independently, each with probability proportional to its weight.

        The level is drawn by its weight, the network of the level uniformly by its rank.
        """
        random = np.random.default_rng(seed)
        n_levels = int(np.searchsorted(self._costs, max_cost, side="right"))
        logs = np.array([_log(c) for c in self._counts[:n_levels]])
        logs -= (self._costs[:n_levels] - self._costs[0]) * self._unit
        weights = np.exp(logs - logs.max())
        levels = random.choice(n_levels, size=count, p=weights / weights.sum())
        before = [0]
        for networks in self._counts[:n_levels]:
            before.append(before[-1] + networks)
        rows = np.empty((count, self.n_variables), dtype=np.int32)
        for draw, level in enumerate(levels.tolist()):
            rank = before[level] + _below(random, self._counts[level])
            rows[draw] = self._compiled.list(rank, 1)[1][0]
        return rows

    @cached_property
    def used_rows(self) -> NDArray[np.int64]:
        """The candidate rows that some network has, ascending."""
        kind, first, _, _ = self._compiled.to_arrays()
        return np.unique(first[kind == 0]).astype(np.int64)

    def local_classes(
        self,
        context: NDArray[np.uint32],
        members: NDArray[np.uint16],
        max_cost: int,
        most_steps: int,
        most_classes: int,
        threads: int,
        control: _core.Control,
    ) -> dict[str, Any]:
        """Return one choice of parent sets per local class of some variables.

        Parameters
        ----------
        context
            The candidate rows of a network of the set; other variables have these.
        members
            The variables, ascending: a block, see `crediblenet.representatives`.
        max_cost
            Of the members' parent sets together, in grid units.
        most_steps, most_classes
            When to give up.
        threads, control
            How many threads to use, and what they are stopped through.

        Returns
        -------
        dict
            ``costs`` and ``codes`` by class, ``rows`` that the codes stand for, ``leaves``
            and ``steps`` of the walk, and whether it is ``complete``.
        """
        return self._compiled.local_classes(
            self._table.offsets,
            grid_costs(self._table),
            self._table.parents,
            context,
            members,
            max_cost,
            min(most_steps, 2**63),
            min(most_classes, 2**63),
            threads,
            control,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # The core's circuit cannot be copied as it is; its table can.
        return CompiledSet.from_arrow, (self._table, self.to_arrow())

    def to_arrow(self) -> dict[str, pa.Table]:
        """Return the circuit as one table, `circuit`, with a line per node, children first.

        ``kind`` is 0 for a candidate, 1 for a choice and 2 for a product; ``candidate`` is
        the row of the score table, ``children`` are line numbers.
        """
        kind, first, n_children, children = self._compiled.to_arrays()
        leaf = kind == 0
        offsets = np.append(
            np.where(leaf, 0, n_children).cumsum() - np.where(leaf, 0, n_children), len(children)
        )
        circuit = pa.table(
            {
                "kind": pa.array(kind),
                "candidate": pa.array(np.where(leaf, first, 0), mask=~leaf),
                "children": pa.ListArray.from_arrays(
                    pa.array(offsets.astype(np.int32)), pa.array(children)
                ),
            }
        )
        return {"circuit": circuit.replace_schema_metadata({"max_cost": str(self.max_cost)})}

    @classmethod
    def from_arrow(cls, table: ScoreTable, stored: Mapping[str, pa.Table]) -> CompiledSet:
        """Make the set again from what `to_arrow` returned.

        Raises
        ------
        RunDirectoryError
            When the circuit does not fit the score table.
        """
        try:
            nodes = stored["circuit"]
            max_cost = int((nodes.schema.metadata or {})[b"max_cost"])
            kind = nodes.column("kind").to_numpy().astype(np.uint8)
            candidate = nodes.column("candidate").fill_null(0).to_numpy().astype(np.uint64)
            lists = nodes.column("children").combine_chunks()
            children = lists.flatten().to_numpy(zero_copy_only=False).astype(np.uint32)
            lengths = lists.value_lengths().to_numpy(zero_copy_only=False).astype(np.uint32)
            begin = (lengths.astype(np.uint64).cumsum() - lengths).astype(np.uint64)
            compiled = _core.CompiledSet.from_arrays(
                kind,
                np.where(kind == 0, candidate, begin),
                lengths,
                children,
                table.offsets,
                grid_costs(table),
                max_cost,
                _core.Control(),
            )
        except (KeyError, ValueError, pa.ArrowInvalid) as error:
            raise RunDirectoryError(f"the compiled networks cannot be used: {error}") from error
        return cls(table, compiled)


def _log(count: int) -> float:
    """Return the natural logarithm of a whole number of any size."""
    shift = max(0, count.bit_length() - 64)
    return float(np.log(count >> shift) + shift * np.log(2.0))


def _below(random: np.random.Generator, bound: int) -> int:
    """Return a uniform whole number below a bound of any size."""
    n_bytes = (bound.bit_length() + 7) // 8
    excess = 8 * n_bytes - bound.bit_length()
    while True:
        drawn = int.from_bytes(random.bytes(n_bytes), "little") >> excess
        if drawn < bound:
            return drawn


network_set_kinds[CompiledSet.kind] = CompiledSet.from_arrow
