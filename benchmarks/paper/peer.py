"""Beside the paper's own program, measured on a machine of the same kind."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ..markdown import count, seconds, table
from .jobs import PARENT_LIMIT, Job
from .published import read_table
from .results import Results, Row

__all__ = ["geometric_mean", "ratios", "render", "same_optimum"]

STAGES = ("score_seconds", "optimum_seconds", "collect_seconds")
#: Shorter runs are not told apart from the clock: they count as this long.
SHORTEST = 0.01


def pairs(tables: dict[str, Results]) -> Iterator[tuple[dict[str, str], Row | None]]:
    """Yield each row of the paper's program with ours; it scores BDeu with a parent limit."""
    for peer in read_table("peer"):
        value = int(peer["bayes_factor"])
        job = Job(peer["file"], peer["score"], "bayes_factor", value)
        if peer["score"] == "bdeu":
            job = Job(peer["file"], "bdeu", "bayes_factor", value, PARENT_LIMIT)
        yield peer, tables["table2" if peer["score"] == "bdeu" else "table1"].get(job)


def ratios(tables: dict[str, Results]) -> list[float]:
    """Return how many times faster each row is that both programs finish.

    Seconds for scores, bounds and enumeration: of the paper's program by the clock (it has
    one thread), ours of all processors together.
    """
    return [
        total(peer) / max(SHORTEST, ours(row))
        for peer, row in pairs(tables)
        if row is not None and is_done(peer) and row["complete"] == "yes"
    ]


def geometric_mean(factors: Sequence[float]) -> float:
    """Return the geometric mean, which is the same whichever program is the unit.

    >>> round(geometric_mean([10.0, 1000.0]))
    100
    """
    return math.exp(sum(map(math.log, factors)) / len(factors))


def is_done(peer: dict[str, str]) -> bool:
    """Say whether the paper's program found all networks."""
    return not peer["stopped"]


def total(peer: dict[str, str]) -> float:
    """Return the seconds of the paper's program."""
    return sum(float(peer[stage]) for stage in STAGES)


def ours(row: Row) -> float:
    """Return our seconds."""
    return float(row["scores_cpu"]) + float(row["search_cpu"])


def same_optimum(tables: dict[str, Results]) -> tuple[int, int]:
    """Return on how many rows the optimal scores are equal to six digits, of how many."""
    known = [
        abs(float(peer["optimal_score"]) + float(row["optimal_cost"]))
        for peer, row in pairs(tables)
        if row is not None and peer["optimal_score"] and row["optimal_cost"]
    ]
    return sum(difference < 2e-6 for difference in known), len(known)


def render(tables: dict[str, Results]) -> str:
    """Return the table, and the geometric mean of the rows that both finish."""
    lines = []
    for peer, row in pairs(tables):
        both = row is not None and is_done(peer) and row["complete"] == "yes"
        lines.append(
            [
                f"{peer['file']} {peer['score']} BF {peer['bayes_factor']}",
                count(peer["networks"]) if is_done(peer) else peer["stopped"],
                seconds(*(peer[stage] for stage in STAGES)),
                count(row["networks"]) if row else "not run",
                seconds(row["scores_cpu"], row["search_cpu"]) if row else "",
                f"{total(peer) / max(SHORTEST, ours(row)):,.0f}" if row and both else "",
            ]
        )
        if row and both and row["networks"] != peer["networks"]:
            raise AssertionError(f"the paper's program counts differently: {peer}")
    shown = table(
        ["run", "its networks", "its seconds", "our networks", "our seconds, CPU", "times faster"],
        lines,
    )
    factors = ratios(tables)
    if not factors:
        return shown
    mean = geometric_mean(factors)
    same, compared = same_optimum(tables)
    return (
        f"The optimal score is the same on {same} of the {compared} rows where both have one. "
        f"Over the {len(factors)} rows that both finished, crediblenet takes "
        f"**{mean:,.0f} times** less time in the geometric mean "
        f"({min(factors):,.0f} to {max(factors):,.0f} times).\n\n{shown}"
    )
