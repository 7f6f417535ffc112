"""The networks that the search found, in compiled form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from . import _core
from .exceptions import LimitError
from .level_counts import Spread
from .network_set import Enough, grid_costs, network_set_kinds, never
from .score_table import ScoreTable

__all__ = ["LONGEST", "MOST_LEVELS", "CompiledSet"]

#: Distinct costs that all nodes of a circuit may hold together (16 bytes each); a set that has
#: more counts from both ends, and a node of it keeps its distinct costs if they are so few.
MOST_LEVELS, LONGEST = 1 << 25, 4096
#: Networks listed per call into the core.
BLOCK = 1 << 14


class CompiledSet(ABC):
    """A set of networks as an AND/OR circuit: see `NetworkSet` for what it offers.

    Counts, probabilities, draws and every smaller Bayes factor come from the circuit;
    networks are made only when they are listed. `counted_set` makes one.

    Parameters
    ----------
    table
        The candidates that the networks are made of.
    compiled
        The circuit, counted.
    """

    kind: ClassVar[str] = "compiled"

    def __init__(self, table: ScoreTable, compiled: _core.CompiledSet) -> None:
        self._table = table
        self._compiled = compiled
        self._unit = float(np.ldexp(1.0, -table.grid_bits))
        #: Nodes of the circuit.
        self.n_nodes = compiled.n_nodes

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return self._table.n_variables

    @property
    @abstractmethod
    def optimal_cost(self) -> int:
        """The least cost, in grid units."""

    @property
    @abstractmethod
    def max_cost(self) -> int:
        """The greatest cost, in grid units."""

    @abstractmethod
    def count(self, max_cost: int) -> int:
        """Return exactly how many networks cost at most `max_cost`."""

    @abstractmethod
    def cost_at_rank(self, rank: int) -> int | None:
        """Return the cost of the network that `rank` others precede; None if there is none."""

    @abstractmethod
    def spread(self, max_cost: int) -> Spread:
        """Return how the weight is spread over the networks up to a cost."""

    @abstractmethod
    def steps(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return costs, ascending, and how many networks cost at most that, for pictures."""

    @abstractmethod
    def levels(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return the distinct costs, ascending, and the exact number of networks at each."""

    @abstractmethod
    def sample(
        self, count: int, seed: int, max_cost: int, is_enough: Enough = never
    ) -> NDArray[np.int32]:
        """Draw networks independently, each with probability proportional to its weight."""

    @abstractmethod
    def _listed(self, start: int, count: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return costs and rows of the networks with ranks from `start`."""

    def candidate_log_weights(
        self, max_cost: int, control: _core.Control | None = None
    ) -> NDArray[np.float64]:
        """Return for each row of the table the log weight of the networks that use it.

        Raises
        ------
        LimitError
            When there are more networks than a floating-point number can say, or the control
            stops it.
        """
        limit = min(max_cost, self.max_cost)
        try:
            return self._compiled.candidate_log_weights(
                limit, self._unit, control or _core.Control()
            )
        except OverflowError as error:
            raise LimitError(f"the networks cannot be weighed exactly: {error}") from error

    def blocks(
        self, max_cost: int, size: int, start: int = 0
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """Yield (costs, candidate rows) of at most `size` networks at a time, by cost."""
        end = self.count(max_cost)
        while start < end:
            costs, rows = self._listed(start, min(size, end - start))
            yield costs, rows
            start += len(costs)

    def networks(self, max_cost: int, start: int = 0) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """Yield (cost, candidate row of each variable) by increasing cost, lazily."""
        size = 64
        end = self.count(max_cost)
        while start < end:
            costs, rows = self._listed(start, min(size, end - start))
            yield from zip(costs.tolist(), rows, strict=True)
            start += len(costs)
            size = min(2 * size, BLOCK)

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
        return network_set_kinds[self.kind], (self._table, self.to_arrow())

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
