"""Cut a numeric column into bins, and remember the cuts."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import ParameterError

__all__ = ["METHODS", "Binning", "make_binning"]

#: The ways to place the cuts.
METHODS = ("equal-width", "equal-frequency", "kmeans")


@dataclass(frozen=True)
class Binning:
    """Where one column was cut.

    A value belongs to the bin whose number is the number of cuts that are not above it, so
    every number has a bin: the outer bins are unbounded.

    Attributes
    ----------
    method
        How the cuts were chosen: one of `METHODS`, or ``"given"``.
    cuts
        The inner edges, increasing.

    Examples
    --------
    >>> binning = Binning("given", (18.0, 65.0))
    >>> binning.labels
    ('(-inf, 18)', '[18, 65)', '[65, inf)')
    >>> binning.codes(np.array([17.9, 18.0, 70.0])).tolist()
    [0, 1, 2]
    """

    method: str
    cuts: tuple[float, ...]

    def __post_init__(self) -> None:
        cuts = self.cuts
        finite = all(isinstance(cut, float) and math.isfinite(cut) for cut in cuts)
        if not finite or any(a >= b for a, b in pairwise(cuts)):
            raise ParameterError(f"cuts {list(cuts)!r} must be increasing finite numbers")

    def __str__(self) -> str:
        cuts = ", ".join(f"{cut:.6g}" for cut in self.cuts)
        return f"{len(self.cuts) + 1} bins ({self.method}; cut at {cuts or 'nothing'})"

    @property
    def labels(self) -> tuple[str, ...]:
        """The bins as intervals, lowest first."""
        inner = [f"{cut:.6g}" for cut in self.cuts]
        if len(set(inner)) < len(inner):
            inner = [repr(cut) for cut in self.cuts]
        edges = ["-inf", *inner, "inf"]
        return tuple(
            f"{'[' if k else '('}{low}, {high})" for k, (low, high) in enumerate(pairwise(edges))
        )

    def codes(self, values: NDArray[np.float64]) -> NDArray[np.uint16]:
        """Return the bin of each value; values must not be NaN."""
        return np.searchsorted(self.cuts, values, side="right").astype(np.uint16)

    @classmethod
    def at(cls, cuts: Iterable[float]) -> Binning:
        """Cut at these numbers."""
        try:
            return cls("given", tuple(float(cut) for cut in cuts))
        except (TypeError, ValueError):
            raise ParameterError(f"cuts {cuts!r} must be increasing finite numbers") from None

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold; `from_dict` is the way back."""
        return {"method": self.method, "cuts": list(self.cuts)}

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Binning:
        """Make the binning that `to_dict` described."""
        return cls(str(record["method"]), tuple(float(cut) for cut in record["cuts"]))


def make_binning(method: str | Binning, ordered: NDArray[np.float64], bins: int) -> Binning:
    """Choose the cuts for one column.

    Parameters
    ----------
    method
        One of `METHODS`; or the cuts of other data, to repeat them.
    ordered
        All values of the column, increasing, so that no result depends on the row order.
    bins
        How many bins are wanted. There are fewer when values are tied or a bin would be
        empty.
    """
    if isinstance(method, Binning):
        return method
    if method == "equal-width":
        edges = np.linspace(ordered[0], ordered[-1], bins + 1)
    elif method == "equal-frequency":
        return Binning(method, _equal_frequency_cuts(ordered, bins))
    else:
        edges = _kmeans_edges(ordered, bins)
    # A cut counts only when it parts the values differently from the cut before it: bins
    # that nothing falls into would be states that never occur.
    cuts: list[float] = []
    below = 0
    for cut in edges[1:-1].tolist():
        n_below = int(np.searchsorted(ordered, cut, side="left"))
        if below < n_below < len(ordered):
            cuts.append(cut)
            below = n_below
    return Binning(method, tuple(cuts))


def _equal_frequency_cuts(ordered: NDArray[np.float64], bins: int) -> tuple[float, ...]:
    """Cut between distinct values, as near as can be to the ranks of the quantiles.

    Plain quantiles fail on ties: with half the values zero, the first ones are all zero and
    cut nothing off.
    """
    values, counts = np.unique(ordered, return_counts=True)
    if len(values) == 1:
        return ()
    n_below = np.cumsum(counts)[:-1]  # rows below each gap between distinct values
    targets = len(ordered) * np.arange(1, bins) / bins
    after = np.minimum(np.searchsorted(n_below, targets), len(n_below) - 1)
    before = np.maximum(after - 1, 0)
    nearer = targets - n_below[before] <= n_below[after] - targets
    gaps = np.unique(np.where(nearer, before, after))
    middles = values[gaps] / 2 + values[gaps + 1] / 2
    # Between neighbouring floating-point numbers there is no middle.
    parts = (values[gaps] < middles) & (middles <= values[gaps + 1])
    return tuple(np.where(parts, middles, values[gaps + 1]).tolist())


def _kmeans_edges(ordered: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    try:
        from sklearn.preprocessing import KBinsDiscretizer
    except ImportError:
        raise ParameterError(
            "discretize='kmeans' needs scikit-learn: pip install 'crediblenet[sklearn]'"
        ) from None
    values, counts = np.unique(ordered, return_counts=True)
    discretizer = KBinsDiscretizer(
        min(bins, len(values)), encode="ordinal", strategy="kmeans", subsample=None, random_state=0
    )
    with warnings.catch_warnings():
        # It warns of bins that it removes; those that remain are what we record and note.
        warnings.simplefilter("ignore", UserWarning)
        discretizer.fit(values[:, None], sample_weight=counts)
    edges: NDArray[np.float64] = discretizer.bin_edges_[0]
    return edges
