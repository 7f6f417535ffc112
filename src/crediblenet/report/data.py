"""What a report says, as plain data: everything the page shows and nothing about how.

`ReportData` is made by `crediblenet.report.collect` and printed by
`crediblenet.report.render`. Variables are numbered by their column; names occur once.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ClassSummary",
    "CurveStep",
    "EdgeSummary",
    "Fact",
    "FactGroup",
    "LevelSummary",
    "MarkovBlanket",
    "Notice",
    "ParentAlternative",
    "ReportData",
    "VariableSummary",
]


@dataclass(frozen=True)
class ParentAlternative:
    """One parent set of a variable and how probable it is."""

    parents: tuple[int, ...]
    probability: float


@dataclass(frozen=True)
class MarkovBlanket:
    """How probable each other variable is in a variable's Markov blanket.

    Attributes
    ----------
    members
        (variable, probability), the most probable ones, most probable first.
    n_members
        How many variables are in it in some network; may exceed ``len(members)``.
    standard_error
        The largest standard error of the probabilities when they were sampled;
        zero when they are exact.
    """

    members: tuple[tuple[int, float], ...]
    n_members: int
    standard_error: float = 0.0


@dataclass(frozen=True)
class VariableSummary:
    """One variable: its values, its possible parents and its Markov blanket.

    Attributes
    ----------
    name
        The column's name.
    n_states
        How many values it has, or None when the report was made from scores alone.
    states
        The first few values, as labels.
    parent_sets
        The most probable parent sets, most probable first.
    n_parent_sets
        How many parent sets occur in the credible set; may exceed ``len(parent_sets)``.
    blanket
        Its Markov blanket, or None when it was not worked out.
    """

    name: str
    n_states: int | None
    states: tuple[str, ...]
    parent_sets: tuple[ParentAlternative, ...]
    n_parent_sets: int
    blanket: MarkovBlanket | None


@dataclass(frozen=True)
class EdgeSummary:
    """A directed edge that some credible network has.

    Attributes
    ----------
    source, target
        The pair, by column number.
    directed, adjacent
        Probability of the edge source → target, and of an edge either way.
    compelled
        Probability that every network of the class has source → target; None when
        the set has no equivalence classes to speak of.
    optimal
        Whether the best network has source → target.
    levels
        Probability of source → target at each of `ReportData.levels`.
    """

    source: int
    target: int
    directed: float
    adjacent: float
    compelled: float | None
    optimal: bool
    levels: tuple[float, ...]


@dataclass(frozen=True)
class ClassSummary:
    """One Markov equivalence class.

    Attributes
    ----------
    cost
        The cost that all its networks share.
    bayes_factor
        How much better the best class is.
    weight
        Its share of the posterior over the credible set.
    size
        How many networks it has.
    directed, undirected
        The edges of its completed partially directed graph.
    """

    cost: float
    bayes_factor: float
    weight: float
    size: int
    directed: tuple[tuple[int, int], ...]
    undirected: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class LevelSummary:
    """The credible set at one Bayes factor; `classes` is None when not counted."""

    bayes_factor: float
    networks: int
    classes: int | None


@dataclass(frozen=True)
class CurveStep:
    """The networks ranked `first` to `last` (from 1) are `deviation` from the optimum."""

    first: int
    last: int
    deviation: float


@dataclass(frozen=True)
class Fact:
    """One line of the account of how a result was made."""

    label: str
    value: str


@dataclass(frozen=True)
class FactGroup:
    """Facts that belong together, under a title."""

    title: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Notice:
    """Something the reader must know before trusting the rest.

    Attributes
    ----------
    severity
        ``"warning"`` when conclusions may change, ``"note"`` when good to know.
    title, text
        In a few words (or none), and in full.
    """

    severity: str
    title: str
    text: str


@dataclass(frozen=True)
class ReportData:
    """All that one report shows.

    Attributes
    ----------
    title
        What the data are called.
    variables
        In column order.
    order
        The variables along the best network: parents before children.
    n_rows
        Rows of data, or None when the report was made from scores alone.
    score
        The score in words, such as ``"BIC score"``.
    bayes_factor, epsilon
        How far from the optimum the set reaches, as a factor and as its logarithm.
    optimal_cost
        The cost of the best network.
    n_networks, n_classes
        Exact sizes of the set; the classes may not have been counted.
    complete, gap
        Whether the set is proved to be whole, and how much better than the best network
        found another might be; zero when the optimum is proved.
    edges
        Most probable first; `n_edges` says how many there were to choose from.
    curve
        Deviation against rank, thinned out to what a picture can show.
    command, citation
        How to get the same again, and how to refer to it.
    created
        When, in words.
    version
        Which version of the package made it.
    """

    title: str
    variables: tuple[VariableSummary, ...]
    order: tuple[int, ...]
    n_rows: int | None
    score: str
    bayes_factor: float
    epsilon: float
    optimal_cost: float
    n_networks: int
    n_classes: int | None
    complete: bool
    gap: float
    edges: tuple[EdgeSummary, ...]
    n_edges: int
    classes: tuple[ClassSummary, ...]
    levels: tuple[LevelSummary, ...]
    curve: tuple[CurveStep, ...]
    notices: tuple[Notice, ...]
    facts: tuple[FactGroup, ...]
    command: str | None
    citation: str
    created: str
    version: str
