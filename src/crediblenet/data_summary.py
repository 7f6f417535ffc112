"""What a result remembers of its data, so that a loaded run can speak of them too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .data import ContinuousDataset, Dataset

__all__ = ["DataSummary"]


@dataclass(frozen=True)
class DataSummary:
    """The data without their rows.

    Attributes
    ----------
    rows
        How many.
    distinct_rows
        How many of them differ; None for continuous data.
    states
        The labels of each variable's values; None for continuous data.
    constant
        How many columns have one value only.
    discretization
        How each column was cut, in words.
    notes
        What the reader of the data said about them.
    """

    rows: int
    distinct_rows: int | None = None
    states: tuple[tuple[str, ...], ...] | None = None
    constant: int = 0
    discretization: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: Dataset | ContinuousDataset) -> DataSummary:
        """Return the summary of data that are here.

        Examples
        --------
        >>> import crediblenet as cn
        >>> summary = DataSummary.of(cn.as_dataset({"a": ["x", "y", "x"], "b": [0, 1, 0]}))
        >>> summary.rows, summary.distinct_rows, summary.states
        (3, 2, (('x', 'y'), ('0', '1')))
        """
        discrete = data if isinstance(data, Dataset) else None
        binnings = {} if discrete is None else discrete.discretization
        return cls(
            rows=data.n_rows,
            distinct_rows=None if discrete is None else discrete.n_distinct,
            states=None if discrete is None else discrete.states,
            constant=len(data.constant),
            discretization={name: str(binning) for name, binning in binnings.items()},
            notes=data.notes,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the same, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> DataSummary:
        """Return the summary that `to_dict` gave.

        Raises
        ------
        KeyError, TypeError
            When it is something else.
        """
        states = stored.get("states")
        return cls(
            rows=int(stored["rows"]),
            distinct_rows=stored.get("distinct_rows"),
            states=None if states is None else tuple(tuple(map(str, s)) for s in states),
            constant=int(stored.get("constant", 0)),
            discretization={str(k): str(v) for k, v in stored.get("discretization", {}).items()},
            notes=tuple(map(str, stored.get("notes", ()))),
        )
