"""Rows of one problem must have one answer, however it was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

__all__ = ["same_answers"]

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
