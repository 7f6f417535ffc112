"""What every later stage takes: coded rows with multiplicities, or a matrix of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .._core import max_nodes
from ..exceptions import DataError, ParameterError
from .discretization import Binning
from .distinct import Codes, Weights
from .labels import shown

__all__ = ["ContinuousDataset", "Dataset", "check_names"]


def check_names(names: tuple[str, ...], where: str) -> None:
    """Raise DataError unless the names suit a network: 2 to 512, distinct, none empty."""
    if not names:
        raise DataError(f"{where}: there are no columns")
    if len(names) == 1:
        raise DataError(f"{where}: there is only one column, and a network needs at least two")
    if len(names) > max_nodes:
        raise DataError(
            f"{where}: {len(names):,} columns, but at most {max_nodes} variables are supported;"
            " choose the columns that matter"
        )
    first: dict[str, int] = {}
    for k, name in enumerate(names, start=1):
        if not name.strip():
            raise DataError(f"{where}: column {k} has an empty name")
        if any("\ud800" <= character <= "\udfff" for character in name):
            raise DataError(f"{where}: the name {shown(name)} of column {k} is no Unicode text")
        if first.setdefault(name, k) != k:
            raise DataError(
                f"{where}: columns {first[name]} and {k} have the same name {shown(name)}"
            )


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Discrete data: every row of the source, coded, equal rows counted once.

    Attributes
    ----------
    names
        The variables, in the order of the source's columns.
    states
        The labels of each variable's states; the position of a label is its code.
    codes
        One row per variable, one column per distinct row of the source, in
        lexicographic order.
    weights
        How many rows of the source each distinct row stands for.
    notes
        What the user should know: constant columns, dropped rows, states that are
        declared and never occur, bins.
    discretization
        How each discretized column was cut; give it as ``discretize=`` to cut other
        data in the same way.
    missing_state
        The label that stands for a missing value, if missing values are a state.

    Examples
    --------
    >>> from crediblenet.data import as_dataset
    >>> data = as_dataset({"rain": ["no", "yes", "no"], "wet": [False, True, False]})
    >>> data
    Dataset(2 variables, 3 rows, 2 distinct)
    >>> data.states, data.weights.tolist()
    ((('no', 'yes'), ('false', 'true')), [2, 1])
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    codes: Codes
    weights: Weights
    notes: tuple[str, ...] = ()
    discretization: Mapping[str, Binning] = field(default_factory=dict)
    missing_state: str | None = None

    def __post_init__(self) -> None:
        check_names(self.names, "the data")
        n = len(self.names)
        if len(self.states) != n or self.codes.ndim != 2 or len(self.codes) != n:
            raise ParameterError("states and codes must have one entry per variable")
        if self.codes.dtype != np.uint16 or not self.codes.flags.c_contiguous:
            raise ParameterError("codes must be a C-contiguous array of uint16")
        if self.weights.dtype != np.int64 or self.weights.shape != self.codes.shape[1:]:
            raise ParameterError("weights must be int64, one per distinct row")
        if not len(self.weights) or self.weights.min() < 1:
            raise ParameterError("there must be rows, and each must count at least once")
        if np.any(self.codes.max(axis=1) >= np.array(self.arities)):
            raise ParameterError("a code is not below the number of its variable's states")

    def __repr__(self) -> str:
        return (
            f"Dataset({self.n_variables} variables, {self.n_rows:,} rows,"
            f" {self.n_distinct:,} distinct)"
        )

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.names)

    @cached_property
    def n_rows(self) -> int:
        """The number of rows of the source, after dropping."""
        return int(self.weights.sum())

    @property
    def n_distinct(self) -> int:
        """The number of distinct rows."""
        return len(self.weights)

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """How many states each variable has: declared ones, or else the observed ones."""
        return tuple(len(states) for states in self.states)

    @cached_property
    def constant(self) -> tuple[int, ...]:
        """The variables with one observed value, which stay isolated in every network."""
        return tuple(np.flatnonzero(self.codes.min(axis=1) == self.codes.max(axis=1)).tolist())

    def encode(
        self,
        source: Any,
        *,
        header: bool = True,
        format: Literal["csv", "parquet", "dat"] | None = None,  # noqa: A002 (the option's name)
        names: Sequence[str] | None = None,
        delimiter: str | None = None,
        encoding: str = "utf-8",
        missing_values: Iterable[str] = (),
    ) -> Codes:
        """Code further rows with the states of this data set.

        Parameters
        ----------
        source
            Anything that `as_dataset` reads. Columns are found by name, whatever their
            order; further columns are ignored.
        header, format, names, delimiter, encoding, missing_values
            As for `as_dataset`.

        Returns
        -------
        codes
            One row per variable, one column per row of the source, in its order.

        Raises
        ------
        DataError
            When a column is not there, or a value is none of the states.

        Examples
        --------
        >>> from crediblenet.data import as_dataset
        >>> data = as_dataset({"a": ["x", "y", "x"], "b": [1, 2, 3]})
        >>> data.encode({"b": [3.0, 1.0], "a": ["y", "y"]}).tolist()
        [[1, 1], [2, 0]]
        """
        from .further_rows import encode_rows
        from .options import DataOptions

        options = DataOptions(
            header=header,
            format=format,
            names=names,
            delimiter=delimiter,
            encoding=encoding,
            missing_values=missing_values,
        )
        return encode_rows(self, source, options)


@dataclass(frozen=True, eq=False, repr=False)
class ContinuousDataset:
    """Continuous data: a matrix of finite numbers.

    Attributes
    ----------
    names
        The variables, in the order of the source's columns.
    values
        One row per row of the source, one column per variable.
    notes
        What the user should know: constant columns, dropped rows.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_names(self.names, "the data")
        if self.values.ndim != 2 or self.values.shape[1] != len(self.names):
            raise ParameterError("values must have one column per variable")
        if not len(self.values) or not np.isfinite(self.values).all():
            raise ParameterError("there must be rows, and every value must be finite")

    def __repr__(self) -> str:
        return f"ContinuousDataset({self.n_variables} variables, {self.n_rows:,} rows)"

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.names)

    @property
    def n_rows(self) -> int:
        """The number of rows, after dropping."""
        return len(self.values)

    @cached_property
    def constant(self) -> tuple[int, ...]:
        """The variables with one observed value, which stay isolated in every network."""
        return tuple(np.flatnonzero(self.values.min(axis=0) == self.values.max(axis=0)).tolist())
