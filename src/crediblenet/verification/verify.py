"""The functions that users call."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..credible_set import CredibleSet
from ..data import ContinuousDataset, Dataset, as_continuous, as_dataset
from ..exceptions import ParameterError, VerificationError
from ..reference import GAUSSIAN_SCORES
from ..run_directory import StrPath
from .claims import Claims, claims_of_result, claims_of_run
from .listing import Listing
from .probabilities import check_edges, check_weights
from .recomputation import RecomputedCosts
from .report import Verification
from .structure import (
    check_acyclic,
    check_cost,
    check_counts,
    check_distinct,
    check_facts,
    check_optimum,
    check_order,
    check_size,
    check_within,
)

__all__ = ["verify", "verify_run"]

# Of the options that a result was made with, these say how to read a file.
FILE_OPTIONS = {"header", "format", "names", "delimiter", "encoding"}

# In the order in which a reader wants to know.
CHECKS = (
    check_facts,
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
    result: CredibleSet | StrPath,
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
        What `find` or `load` returned; or a run directory, whose files are checked then: see
        `verify_run`.
    data
        The data, in any form that `find` takes; columns are found by name.
    score, ess
        What the costs are; by default what the result says. A result that was made from a
        score file does not know.
    limit
        Look at no more than so many networks, and so many classes, best ones first. What
        was left out is said in the notes.
    **data_options
        How to read the data, where that differs from how they were read for the result:
        the options of `as_dataset`.

    Returns
    -------
    Verification
        Each check, with how many things it looked at.

    Raises
    ------
    VerificationError
        When a check fails; its `verification` is the full report.

    Examples
    --------
    >>> import crediblenet as cn
    >>> data = cn.example("cancer").data
    >>> result = cn.find(data, bayes_factor=3)
    >>> verification = cn.verify(result, data)
    >>> verification["acyclic"].checked == result.n_networks + result.n_classes
    True
    >>> print(verification["optimum"])
    ok      optimum                1  the optimal cost is the least of all
    """
    if isinstance(result, str | os.PathLike):
        return verify_run(result, data, score=score, ess=ess, limit=limit, **data_options)
    return examine(claims_of_result(result), data, score, ess, limit, data_options)


def verify_run(
    directory: StrPath,
    data: Any,
    *,
    score: str | None = None,
    ess: float | None = None,
    limit: int = 100_000,
    **data_options: Any,
) -> Verification:
    """Check the files of a run directory against the data, without searching.

    As `verify`, but the numbers, the classes and the probabilities are those that stand in
    summary.json, classes.parquet and edges.csv.

    Raises
    ------
    VerificationError
        When a check fails; its `verification` is the full report.
    RunDirectoryError
        When the directory is no run, or a file is damaged.
    """
    return examine(claims_of_run(directory), data, score, ess, limit, data_options)


def examine(
    claims: Claims,
    data: Any,
    score: str | None,
    ess: float | None,
    limit: int,
    data_options: dict[str, Any],
) -> Verification:
    """Make every check, and raise VerificationError unless all pass."""
    score = score or claims.score
    if score == "file":
        raise ParameterError(
            "the result was made from a score file, which does not say what the scores are; "
            "name the score, for example score='bic'"
        )
    if limit < 1:
        raise ParameterError(f"limit must be at least 1, not {limit}")
    table = read(data, score, claims.data_options, data_options)
    costs = RecomputedCosts(table, claims.names, score, claims.ess if ess is None else ess)
    listing = Listing(claims, costs, limit)
    checks = tuple(check(listing) for check in CHECKS)
    verification = Verification(checks, tuple(listing.notes()))
    if not verification.passed:
        raise VerificationError(verification)
    return verification


def read(
    data: Any, score: str, recorded: Mapping[str, Any], options: Mapping[str, Any]
) -> Dataset | ContinuousDataset:
    """Read the data as they were read for the result, and as the score needs them."""
    if isinstance(data, Dataset | ContinuousDataset):
        return data
    if not isinstance(data, str | os.PathLike):
        recorded = {key: value for key, value in recorded.items() if key not in FILE_OPTIONS}
    reader = as_continuous if score in GAUSSIAN_SCORES else as_dataset
    return reader(data, **{**recorded, **options})
