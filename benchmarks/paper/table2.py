"""Table 2 of the paper beside ours, as Markdown: BDeu, and the k best."""

from __future__ import annotations

from ..markdown import count, networks, seconds, table
from . import unfinished
from .jobs import PARENT_LIMIT, SIZES, Job
from .published import read_table
from .results import Results, Row
from .verdict import compare_networks

__all__ = ["differing", "k_class_verdicts", "render", "verdicts"]


def render(results: Results) -> str:
    """Return both halves of the table."""
    return "\n\n".join(
        [
            "### Bayes factor 20, without a parent limit and with the solver's default",
            bayes_factor_table(results),
            "### The k best networks and classes, without a parent limit",
            k_best_table(results),
        ]
    )


def verdicts(results: Results) -> str:
    """Say how the numbers of networks without a parent limit compare."""
    files = {row["file"]: row["networks_bf20"] for row in read_table("table2")}
    outcomes: dict[str, list[str]] = {}
    for file, found in files.items():
        row = results.get(Job(file, "bdeu", "bayes_factor", 20))
        outcomes.setdefault(compare_networks(row, found), []).append(file)
    return "; ".join(f"{outcome}: {', '.join(rows)}" for outcome, rows in outcomes.items())


def differing(results: Results) -> dict[str, int]:
    """Return the data sets whose count without a parent limit is not the paper's, with that."""
    found = {}
    for row in read_table("table2"):
        ours = results.get(Job(row["file"], "bdeu", "bayes_factor", 20))
        verdict = compare_networks(ours, row["networks_bf20"])
        if verdict in ("differ", "not complete, more than the paper"):
            found[row["file"]] = int(row["networks_bf20"])
    return found


def k_class_verdicts(results: Results) -> str:
    """Say where the networks in the k best classes are as many as in the paper."""
    agree, differ, ties = [], [], []
    for row in read_table("table2"):
        if not row["networks_in_k_classes"]:
            continue
        k = int(row["k"])
        ours = results.get(Job(row["file"], "bdeu", "k_classes", k))
        verdict = compare_members(ours, row["networks_in_k_classes"], k)
        name = f"{row['file']} ({k:,})"
        if verdict == "agree":
            agree.append(name)
        elif verdict == "differ":
            differ.append(name)
        elif verdict.endswith("tie"):
            ties.append(name)
    parts = {"The same": agree, "Others": differ, "Not comparable, because classes tie": ties}
    return "; ".join(f"{said}: {', '.join(names)}" for said, names in parts.items() if names)


def bayes_factor_table(results: Results) -> str:
    """Return the networks within a Bayes factor of 20, without the parent limit and with it."""
    head = [
        "data",
        "networks",
        "the paper",
        "verdict",
        "classes",
        "collider patterns",
        "the paper's \\|M\\|",
        "seconds, CPU",
        "the paper, seconds",
        f"networks, at most {PARENT_LIMIT} parents",
        "verdict",
        "seconds, CPU",
    ]
    lines = []
    for published in {row["file"]: row for row in read_table("table2")}.values():
        found = published["networks_bf20"]
        free = results.get(Job(published["file"], "bdeu", "bayes_factor", 20))
        limited = results.get(Job(published["file"], "bdeu", "bayes_factor", 20, PARENT_LIMIT))
        lines.append(
            [
                published["file"],
                networks(free) if free else "",
                count(found),
                compare_networks(free, found),
                classes(free),
                count(free["collider_patterns"]) if free and free["complete"] == "yes" else "",
                count(published["collider_patterns_bf20"]),
                cpu(free),
                published["seconds_bf20"],
                networks(limited) if limited else "",
                compare_networks(limited, found),
                cpu(limited),
            ]
        )
    return table(head, lines)


def classes(row: Row | None) -> str:
    """Return the number of classes of a complete set, or that it was not counted."""
    if row is None or row["complete"] != "yes":
        return ""
    return count(row["classes"]) if row["classes"] else "too many"


def k_best_table(results: Results) -> str:
    """Return the times of the k best networks and classes beside those of two programs."""
    head = [
        "data",
        "k",
        "k networks, CPU",
        "KBest, the paper",
        "k classes, CPU",
        "with ties",
        "KBestEC, the paper",
        "networks in the k classes",
        "the paper",
        "verdict",
    ]
    published = {(row["file"], row["k"]): row for row in read_table("table2")}
    whole = {row["file"]: row for row in read_table("table2")}
    lines = []
    for file in whole:
        for k in SIZES:
            # Where both programs fail for every k, the paper has one line.
            row = published.get((file, str(k)), whole[file])
            best, best_classes = (
                results.get(Job(file, "bdeu", kind, k)) for kind in ("k", "k_classes")
            )
            lines.append(
                [
                    file,
                    count(str(k)),
                    finished(best),
                    row["seconds_kbest"],
                    finished(best_classes),
                    classes(best_classes),
                    row["seconds_kbestec"],
                    networks(best_classes) if best_classes else "",
                    count(row["networks_in_k_classes"]),
                    compare_members(best_classes, row["networks_in_k_classes"], k),
                ]
            )
    return table(head, lines)


def cpu(row: Row | None) -> str:
    """Return the seconds of all stages; the k best score more than once, in the search."""
    if row is None:
        return ""
    return seconds(row["search_cpu"], row["scores_cpu"] or "0")


def finished(row: Row | None) -> str:
    """Return the seconds of a finished job, or how it ended."""
    if row is None:
        return "not run"
    if row["complete"] == "yes":
        return cpu(row)
    return f"not complete ({row['stopped_by'] or unfinished.stage(row)})"


def compare_members(row: Row | None, paper: str, k: int) -> str:
    """Say how the number of networks in the k best classes compares with the paper's.

    The paper's k-th class is one of several where they tie, so that its number means
    nothing there.
    """
    verdict = compare_networks(row, paper)
    if verdict == "differ" and row is not None and int(row["classes"] or k) > k:
        return f"{int(row['classes']):,} classes tie"
    return "" if verdict == "paper out of time" else verdict
