"""Table 2 of the paper beside ours, as Markdown: BDeu, and the k best."""

from __future__ import annotations

from .jobs import PARENT_LIMIT, SIZES, Job
from .markdown import count, networks, seconds, table
from .published import read_table
from .results import Results, Row
from .verdict import compare_networks

__all__ = ["render"]


def render(results: Results) -> str:
    """Return both halves of the table."""
    return "\n\n".join(
        [
            "### Bayes factor 20, with the paper's parent limit and without one",
            bayes_factor_table(results),
            "### The k best networks and classes, without a parent limit",
            k_best_table(results),
        ]
    )


def bayes_factor_table(results: Results) -> str:
    """Return the networks within a Bayes factor of 20, with the parent limit and without."""
    head = [
        "data",
        f"networks, at most {PARENT_LIMIT} parents",
        "the paper",
        "verdict",
        "seconds, CPU",
        "the paper, seconds",
        "networks, no parent limit",
        "classes",
        "seconds, CPU",
    ]
    lines = []
    for published in {row["file"]: row for row in read_table("table2")}.values():
        limited = results.get(Job(published["file"], "bdeu", "bayes_factor", 20, PARENT_LIMIT))
        free = results.get(Job(published["file"], "bdeu", "bayes_factor", 20))
        lines.append(
            [
                published["file"],
                networks(limited) if limited else "",
                count(published["networks_bf20"]),
                compare_networks(limited, published["networks_bf20"]),
                cpu(limited),
                published["seconds_bf20"],
                networks(free) if free else "",
                count(free["classes"]) if free and free["complete"] == "yes" else "",
                cpu(free),
            ]
        )
    return table(head, lines)


def k_best_table(results: Results) -> str:
    """Return the times of the k best networks and classes beside those of two programs."""
    head = [
        "data",
        "k",
        "k networks, CPU",
        "KBest, the paper",
        "k classes, CPU",
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
            best, classes = (results.get(Job(file, "bdeu", kind, k)) for kind in ("k", "k_classes"))
            lines.append(
                [
                    file,
                    count(str(k)),
                    finished(best),
                    row["seconds_kbest"],
                    finished(classes),
                    row["seconds_kbestec"],
                    networks(classes) if classes else "",
                    count(row["networks_in_k_classes"]),
                    compare_members(classes, row["networks_in_k_classes"], k),
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
    return cpu(row) if row["complete"] == "yes" else f"not complete ({row['stopped_by']})"


def compare_members(row: Row | None, paper: str, k: int) -> str:
    """Say how the number of networks in the k best classes compares with the paper's.

    The paper's k-th class is one of several where they tie, so that its number means
    nothing there.
    """
    verdict = compare_networks(row, paper)
    if verdict == "differ" and row is not None and int(row["classes"] or k) > k:
        return f"{int(row['classes']):,} classes tie"
    return "" if verdict == "paper out of time" else verdict
