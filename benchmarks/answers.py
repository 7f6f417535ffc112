"""Rows of one problem must have one answer, however it was found."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

__all__ = ["same_answers", "same_optimum"]

#: Costs and gaps are written with six digits, so that two of each are off by this at most.
ROUNDING = 2e-6

AnyRow = TypeVar("AnyRow", bound=Mapping[str, object])


def same_answers(
    rows: Iterable[AnyRow], problem: Sequence[str], answer: Sequence[str]
) -> Iterator[AnyRow]:
    """Hand rows on, as long as those of the same problem have the same answer.

    Rows that are not complete, and columns that are empty, say nothing.

    Parameters
    ----------
    rows
        The measured rows.
    problem, answer
        The columns that say what was asked, and what was found.

    Raises
    ------
    AssertionError
        When two answers differ.

    Examples
    --------
    >>> rows = [{"data": "a", "networks": 3}, {"data": "b", "networks": 4}]
    >>> len(list(same_answers(rows, ["data"], ["networks"])))
    2
    """
    known: dict[tuple[str, ...], str] = {}
    for row in rows:
        for column in answer if row.get("complete", "yes") == "yes" else ():
            value = row.get(column)
            if value is None or value == "":
                continue
            asked = (column, *(str(row[name]) for name in problem))
            first = known.setdefault(asked, str(value))
            if first != str(value):
                raise AssertionError(f"{asked}: {value}, but {first} in a row before")
        yield row


def same_optimum(before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Check that two rows of one problem, complete or not, can both be right.

    The optimum of a row lies between its ``optimal_cost`` and that less its ``gap``. Rows
    without a network say nothing.

    Raises
    ------
    AssertionError
        When there is no optimum that both rows allow.

    Examples
    --------
    >>> stopped = {"optimal_cost": "17.5", "gap": "2.0"}
    >>> same_optimum(stopped, {"optimal_cost": "16.0", "gap": "0.0"})
    >>> same_optimum(stopped, {"optimal_cost": "15.0", "gap": "0.0"})
    Traceback (most recent call last):
    AssertionError: the optimum is at least 15.5 in one row, and at most 15.0 in the other
    """
    known = [row for row in (before, after) if row["optimal_cost"]]
    at_most = min((float(row["optimal_cost"]) for row in known), default=math.inf)
    at_least = max((float(row["optimal_cost"]) - float(row["gap"]) for row in known), default=0)
    if at_least > at_most + ROUNDING:
        raise AssertionError(
            f"the optimum is at least {at_least} in one row, and at most {at_most} in the other"
        )
