"""From values to states: one label per value, in an order that never varies.

The same table must give the same states from whatever it is read: 1, 1.0 and "1" are the
same number, and True, true and TRUE the same truth value. So a column in which *every*
value is a number (or a truth value) gets canonical labels; any other column keeps its texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Context, Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..exceptions import DataError

__all__ = [
    "canonical_form",
    "canonical_labels",
    "listed",
    "merge_into_states",
    "parse_number",
    "shown",
    "texts_of",
]

# A leading zero marks a code (a postcode, "007"), not a number. Forty characters hold every
# number that a program prints; longer ones are text, so hostile digits cost nothing.
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
_INFINITY = re.compile(r"([+-]?)inf(?:inity)?", re.IGNORECASE)
_LONGEST_NUMBER = 40
# Wide enough that no forty-character number is rounded.
_EXACT = Context(prec=2 * _LONGEST_NUMBER, Emax=99_999, Emin=-99_999)
_PLAIN_EXPONENTS = range(-7, 25)


def parse_number(text: str) -> Decimal | None:
    """Return the number that a text denotes, exactly, or None when it is no number."""
    text = text.strip()
    if len(text) > _LONGEST_NUMBER:
        return None
    if _NUMBER.fullmatch(text):
        return Decimal(text)
    infinity = _INFINITY.fullmatch(text)
    return Decimal(f"{infinity[1]}Infinity") if infinity else None


def _number_label(text: str) -> str | None:
    number = parse_number(text)
    if number is None:
        return None
    if number.is_infinite():
        return "inf" if number > 0 else "-inf"
    if number == 0:
        return "0"
    number = number.normalize(_EXACT)
    return f"{number:f}" if number.adjusted() in _PLAIN_EXPONENTS else str(number).lower()


def _truth_label(text: str) -> str | None:
    folded = text.strip().lower()
    return folded if folded in ("false", "true") else None


def canonical_form(text: str) -> str:
    """Return the label that a text has in a column of its kind.

    Examples
    --------
    >>> [canonical_form(text) for text in ("1.0", "1e3", "TRUE", "007", "high")]
    ['1', '1000', 'true', '007', 'high']
    """
    return _number_label(text) or _truth_label(text) or text


def canonical_labels(texts: Sequence[str]) -> tuple[list[str], bool]:
    """Return the label of each distinct text of one column, and whether all are numbers.

    Examples
    --------
    >>> canonical_labels(["1.0", "2"]), canonical_labels(["1.0", "two"])
    ((['1', '2'], True), (['1.0', 'two'], False))
    """
    for form in (_number_label, _truth_label):
        labels = [label for text in texts if (label := form(text)) is not None]
        if labels and len(labels) == len(texts):
            return labels, form is _number_label
    return list(texts), False


def merge_into_states(
    texts: Sequence[str],
) -> tuple[tuple[str, ...], NDArray[np.intp], list[tuple[str, str]], bool]:
    """Sort the distinct texts of a column into states.

    Parameters
    ----------
    texts
        The distinct values of one column, in any order.

    Returns
    -------
    states, positions, merged, numeric
        The labels in order (numbers by size, other values as text); for each text the
        position of its state; the pairs of texts that denote the same value; and whether
        all values are numbers.

    Examples
    --------
    >>> states, positions, merged, numeric = merge_into_states(["10", "9", "9.0"])
    >>> states, positions.tolist(), merged, numeric
    (('9', '10'), [1, 0, 0], [('9', '9.0')], True)
    """
    labels, numeric = canonical_labels(texts)
    # A label may be longer than any number that is read: 41 digits become 1.11...e+40.
    key: Callable[[str], Any] = Decimal if numeric else str
    states = tuple(sorted(dict.fromkeys(labels), key=key))
    position = {state: k for k, state in enumerate(states)}
    text_of: dict[str, str] = {}
    merged = []
    for text, label in sorted(zip(texts, labels, strict=True)):
        if text_of.setdefault(label, text) != text:
            merged.append((text_of[label], text))
    positions = np.fromiter((position[label] for label in labels), np.intp, len(labels))
    return states, positions, merged, numeric


def texts_of(values: pa.Array) -> list[str]:
    """Return the text of each value of an Arrow array without nulls."""
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        try:
            return list(values.to_pylist())
        except UnicodeDecodeError as error:
            # Arrow does not look into the texts of a file before they are used.
            raise DataError(f"a text of the table is not UTF-8: {error.object!r:.60}") from None
    try:
        return list(pc.cast(values, pa.string()).to_pylist())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return [str(value) for value in values.to_pylist()]


def shown(text: str, limit: int = 40) -> str:
    r"""Return a text quoted for a message: one printable line, not too long.

    Examples
    --------
    >>> print(shown("two\nlines"))
    'two\nlines'
    """
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")


def listed(texts: Iterable[str], limit: int = 5) -> str:
    """Return quoted texts for a message, at most `limit` of them, and how many more.

    Examples
    --------
    >>> listed(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    texts = list(texts)
    head = ", ".join(shown(text) for text in texts[:limit])
    return head if len(texts) <= limit else f"{head} and {len(texts) - limit:,} more"
