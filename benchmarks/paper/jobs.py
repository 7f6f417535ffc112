"""What is run: one job per data set and request."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from .published import read_table

__all__ = [
    "BAYES_FACTORS",
    "PARENT_LIMIT",
    "SIZES",
    "Job",
    "rounded_job",
    "table1_jobs",
    "table2_jobs",
]

Request = Literal["bayes_factor", "epsilon", "k", "k_classes"]

#: The levels of Table 1, in the order in which they are run.
BAYES_FACTORS = (3, 20, 150)
#: The numbers of best networks and classes of Table 2.
SIZES = (10, 100, 1000)
#: The default of the paper's solver for BDeu. The paper does not say whether it was in force.
PARENT_LIMIT = 3
#: Another sample of the paper's alarm network, with two values per variable: its counts are
#: the paper's.
ALSO_IN_TABLE1 = ("alarm",)


@dataclass(frozen=True)
class Job:
    """One run of crediblenet.

    Attributes
    ----------
    file
        The data set: the name of its file without ``.csv``.
    score
        ``"bic"`` or ``"bdeu"`` (equivalent sample size 1).
    request, value
        What is asked for: a Bayes factor, its logarithm, or so many best networks or classes.
    max_parents
        The parent limit; None for none.
    """

    file: str
    score: str
    request: Request
    value: float
    max_parents: int | None = None

    def to_record(self) -> dict[str, Any]:
        """Return the columns that say which job it was."""
        return asdict(self)

    @property
    def key(self) -> tuple[str, ...]:
        """What a row of results is found by: the same columns as text."""
        return tuple("" if value is None else str(value) for value in self.to_record().values())

    @property
    def title(self) -> str:
        """Say what is run, for people."""
        limit = "" if self.max_parents is None else f", at most {self.max_parents} parents"
        return f"{self.file} {self.score} {self.request} {self.value}{limit}"


def table1_jobs() -> Iterator[Job]:
    """Yield the jobs of Table 1: BIC, the smallest Bayes factor of every data set first."""
    files = [row["file"] for row in read_table("table1")]
    for bayes_factor in BAYES_FACTORS:
        for file in (*files, *ALSO_IN_TABLE1):
            yield Job(file, "bic", "bayes_factor", bayes_factor)


def rounded_job(file: str, bayes_factor: int) -> Job:
    """Return the job of Table 1 with epsilon rounded up to four digits after the point.

    Run where a count differs: the paper's counts of wine and zoo at a Bayes factor of 150 hold
    for every epsilon between 5.010672 and 5.010909, while ln 150 is 5.010635.

    >>> rounded_job("wine", 150).value
    5.0107
    """
    return Job(file, "bic", "epsilon", math.ceil(math.log(bayes_factor) * 10_000) / 10_000)


def table2_jobs() -> Iterator[Job]:
    """Yield the jobs of Table 2: BDeu; the paper's Bayes factor first, then the k best."""
    files = list(dict.fromkeys(row["file"] for row in read_table("table2")))
    for max_parents in (PARENT_LIMIT, None):
        for file in files:
            yield Job(file, "bdeu", "bayes_factor", 20, max_parents)
    for k in SIZES:
        for file in files:
            yield Job(file, "bdeu", "k", k)
            yield Job(file, "bdeu", "k_classes", k)
