"""Local costs of discrete data, each straight from its definition.

A cost is a negated log score: lower is better, logarithms are natural. The names follow
the literature: N rows; variable i has r_i values; its parents Π have r_Π joint
configurations; n_ijk rows show value k of i under configuration j, n_ij = Σ_k n_ijk.

Values and configurations that never occur add nothing to any sum below, so that only
positive counts are kept.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from math import lgamma, log
from typing import Any

from ..exceptions import ParameterError
from .gaussian import GAUSSIAN_SCORES, moments
from .networks import Parents, subsets

__all__ = [
    "DISCRETE_SCORES",
    "Counts",
    "Score",
    "count",
    "local_cost",
    "local_costs",
    "log_nml_regret",
    "observed_arities",
]


@dataclass(frozen=True)
class Counts:
    """How often each value of a variable occurs under each configuration of its parents."""

    table: tuple[tuple[int, ...], ...]
    """One entry per configuration that occurs: its positive counts n_ijk."""
    arity: int
    """r_i, the number of values of the variable."""
    parent_configurations: int
    """r_Π, the number of joint values of the parents, occurring or not."""

    @property
    def rows(self) -> int:
        """N, the number of rows."""
        return sum(map(sum, self.table))


def count(
    rows: Sequence[Sequence[Hashable]],
    child: int,
    parents: Collection[int],
    arities: Sequence[int],
) -> Counts:
    """Count the family of `child` and its parents.

    >>> count([(0, 0), (0, 1), (1, 1)], child=1, parents={0}, arities=(2, 2))
    Counts(table=((1, 1), (1,)), arity=2, parent_configurations=2)
    """
    order = sorted(parents)
    table: defaultdict[tuple[Hashable, ...], Counter[Hashable]] = defaultdict(Counter)
    for row in rows:
        table[tuple(row[p] for p in order)][row[child]] += 1
    return Counts(
        table=tuple(tuple(values.values()) for values in table.values()),
        arity=arities[child],
        parent_configurations=math.prod(arities[p] for p in order),
    )


def negative_log_likelihood(counts: Counts) -> float:
    """Return -Σ_jk n_ijk ln(n_ijk / n_ij), the cost of the best fit."""
    return -math.fsum(n_ijk * log(n_ijk / sum(n_ij)) for n_ij in counts.table for n_ijk in n_ij)


def free_parameters(counts: Counts) -> int:
    """Return t(Π) = r_Π (r_i - 1)."""
    return counts.parent_configurations * (counts.arity - 1)


def bic_cost(counts: Counts, _ess: float) -> float:
    """Bayesian information criterion (Schwarz 1978), the penalty per parameter is ln(N)/2."""
    return negative_log_likelihood(counts) + free_parameters(counts) * log(counts.rows) / 2


def aic_cost(counts: Counts, _ess: float) -> float:
    """Akaike's information criterion (Akaike 1974), the penalty per parameter is 1."""
    return negative_log_likelihood(counts) + free_parameters(counts)


def dirichlet_cost(counts: Counts, a_jk: float) -> float:
    """Negated log marginal likelihood, every Dirichlet hyperparameter being `a_jk`.

    The general form is Heckerman, Geiger & Chickering, Machine Learning 20 (1995).
    """
    a_j = a_jk * counts.arity
    return -math.fsum(
        lgamma(a_j)
        - lgamma(a_j + sum(n_ij))
        + math.fsum(lgamma(a_jk + n_ijk) - lgamma(a_jk) for n_ijk in n_ij)
        for n_ij in counts.table
    )


def bdeu_cost(counts: Counts, ess: float) -> float:
    """BDeu (Buntine 1991): the equivalent sample size spread over all r_Π r_i cells."""
    return dirichlet_cost(counts, ess / (counts.parent_configurations * counts.arity))


def bds_cost(counts: Counts, ess: float) -> float:
    """BDs (Scutari, PGM 2016): spread over the cells of configurations that occur."""
    return dirichlet_cost(counts, ess / (len(counts.table) * counts.arity))


def k2_cost(counts: Counts, _ess: float) -> float:
    """K2 (Cooper & Herskovits, Machine Learning 9, 1992): every hyperparameter is 1."""
    return dirichlet_cost(counts, 1.0)


@cache
def log_nml_regret(n: int, values: int) -> float:
    """Return ln C(n, r), the regret of the multinomial with r values and n rows.

    C(n, r) is the sum over all (h_1, ..., h_r) with Σ h_k = n of
    n! / (h_1! ... h_r!) Π (h_k / n)^h_k. Kontkanen & Myllymäki (Information Processing
    Letters 103, 2007) prove C(n, r + 2) = C(n, r + 1) + (n / r) C(n, r), which is used
    here from C(n, 1) = 1 and C(n, 2) = Σ_h binom(n, h) (h/n)^h ((n-h)/n)^(n-h).

    >>> math.isclose(log_nml_regret(1, 7), log(7))
    True
    """
    if n == 0 or values == 1:
        return 0.0
    binomial = math.fsum(
        math.exp(
            lgamma(n + 1)
            - lgamma(h + 1)
            - lgamma(n - h + 1)
            + (h * log(h / n) if h > 0 else 0.0)
            + ((n - h) * log((n - h) / n) if h < n else 0.0)
        )
        for h in range(n + 1)
    )
    # The numbers outgrow a double, so that the ratio C(n, r + 1) / C(n, r) is followed.
    log_regret, ratio = log(binomial), binomial
    for r in range(1, values - 1):
        ratio = 1 + n / (r * ratio)
        log_regret += log(ratio)
    return log_regret


def fnml_cost(counts: Counts, _ess: float) -> float:
    """Factorized NML (Silander, Roos, Kontkanen & Myllymäki, PGM 2008)."""
    return negative_log_likelihood(counts) + math.fsum(
        log_nml_regret(sum(n_ij), counts.arity) for n_ij in counts.table
    )


def qnml_cost(counts: Counts, _ess: float) -> float:
    """Quotient NML (Silander, Leppä-aho, Jääsaari & Roos, AISTATS 2018).

    The child and its parents, taken as one variable, divided by the parents taken as one.
    """
    cells = counts.parent_configurations * counts.arity
    return (
        negative_log_likelihood(counts)
        + log_nml_regret(counts.rows, cells)
        - log_nml_regret(counts.rows, counts.parent_configurations)
    )


@dataclass(frozen=True)
class Score:
    """A local cost of counts, and what is known of it."""

    cost: Callable[[Counts, float], float]
    score_equivalent: bool
    """Whether Markov equivalent networks always have equal costs."""


DISCRETE_SCORES = {
    "bic": Score(bic_cost, score_equivalent=True),
    "aic": Score(aic_cost, score_equivalent=True),
    "bdeu": Score(bdeu_cost, score_equivalent=True),
    "bds": Score(bds_cost, score_equivalent=False),
    "k2": Score(k2_cost, score_equivalent=False),
    "fnml": Score(fnml_cost, score_equivalent=False),
    "qnml": Score(qnml_cost, score_equivalent=True),
}


def observed_arities(rows: Sequence[Sequence[Hashable]]) -> tuple[int, ...]:
    """Return the number of distinct values in each column."""
    return tuple(len(set(column)) for column in zip(*rows, strict=True))


def local_cost(
    rows: Sequence[Sequence[Any]],
    score: str,
    child: int,
    parents: Collection[int],
    arities: Sequence[int] | None = None,
    ess: float = 1.0,
) -> float:
    """Return the cost of one parent set of one variable.

    Parameters
    ----------
    rows
        The data, one sequence of values per row; of numbers, if the score is Gaussian.
    score
        A name in `DISCRETE_SCORES` or `GAUSSIAN_SCORES`.
    child, parents
        The variable and its parents, by column number.
    arities
        The number of values of each variable; those observed, unless given.
    ess
        The equivalent sample size of ``"bdeu"`` and ``"bds"``.

    Examples
    --------
    >>> rows = [("no", "a"), ("no", "b"), ("yes", "b"), ("yes", "b")]
    >>> round(local_cost(rows, "k2", child=1, parents={0}), 6) == round(math.log(18), 6)
    True
    """
    return cost_function(rows, score, arities, ess)(child, parents)


def cost_function(
    rows: Sequence[Sequence[Any]], score: str, arities: Sequence[int] | None, ess: float
) -> Callable[[int, Collection[int]], float]:
    """Return the local cost as a function of a variable and its parents."""
    if score in GAUSSIAN_SCORES:
        data = moments(rows)
        gaussian_cost = GAUSSIAN_SCORES[score]
        return lambda child, parents: gaussian_cost(data, child, parents)
    if score in DISCRETE_SCORES:
        sizes = arities or observed_arities(rows)
        discrete_cost = DISCRETE_SCORES[score].cost
        return lambda child, parents: discrete_cost(count(rows, child, parents, sizes), ess)
    known = ", ".join([*DISCRETE_SCORES, *GAUSSIAN_SCORES])
    raise ParameterError(f"unknown score {score!r}; the reference knows {known}")


def local_costs(
    rows: Sequence[Sequence[Any]],
    score: str,
    arities: Sequence[int] | None = None,
    ess: float = 1.0,
    max_parents: int | None = None,
) -> list[dict[Parents, float]]:
    """Return the cost of every parent set of every variable, nothing pruned.

    A variable that shows one value only is nobody's parent and has no parents: an edge
    there changes no score and would only multiply ties. The arguments are those of
    `local_cost`; `max_parents` limits the size of the parent sets.
    """
    cost = cost_function(rows, score, arities, ess)
    observed = observed_arities(rows)
    varying = [v for v, arity in enumerate(observed) if arity > 1]
    costs: list[dict[Parents, float]] = []
    for child in range(len(observed)):
        others = [v for v in varying if v != child] if child in varying else []
        allowed = (s for s in subsets(others) if max_parents is None or len(s) <= max_parents)
        costs.append({parents: cost(child, parents) for parents in allowed})
    return costs
