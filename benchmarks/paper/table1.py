"""Table 1 of the paper beside ours, as Markdown: counts, and where the time went."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence

from ..markdown import count, networks, seconds, table
from .jobs import ALSO_IN_TABLE1, BAYES_FACTORS, Job, rounded_job
from .published import read_table
from .results import Results, Row
from .unfinished import why
from .verdict import compare_networks, compare_patterns

__all__ = ["differing", "pattern_verdict", "render", "verdicts"]

Published = dict[str, str]


def published_rows() -> list[Published]:
    """Return the rows of the paper, and once more those that another file reproduces."""
    rows = read_table("table1")
    named = {row["name"]: row for row in rows}
    return [*rows, *({**named.get(file, {}), "file": file} for file in ALSO_IN_TABLE1)]


def at(results: Results, published: Published, bayes_factor: int) -> Row | None:
    """Return what was measured for one row and level."""
    return results.at_least(level_job(published, bayes_factor))


def level_job(published: Published, bayes_factor: int) -> Job:
    """Return the job of one row and level."""
    return Job(published["file"], "bic", "bayes_factor", bayes_factor)


def paper(published: Published, column: str, bayes_factor: int) -> str | None:
    """Return a figure of the paper for one level."""
    return published.get(f"{column}_bf{bayes_factor}")


def verdict(results: Results, published: Published, level: int) -> str:
    """Say how a number of networks compares with the paper's, which may have rounded."""
    found = paper(published, "networks", level)
    outcome = compare_networks(at(results, published, level), found)
    job = explaining_job(results, published, level)
    if outcome == "differ" and compare_networks(results.get(job), found) == "agree":
        return agreement(job, level)
    return outcome


def agreement(job: Job, level: int) -> str:
    """Say with which epsilon a count is the paper's: a larger one, or one that lacks some."""
    return f"agree {'with' if job.value > math.log(level) else 'up to'} ε = {job.value}"


def explaining_job(results: Results, published: Published, level: int) -> Job:
    """Return a job with another epsilon that may give the paper's number."""
    found = paper(published, "networks", level)
    if between := smaller_epsilon(at(results, published, level), found):
        return Job(published["file"], "bic", "epsilon", round(sum(between) / 2, 6))
    return rounded_job(published["file"], level)


def smaller_epsilon(row: Row | None, found: str | None) -> tuple[float, float] | None:
    """Return between which distances from the optimum we have the paper's number of networks.

    Examples
    --------
    >>> smaller_epsilon({"last_levels": "[[2.9, 10], [2.91, 12], [2.95, 13]]"}, "12")
    (2.91, 2.95)
    """
    levels = json.loads((row and row["last_levels"]) or "[]")
    for (at_least, total), (below, _) in itertools.pairwise(levels):
        if str(total) == found:
            return at_least, below
    return None


def epsilon_needed(results: Results, level: int) -> str:
    """Say why no single epsilon gives all the paper's counts at a level.

    A count that agrees needs an epsilon that reaches our last network; one that is the count of
    a smaller epsilon needs that to be smaller than the distance of the next network.
    """
    at_least, below = [], []
    for published in published_rows():
        row, found = at(results, published, level), paper(published, "networks", level)
        outcome = compare_networks(row, found)
        if outcome == "agree" and row and (levels := json.loads(row["last_levels"] or "[]")):
            at_least.append((levels[-1][0], published["file"]))
        elif outcome == "differ" and (between := smaller_epsilon(row, found)):
            below.append((between[1], published["file"]))
    if not at_least or not below:
        return ""
    needed, file = max(at_least)
    return (
        f"At a Bayes factor of {level} the count of {file} needs an ε of at least {needed:.6f} "
        f"(the logarithm is {math.log(level):.6f}), but "
        + ", ".join(f"that of {name} one below {most:.6f}" for most, name in sorted(below))
        + ": there the paper lacks a few networks that are nearly at the limit."
    )


def verdicts(results: Results) -> Counter[str]:
    """Return how many of the rows agree, differ, and so on, over all levels."""
    return Counter(
        verdict(results, row, level) for row in published_rows() for level in BAYES_FACTORS
    )


def differing(results: Results) -> Iterator[tuple[Job, Job]]:
    """Yield the jobs whose count differs, each with the one that may explain it."""
    for published in published_rows():
        for level in BAYES_FACTORS:
            found = paper(published, "networks", level)
            if compare_networks(at(results, published, level), found) == "differ":
                yield level_job(published, level), explaining_job(results, published, level)


def render(results: Results) -> str:
    """Return the tables of all levels."""
    parts = []
    for level in BAYES_FACTORS:
        rows = [(row, at(results, row, level)) for row in published_rows()]
        parts += [f"### Bayes factor {level}: what was found", counts(results, level)]
        parts += [f"### Bayes factor {level}: what it took", times(rows, level)]
    return "\n\n".join(parts)


def counts(results: Results, level: int) -> str:
    """Return the numbers of networks, classes and patterns at one level."""
    head = (
        "data|n|N|candidate sets|networks|the paper|verdict|classes|"
        "collider patterns|the paper's \\|M\\||verdict"
    ).replace("\\|", "\0")
    return table(
        [cell.replace("\0", "\\|") for cell in head.split("|")],
        [counts_row(results, published, level) for published in published_rows()],
    )


def counts_row(results: Results, published: Published, level: int) -> list[str]:
    """Return one line of the table of counts."""
    found, patterns = (
        paper(published, "networks", level),
        paper(published, "collider_patterns", level),
    )
    outcome = verdict(results, published, level)
    row = at(results, published, level)
    head = [published["file"]]
    if row is None:
        return [
            *head,
            published.get("n", ""),
            *[""] * 3,
            count(found),
            outcome,
            "",
            "",
            count(patterns),
            "",
        ]
    return [
        *head,
        row["n"],
        count(row["rows"]),
        count(row["candidates"]),
        networks(row),
        count(found),
        outcome if row["complete"] == "yes" else f"{outcome} ({why(row)})",
        listed(row, "classes"),
        listed(row, "collider_patterns"),
        count(patterns),
        pattern_verdict(results, published, level),
    ]


def listed(row: Row, column: str) -> str:
    """Return a count that needs the networks one by one, or why there is none."""
    if row["complete"] != "yes":
        return ""
    if row["status"] == "stopped in classes":
        return "out of time"
    return count(row[column]) if row[column] else "too many networks"


def pattern_verdict(results: Results, published: Published, level: int) -> str:
    """Say how a number of collider patterns compares with the paper's."""
    found = paper(published, "networks", level)
    patterns = paper(published, "collider_patterns", level)
    outcome = compare_patterns(at(results, published, level), found, patterns)
    job = explaining_job(results, published, level)
    if outcome == "differ" and compare_patterns(results.get(job), found, patterns) == "agree":
        return agreement(job, level)
    return outcome


def times(rows: Sequence[tuple[Published, Row | None]], level: int) -> str:
    """Return the seconds and the memory at one level; rows that were run alone."""
    head = [
        "data",
        "scores",
        "bounds",
        "enumeration",
        "scores, CPU",
        "bounds + enumeration, CPU",
        "the paper",
        "peak memory, MB",
        "load",
        "complete",
    ]
    return table(
        head,
        [
            [
                published["file"],
                seconds(row["scores_wall"]),
                seconds(row["bounds_wall"]),
                seconds(row["enumeration_wall"]),
                seconds(row["scores_cpu"]),
                seconds(row["search_cpu"]),
                paper(published, "seconds", level) or "",
                row["peak_memory_mb"],
                row["load"],
                row["complete"],
            ]
            for published, row in rows
            if row is not None
        ],
    )
