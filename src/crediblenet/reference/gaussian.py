"""Local costs of continuous data, straight from their definitions.

Both scores are score-equivalent, and both need no more of the data than the number of
rows, the means, and the scatter matrix. Matrices are lists of rows; determinants come from
Gaussian elimination, which is all the linear algebra that is needed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import lgamma, log, pi
from typing import Any

from ..exceptions import DataError

__all__ = ["GAUSSIAN_SCORES", "Moments", "bge_cost", "gaussian_bic_cost", "moments"]

Matrix = list[list[float]]


@dataclass(frozen=True)
class Moments:
    """What a Gaussian score needs to know of the data."""

    n_rows: int
    means: list[float]
    scatter: Matrix
    """Σ over the rows of (x - mean)(x - mean)'."""

    def restricted_scatter(self, variables: Sequence[int]) -> Matrix:
        """Return the scatter matrix of some of the variables."""
        return [[self.scatter[a][b] for b in variables] for a in variables]


def moments(rows: Sequence[Sequence[Any]]) -> Moments:
    """Return the moments of rows of numbers.

    >>> moments([(1.0, 2.0), (3.0, 2.0)])
    Moments(n_rows=2, means=[2.0, 2.0], scatter=[[2.0, 0.0], [0.0, 0.0]])
    """
    means = [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]
    variables = range(len(means))
    scatter = [
        [math.fsum((row[a] - means[a]) * (row[b] - means[b]) for row in rows) for b in variables]
        for a in variables
    ]
    return Moments(len(rows), means, scatter)


def log_determinant(matrix: Matrix) -> float:
    """Return the logarithm of the determinant of a positive definite matrix.

    >>> log_determinant([]), math.exp(log_determinant([[2.0, 1.0], [1.0, 3.0]]))
    (0.0, 5.0...)
    """
    rows = [list(row) for row in matrix]
    total = 0.0
    for k, pivot_row in enumerate(rows):
        pivot = pivot_row[k]
        if pivot <= 0:
            raise DataError("the variables are linearly dependent: a Gaussian score is infinite")
        total += log(pivot)
        for row in rows[k + 1 :]:
            factor = row[k] / pivot
            for column in range(k, len(row)):
                row[column] -= factor * pivot_row[column]
    return total


def gaussian_bic_cost(data: Moments, child: int, parents: Collection[int]) -> float:
    """Gaussian BIC: a linear regression of the child on its parents, fitted to the rows.

    The cost of the fit is N/2 (ln(2π σ²) + 1), where σ² is the residual sum of squares
    divided by N, and the sum of squares is the quotient of two determinants of scatter
    matrices. The parameters are an intercept, a slope per parent and σ², ln(N)/2 each.
    """
    n = data.n_rows
    order = sorted(parents)
    log_residual = log_determinant(data.restricted_scatter([*order, child])) - log_determinant(
        data.restricted_scatter(order)
    )
    fit = n / 2 * (log(2 * pi) + log_residual - log(n) + 1)
    return fit + (len(order) + 2) * log(n) / 2


def bge_cost(
    data: Moments,
    child: int,
    parents: Collection[int],
    alpha_mu: float = 1.0,
    alpha_w: float | None = None,
    nu: Sequence[float] | None = None,
) -> float:
    """BGe: negated log marginal likelihood under a normal-Wishart prior.

    Geiger & Heckerman (Annals of Statistics 30, 2002) with the correction of Kuipers,
    Moffa & Heckerman (Annals of Statistics 42, 2014), whose symbols these are. The prior
    mean ν is the sample mean unless given, α_w = n + α_μ + 1, and the prior precision is
    T = t·I with t = α_μ (α_w - n - 1) / (α_μ + 1).
    """
    order = sorted(parents)
    without = bge_log_marginal_likelihood(data, order, alpha_mu, alpha_w, nu)
    return without - bge_log_marginal_likelihood(data, [*order, child], alpha_mu, alpha_w, nu)


def bge_log_marginal_likelihood(
    data: Moments,
    q: Sequence[int],
    alpha_mu: float = 1.0,
    alpha_w: float | None = None,
    nu: Sequence[float] | None = None,
) -> float:
    """Return ln p(d^Q | complete network) for the variables Q: equation (2) of the addendum."""
    big_n, n, l = data.n_rows, len(data.means), len(q)  # noqa: E741
    alpha_w = n + alpha_mu + 1 if alpha_w is None else alpha_w
    t = alpha_mu * (alpha_w - n - 1) / (alpha_mu + 1)
    nu = data.means if nu is None else nu

    # R = T + S_N + N α_μ / (N + α_μ) (ν - x̄)(ν - x̄)', restricted to Q.
    r = data.restricted_scatter(q)
    shrinkage = big_n * alpha_mu / (big_n + alpha_mu)
    for i, a in enumerate(q):
        for j, b in enumerate(q):
            r[i][j] += shrinkage * (nu[a] - data.means[a]) * (nu[b] - data.means[b])
        r[i][i] += t

    degrees = alpha_w - n + l
    return (
        l / 2 * log(alpha_mu / (big_n + alpha_mu))
        + math.fsum(lgamma((big_n + degrees - k) / 2) - lgamma((degrees - k) / 2) for k in range(l))
        - l * big_n / 2 * log(pi)
        + degrees / 2 * l * log(t)
        - (big_n + degrees) / 2 * log_determinant(r)
    )


GAUSSIAN_SCORES = {"bic-g": gaussian_bic_cost, "bge": bge_cost}
