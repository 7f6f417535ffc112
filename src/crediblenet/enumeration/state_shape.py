"""What the stored state of a search has to look like before a search goes on from it.

A checkpoint is a file, and files come from anywhere: a digest says that one is as it was written,
not who wrote it. What has this shape cannot make the search fail, or ask for senseless amounts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .. import _core
from ..bounds import Clusters, LocalCuts, Part, Strong, proof
from ..score_table import ScoreTable
from ..shapes import (
    FLAG,
    Shape,
    ShapeError,
    list_of,
    map_of,
    number_from,
    optional,
    record,
    whole,
)

__all__ = ["state_shape"]

#: More than any count or time.
MOST = 2**62
#: More than any multiplier, in grid units: thousands of them can be added up.
MOST_MULTIPLIER = 2**45
#: More splits than any part is the outcome of without a relaxation: a part gives up after a
#: number of states that doubles with each.
MOST_GIVEN_UP = 40


def state_shape(table: ScoreTable, nodes: int) -> Shape:
    """Return the shape of a search's state: of one table, with so many nodes in its circuit."""
    part, count = _part(table), whole(0, MOST)
    bounder = record(
        {"upper": whole(-MOST, MOST), "rows": _network(table), "statistics": map_of(count)}
    )
    return record(
        {
            "open_parts": list_of(part),
            "in_work": list_of(_pair(part, bounder)),
            "finished": count,
            "whole": optional(part),
            "patience": count,
            "roots": list_of(whole(0, nodes - 1)),
            "seconds": map_of(number_from(0)),
            "counted": map_of(count),
            "bounder": bounder,
        }
    )


def _part(table: ScoreTable) -> Shape:
    """Return the shape of a part, whose inequalities prove something."""
    clusters, x = _clusters(table), _array(np.float64, len(table))
    strong = _object(Strong, {"clusters": clusters, "cuts": _cuts(table), "x": x})
    fields = _object(
        Part,
        {
            "keep": _array(np.bool_, len(table)),
            "lower": whole(-MOST, MOST),
            "exact": FLAG,
            "share": number_from(0),
            "clusters": optional(clusters),
            "x": optional(x),
            "strong": optional(strong),
            "cuts_fail": FLAG,
            "cuts_only": FLAG,
            "given_up": whole(0, MOST_GIVEN_UP),
            "waits": FLAG,
        },
    )

    costs = np.zeros(len(table), np.int64)
    problem = _core.Problem.make(table.offsets, table.parents, costs)
    variable = np.repeat(np.arange(table.n_variables), np.diff(table.offsets))

    def check(part: Any, where: str) -> None:
        fields(part, where)
        if not np.logical_or.reduceat(part.keep, table.offsets[:-1]).all():
            raise ShapeError(f"{where}.keep leaves a variable without a candidate")
        try:  # the core says what is wrong with inequalities
            if part.clusters is not None:
                proof(problem, variable, part.clusters)
            if part.strong is not None:
                proof(problem, variable, part.strong.clusters, part.strong.cuts)
        except ValueError as error:
            raise ShapeError(f"{where}: {error}") from None

    return check


def _clusters(table: ScoreTable) -> Shape:
    words = table.parents.shape[1]
    return _object(
        Clusters,
        {
            "members": _array(np.uint64, None, words),
            "k": _array(np.uint32, None),
            "values": _multipliers,
        },
    )


def _cuts(table: ScoreTable) -> Shape:
    words = table.parents.shape[1]
    return _object(
        LocalCuts,
        {
            "members": _array(np.uint64, None, words),
            "offsets": _array(np.int64, None),
            "variables": _array(np.uint32, None),
            "parents": _array(np.uint64, None, words),
            "weights": _array(np.uint32, None),
            "values": _multipliers,
        },
    )


def _network(table: ScoreTable) -> Shape:
    """Return the shape of one candidate for each variable, in order."""
    numbers = _array(np.uint32, table.n_variables)

    def check(rows: Any, where: str) -> None:
        numbers(rows, where)
        if not ((rows >= table.offsets[:-1]) & (rows < table.offsets[1:])).all():
            raise ShapeError(f"{where} must have one candidate of each variable")

    return check


def _multipliers(values: Any, where: str) -> None:
    _array(np.int64, None)(values, where)
    if len(values) and not (values.min() >= 0 and values.max() <= MOST_MULTIPLIER):
        raise ShapeError(f"{where} must be multipliers")


def _array(kind: DTypeLike, *sizes: int | None) -> Shape:
    """Return the shape of an array of finite numbers with these sizes, None being any."""

    def check(value: Any, where: str) -> None:
        if not (
            isinstance(value, np.ndarray)
            and value.dtype == kind
            and value.ndim == len(sizes)
            and all(wanted in (None, size) for wanted, size in zip(sizes, value.shape, strict=True))
            and _is_finite(value)
        ):
            raise ShapeError(f"{where} must be {len(sizes)}-dimensional {np.dtype(kind).name}s")

    return check


def _is_finite(array: NDArray[Any]) -> bool:
    return bool(np.isfinite(array).all())


def _object(kind: type, fields: dict[str, Shape]) -> Shape:
    """Return the shape of an object of a dataclass."""
    shape = record(fields)

    def check(value: Any, where: str) -> None:
        if not isinstance(value, kind):
            raise ShapeError(f"{where} must be a {kind.__name__}")
        shape(vars(value), where)

    return check


def _pair(first: Shape, second: Shape) -> Shape:
    """Return the shape of a tuple of two."""

    def check(value: Any, where: str) -> None:
        if not (isinstance(value, tuple) and len(value) == 2):
            raise ShapeError(f"{where} must be a pair")
        first(value[0], f"{where}[0]")
        second(value[1], f"{where}[1]")

    return check
