"""Exponents fitted to measured growth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Fit", "fit_exponential", "fit_power"]


@dataclass(frozen=True)
class Fit:
    """A straight line through logarithms.

    Attributes
    ----------
    exponent
        The slope.
    r_squared
        The share of the variance that it explains: 1 when all points are on the line.
    points
        How many points it goes through.
    """

    exponent: float
    r_squared: float
    points: int


def fit_power(x: Sequence[float], y: Sequence[float]) -> Fit | None:
    """Fit y = c x^a by least squares of the logarithms; None with fewer than three sizes.

    Examples
    --------
    >>> fit_power([1, 2, 4, 8], [3, 12, 48, 192])
    Fit(exponent=2.0, r_squared=1.0, points=4)
    """
    return _fit(np.log(x), y)


def fit_exponential(x: Sequence[float], y: Sequence[float]) -> Fit | None:
    """Fit y = c e^(a x) by least squares of the logarithms; None with fewer than three sizes.

    Examples
    --------
    >>> fit_exponential([0, 1, 2], [1, np.e, np.e**2])
    Fit(exponent=1.0, r_squared=1.0, points=3)
    """
    return _fit(np.asarray(x, dtype=float), y)


def _fit(x: np.ndarray[tuple[int], np.dtype[np.float64]], y: Sequence[float]) -> Fit | None:
    if len(np.unique(x)) < 3:
        return None
    logs = np.log(y)
    slope, intercept = np.polyfit(x, logs, 1)
    residual = float(((logs - slope * x - intercept) ** 2).sum())
    total = float(((logs - logs.mean()) ** 2).sum())
    r_squared = 1.0 if total < 1e-12 else 1 - residual / total
    # Adding zero turns a rounded -0.0 into 0.0.
    return Fit(round(float(slope), 9) + 0.0, round(r_squared, 9), len(logs))
