"""Our scores, plain and fast, against those of pgmpy, on data drawn from its examples."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import pandas as pd
import pytest

import crediblenet as cn
from crediblenet import reference
from instances import random_continuous_rows

ESS = 5.0


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Let pgmpy warn about its own future."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def structure_scores() -> Any:
    """Return the scores of pgmpy, or skip."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("pgmpy.structure_score", reason="pgmpy is not installed")


def pgmpy_score(score: str, data: Any) -> Any:
    """Return pgmpy's object for a score."""
    scores = structure_scores()
    if score in ("bdeu", "bds"):
        return {"bdeu": scores.BDeu, "bds": scores.BDs}[score](data, equivalent_sample_size=ESS)
    return {"bic": scores.BIC, "aic": scores.AIC, "k2": scores.K2}[score](data)


@cache
def drawn_by_pgmpy(example: str) -> Any:
    """Return rows of one of pgmpy's examples, which it takes seconds to read."""
    from pgmpy.utils import get_example_model

    return get_example_model(example).simulate(500, seed=1, show_progress=False).astype(str)


@pytest.mark.parametrize("example", ["cancer", "asia"])
@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", "k2", "bds"])
def test_same_local_scores(score: str, example: str) -> None:
    """Every parent set of up to two has the same score, to 1e-9.

    BDs is compared where every configuration of the parents occurs. Elsewhere pgmpy divides
    the equivalent sample size by the configurations that occur for n_ij, but by all of them
    for n_ijk; Scutari (2016) divides by those that occur in both places, and so do we.
    """
    structure_scores()
    data = drawn_by_pgmpy(example)
    theirs = pgmpy_score(score, data)
    names = list(data.columns)
    rows = [tuple(row) for row in data.itertuples(index=False)]
    arities = [len(set(column)) for column in zip(*rows, strict=True)]
    table = cn.score(data, score=score, ess=ESS, epsilon=math.inf, max_parents=2)
    ours = reference.costs_of_table(table)
    compared = 0
    for child, name in enumerate(names):
        others = [v for v in range(len(names)) if v != child]
        for size in range(3):
            for parents in itertools.combinations(others, size):
                counts = reference.count(rows, child, parents, arities)
                if score == "bds" and len(counts.table) < counts.parent_configurations:
                    continue
                expected = -float(theirs.local_score(name, tuple(names[p] for p in parents)))
                plain = reference.local_cost(rows, score, child, parents, ess=ESS)
                assert plain == pytest.approx(expected, abs=1e-9)
                assert ours[child][frozenset(parents)] == pytest.approx(expected, abs=1e-9)
                compared += 1
    assert compared > 20


def test_same_gaussian_bic() -> None:
    """The Gaussian BIC is pgmpy's, parameters counted alike."""
    for seed in range(5):
        rows = random_continuous_rows(seed, variables=(3, 3))
        data = pd.DataFrame(rows, columns=["a", "b", "c"])
        theirs = structure_scores().BICGauss(data)
        for parents in ((), (0,), (1,), (0, 1)):
            expected = -float(theirs.local_score("c", tuple(data.columns[p] for p in parents)))
            plain = reference.local_cost(rows, "bic-g", 2, parents)
            assert plain == pytest.approx(expected, abs=1e-9)
