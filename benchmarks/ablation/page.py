"""What each part contributes, as Markdown."""

from __future__ import annotations

import statistics
from pathlib import Path

from ..markdown import count, table
from ..rows import read_rows
from .engine import NOTHING, TIME_LIMIT, same_with_every_part
from .parts import PARTS

__all__ = ["render"]

Row = dict[str, str]


def render(folder: Path) -> str:
    """Return both tables; `folder` has their rows."""
    rules, engine = (read_rows(folder / f"{name}.csv") for name in ("rules", "engine"))
    return "\n\n".join(
        [
            "### Pruning rules",
            rules_table(rules) if rules else "Not measured yet.",
            "### Parts of the engine",
            engine_table(engine) if engine else "Not measured yet.",
        ]
    )


def rules_table(rows: list[Row]) -> str:
    """Return sets visited, scored and kept, and seconds, by choice of rules."""
    check_rules(rows)
    lines = [
        [
            f"{row['data']}, {row['score']}",
            row["rules"],
            *([count(row[name]) for name in ("visited", "scored", "kept")]),
            row["largest"],
            row["seconds"] or row["failed"],
        ]
        for row in rows
    ]
    head = [
        "data, score",
        "rules",
        "joint sets counted",
        "parent sets scored",
        "kept",
        "largest kept",
        "seconds, CPU",
    ]
    return (
        "At a Bayes factor of 20. A *joint set* is counted once for all of its variables; each "
        "parent set is scored from two counts. The rules overlap, so that one of them can often "
        "be left out; *only R1 and* shows what each can do by itself.\n\n"
        + table(head, lines, left=2)
    )


def check_rules(rows: list[Row]) -> None:
    """Raise AssertionError when choices with R1 keep other sets: the rules are safe."""
    for row in rows:
        alike = [r for r in rows if (r["data"], r["score"]) == (row["data"], row["score"])]
        exact = next(r for r in alike if r["rules"] == "all")
        has_r1 = row["rules"] not in ("without R1", "none")
        if has_r1 and row["kept"] and row["kept"] != exact["kept"]:
            raise AssertionError(f"other sets are kept: {row}")


def engine_table(rows: list[Row]) -> str:
    """Return seconds and nodes with each part off."""
    rows = list(same_with_every_part(rows))
    problems = dict.fromkeys((row["data"], row["bayes_factor"]) for row in rows)
    names = [NOTHING, *(part.name for part in PARTS if part.name in {row["off"] for row in rows})]
    by_key = {(row["data"], row["bayes_factor"], row["off"]): row for row in rows}
    lines = []
    for data, level in problems:
        for name in names:
            row = by_key.get((data, level, name))
            if row is None:  # a run that is going on, or was ended
                continue
            lines.append(engine_line(row, f"{data}, BF {level}" if name == NOTHING else ""))
    head = [
        "data",
        "off",
        "bounds + enumeration, CPU s",
        "classes, CPU s",
        "nodes",
        "linear programs",
        "subset programs",
        "splits",
        "complete",
    ]
    without = "; ".join(
        f"without *{part.name}*, {part.instead}" for part in PARTS if part.name in names
    )
    return (
        f"{without[0].upper()}{without[1:]}. Every run that ends finds the same networks and "
        f"classes; one that does not end within {TIME_LIMIT:g} s says how large the gap was.\n\n"
        f"{factors(rows)}\n\n" + table(head, lines, left=2)
    )


def factors(rows: list[Row]) -> str:
    """Return how many times as long the problems take with each part off."""
    whole = {problem(row): row for row in rows if row["off"] == NOTHING}
    lines = []
    for part in PARTS:
        own = [row for row in rows if row["off"] == part.name]
        ended = [row for row in own if row["complete"] == "yes"]
        times = {problem(row): total(row) / total(whole[problem(row)]) for row in ended}
        if not times:
            continue
        longest = max(times, key=lambda one: times[one])
        lines.append(
            [
                part.name,
                f"{statistics.median(times.values()):.2f}",
                f"{min(times.values()):.2f}",
                f"{times[longest]:.2f} ({longest})",
                ", ".join(problem(row) for row in own if row["complete"] != "yes"),
            ]
        )
    head = ["off", "median", "least", "most", f"not done in {TIME_LIMIT:g} s"]
    return (
        "How many times as long the problems take, all CPU seconds after scoring: a part whose "
        "figures are near 1 is of no use to these problems.\n\n" + table(head, lines)
    )


def problem(row: Row) -> str:
    """Return the name of a row's problem."""
    return f"{row['data']}, BF {row['bayes_factor']}"


def total(row: Row) -> float:
    """Return the seconds of a run that has ended."""
    return float(row["search_seconds"]) + float(row["classes_seconds"])


def engine_line(row: Row, title: str) -> list[str]:
    """Return one line; the name of the problem only where it begins."""
    if row["failed"]:
        return [title or " ", row["off"], row["failed"], *[""] * 6]
    is_complete = row["complete"] == "yes"
    return [
        title or " ",
        row["off"],
        row["search_seconds"],
        row["classes_seconds"] if is_complete else "",
        *(count(row[name]) for name in ("nodes", "linear_programs", "subset_programs", "splits")),
        "yes" if is_complete else f"no, gap {float(row['gap']):.2g}",
    ]
