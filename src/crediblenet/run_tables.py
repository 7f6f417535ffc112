"""The tables of a run directory, as Arrow tables and as CSV."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .class_set import ListedClasses
from .exceptions import ParameterError, RunDirectoryError
from .log_space import exp_or_inf
from .network_set import grid_costs
from .plain_words import one_line
from .score_table import ScoreTable
from .shapes import ShapeError, parse_json
from .spreadsheets import csv_text
from .stored_table import check_description, described_table
from .summary import jsonable

if TYPE_CHECKING:
    from .edge_probabilities import EdgeProbabilities
    from .members import ClassList, Members

__all__ = [
    "class_table",
    "edges_csv",
    "read_score_table",
    "score_table",
    "stored_representatives",
]

#: Candidates that are decoded at a time, a byte for each of their variables.
ROWS_AT_ONCE = 10_000


def edges_csv(edges: EdgeProbabilities) -> str:
    """Return the edge probabilities as CSV, one line per pair that is ever adjacent."""
    return csv_text(edges.to_arrow())


def class_table(members: Members, classes: ClassList, weights: NDArray[np.float64]) -> pa.Table:
    """Return one line per class, by increasing cost.

    Columns: ``cost`` in nats, ``bayes_factor`` of the best class to it, ``weight`` (share of
    the posterior), ``networks`` (how many, as a decimal string of any length), ``parents``
    (of a representative: for each variable, in column order, the names of its parents), and
    for reading the run back ``cost_units`` (in grid units) and ``candidates`` (rows of
    scores.parquet).
    """
    names, unit = members.table.names, members.unit
    parent_names = {
        row: [names[p] for p in members.parent_set(row)] for row in np.unique(classes.rows).tolist()
    }
    parents = [[parent_names[row] for row in rows] for rows in classes.rows.tolist()]
    flat = pa.array(np.ascontiguousarray(classes.rows, dtype=np.int32).reshape(-1))
    return pa.table(
        {
            "cost": classes.costs * unit,
            "bayes_factor": [
                exp_or_inf(deviation) for deviation in members.deviations(classes.costs).tolist()
            ],
            "weight": weights,
            "networks": [str(size) for size in classes.sizes],
            "parents": pa.array(parents, type=pa.list_(pa.list_(pa.string()))),
            "cost_units": classes.costs,
            "candidates": pa.FixedSizeListArray.from_arrays(flat, len(names)),
        }
    )


def stored_representatives(classes: pa.Table, table: ScoreTable) -> ListedClasses:
    """Return costs in grid units and candidate rows from a stored table of classes.

    Raises
    ------
    ShapeError
        When it is not a list of networks of the score table by increasing cost.
    """
    n = table.n_variables
    column = classes.column("candidates").combine_chunks()
    costs = _numbers(classes, "cost_units", pa.int64())
    if not pa.types.is_fixed_size_list(column.type) or column.type.value_type != pa.int32():
        raise ShapeError("the candidates in classes.parquet are not lists of whole numbers")
    if column.null_count or column.type.list_size != n:
        raise ShapeError(f"the candidates in classes.parquet are not {n} for each class")
    flat = column.flatten()
    if flat.null_count:
        raise ShapeError("candidates are missing in classes.parquet")
    rows = flat.to_numpy(zero_copy_only=False).reshape(len(costs), n)
    if np.any(rows < table.offsets[:-1]) or np.any(rows >= table.offsets[1:]):
        raise ShapeError("a row in classes.parquet is no candidate of its variable")
    units = grid_costs(table)
    found = np.zeros(len(costs), dtype=np.int64)
    for v in range(n):  # one variable at a time: all at once would take n times the memory
        found += units[rows[:, v]]
    if not np.array_equal(found, costs) or np.any(np.diff(costs) < 0):
        raise ShapeError("the costs in classes.parquet are not those of the scores, in order")
    return ListedClasses(costs, rows, float(np.ldexp(1.0, -table.grid_bits)))


def score_table(table: ScoreTable) -> pa.Table:
    """Return the candidates: variable, cost, parents by name, and what else the table knows."""
    children = np.repeat(np.arange(table.n_variables), np.diff(table.offsets))
    about: dict[str, Any] = {
        "names": list(table.names),
        "score": table.score,
        "epsilon": table.epsilon if math.isfinite(table.epsilon) else None,
        "score_equivalent": table.score_equivalent,
        "grid_bits": table.grid_bits,
        "metadata": jsonable(table.metadata),
    }
    names = pa.array(table.names, type=pa.string())
    columns = pa.table(
        {
            "variable": names.take(pa.array(children)),
            "cost": table.costs,
            "parents": parent_names(table, names),
        }
    )
    return columns.replace_schema_metadata({"crediblenet": json.dumps(about)})


def parent_names(table: ScoreTable, names: pa.Array) -> pa.ChunkedArray:
    """Return the names of each candidate's parents; rows are decoded many at a time."""
    chunks = []
    for first in range(0, len(table), ROWS_AT_ONCE):
        as_bytes = table.parents[first : first + ROWS_AT_ONCE].astype("<u8").view(np.uint8)
        is_parent = np.unpackbits(as_bytes, axis=1, bitorder="little")
        ends = np.cumsum(is_parent.sum(axis=1, dtype=np.int32), dtype=np.int32)
        parents = names.take(pa.array(np.nonzero(is_parent)[1]))
        starts = pa.array(np.concatenate([[0], ends]), type=pa.int32())
        chunks.append(pa.ListArray.from_arrays(starts, parents))
    return pa.chunked_array(chunks, type=pa.list_(pa.string()))


def read_score_table(stored: pa.Table) -> ScoreTable:
    """Return the score table that `score_table` made.

    Raises
    ------
    RunDirectoryError
        When it is something else.
    """
    try:
        about = parse_json((stored.schema.metadata or {}).get(b"crediblenet", b""))
        check_description(about, stored.num_rows)
        names = about["names"]
        children = _positions(stored.column("variable").combine_chunks(), names, "a variable")
        if np.any(np.diff(children) < 0):
            raise ShapeError("the candidates are out of order")
        return described_table(
            about,
            np.searchsorted(children, np.arange(len(names) + 1)).astype(np.int64),
            _parent_sets(stored.column("parents").combine_chunks(), names),
            _numbers(stored, "cost", pa.float64()),
        )
    except (KeyError, TypeError, ValueError, ParameterError, pa.ArrowException) as error:
        raise RunDirectoryError(f"scores.parquet cannot be used: {one_line(error)}") from error


def _positions(texts: pa.Array, names: list[str], what: str) -> NDArray[np.int64]:
    """Return which of the names each text is."""
    if texts.type != pa.string():
        raise ShapeError(f"{what} is not a text")
    found = pc.index_in(texts, pa.array(names, pa.string()))
    if found.null_count:
        raise ShapeError(f"{what} is none of the {len(names)} that the file names")
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int64)


def _parent_sets(lists: pa.Array, names: list[str]) -> NDArray[np.uint64]:
    """Return the bit sets of lists of names."""
    if not pa.types.is_list(lists.type) or lists.null_count:
        raise ShapeError("parents are missing, or are not lists")
    members = _positions(lists.flatten(), names, "a parent")
    lengths = lists.value_lengths().to_numpy(zero_copy_only=False)
    rows = np.repeat(np.arange(len(lists)), lengths)
    sets = np.zeros((len(lists), max(1, -(-len(names) // 64))), dtype=np.uint64)
    np.bitwise_or.at(sets, (rows, members // 64), np.uint64(1) << (members % 64).astype(np.uint64))
    return sets


def _numbers(stored: pa.Table, name: str, kind: pa.DataType) -> NDArray[Any]:
    column = stored.column(name)
    if column.type != kind or column.null_count:
        raise ShapeError(f"the column {name} is not {kind} throughout")
    return np.array(column.to_numpy())
