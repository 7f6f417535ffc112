"""What a value read from JSON has to look like, declared once and checked before it is used.

A `Shape` is called with a value and its place, and raises `ShapeError` when the value is anything
else. Small shapes make up larger ones: see `crediblenet.run_schema`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

__all__ = [
    "FLAG",
    "NUMBER",
    "PLAIN",
    "TEXT",
    "WHOLE",
    "Shape",
    "ShapeError",
    "list_of",
    "map_of",
    "number_from",
    "one_of",
    "optional",
    "parse_json",
    "record",
    "whole",
]

#: How deep lists and objects may be nested where anything is allowed: what is done with them
#: afterwards goes down step by step.
DEEPEST = 20
#: What a message calls the outermost value: its parts need no prefix.
WHOLE = "it"
_LONGEST_SHOWN = 40


class ShapeError(ValueError):
    """A value is not what it should be; the message says where, and what it should be."""


Shape = Callable[[Any, str], None]


def parse_json(text: str | bytes) -> Any:
    """Return what JSON says.

    Raises
    ------
    ValueError
        When it is no JSON, has a number that JSON does not know, or is nested too deeply.

    Examples
    --------
    >>> parse_json('{"a": [1, null]}')
    {'a': [1, None]}
    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    crediblenet.shapes.ShapeError: it is nested too deeply
    """
    try:
        return json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ShapeError("it is nested too deeply") from None


def _no_number(word: str) -> NoReturn:
    raise ShapeError(f"{word} is not a number in JSON")


def _kind(words: str, test: Callable[[Any], bool]) -> Shape:
    def check(value: Any, where: str) -> None:
        if not test(value):
            raise ShapeError(f"{where} must be {words}, not {_shown(value)}")

    return check


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value, default=lambda other: type(other).__name__)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    # The comparison is false for infinity, for no number, and for what no float can hold.
    number = _is_whole(value) or isinstance(value, float)
    return number and abs(value) <= sys.float_info.max


def _is_text(value: Any) -> bool:
    # Half a surrogate pair can be written in JSON, and nowhere else.
    return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)


def _is_plain(value: Any, depth: int = DEEPEST) -> bool:
    if isinstance(value, dict):
        inner = [*value, *value.values()]
    elif isinstance(value, list):
        inner = value
    else:
        return value is None or isinstance(value, int) or _is_number(value) or _is_text(value)
    return depth > 0 and all(_is_plain(item, depth - 1) for item in inner)


FLAG = _kind("true or false", lambda value: isinstance(value, bool))
TEXT = _kind("a text", _is_text)
NUMBER = _kind("a finite number", _is_number)
#: Anything that JSON can say, within reason.
PLAIN = _kind(f"plain values, at most {DEEPEST} levels deep", _is_plain)


def number_from(least: float) -> Shape:
    """Return the shape of a number that is not less than this.

    Examples
    --------
    >>> number_from(0)(-1.5, "gap")
    Traceback (most recent call last):
    crediblenet.shapes.ShapeError: gap must be a number, at least 0, not -1.5
    """
    words = f"a number, at least {least:g}"
    return _kind(words, lambda value: _is_number(value) and value >= least)


def whole(least: int, most: int | None = None) -> Shape:
    """Return the shape of a whole number in a range, ends included.

    Examples
    --------
    >>> whole(0, 64)(10**6, "grid_bits")
    Traceback (most recent call last):
    crediblenet.shapes.ShapeError: grid_bits must be a whole number from 0 to 64, not 1000000
    """
    words = f"a whole number, at least {least}"
    if most is not None:
        words = f"a whole number from {least} to {most}"
    return _kind(
        words, lambda value: _is_whole(value) and least <= value and (most is None or value <= most)
    )


def one_of(*texts: str) -> Shape:
    """Return the shape of a text that is one of these."""
    return _kind(
        f"one of {', '.join(texts)}", lambda value: isinstance(value, str) and value in texts
    )


def optional(shape: Shape) -> Shape:
    """Return the shape of null, or something else."""

    def check(value: Any, where: str) -> None:
        if value is not None:
            shape(value, where)

    return check


def list_of(shape: Shape) -> Shape:
    """Return the shape of a list with items of one shape."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, list):
            raise ShapeError(f"{where} must be a list, not {_shown(value)}")
        for number, item in enumerate(value):
            shape(item, f"{where}[{number}]")

    return check


def map_of(shape: Shape) -> Shape:
    """Return the shape of an object with any keys, and values of one shape."""

    def check(value: Any, where: str) -> None:
        _check_object(value, where)
        for key, item in value.items():
            shape(item, _inside(where, key))

    return check


def record(
    needed: Mapping[str, Shape],
    known: Mapping[str, Shape] | None = None,
    others: Shape | None = None,
) -> Shape:
    """Return the shape of an object with keys of its own.

    Parameters
    ----------
    needed
        What has to be there.
    known
        What may be there.
    others
        What any other value looks like; by default there must not be others.

    Examples
    --------
    >>> point = record({"x": NUMBER, "y": NUMBER}, {"name": TEXT})
    >>> point({"x": 1, "y": 2.5}, "point")
    >>> point({"x": 1}, "point")
    Traceback (most recent call last):
    crediblenet.shapes.ShapeError: point does not say y
    >>> point({"x": 1, "y": 2, "name": 5}, "point")
    Traceback (most recent call last):
    crediblenet.shapes.ShapeError: point.name must be a text, not 5
    """
    shapes = {**needed, **(known or {})}

    def check(value: Any, where: str) -> None:
        _check_object(value, where)
        if missing := sorted(needed.keys() - value.keys()):
            raise ShapeError(f"{where} does not say {', '.join(missing)}")
        for key, item in value.items():
            shape = shapes.get(key, others)
            if shape is None:
                raise ShapeError(f"{_inside(where, key)} is not known")
            shape(item, _inside(where, key))

    return check


def _check_object(value: Any, where: str) -> None:
    if not isinstance(value, dict):
        raise ShapeError(f"{where} must be an object, not {_shown(value)}")
    for key in value:
        TEXT(key, f"a key of {where}")


def _inside(where: str, key: str) -> str:
    """Return the place of a value in an object; keys come from a file, too."""
    name = key if key.isidentifier() and key.isprintable() and len(key) < 80 else _shown(key)
    return name if where == WHOLE else f"{where}.{name}"
