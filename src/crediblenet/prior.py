"""What is believed of a structure before the data: the prior of the credible set."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .exceptions import ParameterError
from .score_table import ScoreTable

__all__ = ["LogPrior", "Prior"]

LogPrior = Callable[[str, tuple[str, ...]], float] | Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Prior:
    """A prior over the networks of a credible set.

    A network's weight is exp(-cost) times its prior, normalized over the set.

    Attributes
    ----------
    over
        ``"dags"``: every network is as probable as any other beforehand. ``"classes"``:
        every Markov equivalence class is, and the networks of the set that are in the
        same class share its probability equally.
    log_prior
        What to add to the log weight: a function of a variable and its parents, summed
        over the variables, or a mapping from (parent, child) to a number, summed over
        the edges. Minus infinity rules a structure out.
    per_edge
        A number added to the log weight for every edge; negative favours sparse networks.
    """

    over: Literal["dags", "classes"] = "dags"
    log_prior: LogPrior | None = None
    per_edge: float = 0.0

    def __post_init__(self) -> None:
        if self.over not in ("dags", "classes"):
            raise ParameterError(f'prior must be "dags" or "classes", not {self.over!r}')
        if not math.isfinite(self.per_edge):
            raise ParameterError(f"per_edge must be a finite number, not {self.per_edge}")

    def to_dict(self) -> dict[str, Any]:
        """Return a prior ready for JSON, which has no word for functions, nor for infinity."""
        edges = self.log_prior if isinstance(self.log_prior, Mapping) else {}
        return {
            "over": self.over,
            "per_edge": self.per_edge,
            "log_prior": [
                {"source": a, "target": b, "value": None if value == -math.inf else value}
                for (a, b), value in edges.items()
            ]
            or None,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Prior:
        """Return the prior that `to_dict` was asked for."""
        edges = {
            (edge["source"], edge["target"]): -math.inf if edge["value"] is None else edge["value"]
            for edge in stored.get("log_prior") or ()
        }
        return cls(stored.get("over", "dags"), edges or None, stored.get("per_edge", 0.0))

    @property
    def is_uniform_over_parents(self) -> bool:
        """Whether no parent set is preferred beforehand (no user prior)."""
        return self.log_prior is None and self.per_edge == 0.0

    def candidate_log_priors(
        self, table: ScoreTable, rows: NDArray[np.int32] | None = None
    ) -> NDArray[np.float64]:
        """Return the log prior of each candidate; of `rows` only, 0.0 elsewhere, if given."""
        result = np.zeros(len(table))
        if self.is_uniform_over_parents:
            return result
        numbers = range(len(table)) if rows is None else np.unique(rows).tolist()
        children = np.repeat(np.arange(table.n_variables), np.diff(table.offsets))
        if isinstance(self.log_prior, Mapping):
            _check_edges(self.log_prior, table.names)
        for row in numbers:
            parents = tuple(table.names[p] for p in table.parent_set(row))
            child = table.names[children[row]]
            value = self.per_edge * len(parents)
            if isinstance(self.log_prior, Mapping):
                value += sum(self.log_prior.get((parent, child), 0.0) for parent in parents)
            elif self.log_prior is not None:
                value += float(self.log_prior(child, parents))
            if math.isnan(value) or value == math.inf:
                raise ParameterError(
                    f"the log prior of {child!r} with parents {parents} is {value}; "
                    "it must be a number or minus infinity"
                )
            result[row] = value
        return result


def _check_edges(edges: Iterable[tuple[str, str]], names: tuple[str, ...]) -> None:
    known = set(names)
    for edge in edges:
        if not (isinstance(edge, tuple) and len(edge) == 2 and known.issuperset(edge)):
            raise ParameterError(
                f"the log prior names the edge {edge!r}; "
                f"an edge is a pair of variables out of {', '.join(names)}"
            )
