"""Keyword arguments that are of the wrong kind, or misspelt: one clear error for each."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import fields
from numbers import Integral, Real
from typing import Any

from .data.options import DataOptions
from .exceptions import ParameterError

__all__ = ["check_numbers", "check_whole_numbers", "data_keywords"]

#: What `find` and `score` take besides, for a hint at what was meant.
RUN_KEYWORDS = (
    *("score", "ess", "bayes_factor", "epsilon", "factor", "k", "k_classes", "rules"),
    *("max_parents", "require", "forbid", "tiers", "limit", "time_limit", "memory_limit"),
    *("threads", "out", "overwrite", "progress", "client"),
)


def check_numbers(**given: object) -> None:
    """Raise ParameterError unless each of these is a number, or None.

    >>> check_numbers(bayes_factor=20, epsilon=None)
    >>> check_numbers(bayes_factor="20")
    Traceback (most recent call last):
    crediblenet.exceptions.ParameterError: bayes_factor must be a number, not '20'
    """
    _check(Real, "a number", given)


def check_whole_numbers(**given: object) -> None:
    """Raise ParameterError unless each of these is a whole number, or None.

    >>> check_whole_numbers(threads=2.5)
    Traceback (most recent call last):
    crediblenet.exceptions.ParameterError: threads must be a whole number, not 2.5
    """
    _check(Integral, "a whole number", given)


def _check(kind: type, words: str, given: Mapping[str, object]) -> None:
    for name, value in given.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, kind)):
            raise ParameterError(f"{name} must be {words}, not {value!r}")


def data_keywords(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return options for reading data under the names that `as_dataset` has for them.

    ``no_header=True``, as the command has it, is ``header=False``.

    >>> data_keywords({"no_header": True})
    {'header': False}
    >>> data_keywords({"bayesfactor": 3})
    Traceback (most recent call last):
    crediblenet.exceptions.ParameterError: there is no option bayesfactor; is bayes_factor meant?
    """
    options = dict(given)
    if "no_header" in options:
        if "header" in options:
            raise ParameterError("give header or no_header, not both")
        options["header"] = not options.pop("no_header")
    known = [field.name for field in fields(DataOptions)]
    for name in options:
        if name not in known:
            meant = difflib.get_close_matches(name, [*known, *RUN_KEYWORDS], 1)
            hint = f"; is {meant[0]} meant?" if meant else ""
            raise ParameterError(f"there is no option {name}{hint}")
    return options
