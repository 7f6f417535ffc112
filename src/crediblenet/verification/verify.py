"""The function that users call."""

from __future__ import annotations

from typing import Any

from ..credible_set import CredibleSet
from ..data import ContinuousDataset, Dataset, as_continuous, as_dataset
from ..exceptions import ParameterError, VerificationError
from ..reference import GAUSSIAN_SCORES
from .listing import Listing
from .probabilities import check_edges, check_weights
from .recomputation import RecomputedCosts
from .report import Verification
from .structure import (
    check_acyclic,
    check_cost,
    check_counts,
    check_distinct,
    check_optimum,
    check_order,
    check_size,
    check_within,
)

__all__ = ["verify"]

# In the order in which a reader wants to know.
CHECKS = (
    check_acyclic,
    check_cost,
    check_optimum,
    check_within,
    check_order,
    check_distinct,
    check_size,
    check_counts,
    check_weights,
    check_edges,
)


def verify(
    result: CredibleSet,
    data: Any,
    *,
    score: str | None = None,
    ess: float | None = None,
    limit: int = 100_000,
    **data_options: Any,
) -> Verification:
    """Check a result against the data, without searching.

    Every network and class is checked: no cycle, the stated cost, within epsilon of the
    optimum, not there twice, classes of the stated size; and that numbers and
    probabilities add up.

    Parameters
    ----------
    result
        What `find` or `load` returned.
    data
        The data, in any form that `find` takes; columns are found by name.
    score, ess
        What the costs are; by default what the result says. A result that was made from a
        score file does not know.
    limit
        Look at no more than so many networks, and so many classes, best ones first. What
        was left out is said in the notes.
    **data_options
        How to read the data: the options of `as_dataset`.

    Returns
    -------
    Verification
        Each check, with how many things it looked at.

    Raises
    ------
    VerificationError
        When a check fails; its `verification` is the full report.
    """
    score = score or result.score
    if score == "file":
        raise ParameterError(
            "the result was made from a score file, which does not say what the scores are; "
            "name the score, for example score='bic'"
        )
    if limit < 1:
        raise ParameterError(f"limit must be at least 1, not {limit}")
    if ess is None:
        ess = float(result.table.metadata.get("ess") or 1.0)
    costs = RecomputedCosts(read(data, score, data_options), result.names, score, ess)
    listing = Listing(result, costs, limit)
    checks = tuple(check(listing) for check in CHECKS)
    verification = Verification(checks, tuple(listing.notes()))
    if not verification.passed:
        raise VerificationError(verification)
    return verification


def read(data: Any, score: str, options: dict[str, Any]) -> Dataset | ContinuousDataset:
    """Read the data as the score needs them."""
    if isinstance(data, Dataset | ContinuousDataset):
        return data
    return (
        as_continuous(data, **options) if score in GAUSSIAN_SCORES else as_dataset(data, **options)
    )
