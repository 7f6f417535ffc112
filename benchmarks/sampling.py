"""Data drawn from random networks, the same for the same seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["discrete_sample", "draw_rows", "gaussian_sample", "random_parents"]


def random_parents(n: int, generator: np.random.Generator, mean: float = 1.5) -> list[list[int]]:
    """Return the parents of each variable, all with smaller numbers, three at most.

    Parameters
    ----------
    n
        How many variables.
    generator
        Where the chance comes from.
    mean
        How many parents a variable would have on average if there were no limits.

    Examples
    --------
    >>> random_parents(3, np.random.default_rng(1))
    [[], [0], [0, 1]]
    """
    sizes = np.minimum(generator.poisson(mean, n), np.minimum(np.arange(n), 3))
    return [
        sorted(generator.choice(child, size, replace=False).tolist())
        for child, size in enumerate(sizes)
    ]


def discrete_sample(n: int, rows: int, seed: int) -> NDArray[np.uint8]:
    """Return rows of a random network of variables with two or three values each.

    The probabilities of a variable's values are drawn from a Dirichlet distribution with
    1/2 for each value, anew for each configuration of its parents: mostly far from equal.

    Examples
    --------
    >>> discrete_sample(4, 100, seed=1).shape
    (100, 4)
    """
    generator = np.random.default_rng([seed, n])
    parents = random_parents(n, generator)
    return draw_rows(parents, generator.integers(2, 4, n), rows, generator)


def draw_rows(
    parents: list[list[int]],
    arities: NDArray[np.int64],
    rows: int,
    generator: np.random.Generator,
) -> NDArray[np.uint8]:
    """Draw rows from a network whose variables come after their parents, with random tables."""
    n = len(parents)
    sample = np.zeros((rows, n), dtype=np.uint8)
    for child in range(n):
        configuration = np.zeros(rows, dtype=np.int64)
        for parent in parents[child]:
            configuration = configuration * arities[parent] + sample[:, parent]
        configurations = int(np.prod(arities[parents[child]]))
        tables = generator.dirichlet([0.5] * int(arities[child]), configurations)
        limits = tables.cumsum(axis=1)[configuration, :-1]
        sample[:, child] = (generator.random((rows, 1)) > limits).sum(axis=1)
    return sample


def gaussian_sample(n: int, rows: int, seed: int) -> NDArray[np.float64]:
    """Return rows of a random linear network with normal noise, each column with mean zero.

    Examples
    --------
    >>> sample = gaussian_sample(4, 100, seed=1)
    >>> bool(abs(sample.mean(axis=0)).max() < 1e-12)
    True
    """
    generator = np.random.default_rng([seed, n])
    sample = generator.normal(size=(rows, n))
    for child, parents in enumerate(random_parents(n, generator)):
        weights = generator.uniform(0.5, 1.5, len(parents)) * generator.choice(
            [-1, 1], len(parents)
        )
        sample[:, child] += sample[:, parents] @ weights
    centred: NDArray[np.float64] = sample - sample.mean(axis=0)
    return centred
