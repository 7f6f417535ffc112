"""Networks of hundreds of variables, known and random, and rows drawn from them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from crediblenet.examples import EXAMPLES

from ..sampling import draw_rows, random_parents

__all__ = ["STRUCTURES", "draw"]

Sample = NDArray[np.uint8]
Parents = list[list[int]]


def tree(n: int, generator: np.random.Generator) -> Parents:
    """Return a random tree: each variable has one earlier one as its parent."""
    return [[int(generator.integers(child))] if child else [] for child in range(n)]


def grid(n: int, generator: np.random.Generator) -> Parents:  # noqa: ARG001 - one of several
    """Return a grid ten wide: parents are the left and the upper neighbour."""
    return [
        [parent for parent, inside in ((v - 10, v >= 10), (v - 1, v % 10 > 0)) if inside]
        for v in range(n)
    ]


def few_parents(n: int, generator: np.random.Generator) -> Parents:
    """Return a random network with up to two parents."""
    return [parents[:2] for parents in random_parents(n, generator, mean=1.0)]


def more_parents(n: int, generator: np.random.Generator) -> Parents:
    """Return a random network with up to three parents, one and a half on average."""
    return random_parents(n, generator)


def draw_random(
    structure: Callable[[int, np.random.Generator], Parents], n: int, rows: int, seed: int
) -> Sample:
    """Draw from a structure with two to four values per variable.

    The probabilities of a variable's values are drawn from a Dirichlet distribution with
    1/2 for each value, anew for each configuration of its parents.
    """
    generator = np.random.default_rng([seed, n])
    parents = structure(n, generator)
    return draw_rows(parents, generator.integers(2, 5, n), rows, generator)


def draw_chest_clinics(n: int, rows: int, seed: int) -> Sample:
    """Draw from copies of the chest clinic network, side by side, each linked to the last.

    The first variable of a copy, the visit to Asia, is as frequent as the last symptom
    of the copy before says: one in a hundred or one in five.
    """
    generator = np.random.default_rng([seed, n])
    families = EXAMPLES["asia"].families
    names = list(families)
    sample = np.zeros((rows, n), dtype=np.uint8)
    for v in range(n):
        copy, place = divmod(v, len(names))
        family = families[names[place]]
        first = np.asarray(family.first)
        if place == 0 and copy > 0:
            chance = np.where(sample[:, v - 1] == 0, 0.2, first[0])
        else:
            configuration = np.zeros(rows, dtype=np.int64)
            for parent in family.parents:
                column = copy * len(names) + names.index(parent)
                configuration = configuration * 2 + sample[:, column]
            chance = first[configuration]
        sample[:, v] = generator.random(rows) >= chance
    return sample


#: How data are drawn: by the number of variables, the number of rows, and a seed.
STRUCTURES: dict[str, Callable[[int, int, int], Sample]] = {
    "chest clinics": draw_chest_clinics,
    "tree": lambda n, rows, seed: draw_random(tree, n, rows, seed),
    "grid": lambda n, rows, seed: draw_random(grid, n, rows, seed),
    "random, up to 2": lambda n, rows, seed: draw_random(few_parents, n, rows, seed),
    "random, up to 3": lambda n, rows, seed: draw_random(more_parents, n, rows, seed),
}


def draw(structure: str, n: int, rows: int, seed: int) -> Sample:
    """Return rows of a structure by its name, the same for the same seed.

    Examples
    --------
    >>> draw("grid", 20, 50, seed=1).shape
    (50, 20)
    """
    return STRUCTURES[structure](n, rows, seed)
