"""Whether any network can be made of the candidate parent sets."""

from __future__ import annotations

import numpy as np

from ._core import max_nodes
from .exceptions import ParameterError
from .score_table import ScoreTable

__all__ = ["require_a_network"]


def require_a_network(table: ScoreTable) -> None:
    """Raise ParameterError when there are too many variables, or no network of them.

    There is none when every choice of parent sets closes a cycle.

    Variables are placed one after the other, whenever one has a candidate with all its
    parents placed. In whatever order this is done, it gets stuck only if there is no DAG:
    among the variables that a DAG has and that are not placed, the first one in the DAG's
    order could be placed next.

    Examples
    --------
    >>> table = ScoreTable.from_candidates(
    ...     ["hen", "egg"], [{frozenset({1}): 1.0}, {frozenset({0}): 1.0}]
    ... )
    >>> require_a_network(table)
    Traceback (most recent call last):
        ...
    crediblenet.exceptions.ParameterError: no network can be made of these parent sets: each ...
    """
    if table.n_variables > max_nodes:
        raise ParameterError(
            f"the scores are of {table.n_variables:,} variables, but at most {max_nodes} are "
            "supported; leave some out"
        )
    owner = np.repeat(np.arange(table.n_variables), np.diff(table.offsets))
    placed = np.zeros(table.parents.shape[1], dtype=np.uint64)
    waiting = set(range(table.n_variables))
    while waiting:
        fits = ~np.any(table.parents & ~placed, axis=1)
        found = waiting.intersection(owner[fits].tolist())
        if not found:
            names = ", ".join(table.names[v] for v in sorted(waiting)[:5])
            more = f" and {len(waiting) - 5} more" if len(waiting) > 5 else ""
            raise ParameterError(
                f"no network can be made of these parent sets: each one of {names}{more} "
                "needs another of them as a parent; allow fewer parents, such as none"
            )
        for v in found:
            placed[v // 64] |= np.uint64(1 << v % 64)
        waiting -= found
