"""The search with each part of the engine off."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

import crediblenet as cn
from crediblenet.libraries import load_libraries

from ..answers import same_answers
from ..isolated import run_isolated
from ..paper.published import data_path
from ..scale.structures import draw
from .parts import PARTS, find_part

__all__ = ["NOTHING", "PROBLEMS", "TIME_LIMIT", "compare", "measure", "same_with_every_part"]

#: More variables than any data set of the paper: BDeu, at most two parents.
HUNDRED = "100 variables"
#: Data set and Bayes factor: small, many candidates, loose relaxation, many networks.
PROBLEMS = (
    ("nltcs", 20),
    ("zoo", 20),
    ("hepatitis", 20),
    ("horse", 3),
    ("flag", 3),
    ("sponge", 20),
    ("insurance1000", 20),
    ("alarm1000", 20),
    ("hailfinder100", 3),
    ("wdbc", 20),
    ("soybean", 20),
    ("hepatitis", 150),
    (HUNDRED, 3),
)
#: Seconds by the clock for one search.
TIME_LIMIT = 30.0
NOTHING = "nothing"

Row = dict[str, object]
AnyRow = TypeVar("AnyRow", bound=Mapping[str, object])


def compare() -> Iterator[Row]:
    """Yield a row per problem and part that is off; first with all parts."""
    return same_with_every_part(_rows())


def same_with_every_part(rows: Iterable[AnyRow]) -> Iterator[AnyRow]:
    """Hand rows on; AssertionError when a part changes more than how long it takes."""
    return same_answers(rows, ["data", "bayes_factor"], ["networks", "classes"])


def _rows() -> Iterator[Row]:
    for file, bayes_factor in PROBLEMS:
        for name in (NOTHING, *(part.name for part in PARTS)):
            figures = run_isolated(
                measure,
                TIME_LIMIT * 3,
                file=file,
                bayes_factor=bayes_factor,
                off=name,
                time_limit=TIME_LIMIT,
            )
            row: Row = {"data": file, "bayes_factor": bayes_factor, "off": name}
            yield row | {column: figures.get(column) for column in COLUMNS}


COLUMNS = (
    "complete",
    "networks",
    "classes",
    "search_seconds",
    "classes_seconds",
    "nodes",
    "linear_programs",
    "subset_programs",
    "splits",
    "gap",
    "failed",
)


def measure(file: str, bayes_factor: float, off: str, time_limit: float) -> dict[str, Any]:
    """Score, switch a part off, search, and count classes; CPU seconds of all threads."""
    table = scored(file, bayes_factor)
    load_libraries()  # a limit would have them loaded within the search
    if off != NOTHING:
        find_part(off).switch_off()
    began = time.process_time()
    result = cn.find(table, bayes_factor=bayes_factor, time_limit=time_limit)
    searched = time.process_time()
    classes = result.n_classes if result.complete else None
    counted = time.process_time()
    statistics = result.statistics
    return {
        "complete": "yes" if result.complete else "no",
        "networks": result.n_networks,
        "classes": classes,
        "search_seconds": round(searched - began, 3),
        "classes_seconds": round(counted - searched, 3),
        "nodes": statistics["search_nodes"],
        "linear_programs": statistics["linear_programs"],
        "subset_programs": statistics["subset_programs"],
        "splits": statistics["splits"],
        "gap": round(result.gap, 4),
    }


def scored(file: str, bayes_factor: float) -> cn.ScoreTable:
    """Return the candidates of a problem."""
    if file == HUNDRED:
        return cn.score(
            draw("random, up to 2", 100, 1000, 1),
            score="bdeu",
            max_parents=2,
            bayes_factor=bayes_factor,
            many_values="keep",
        )
    return cn.score(data_path(file), header=False, bayes_factor=bayes_factor)
