"""Compiled sets as they come out of the core, or out of a file."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from . import _core
from .compiled_set import LONGEST, MOST_LEVELS, CompiledSet
from .exceptions import RunDirectoryError
from .folded_set import FoldedSet
from .levelled_set import LevelledSet
from .network_set import grid_costs, network_set_kinds
from .score_table import ScoreTable

__all__ = ["counted_set", "stored_set"]


def counted_set(table: ScoreTable, compiled: _core.CompiledSet) -> CompiledSet:
    """Return a set by what it can do: with its levels, if it knows them."""
    return LevelledSet(table, compiled) if compiled.has_levels else FoldedSet(table, compiled)


def stored_set(table: ScoreTable, stored: Mapping[str, pa.Table]) -> CompiledSet:
    """Make a set again from what its `to_arrow` returned.

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
            MOST_LEVELS,
            LONGEST,
            _core.Control(),
        )
    except (KeyError, ValueError, pa.ArrowInvalid) as error:
        raise RunDirectoryError(f"the compiled networks cannot be used: {error}") from error
    return counted_set(table, compiled)


network_set_kinds[CompiledSet.kind] = stored_set
