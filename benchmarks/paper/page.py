"""docs/benchmarks.md from the measured figures."""

from __future__ import annotations

import math
from pathlib import Path
from string import Template

from crediblenet.threads import thread_count

from ..ablation import page as ablation
from ..growth import page as growth
from ..optimum.runs import render as render_optimum
from ..peers import page as peers
from ..rows import read_rows
from . import (
    explain,
    figure1,
    machine,
    parent_bound,
    peer,
    table1,
    table2,
    unfinished,
    wrong_rules,
)
from .jobs import BAYES_FACTORS, Job, table1_jobs, table2_jobs
from .published import ROOT, read_table
from .recount import Recount, read_counts
from .results import Results, Row

__all__ = ["write_page"]


def write_page(folder: Path, docs: Path = ROOT / "docs") -> Path:
    """Write the page and its picture from the results in a folder; return the page's file."""
    tables = {name: Results(folder / f"{name}.csv") for name in ("table1", "table2")}
    jobs = {"table1": table1_jobs, "table2": table2_jobs}
    rows = {name: results.of(jobs[name]()) for name, results in tables.items()}
    every = [*rows["table1"], *rows["table2"]]
    picture = docs / "images" / "best-networks.png"
    counts = read_counts(folder / "recount.csv")
    template = Template((Path(__file__).parent / "page.md").read_text(encoding="utf-8"))
    page = template.substitute(
        coverage=coverage(rows),
        machine=machine.describe(folder / "machine.json"),
        load=load(every),
        verdicts=verdicts(tables["table1"]),
        table2_verdicts=table2.verdicts(tables["table2"]),
        tried=explain.render(folder),
        k_classes=table2.k_class_verdicts(tables["table2"]) or "not run yet",
        impossible="; ".join(explain.impossible()) or "none",
        recount=recounted(tables["table2"], counts),
        recount_classes=recounted_classes(tables["table2"], counts),
        wrong_rules=wrong_rules.render(folder, tables["table2"]),
        wrong_zoo=wrong_rules.left(folder, "zoo"),
        rounding=rounding(tables["table1"]),
        intervals=table1.epsilon_needed(tables["table1"], 20),
        patterns=patterns(tables["table1"]),
        fewer=fewer(rows["table1"]),
        table1=table1.render(tables["table1"]),
        beyond_the_paper=unfinished.render_paper(tables["table1"]),
        unfinished=unfinished.render_ours(every),
        duration=duration(every),
        table2=table2.render(tables["table2"]),
        figure1=show_figure(figure1.draw(folder / "levels", picture)),
        parent_bound=parent_bound.render(rows["table1"]),
        peer=peer.render(tables),
        peers=peers.render(folder / "peers"),
        optimum=render_optimum(read_rows(folder / "optimum.csv")),
        ablation=ablation.render(folder / "ablation"),
        growth=growth.render(folder / "growth.csv", docs / "images" / "growth.png"),
    )
    target = docs / "benchmarks.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page, encoding="utf-8")
    return target


def coverage(tables: dict[str, list[Row]]) -> str:
    """Say how many of the jobs were run, and how many ended with a complete set."""
    sentences = []
    for (name, rows), jobs in zip(tables.items(), (table1_jobs(), table2_jobs()), strict=True):
        total = len(list(jobs))
        complete = sum(row["complete"] == "yes" for row in rows)
        limits = sorted({float(row["time_limit"]) for row in rows})
        sentence = (
            f"Table {name[-1]} has {total} runs, {len(rows)} of them were made, "
            f"{complete} are complete"
        )
        if rows:
            least, most = f"{limits[0]:.0f}", f"{limits[-1]:.0f}"
            sentence += f" (time limit {least if least == most else f'{least} to {most}'} s)"
        missing = total - len(rows)
        sentences.append(sentence + (f"; {missing} are still to be run." if missing else "."))
    return " ".join(sentences)


def duration(rows: list[Row]) -> str:
    """Say how long all rows together took by the clock, each with its own process."""
    hours = sum(float(row["total_wall"] or 0) for row in rows) / 3600
    return f"All rows of both tables together took {hours:.1f} hours by the clock."


def load(rows: list[Row]) -> str:
    """Say whether the machine was busy with other things."""
    loads = sorted(float(row["load"]) for row in rows)
    if not loads:
        return ""
    median, threads = loads[len(loads) // 2], thread_count(None)
    wanted = (
        f"In the minute before a row began, {median:.1f} processes wanted a processor in the "
        f"median, {loads[-1]:.1f} at most (column *load*), those of the row before among them"
    )
    if median <= threads:
        return f"{wanted}."
    return (
        f"**The machine was busy with other work.** {wanted}. Seconds by the clock are "
        "therefore several times longer than on a machine of one's own."
    )


def verdicts(results: Results) -> str:
    """Say how the numbers of networks in Table 1 compare."""
    found = table1.verdicts(results)
    parts = ", ".join(f"{verdict}: {number}" for verdict, number in sorted(found.items()))
    return f"Numbers of networks in Table 1, over the three levels: {parts}."


def rounding(results: Results) -> str:
    """Say which counts are the paper's with another epsilon."""
    lines = []
    for exact_job, other_job in table1.differing(results):
        exact, other = results.get(exact_job), results.get(other_job)
        if exact is None:
            continue
        row = f"{exact_job.file}, BF {exact_job.value}"
        if other is None:
            lines.append(f"{row}: not run yet")
            continue
        logarithm = math.log(exact_job.value)
        lines.append(
            f"{row}: {int(exact['networks']):,} networks up to ε = {logarithm:.6f}, "
            f"{int(other['networks']):,} up to {other_job.value}"
        )
    return "; ".join(lines) or "no count differs"


def recounted(results: Results, counts: dict[tuple[str, int | None], Recount]) -> str:
    """Say what a second, independent count gives where the first is not the paper's."""
    lines = []
    paper = {row["file"]: row["networks_bf20"] for row in read_table("table2")}
    for (file, k), again in counts.items():
        if k is None and (row := results.get(Job(file, "bdeu", "bayes_factor", 20))) is not None:
            same = check_recount(row, again)
            lines.append(
                f"{file} {again.networks:,} networks ({same}; the paper: {int(paper[file]):,})"
            )
    if not lines:
        return "No row was counted a second time."
    return (
        "A second count with nothing in common with the search, from the scores of all parent "
        "sets (`python -m benchmarks.paper.recount`), finds: " + ", ".join(lines) + "."
    )


def recounted_classes(results: Results, counts: dict[tuple[str, int | None], Recount]) -> str:
    """Say what the second count gives for the k best classes, and whether the paper's can be."""
    lines = []
    paper = {
        (row["file"], int(row["k"])): row["networks_in_k_classes"]
        for row in read_table("table2")
        if row["networks_in_k_classes"]
    }
    for (file, k), again in counts.items():
        if k is None or (file, k) not in paper:
            continue
        row = results.get(Job(file, "bdeu", "k_classes", k))
        if row is None:
            continue
        check_recount(row, again)
        printed = int(paper[file, k])
        ours = f"{again.networks:,}"
        if again.fewest < again.networks:  # ties, of which some are left out
            ours = f"{again.fewest:,} to {again.most:,}, whichever of those that tie are taken"
        verdict = "it can be" if again.fewest <= printed <= again.most else "it cannot be"
        if printed == again.networks:
            verdict = "the same"
        lines.append(f"{file} ({k:,}): {ours}; the paper: {printed:,}, {verdict}")
    return "".join(f"\n    - {line}" for line in lines) or " nothing yet"


def check_recount(row: Row, again: Recount) -> str:
    """Say how a second count compares with a row; raise if one of them must be wrong."""
    if row["complete"] != "yes":
        return "where the search was stopped"
    if int(row["networks"]) != again.networks:
        raise AssertionError(f"another count finds {again.networks} networks: {row}")
    return "the same as above"


def patterns(results: Results) -> str:
    """Say on how many rows the collider patterns are the paper's."""
    outcomes = [
        table1.pattern_verdict(results, published, level)
        for published in read_table("table1")
        for level in BAYES_FACTORS
    ]
    agree = sum(outcome.startswith("agree") for outcome in outcomes)
    total = agree + outcomes.count("differ")
    return f"agrees on {agree} of the {total} rows where both list all networks"


def fewer(results: list[Row]) -> str:
    """Give the plainest example that was measured."""
    rows = [row for row in results if row["collider_patterns"] and row["classes"]]
    if not rows:
        return ""
    row = max(rows, key=lambda row: int(row["collider_patterns"]) / int(row["classes"]))
    return (
        f" (most plainly {row['file']}, BF {row['value']}: {int(row['networks']):,} networks, "
        f"{int(row['collider_patterns']):,} patterns, {int(row['classes']):,} classes)"
    )


def show_figure(files: list[str]) -> str:
    """Return the picture with its caption."""
    if not files:
        return "Not measured yet."
    return (
        "![Distance from the optimum against the rank of the network](images/best-networks.png)\n\n"
        "The 1,000 best networks (BDeu, no parent limit); dashed: Bayes factors of 3, 20 and 150. "
        f"Data sets: {', '.join(files)}."
    )
