"""What is timed: each stage on typical data."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import crediblenet as cn

from ..sampling import discrete_sample, gaussian_sample

__all__ = ["TASKS", "Task"]

#: Something to time; what it needs is made before, in the call that returns it.
Task = Callable[[], object]

BAYES_FACTOR = 20


@cache
def dataset(n: int, rows: int) -> cn.Dataset:
    """Return sampled data."""
    return cn.as_dataset(discrete_sample(n, rows, seed=1))


@cache
def table(n: int, rows: int, score: str = "bic") -> cn.ScoreTable:
    """Return the candidates of sampled data."""
    return cn.score(dataset(n, rows), score=score, bayes_factor=BAYES_FACTOR, threads=1)


@cache
def result(n: int, rows: int) -> cn.CredibleSet:
    """Return the credible set of sampled data."""
    return cn.find(table(n, rows), bayes_factor=BAYES_FACTOR, threads=1)


def read() -> Task:
    """Encode a table of 50,000 rows."""
    codes = discrete_sample(12, 50_000, seed=1)
    return lambda: cn.as_dataset(codes)


def score(n: int, rows: int, kind: str) -> Callable[[], Task]:
    """Score parent sets of sampled data."""

    def prepare() -> Task:
        data = dataset(n, rows)
        return lambda: cn.score(data, score=kind, bayes_factor=BAYES_FACTOR, threads=1)

    return prepare


def score_numbers() -> Task:
    """Score parent sets of numbers."""
    data = cn.as_continuous(gaussian_sample(12, 500, seed=1))
    return lambda: cn.score(data, score="bge", bayes_factor=BAYES_FACTOR, threads=1)


def search(n: int, rows: int) -> Callable[[], Task]:
    """Find the credible set of a table."""

    def prepare() -> Task:
        candidates = table(n, rows)
        return lambda: cn.find(candidates, bayes_factor=BAYES_FACTOR, threads=1)

    return prepare


def classes() -> Task:
    """Group the networks of a set in classes."""
    result(20, 500)

    def work() -> object:
        # A new set each time: classes are kept once they are found.
        return cn.find(table(20, 500), bayes_factor=BAYES_FACTOR, threads=1).n_classes

    return work


def averages() -> Task:
    """Average edges over a set."""
    found = result(20, 500)
    return lambda: found.edge_probabilities(prior="classes")


TASKS: dict[str, Callable[[], Task]] = {
    "read 50,000 rows": read,
    "score 18 variables, BIC": score(18, 500, "bic"),
    "score 10 variables, 20,000 rows, BIC": score(10, 20_000, "bic"),
    "score 12 variables, BDeu": score(12, 500, "bdeu"),
    "score 12 variables, BGe": score_numbers,
    "search 12 variables": search(12, 500),
    "search 20 variables": search(20, 500),
    "search 26 variables": search(26, 500),
    "search and classes, 20 variables": classes,
    "edge probabilities, 20 variables": averages,
}
