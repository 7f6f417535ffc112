"""Decide the states of each column once all its values are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..exceptions import DataError
from .encoding import MISSING
from .labels import canonical_labels, listed, merge_into_states, parse_number, shown

__all__ = ["ColumnStates", "has_many_values", "settle_states"]

# Beyond these a numeric column is taken for a measurement rather than a category. Whole
# numbers are often codes, so they may be more: up to a tenth of the rows, but no more than
# 256. The paper's data have up to 79 whole numbers in 1,000 rows.
_MANY_NUMBERS = 20
_MANY_WHOLE_NUMBERS = 256
# More texts than this, and than half the rows, name the rows rather than describe them.
_MANY_TEXTS = 50


def has_many_values(labels: Sequence[str], n_rows: int) -> bool:
    """Say whether the distinct numbers of a column look like measurements.

    Examples
    --------
    >>> has_many_values([str(k) for k in range(30)], n_rows=1000)
    False
    >>> has_many_values([f"{k}.5" for k in range(30)], n_rows=1000)
    True
    """
    if len(labels) <= _MANY_NUMBERS:
        return False
    numbers = [parse_number(label) for label in labels]
    whole = all(number is not None and number == number.to_integral() for number in numbers)
    limit = min(_MANY_WHOLE_NUMBERS, max(_MANY_NUMBERS, n_rows // 10)) if whole else _MANY_NUMBERS
    return len(labels) > limit


@dataclass(frozen=True)
class ColumnStates:
    """The states of one column, and the way from first codes to final ones.

    Attributes
    ----------
    states
        The labels; the position of a label is its final code.
    final_code
        For each first code the final one; `MISSING` stays what it is.
    notes
        What the user should know.
    many_values
        Whether these are the distinct values of a measurement.
    """

    states: tuple[str, ...]
    final_code: NDArray[np.uint16]
    notes: tuple[str, ...] = ()
    many_values: bool = False


def settle_states(
    name: str,
    texts: Sequence[str],
    counts: NDArray[np.int64],
    *,
    declared: bool,
    arity: int | None = None,
    where: str = "the data",
) -> ColumnStates:
    """Give a column its states.

    Parameters
    ----------
    name
        The column.
    texts
        Its distinct values; the position of each is its first code.
    counts
        How often each value occurs.
    declared
        Whether the texts are declared states, in their order.
    arity
        How many states the source says there are.
    where
        What to call the source in a message.
    """
    final_code = np.full(MISSING + 1, MISSING, np.uint16)
    column = f"column {shown(name)}"
    if declared:
        labels, _ = canonical_labels(texts)
        if len(set(labels)) < len(labels):
            twice = next(label for label, n in Counter(labels).items() if n > 1)
            raise DataError(f"{where}, {column}: two declared states are both {shown(twice)}")
        final_code[: len(texts)] = np.arange(len(texts))
        return ColumnStates(tuple(labels), final_code, _unobserved(column, labels, counts))
    observed = np.flatnonzero(counts).tolist()
    states, positions, merged, numeric = merge_into_states([texts[k] for k in observed])
    final_code[observed] = positions
    notes = [
        f"{column}: {shown(one)} and {shown(other)} are the same value, hence one state"
        for one, other in merged
    ]
    n_rows = int(counts.sum())
    if not numeric:
        notes += _lookalikes(column, states)
        if len(states) > max(_MANY_TEXTS, n_rows // 2):
            notes.append(
                f"{column}: {len(states):,} states in {n_rows:,} rows: an identifier, it seems;"
                " if so, leave it out"
            )
    if arity is not None:
        states, shift = _extend_to_arity(states, arity, f"{where}, {column}")
        final_code[observed] = shift[positions]
        occurring = np.bincount(shift, minlength=arity)
        notes += _unobserved(column, states, occurring)
        return ColumnStates(states, final_code, tuple(notes))
    many = numeric and has_many_values(states, n_rows)
    return ColumnStates(states, final_code, tuple(notes), many_values=many)


def _unobserved(column: str, labels: Sequence[str], counts: NDArray[np.int64]) -> tuple[str, ...]:
    absent = [label for label, count in zip(labels, counts, strict=True) if count == 0]
    if not absent:
        return ()
    what, verbs = ("state", "occurs, but counts")
    if len(absent) > 1:
        what, verbs = ("states", "occur, but count")
    return (f"{column}: declared {what} {listed(absent)} never {verbs} in the score",)


def _lookalikes(column: str, states: Sequence[str]) -> list[str]:
    """Note states that differ only in case or surrounding blanks: often a slip."""
    first: dict[str, str] = {}
    pairs = [
        (first[folded], state)
        for state in states
        if first.setdefault(folded := state.strip().casefold(), state) != state
    ]
    if not pairs:
        return []
    more = f" (and {len(pairs) - 1:,} more such pair{'s' * (len(pairs) > 2)})" * (len(pairs) > 1)
    one, other = pairs[0]
    return [f"{column}: states {shown(one)} and {shown(other)} differ only in case or blanks{more}"]


def _extend_to_arity(
    states: tuple[str, ...], arity: int, where: str
) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Return `arity` states and the position of each observed one among them.

    The usual codes 0, 1, ..., arity - 1 are recognized. Otherwise the states that never
    occur have no known labels and get made-up ones, after the others.
    """
    if len(states) > arity:
        raise DataError(
            f"{where}: {len(states):,} values occur ({listed(states)}), but the declared arity"
            f" is {arity:,}"
        )
    usual = tuple(str(k) for k in range(arity))
    if set(states) <= set(usual):
        return usual, np.array([int(state) for state in states], np.intp)
    spare: list[str] = []
    k = 1
    while len(states) + len(spare) < arity:
        if (label := f"unobserved {k}") not in states:
            spare.append(label)
        k += 1
    return (*states, *spare), np.arange(len(states), dtype=np.intp)
