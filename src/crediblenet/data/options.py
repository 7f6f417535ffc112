"""How data are to be read and coded: the options, checked once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any

from ..exceptions import ParameterError
from .discretization import METHODS, Binning
from .encoding import MAX_STATES
from .labels import canonical_labels, listed, shown

__all__ = ["DEFAULT_BINS", "DEFAULT_MISSING_TEXTS", "DataOptions"]

#: Texts that mean a missing value wherever they stand, unless they are a declared state.
DEFAULT_MISSING_TEXTS = ("", "NA", "N/A", "<NA>", "NaN", "nan", "NaT", "null", "NULL", "None")

#: How many bins a column is cut into unless the user says otherwise.
DEFAULT_BINS = 5

_FORMATS = ("csv", "parquet", "dat")
_MISSING = ("error", "drop", "state")
_MANY_VALUES = ("error", "keep")


@dataclass(frozen=True)
class DataOptions:
    """The keyword arguments of `as_dataset`, which describes them."""

    header: bool = True
    format: str | None = None
    names: Sequence[str] | None = None
    delimiter: str | None = None
    encoding: str = "utf-8"
    states: Mapping[str, Iterable[object]] | str | PathLike[str] | None = None
    missing: str = "error"
    missing_values: Iterable[str] = ()
    discretize: str | Mapping[str, str | Binning | Sequence[float]] | None = None
    bins: int | Mapping[str, int] = DEFAULT_BINS
    many_values: str = "error"

    def __post_init__(self) -> None:
        if isinstance(self.names, str):
            raise ParameterError("names= must be a list of names")
        _one_of("format", self.format, (None, *_FORMATS))
        _one_of("missing", self.missing, _MISSING)
        _one_of("many_values", self.many_values, _MANY_VALUES)
        if self.delimiter is not None and (
            not isinstance(self.delimiter, str)
            or len(self.delimiter.encode()) != 1
            or self.delimiter in '"\r\n\0'
        ):
            raise ParameterError(f"delimiter={self.delimiter!r} must be one character")
        for method in self._methods():
            if not isinstance(method, Binning | Sequence) or isinstance(method, str):
                _one_of("discretize", method, METHODS)
        if self.discretize is None and self.bins != DEFAULT_BINS:
            raise ParameterError("bins= has no effect without discretize=")
        for count in self.bins.values() if isinstance(self.bins, Mapping) else (self.bins,):
            if (
                isinstance(count, bool)
                or not isinstance(count, int)
                or not 2 <= count <= MAX_STATES
            ):
                raise ParameterError(f"bins={count!r} must be a whole number of at least 2")

    @property
    def missing_texts(self) -> frozenset[str]:
        """Every text that means a missing value."""
        more = (
            (self.missing_values,) if isinstance(self.missing_values, str) else self.missing_values
        )
        return frozenset(DEFAULT_MISSING_TEXTS).union(str(text).strip() for text in more)

    def _methods(self) -> Iterable[str | Binning | Sequence[float]]:
        if isinstance(self.discretize, Mapping):
            return self.discretize.values()
        return () if self.discretize is None else (self.discretize,)

    def cut_methods(self, names: tuple[str, ...]) -> dict[str, str | Binning]:
        """Return how to cut each column that may be cut.

        Raises
        ------
        ParameterError
            When a column is unknown, or its cuts are not increasing numbers.
        """
        if isinstance(self.bins, Mapping):
            _check_columns("bins", self.bins, names)
        if not isinstance(self.discretize, Mapping):
            return {} if self.discretize is None else dict.fromkeys(names, self.discretize)
        _check_columns("discretize", self.discretize, names)
        return {
            name: method if isinstance(method, str | Binning) else Binning.at(method)
            for name, method in self.discretize.items()
        }

    def bins_of(self, name: str) -> int:
        """Return how many bins a column is cut into."""
        return self.bins.get(name, DEFAULT_BINS) if isinstance(self.bins, Mapping) else self.bins

    def changed(self) -> list[str]:
        """Return the options that are not at their default."""
        return [f.name for f in fields(self) if not _equal(getattr(self, f.name), f.default)]

    def declared_states(self, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        """Return the labels of the states that the user declared, by column.

        Raises
        ------
        ParameterError
            When a column is unknown, has no states, or a state twice.
        """
        declared = {}
        states = (
            _read_states(self.states) if isinstance(self.states, str | PathLike) else self.states
        )
        _check_columns("states", states or {}, names)
        for name, values in (states or {}).items():
            if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
                raise ParameterError(f"states: those of column {shown(name)} must be a list")
            labels, _ = canonical_labels([str(value) for value in values])
            if not labels:
                raise ParameterError(f"states: column {shown(name)} needs at least one state")
            if len(labels) > MAX_STATES:
                raise ParameterError(f"states: column {shown(name)} has more than {MAX_STATES:,}")
            if len(set(labels)) < len(labels):
                twice = next(label for label in labels if labels.count(label) > 1)
                raise ParameterError(
                    f"states: column {shown(name)} lists state {shown(twice)} twice"
                )
            declared[name] = tuple(labels)
        return declared


def _read_states(path: str | PathLike[str]) -> dict[str, Any]:
    """Read a JSON file that lists the states of columns."""
    where = f"states: file {shown(str(path), limit=200)}"
    try:
        states = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ParameterError(f"{where} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise ParameterError(f"{where} is no UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise ParameterError(f"{where}, line {error.lineno}: no JSON: {error.msg}") from None
    if not isinstance(states, dict):
        raise ParameterError(f'{where} must hold an object such as {{"column": ["low", "high"]}}')
    return states


def _check_columns(option: str, by_name: Iterable[str], names: tuple[str, ...]) -> None:
    for name in by_name:
        if name not in names:
            raise ParameterError(
                f"{option}: there is no column {shown(str(name))}; there are {listed(names)}"
            )


def _equal(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def _one_of(option: str, value: Any, allowed: Sequence[Any]) -> None:
    if value not in allowed:
        choices = ", ".join(repr(choice) for choice in allowed)
        raise ParameterError(f"{option}={value!r} must be one of {choices}")
