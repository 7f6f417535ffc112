"""A measured count against the paper's."""

from __future__ import annotations

from .results import Row

__all__ = ["CAP", "OTHER_SAMPLES", "compare_networks", "compare_patterns"]

#: The paper stopped collecting here.
CAP = 150_000
#: Networks that everybody samples anew: the paper's rows are not these rows.
OTHER_SAMPLES = ("insurance1000", "alarm1000")


def compare_networks(row: Row | None, paper: str | None) -> str:
    """Say how a number of networks compares with the paper's.

    Parameters
    ----------
    row
        What was measured; None when the job was not run.
    paper
        The number in the paper; empty when the paper ran out of time, None when the paper
        does not have the data set.

    Examples
    --------
    >>> row = {"file": "wine", "networks": "308", "complete": "yes"}
    >>> compare_networks(row, "308"), compare_networks(row, "307"), compare_networks(row, "")
    ('agree', 'differ', 'paper out of time')
    """
    if row is None:
        return "not run"
    if paper is None:
        return "not in the paper"
    if not paper:
        return "paper out of time"
    if row["complete"] != "yes":
        more = int(row["networks"] or 0) > int(paper)
        return "not complete, more than the paper" if more else "not complete"
    if row["file"] in OTHER_SAMPLES:
        return "other sample"
    if int(paper) >= CAP:
        return "paper capped" if int(row["networks"]) >= CAP else "differ"
    return "agree" if row["networks"] == paper else "differ"


def compare_patterns(row: Row | None, paper_networks: str | None, paper: str | None) -> str:
    """Say how a number of collider patterns compares with the paper's.

    Patterns of a capped list of networks say nothing, so they are compared only where the
    paper has all networks.

    Examples
    --------
    >>> row = {"file": "wine", "networks": "308", "complete": "yes", "collider_patterns": "51"}
    >>> compare_patterns(row, "308", "51"), compare_patterns(row, "308", "52")
    ('agree', 'differ')
    """
    networks = compare_networks(row, paper_networks)
    if networks != "agree" or row is None or paper is None:
        return networks
    if not row["collider_patterns"]:
        return "too many to list"
    return "agree" if row["collider_patterns"] == paper else "differ"
