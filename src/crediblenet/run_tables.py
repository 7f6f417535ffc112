"""The tables of a run directory, as Arrow tables and as CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .class_set import ListedClasses
from .exceptions import ParameterError, RunDirectoryError
from .log_space import exp_or_inf
from .score_table import ScoreTable
from .summary import jsonable

if TYPE_CHECKING:
    from .edge_probabilities import EdgeProbabilities
    from .members import ClassList, Members

__all__ = [
    "class_table",
    "edges_csv",
    "read_score_table",
    "safe_cell",
    "score_table",
    "stored_representatives",
]

# A cell that begins with one of these is a formula to some spreadsheet programs.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def safe_cell(text: str) -> str:
    """Return text that no spreadsheet program takes for a formula.

    A text that begins with ``= + - @``, a tab, a line break or an apostrophe gets an
    apostrophe in front; taking away one leading apostrophe gives the text back.

    Examples
    --------
    >>> safe_cell("=1+1"), safe_cell("age"), safe_cell("'tis")
    ("'=1+1", 'age', "''tis")
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def edges_csv(edges: EdgeProbabilities) -> str:
    """Return the edge probabilities as CSV, one line per pair that is ever adjacent."""
    table = edges.to_arrow()
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.column_names)
    for row in table.to_pylist():
        writer.writerow(
            safe_cell(value) if isinstance(value, str) else repr(value) for value in row.values()
        )
    return buffer.getvalue()


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


def stored_representatives(classes: pa.Table, n_variables: int) -> ListedClasses:
    """Return costs in grid units and candidate rows from a stored table of classes."""
    costs = classes.column("cost_units").to_numpy()
    column = classes.column("candidates").combine_chunks()
    rows = np.asarray(column.flatten().to_numpy(zero_copy_only=False), dtype=np.int32)
    return ListedClasses(np.asarray(costs, dtype=np.int64), rows.reshape(len(costs), n_variables))


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
    columns = pa.table(
        {
            "variable": pa.array([table.names[v] for v in children], type=pa.string()),
            "cost": table.costs,
            "parents": pa.array(
                [[table.names[p] for p in table.parent_set(row)] for row in range(len(table))],
                type=pa.list_(pa.string()),
            ),
        }
    )
    return columns.replace_schema_metadata({"crediblenet": json.dumps(about)})


def read_score_table(stored: pa.Table) -> ScoreTable:
    """Return the score table that `score_table` made.

    Raises
    ------
    RunDirectoryError
        When it is something else.
    """
    try:
        about = json.loads((stored.schema.metadata or {})[b"crediblenet"])
        names = about.pop("names")
        number = {name: v for v, name in enumerate(names)}
        children = np.array([number[name] for name in stored.column("variable").to_pylist()])
        if np.any(np.diff(children) < 0):
            raise RunDirectoryError("the candidates in scores.parquet are out of order")
        words = max(1, -(-len(names) // 64))
        parents = np.zeros((stored.num_rows, words), dtype=np.uint64)
        for row, members in enumerate(stored.column("parents").to_pylist()):
            for name in members:
                parents[row, number[name] // 64] |= np.uint64(1 << number[name] % 64)
        return ScoreTable(
            names=tuple(names),
            offsets=np.searchsorted(children, np.arange(len(names) + 1)).astype(np.int64),
            parents=parents,
            costs=np.array(stored.column("cost").to_numpy(), dtype=np.float64),
            score=about["score"],
            epsilon=math.inf if about["epsilon"] is None else about["epsilon"],
            score_equivalent=about["score_equivalent"],
            grid_bits=about["grid_bits"],
            metadata=about["metadata"],
        )
    except (KeyError, TypeError, ValueError, ParameterError) as error:
        raise RunDirectoryError(f"scores.parquet cannot be used: {error}") from error
