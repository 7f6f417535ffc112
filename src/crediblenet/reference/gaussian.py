"""Local costs of continuous data, straight from their definitions.

Both scores are score-equivalent. Matrices are lists of rows; determinants come from
Gaussian elimination, which is all the linear algebra that is needed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from math import lgamma, log, pi
from typing import Any

from ..exceptions import DataError

__all__ = ["GAUSSIAN_SCORES", "bge_cost", "gaussian_bic_cost"]

Matrix = list[list[float]]


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


def means(rows: Sequence[Sequence[Any]]) -> list[float]:
    """Return the mean of each column."""
    return [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]


def scatter(rows: Sequence[Sequence[Any]], variables: Sequence[int]) -> Matrix:
    """Return Σ over the rows of (x - mean)(x - mean)' for the variables chosen."""
    mean = means(rows)
    return [
        [math.fsum((row[a] - mean[a]) * (row[b] - mean[b]) for row in rows) for b in variables]
        for a in variables
    ]


def gaussian_bic_cost(rows: Sequence[Sequence[Any]], child: int, parents: Collection[int]) -> float:
    """Gaussian BIC: a linear regression of the child on its parents, fitted to the rows.

    The cost of the fit is N/2 (ln(2π σ²) + 1), where σ² is the residual sum of squares
    divided by N, and the sum of squares is the quotient of two determinants of scatter
    matrices. The parameters are an intercept, a slope per parent and σ², ln(N)/2 each.
    """
    n = len(rows)
    order = sorted(parents)
    log_residual = log_determinant(scatter(rows, [*order, child])) - log_determinant(
        scatter(rows, order)
    )
    fit = n / 2 * (log(2 * pi) + log_residual - log(n) + 1)
    return fit + (len(order) + 2) * log(n) / 2


def bge_cost(
    rows: Sequence[Sequence[Any]],
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

    def log_marginal_likelihood(q: Sequence[int]) -> float:
        return bge_log_marginal_likelihood(rows, q, alpha_mu, alpha_w, nu)

    return log_marginal_likelihood(order) - log_marginal_likelihood([*order, child])


def bge_log_marginal_likelihood(
    rows: Sequence[Sequence[Any]],
    q: Sequence[int],
    alpha_mu: float = 1.0,
    alpha_w: float | None = None,
    nu: Sequence[float] | None = None,
) -> float:
    """Return ln p(d^Q | complete network) for the variables Q: equation (2) of the addendum."""
    big_n, n, l = len(rows), len(rows[0]), len(q)  # noqa: E741
    alpha_w = n + alpha_mu + 1 if alpha_w is None else alpha_w
    t = alpha_mu * (alpha_w - n - 1) / (alpha_mu + 1)
    mean = means(rows)
    nu = mean if nu is None else nu

    # R = T + S_N + N α_μ / (N + α_μ) (ν - x̄)(ν - x̄)', restricted to Q.
    r = scatter(rows, q)
    shrinkage = big_n * alpha_mu / (big_n + alpha_mu)
    for i, a in enumerate(q):
        for j, b in enumerate(q):
            r[i][j] += shrinkage * (nu[a] - mean[a]) * (nu[b] - mean[b])
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
