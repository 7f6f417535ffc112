"""The facts of a result as one JSON object: what ``find --json`` prints and a run keeps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .credible_set import CredibleSet

__all__ = ["finite", "jsonable", "summary"]


def summary(result: CredibleSet) -> dict[str, Any]:
    """Return what was asked, what was found and how long it took, ready for JSON.

    Infinity, which JSON has no word for, becomes null.
    """
    metadata = result.table.metadata
    n_classes = result.n_classes
    return {
        "variables": len(result.names),
        "rows": result.n_rows,
        "score": result.score,
        "ess": metadata.get("ess"),
        "epsilon": finite(result.epsilon),
        "bayes_factor": finite(result.bayes_factor),
        "optimal_cost": result.optimal_cost,
        "candidate_parent_sets": len(result.table),
        "networks": result.n_networks,
        "classes": n_classes,
        "complete": result.complete,
        "stopped_by": result.stopped_by,
        "gap": finite(result.gap),
        "seconds": jsonable(result.seconds),
        "peak_memory_mb": result.statistics.get("peak_memory_mb"),
        "notes": list(result.notes),
    }


def finite(value: float) -> float | None:
    """Return a number that JSON can hold, None for infinity."""
    return value if math.isfinite(value) else None


def jsonable(value: Any) -> Any:
    """Return a value that JSON can hold; what it cannot becomes its text."""
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [jsonable(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return finite(value)
    return value if isinstance(value, (bool, int, str)) or value is None else str(value)
