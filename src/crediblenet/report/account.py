"""How a result was made, and what to beware of, in words."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from ..description import doubt, what_stopped
from ..memory import bytes_in_words
from ..stage_memory import StageMemory
from .data import Fact, FactGroup, Notice
from .text import count, decimal, percent, probability, significant

if TYPE_CHECKING:
    from ..credible_set import CredibleSet
    from ..edge_probabilities import EdgeProbabilities
    from ..estimate import FeatureMatrix

__all__ = ["facts", "few_rows", "notices", "score_in_words"]

# Fewer rows than this, or fewer than two for each number that the best network has to
# estimate, and the score's penalty or prior says more than the data.
FEW_ROWS = 100
ROWS_PER_PARAMETER = 2

_ELSEWHERE = {
    "command",
    "source",
    "data_options",
    "memory_foreseen",
}  # statistics that have a place of their own
# What each pruning rule removes; docs/algorithm.md has them with their proofs.
_RULES = {
    "R1": "Worse than a subset",
    "R2": "Penalty alone too high",
    "R3": "Penalty beyond any gain",
    "C4": "Too many parents for the rows",
    "R5": "A parent that cannot pay its penalty",
    "R6": "Too many configurations",
}
_ABBREVIATIONS = {"mb": "(MB)", "lp": "linear program", "cpu": "processor"}


def score_in_words(result: CredibleSet) -> str:
    """Return the score's name and its parameter."""
    ess = result.table.metadata.get("ess")
    name = {"bdeu": "BDeu", "bds": "BDs", "fnml": "fNML", "qnml": "qNML", "file": "scores"}.get(
        result.score, result.score.upper()
    )
    if name == "scores":
        return "scores from a file"
    return f"{name} score" if ess is None else f"{name} score (sample size {significant(ess)})"


def notices(
    result: CredibleSet, edges: EdgeProbabilities, blankets: FeatureMatrix
) -> tuple[Notice, ...]:
    """Return what a reader must know first, the gravest first."""
    return (
        *_stopped(result),
        *few_rows(result),
        *_sampled(edges, blankets),
        *(Notice("note", "", note) for note in dict.fromkeys(result.notes)),
    )


def _stopped(result: CredibleSet) -> Iterator[Notice]:
    if result.complete:
        return
    text = f"The search was ended by {what_stopped(result)}. "
    if result.gap > 0:
        text += f"It has not proved which network is the best: {doubt(result)}. "
    else:
        text += "The best network is proved, and all networks shown are credible. "
    text += (
        "All probabilities are over the networks found so far, and will change when the rest "
        "is found."
    )
    yield Notice("warning", "The set is not complete", text)


def few_rows(result: CredibleSet) -> Iterator[Notice]:
    """Warn when the rows are few for what the best network has to estimate."""
    metadata = result.table.metadata
    rows, arities = metadata.get("rows"), metadata.get("arities")
    if rows is None or arities is None:
        return
    parameters = sum(
        (arities[v] - 1) * int(np.prod([arities[p] for p in parents], dtype=object))
        for v, parents in enumerate(result.optimal.parent_sets)
    )
    if rows < max(FEW_ROWS, ROWS_PER_PARAMETER * parameters):
        yield Notice(
            "warning",
            "Few rows",
            f"{count(rows)} rows for the {count(parameters)} probabilities of the best network. "
            "With so few, the result leans on the score's penalty or prior; compare it with "
            "another score before relying on it.",
        )


def _sampled(edges: EdgeProbabilities, blankets: FeatureMatrix) -> Iterator[Notice]:
    means = {"edges": edges.directed, "compelled edges": edges.compelled}
    sampled = {
        what: float(mean.standard_errors.max())
        for what, mean in means.items()
        if mean is not None and mean.method == "sampling"
    }
    if blankets.method == "sampling":
        sampled["Markov blankets"] = float(blankets.standard_errors.max())
    if sampled:
        yield Notice(
            "note",
            "Some numbers are estimates",
            "There are too many networks to list them all. The probabilities of "
            + " and ".join(sampled)
            + " come from networks drawn at random from the set, with a standard error of at "
            f"most {probability(max(sampled.values()))}. All other numbers are exact.",
        )


def facts(result: CredibleSet) -> tuple[FactGroup, ...]:
    """Return the account of how a result was made, in the order of the stages."""
    groups = {
        "Data": _data_facts(result),
        "Score and level": _score_facts(result),
        "Pruning": _pruning_facts(result),
        "Search": _search_facts(result),
        "Spread of the weight": _spread_facts(result),
        "Seconds": (Fact(_words(k), decimal(v)) for k, v in result.seconds.items()),
        "Versions": _version_facts(),
    }
    listed = ((title, tuple(group)) for title, group in groups.items())
    return tuple(FactGroup(title, group) for title, group in listed if group)


def _data_facts(result: CredibleSet) -> Iterator[Fact]:
    about = result.data_summary
    if "source" in result.statistics:
        yield Fact("Source", result.statistics["source"])
    yield Fact("Variables", count(len(result.names)))
    if result.n_rows is not None:
        yield Fact("Rows", count(result.n_rows))
    if about is not None and about.distinct_rows is not None:
        yield Fact("Distinct rows", count(about.distinct_rows))
    arities = result.table.metadata.get("arities")
    if arities:
        least, most = min(arities), max(arities)
        yield Fact("Values per variable", f"{least}" if least == most else f"{least} to {most}")
    if about is not None:
        if about.constant:
            yield Fact("Constant columns", count(about.constant))
        for name, binning in about.discretization.items():
            yield Fact(name, binning)
    for key, value in result.statistics.get("data_options", {}).items():
        yield from _statistic(_words(key), value)


def _score_facts(result: CredibleSet) -> Iterator[Fact]:
    yield Fact("Score", score_in_words(result))
    yield Fact("Bayes factor", significant(result.bayes_factor, 6))
    yield Fact("Deviation ε", significant(result.epsilon, 6))
    best = "Optimal cost" if result.gap == 0 else "Least cost found"
    yield Fact(best, decimal(result.optimal_cost, 6))
    metadata = result.table.metadata
    if metadata.get("max_parents") is not None:
        yield Fact("At most parents", count(metadata["max_parents"]))
    for key in ("required", "forbidden"):
        if metadata.get(key):
            yield Fact(f"{key.capitalize()} edges", count(len(metadata[key])))


def _pruning_facts(result: CredibleSet) -> Iterator[Fact]:
    metadata = result.table.metadata
    yield Fact("Candidate parent sets", count(len(result.table)))
    if "parent_sets_scored" in metadata:
        yield Fact("Parent sets scored", count(int(metadata["parent_sets_scored"])))
    if (foreseen := result.table.memory_forecast) is not None:
        yield Fact("Memory foreseen", str(foreseen).removeprefix("memory: "))
        if "peak_memory" in metadata:
            yield Fact("Memory taken", bytes_in_words(metadata["peak_memory"]))
    removed = metadata.get("removed")
    if isinstance(removed, Mapping):
        for rule, number in removed.items():
            if number:
                words = f"{_RULES[rule]} ({rule})" if rule in _RULES else f"Removed by {rule}"
                yield Fact(words, count(int(number)))


def _search_facts(result: CredibleSet) -> Iterator[Fact]:
    if result.complete:
        yield Fact("Outcome", "complete")
    else:
        yield Fact("Outcome", f"stopped by {what_stopped(result)}")
        yield Fact("Optimum", _proof(result.gap))
    for key, value in {**result.statistics, **result.class_statistics}.items():
        if key not in _ELSEWHERE:
            yield from _statistic(_words(key), value)
    yield from _foreseen_facts(result.statistics.get("memory_foreseen"))


def _foreseen_facts(by_stage: Any) -> Iterator[Fact]:
    """Return the memory that the stages after scoring were expected to need."""
    if isinstance(by_stage, Mapping):  # what is read from a file may be anything
        for stage, stored in by_stage.items():
            if (foreseen := StageMemory.from_dict(stored)) is not None:
                words = str(foreseen).removeprefix("memory: ")
                yield Fact(f"Memory foreseen: {stage}", words)


def _proof(gap: float) -> str:
    """Say how far the optimum is proved."""
    return "proved" if gap == 0 else f"proved up to {significant(gap)} nats"


def _statistic(label: str, value: Any) -> Iterator[Fact]:
    """Turn whatever a stage counted into lines."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _statistic(f"{label}: {str(key).replace('_', ' ')}", inner)
    elif isinstance(value, bool):
        yield Fact(label, "yes" if value else "no")
    elif isinstance(value, int):
        yield Fact(label, count(value))
    elif isinstance(value, float):
        yield Fact(label, significant(value, 4))
    elif isinstance(value, str):
        yield Fact(label, value)


def _spread_facts(result: CredibleSet) -> Iterator[Fact]:
    spread = result.coverage()
    yield Fact("Best network's share", percent(spread.best_weight))
    yield Fact("Effective number of networks", significant(spread.effective_networks))
    yield Fact("Entropy (nats)", significant(spread.entropy))
    yield Fact("Bayes factor of the worst", significant(spread.worst_bayes_factor))


def _version_facts() -> Iterator[Fact]:
    yield Fact("crediblenet", __version__)
    yield Fact("Python", platform.python_version())
    yield Fact("numpy", np.__version__)
    yield Fact("System", f"{platform.system()} {platform.machine()}")


def _words(key: str) -> str:
    """Turn ``"peak_memory_mb"`` into ``"Peak memory (MB)"``."""
    words = " ".join(_ABBREVIATIONS.get(word, word) for word in key.split("_"))
    return words[:1].upper() + words[1:]
