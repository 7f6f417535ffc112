"""How many parents a variable can have in a credible network: Corollary 4 of the paper."""

from __future__ import annotations

import math

from ..markdown import table
from .jobs import BAYES_FACTORS
from .results import Row

__all__ = ["parent_bound", "render"]

ROWS = (100, 500, 1_000, 5_000, 10_000, 50_000, 100_000)


def parent_bound(rows: int, bayes_factor: float) -> int:
    """Return the largest number of parents that BIC allows: ceil(log2 N + epsilon), N > 4.

    Examples
    --------
    >>> [parent_bound(rows, 20) for rows in ROWS]
    [10, 12, 13, 16, 17, 19, 20]
    """
    if rows <= 4:
        raise ValueError(f"the bound needs more than 4 rows, not {rows}")
    return math.ceil(math.log2(rows) + math.log(bayes_factor))


def render(results: list[Row]) -> str:
    """Return the bound by rows and level, and the largest candidate found anywhere."""
    bounds = table(
        ["N", *(f"{rows:,}" for rows in ROWS)],
        [
            [f"BF {level}", *(str(parent_bound(rows, level)) for rows in ROWS)]
            for level in BAYES_FACTORS
        ],
    )
    found = [row for row in results if row["largest_candidate"]]
    if not found:
        return bounds
    broken = [
        row
        for row in found
        if int(row["largest_candidate"]) > parent_bound(int(row["rows"]), float(row["value"]))
    ]
    if broken:
        raise AssertionError(f"a candidate is larger than the bound: {broken[0]}")
    largest = max(found, key=lambda row: int(row["largest_candidate"]))
    return (
        f"{bounds}\n\nAt BF 20 these are the paper's figures. The pruning rules are sharper: "
        f"over the {len(found)} measured rows of Table 1 the largest candidate that is left has "
        f"{largest['largest_candidate']} parents ({largest['file']}, BF {largest['value']}, "
        f"N = {int(largest['rows']):,}: the bound is "
        f"{parent_bound(int(largest['rows']), float(largest['value']))})."
    )
