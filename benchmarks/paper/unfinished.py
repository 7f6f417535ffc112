"""What the paper did not finish and what we did not: how far each got, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..markdown import count, networks, seconds, table
from .jobs import ALSO_IN_TABLE1, BAYES_FACTORS, Job
from .published import read_table
from .results import Results, Row
from .verdict import CAP

__all__ = ["render_ours", "render_paper"]

STAGES = {
    "stopped in data": "reading",
    "stopped in scores": "scores",
    "stopped in bounds": "bounds",
}


def render_paper(results: Results) -> str:
    """Return the rows of Table 1 that the paper capped or had no time for, with our counts."""
    lines, finished = [], 0
    for published, level, how in paper_unfinished():
        row = results.at_least(Job(published["file"], "bic", "bayes_factor", level))
        if row is None:
            continue
        is_done = row["complete"] == "yes"
        finished += is_done
        lines.append(
            [
                f"{published['file']}, BF {level}",
                how,
                published[f"seconds_bf{level}"],
                networks(row),
                seconds(row["scores_cpu"], row["search_cpu"]),
                "yes" if is_done else "no, see below",
            ]
        )
    total = len(list(paper_unfinished()))
    head = ["row", "the paper", "its seconds", "networks", "our seconds, CPU", "complete"]
    return (
        f"Of its {total} such rows, {finished} are complete here.\n\n{table(head, lines, left=2)}"
        if lines
        else f"None of its {total} such rows was run yet."
    )


def paper_unfinished() -> Iterator[tuple[dict[str, str], int, str]]:
    """Yield the paper's rows and levels without a full count, and how they ended there."""
    for level in BAYES_FACTORS:
        for row in read_table("table1"):
            if row["name"] in ALSO_IN_TABLE1:  # the sample with which the other counts agree
                row = {**row, "file": row["name"]}
            found = row[f"networks_bf{level}"]
            if not found:
                yield row, level, "out of time (24 hours)"
            elif int(found) >= CAP:
                yield row, level, f"capped at {CAP:,}"


def render_ours(rows: Iterable[Row]) -> str:
    """Return the rows that a limit ended: where, why, and what is known all the same."""
    lines = [
        [
            title(row),
            why(row),
            stage(row),
            networks(row),
            f"{float(row['gap']):.3g}" if row["gap"] else "",
            f"{float(row['share_done']):.2%}" if row["share_done"] else "",
            count(row["nodes"]),
            f"{float(row['peak_memory_mb']):,.0f}" if row["peak_memory_mb"] else "",
        ]
        for row in rows
        if row["complete"] != "yes"
    ]
    if not lines:
        return "Every row that was run is complete."
    head = [
        "row",
        "ended by",
        "in",
        "networks found",
        "gap to the proved bound, nats",
        "share of the search tree",
        "nodes",
        "peak memory, MB",
    ]
    return table(head, lines, left=3)


def title(row: Row) -> str:
    """Say which job it was."""
    asked = {"bayes_factor": "BF", "epsilon": "ε =", "k": "best networks", "k_classes": "classes"}
    limit = f", at most {row['max_parents']} parents" if row["max_parents"] else ""
    return f"{row['file']} {row['score']} {asked[row['request']]} {row['value']}{limit}"


def why(row: Row) -> str:
    """Say what ended the row."""
    limit = f"time limit, {float(row['time_limit']):g} s"
    if row["stopped_by"] == "time" or "time limit" in row["reason"]:
        return limit
    if row["stopped_by"] == "memory" or "memory" in row["reason"].lower():
        return "memory limit"
    return row["reason"] or row["stopped_by"] or row["status"]


def stage(row: Row) -> str:
    """Say in which stage."""
    return STAGES.get(row["status"], "bounds and enumeration")
