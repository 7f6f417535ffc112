"""docs/scale.md from the measured rows."""

from __future__ import annotations

from pathlib import Path
from string import Template

from ..limits import runs as limits
from ..markdown import count, networks, seconds, table
from ..rows import read_rows
from ..width import one_width
from ..width import runs as width
from .runs import runs

__all__ = ["render", "write_page"]

Row = dict[str, str]
DOCS = Path(__file__).resolve().parents[2] / "docs"
#: Of lower bounds with more digits than this, two are shown.
TOO_LONG = 12


def write_page(rows: Path, docs: Path = DOCS) -> Path:
    """Write the page from a file of rows; return the page's file."""
    template = Template((Path(__file__).parent / "page.md").read_text(encoding="utf-8"))
    measured = read_rows(rows)
    target = docs / "scale.md"
    text = template.substitute(
        summary=summary(measured),
        table=render(measured),
        width=width.render(read_rows(rows.parent / "width.csv")),
        limits=limits.render(read_rows(rows.parent / "limits.csv")),
        one_width=one_width.describe(read_rows(rows.parent / "width-one.csv")),
        raw_width=width.describe_raw(read_rows(rows.parent / "width-raw.csv")),
    )
    target.write_text(text, encoding="utf-8")
    return target


def summary(rows: list[Row]) -> str:
    """Say how many rows there are, and how they ended."""
    if not rows:
        return "Not measured yet."
    complete = sum(row["complete"] == "yes" for row in rows)
    proved = sum(row["complete"] != "yes" and is_proved(row) for row in rows)
    failed = sum(bool(row["failed"]) for row in rows)
    unscored = sum(not row["failed"] and not row["gap"] for row in rows)
    limits = sorted({float(row["time_limit"]) for row in rows})
    longest = max(search_seconds(row) - float(row["time_limit"]) for row in done(rows))
    memory = max(float(row["peak_memory_mb"]) for row in done(rows)) / 1000
    late = f"at most {longest:.1f} s after its limit" if longest >= 0.05 else "within its limit"
    same = limits[0] == limits[-1]
    allowed = f"{limits[0]:g} s" if same else f"{limits[0]:g} to {limits[-1]:g} s"
    planned = len(list(runs()))
    of_all = "" if len(rows) >= planned else f" of {planned}"
    return (
        f"{len(rows)}{of_all} runs with limits of {allowed}: {complete} complete, "
        f"{proved} more with a proved optimum but not the whole set, "
        f"{len(rows) - complete - proved - failed - unscored} with a stated gap, {unscored} that "
        f"did not end scoring in time, {failed} failed. "
        f"Each search ended {late}, with {memory:.1f} GB at most. {time_taken(done(rows))}"
        f"{too_many(rows)}"
    )


def too_many(rows: list[Row]) -> str:
    """Say which sets that are not complete have more classes than the largest that is."""
    known = [int(row["classes"]) for row in rows if row["complete"] == "yes" and row["classes"]]
    others = [row for row in rows if row["classes_at_least"]]
    if not known or not others:
        return ""
    largest = max(known)
    more = [surely(row) for row in others if surely(row) > largest]
    perhaps = sum(int(row["classes_at_least"]) > largest for row in others) - len(more)
    at_least = f", {min(more):,} at least" if more else ""
    return (
        f" Of the complete sets whose classes were counted, the largest has {largest:,}. Of the "
        f"{len(others)} others with a lower bound on their classes, {len(more)} have more for "
        f"certain{at_least}, and {perhaps} if the best network found is the optimum."
    )


def surely(row: Row) -> int:
    """Return how many classes are credible for certain, whatever the optimum is."""
    return int(row["classes_surely"] or (row["classes_at_least"] if is_proved(row) else 0))


def search_seconds(row: Row) -> float:
    """Return how long a run took until its set was there: what the limit is for."""
    return float(row["total_wall"]) - float(row["averages_wall"] or 0)


def time_taken(rows: list[Row]) -> str:
    """Say how long the runs took together, and how much of that they worked."""
    wall = sum(float(row["total_wall"]) for row in rows)
    cpu = sum(float(row["total_cpu"]) for row in rows)
    return (
        f"Together they took {wall / 60:.0f} minutes by the clock and {cpu / 60:.0f} minutes of a "
        f"processor."
    )


def render(rows: list[Row]) -> str:
    """Return the table, a line per run."""
    head = ["drawn from", "n", "parents", "score", "candidates", "ended by", "gap, nats"]
    head += ["networks", "classes", "scores, s", "total, s", "limit, s", "memory, MB"]
    return table(head, [line(row) for row in rows])


def line(row: Row) -> list[str]:
    """Return the cells of a run."""
    return [
        row["structure"],
        row["variables"],
        row["max_parents"],
        row["score"],
        count(row["candidates"]),
        row["failed"].rpartition("Error: ")[2].partition(".")[0]
        or ("complete" if row["complete"] == "yes" else row["stopped_by"]),
        gap(row),
        networks(row),
        classes(row),
        seconds(row["scores_wall"]),
        seconds(row["total_wall"]),
        f"{float(row['time_limit']):g}",
        count(row["peak_memory_mb"]),
    ]


def classes(row: Row) -> str:
    """Return the number of classes, "at least" where the search did not end."""
    if row["complete"] == "yes" or not row["classes_at_least"]:
        return count(row["classes"] if row["complete"] == "yes" else "")
    at_least, certain = row["classes_at_least"], surely(row)
    more = f" ({short(str(certain))})" if 0 < certain != int(at_least) else ""
    return f"≥ {short(at_least)}{more}"


def short(digits: str) -> str:
    """Return a number, with two digits if it is a long one."""
    return (
        count(digits)
        if len(digits) <= TOO_LONG
        else f"{digits[0]}.{digits[1]} · 10^{len(digits) - 1}"
    )


def gap(row: Row) -> str:
    """Return the gap: 0 when the optimum is proved."""
    if not row["gap"]:
        return ""
    return "0" if is_proved(row) else f"{float(row['gap']):,.2f}"


def is_proved(row: Row) -> bool:
    """Tell whether the optimum is known to be one."""
    return bool(row["gap"]) and float(row["gap"]) == 0.0


def done(rows: list[Row]) -> list[Row]:
    """Return the rows of runs that gave a result."""
    return [row for row in rows if not row["failed"]]
