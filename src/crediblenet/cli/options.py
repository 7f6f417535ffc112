"""The options of the command, each declared once and shared by the subcommands."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from ..examples import EXAMPLES

SET = "Which networks (one of these)"
SCORE = "Score"
SPACE = "Search space"
DATA = "Reading the data"
LIMITS = "Limits"
OUTPUT = "Output"

DEFAULT_BINS = 5
DEFAULT_ENCODING = "utf-8"


class Score(str, Enum):
    """The scores that the command offers."""

    bic = "bic"
    aic = "aic"
    bdeu = "bdeu"
    bds = "bds"
    k2 = "k2"
    fnml = "fnml"
    qnml = "qnml"
    bge = "bge"
    bic_g = "bic-g"


class Format(str, Enum):
    """The kinds of data files."""

    csv = "csv"
    parquet = "parquet"
    dat = "dat"


class Missing(str, Enum):
    """What to do about missing values."""

    error = "error"
    drop = "drop"
    state = "state"


class Discretize(str, Enum):
    """How numeric columns are cut into bins."""

    equal_width = "equal-width"
    equal_frequency = "equal-frequency"
    kmeans = "kmeans"


class ManyValues(str, Enum):
    """What to do about a numeric column with many distinct values."""

    error = "error"
    keep = "keep"


Source = Annotated[
    Path,
    typer.Argument(
        metavar="SOURCE",
        help="Data (.csv, .tsv, .parquet, .dat) or a score file (.jkl, .pss).",
        show_default=False,
    ),
]
Data = Annotated[
    Path,
    typer.Argument(metavar="DATA", help="Data (.csv, .tsv, .parquet, .dat).", show_default=False),
]
RunDirectory = Annotated[
    Path,
    typer.Argument(metavar="RUN_DIR", help="A directory that find wrote.", show_default=False),
]

ExampleName = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help=f"Which example: {', '.join(EXAMPLES)}.",
        autocompletion=lambda: list(EXAMPLES),
    ),
]

BayesFactor = Annotated[
    float | None,
    typer.Option(
        "--bayes-factor",
        metavar="BF",
        help="Networks at most BF times less probable than the best. "
        "[dim](default: 20; customary: 3, 20, 150)[/dim]",
        rich_help_panel=SET,
    ),
]
Epsilon = Annotated[
    float | None,
    typer.Option(metavar="E", help="Networks within E nats of the best.", rich_help_panel=SET),
]
Factor = Annotated[
    float | None,
    typer.Option(
        metavar="RHO", help="Networks within a factor RHO of the least cost.", rich_help_panel=SET
    ),
]
K = Annotated[
    int | None,
    typer.Option("--k", metavar="K", help="The K best networks, with ties.", rich_help_panel=SET),
]
KClasses = Annotated[
    int | None,
    typer.Option(
        metavar="K", help="The K best equivalence classes, with ties.", rich_help_panel=SET
    ),
]

ScoreName = Annotated[
    Score,
    typer.Option(
        "--score",
        metavar="NAME",
        help=f"What networks are compared by: {', '.join(s.value for s in Score)}.",
        rich_help_panel=SCORE,
    ),
]
Ess = Annotated[
    float,
    typer.Option(
        metavar="ALPHA",
        help="Equivalent sample size of the prior (bdeu and bds).",
        rich_help_panel=SCORE,
    ),
]

MaxParents = Annotated[
    int | None,
    typer.Option(metavar="M", help="At most M parents for each variable.", rich_help_panel=SPACE),
]
Require = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A->B",
        help="Every network must have this edge (repeatable).",
        rich_help_panel=SPACE,
    ),
]
Forbid = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A->B", help="No network may have this edge (repeatable).", rich_help_panel=SPACE
    ),
]
Tiers = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="One tier of variables per line, separated by commas; "
        "no edge leads from a later tier to an earlier one.",
        rich_help_panel=SPACE,
    ),
]

NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first line holds values, not names; the names are V0, V1, ...",
        rich_help_panel=DATA,
    ),
]
FileFormat = Annotated[
    Format | None,
    typer.Option(
        "--format",
        help="Kind of file, if its ending does not say it.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR", help="What separates values, if not a comma.", rich_help_panel=DATA
    ),
]
Encoding = Annotated[
    str,
    typer.Option(metavar="NAME", help="How a text file is encoded.", rich_help_panel=DATA),
]
States = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help='JSON: the states of columns, as in {"Rain": ["no", "yes"]}, also those that do not '
        "occur. [dim](default: those that occur)[/dim]",
        rich_help_panel=DATA,
    ),
]
MissingTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-values",
        metavar="TEXT",
        help="A text that means a missing value, such as ?, besides empty ones, NA, NaN, null "
        "and None (repeatable).",
        rich_help_panel=DATA,
    ),
]
MissingValues = Annotated[
    Missing,
    typer.Option(
        "--missing",
        help="Missing values: refuse them, drop their rows, or make them a state.",
        rich_help_panel=DATA,
    ),
]
DiscretizeMethod = Annotated[
    Discretize | None,
    typer.Option(
        "--discretize",
        metavar="METHOD",
        help="Cut numeric columns with many values into bins: "
        "equal-width, equal-frequency or kmeans.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
Bins = Annotated[int, typer.Option(metavar="B", help="How many bins.", rich_help_panel=DATA)]
KeepMany = Annotated[
    ManyValues,
    typer.Option(
        "--many-values",
        help="Numeric columns with many values: refuse them, or keep each value as a state.",
        rich_help_panel=DATA,
    ),
]

Limit = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Keep the N best networks; those of equal cost stay together, the best always.",
        rich_help_panel=LIMITS,
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="Stop after this long.", rich_help_panel=LIMITS),
]
MemoryLimit = Annotated[
    float | None,
    typer.Option(metavar="GB", help="Use at most this much memory.", rich_help_panel=LIMITS),
]
Threads = Annotated[
    int | None,
    typer.Option(
        metavar="T",
        help="How many threads. [dim](default: all cores)[/dim]",
        rich_help_panel=LIMITS,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Work on the Dask cluster whose scheduler is there, such as tcp://10.0.0.1:8786 "
        "(needs crediblenet\\[distributed]).",
        rich_help_panel=LIMITS,
    ),
]

Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="Where the results go. [dim](default: crediblenet-run, or a free name like it; "
        "nowhere with --json)[/dim]",
        rich_help_panel=OUTPUT,
    ),
]
Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite", help="Replace an earlier run in that directory.", rich_help_panel=OUTPUT
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json", help="Print one JSON object on stdout and nothing else.", rich_help_panel=OUTPUT
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print errors only.", rich_help_panel=OUTPUT)
]
NoProgress = Annotated[
    bool, typer.Option("--no-progress", help="Show no progress.", rich_help_panel=OUTPUT)
]
Plots = Annotated[
    bool,
    typer.Option(
        "--plots",
        help="Save the pictures too (needs crediblenet\\[plots]).",
        rich_help_panel=OUTPUT,
    ),
]
Debug = Annotated[
    bool,
    typer.Option("--debug", help="Show where an error comes from.", rich_help_panel=OUTPUT),
]
