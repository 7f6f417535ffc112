"""The comparisons with other programs, as Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path

from ..markdown import count, table
from ..rows import read_rows

__all__ = ["render"]

Row = dict[str, str]
SAME = 1e-5


def render(folder: Path) -> str:
    """Return all comparisons that were made; `folder` has a file for each."""
    parts = []
    for title, file, show in SECTIONS:
        rows = read_rows(folder / f"{file}.csv")
        parts += [f"### {title}", show(rows) if rows else "Not measured yet."]
    return "\n\n".join(parts)


def exhaustive(rows: list[Row]) -> str:
    """Return the search through all graphs beside ours."""
    agree = sum(same_optimum(row) and row["its_networks"] == row["our_networks"] for row in rows)
    shown = table(
        ["data, score", "graphs scored", "networks within BF 20", "ours", "its seconds", "ours"],
        [
            [
                f"{row['data']}, {row['score']}",
                count(row["graphs_scored"]),
                count(row["its_networks"]),
                count(row["our_networks"]),
                row["its_seconds"],
                row["our_seconds"],
            ]
            for row in rows
        ],
    )
    return (
        f"{rows[0]['peer']}, `{rows[0]['command']}`: it scores every graph, which five variables "
        f"still allow. Optimum and number of credible networks agree on {agree} of {len(rows)} "
        f"runs.\n\n{shown}"
    )


def gaussian(rows: list[Row]) -> str:
    """Return the exact search on numbers beside ours."""
    agree = sum(same_optimum(row) for row in rows)
    shown = table(
        ["variables", "its optimum", "ours", "its seconds", "ours", "ours, BF 20", "networks"],
        [
            [
                row["variables"],
                row["its_optimum"],
                row["our_optimum"],
                row["its_seconds"],
                row["our_seconds"],
                row["our_seconds_bf20"],
                count(row["our_networks_bf20"]),
            ]
            for row in rows
        ],
        left=0,
    )
    return (
        f'{rows[0]["peer"]}, `{rows[0]["command"]}`, beside `score="bic-g"`, on {rows[0]["rows"]} '
        "rows drawn from random linear networks, each column with mean zero. Its score is twice "
        "ours without the terms that are the same for every network (the constant of the normal "
        "density, ln(N)/2 for the intercept and for the variance); they are added here. The optima "
        f"agree on {agree} of {len(rows)} runs. It returns one network; the last two columns are "
        f"for all credible ones.\n\n{shown}"
    )


def local_search(rows: list[Row]) -> str:
    """Return how far from the optimum greedy and tabu search stop."""
    by_run: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        by_run.setdefault((row["score"], row["data"]), {})[row["algorithm"]] = row
    lines = []
    for (score, data), runs in by_run.items():
        cells = [cell for name in ("greedy", "tabu") for cell in distance_cells(runs.get(name))]
        lines.append([f"{data}, {score}", *cells])
    distances = {
        name: [distance(row) for row in rows if row["algorithm"] == name and not row["failed"]]
        for name in ("greedy", "tabu")
    }
    summary = "; ".join(
        f"{name} finds the optimum on {sum(d < SAME for d in found)} of {len(found)} runs and is "
        f"{statistics.median(found):.1f} nats away in the median, {max(found):.1f} at most"
        for name, found in distances.items()
        if found
    )
    commands = "; ".join(dict.fromkeys(f"`{row['command']}`" for row in rows if row["command"]))
    version = next((row["peer"] for row in rows if not row["failed"]), "pyAgrum")
    head = ["data, score", "greedy: nats above", "seconds", "tabu: nats above", "seconds"]
    return (
        f"{version}, one thread: {commands}. Its networks are scored by us; the optimum is the "
        "proved one of the tables above, without a parent limit on either side. A difference of "
        f"d nats is a Bayes factor of e^d. {summary}. {own_scores(rows)}\n\n{table(head, lines)}"
    )


def own_scores(rows: list[Row]) -> str:
    """Say whether the peer's scores are ours, of the same networks."""
    apart: dict[str, float] = {}
    for row in rows:
        if not row["failed"]:
            difference = abs(float(row["its_cost"]) - float(row["its_cost_by_itself"]))
            apart[row["score"]] = max(difference, apart.get(row["score"], 0.0))
    return (
        "Its own scores of its networks differ from ours by at most "
        + ", ".join(f"{nats:.2g} nats with {score}" for score, nats in apart.items())
        + "; where they are not the same, it climbs a slightly different hill."
    )


def distance(row: Row) -> float:
    """Return how far above the optimum a network is, in nats."""
    found = float(row["its_cost"]) - float(row["optimum"])
    assert found > -SAME, f"better than the proved optimum: {row}"
    return max(0.0, found)


def distance_cells(row: Row | None) -> list[str]:
    """Return distance and seconds, or why there are none."""
    if row is None:
        return ["", ""]
    if row["failed"]:
        return [row["failed"], ""]
    return [f"{distance(row):.2f}", f"{float(row['its_seconds']):.2f}"]


def sampled(rows: list[Row]) -> str:
    """Return the sampled edge probabilities beside the exact ones."""
    shown = table(
        [
            "data",
            "n",
            "seed",
            "BF",
            "networks sampled",
            "networks in our set",
            "largest difference",
            "mean difference",
            "between seeds",
            "all weighed by its scores",
            "its seconds",
            "ours",
        ],
        [
            [
                row["data"],
                row["variables"],
                row["seed"],
                count(row["bayes_factor"]),
                count(row["its_networks"]),
                count(row["our_networks"]),
                row["largest_difference"],
                row["mean_difference"],
                row["difference_between_seeds"],
                row.get("difference_of_all_weighed", ""),
                row["its_seconds"],
                row["our_seconds"],
            ]
            for row in rows
        ],
    )
    commands = "; ".join(dict.fromkeys(f"`{row['command']}`" for row in rows))
    return (
        f"{rows[0]['peer']}: {commands}. BDeu with equivalent sample size 1, and its own prior on "
        "the number of parents, which is added to our scores. It samples from all networks; ours "
        "are the exact averages over the networks within a Bayes factor of the best: at 20 some "
        "weight is left out, at 10,000 hardly any. *Between seeds* is the largest difference "
        "between its own two runs, so what is larger than that is not chance. With five variables "
        "all 29,281 networks can be weighed one by one, here by its own scores: *all weighed by "
        "its scores* is how far that is from our averages, so that what its samples differ more "
        "comes from the sampling. Where its two runs differ much, it has not converged with these "
        "settings. (It was built from its source "
        "with Cython 0.29: "
        "with Cython 3, which pip chooses, it ends with an error.)\n\n" + shown
    )


def same_optimum(row: Row) -> bool:
    """Say whether both found the same cost."""
    return abs(float(row["its_optimum"]) - float(row["our_optimum"])) < SAME


SECTIONS: tuple[tuple[str, str, Callable[[list[Row]], str]], ...] = (
    ("pgmpy: exhaustive search", "pgmpy", exhaustive),
    ("causal-learn: exact search on numbers", "causal-learn", gaussian),
    ("pyAgrum: greedy and tabu search", "pyagrum", local_search),
    ("sumu: sampled edge probabilities", "sumu", sampled),
)
