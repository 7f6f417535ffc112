"""Sums of weights that are too large or too small for a floating-point number."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["exp_or_inf", "log_counts", "log_sum_exp"]


def log_sum_exp(log_values: NDArray[np.float64]) -> float:
    """Return the log of the sum of exp(values); -inf for an empty sum.

    Examples
    --------
    >>> import numpy as np
    >>> round(log_sum_exp(np.array([-1e6, -1e6])), 6)
    -999999.306853
    """
    top = float(np.max(log_values, initial=-np.inf))
    if not math.isfinite(top):
        return top
    # np.add.reduce sums in pairs, in an order that no thread count changes.
    return top + math.log(float(np.add.reduce(np.exp(log_values - top))))


def log_counts(counts: Sequence[int]) -> NDArray[np.float64]:
    """Return the logs of positive whole numbers of any size.

    Examples
    --------
    >>> log_counts([1, 10**400]).round(3).tolist()
    [0.0, 921.034]
    """
    return np.fromiter((math.log(c) for c in counts), dtype=np.float64, count=len(counts))


def exp_or_inf(value: float) -> float:
    """Return exp(value), infinity where it does not fit a floating-point number."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf
