"""Probabilities that say how they were obtained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .exceptions import ParameterError

__all__ = ["FeatureEstimate", "FeatureMatrix", "Method"]

Method = Literal["exact", "sampling"]


@dataclass(frozen=True)
class FeatureEstimate:
    """The posterior mean of one feature over a credible set.

    Attributes
    ----------
    value
        The probability, or the mean of a number.
    standard_error
        0.0 when exact. Otherwise the standard error of the estimate; for a probability it
        counts two imagined draws, one with and one without the feature, so that it is
        never zero just because all draws agree.
    method
        ``"exact"`` or ``"sampling"``.
    basis
        What was added up, in words.
    """

    value: float
    standard_error: float
    method: Method
    basis: str

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        error = "" if self.method == "exact" else f" ± {self.standard_error:.2g}"
        return f"{self.value:.6g}{error} ({self.method}: {self.basis})"


@dataclass(frozen=True)
class FeatureMatrix:
    """The probability of a relation for every ordered pair of variables.

    ``matrix["a", "b"]`` is the estimate for one pair. The whole converts to a table with
    `to_arrow` or `to_pandas`, and any library that reads Arrow streams takes it as it is
    (``polars.DataFrame(matrix)``).

    Attributes
    ----------
    names
        The variables.
    values
        Entry ``[a, b]`` is the probability for the pair (a, b).
    standard_errors
        In the same places; all 0.0 when exact.
    method, basis
        As in `FeatureEstimate`.
    relation
        What holds between the first and the second variable, in words.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    method: Method
    basis: str
    relation: str

    def __getitem__(self, pair: tuple[str, str]) -> FeatureEstimate:
        a, b = (position(self.names, name) for name in pair)
        return FeatureEstimate(
            float(self.values[a, b]), float(self.standard_errors[a, b]), self.method, self.basis
        )

    def __iter__(self) -> Iterator[tuple[str, str, float]]:
        """Yield (first, second, probability) where it is not zero, most probable first."""
        for a, b in pairs_by_value(self.values):
            yield self.names[a], self.names[b], float(self.values[a, b])

    def to_arrow(self) -> pa.Table:
        """Return first, second, probability and standard_error, most probable first."""
        pairs = pairs_by_value(self.values)
        return pa.table(
            {
                "first": [self.names[a] for a, _ in pairs],
                "second": [self.names[b] for _, b in pairs],
                "probability": [float(self.values[p]) for p in pairs],
                "standard_error": [float(self.standard_errors[p]) for p in pairs],
            }
        )

    def to_pandas(self) -> Any:
        """Return the table of `to_arrow` as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        lines = [f"probability that {self.relation} ({self.method}: {self.basis})"]
        shown = list(self)[:20]
        lines += [f"  {a!r}, {b!r}: {p:.4f}" for a, b, p in shown]
        more = int(np.count_nonzero(self.values)) - len(shown)
        return "\n".join(lines + [f"  and {more} more"] * (more > 0))


def position(names: tuple[str, ...], name: str) -> int:
    """Return the column number of a variable."""
    try:
        return names.index(name)
    except ValueError:
        raise ParameterError(
            f"there is no variable {name!r}; the variables are {', '.join(map(str, names))}"
        ) from None


def pairs_by_value(values: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return the places of the entries that are not zero, greatest first, then in order."""
    a, b = np.nonzero(values)
    order = np.lexsort((b, a, -values[a, b]))
    return list(zip(a[order].tolist(), b[order].tolist(), strict=True))
