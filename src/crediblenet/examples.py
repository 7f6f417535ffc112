"""Built-in example data: sampled from small, well-known networks, with the truth beside it.

Nothing is downloaded or stored: rows are drawn from the published probability tables with
Python's own generator, whose stream is the same in every version, so the same seed gives
the same data everywhere.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path

from .atomic_file import atomic_text_file
from .data import Dataset, as_dataset
from .exceptions import ParameterError
from .network import Network

__all__ = ["EXAMPLES", "Example", "example"]


@dataclass(frozen=True)
class Family:
    """One variable: its states, its parents, and the probability of its first state.

    `first` has one entry per configuration of the parents' states, in the order of the
    states, the last parent changing fastest. All variables here have two states.
    """

    states: tuple[str, str]
    parents: tuple[str, ...]
    first: tuple[float, ...]


@dataclass(frozen=True)
class Source:
    """A network with its tables, and where they were published."""

    about: str
    families: Mapping[str, Family]  # parents before children
    rows: int  # a sample of this size leaves something open, which is the point


YES_NO = ("yes", "no")
TRUE_FALSE = ("true", "false")

EXAMPLES: Mapping[str, Source] = {
    "asia": Source(
        "Chest clinic: a visit to Asia, smoking, three diseases and two symptoms "
        "(Lauritzen and Spiegelhalter 1988)",
        {
            "asia": Family(YES_NO, (), (0.01,)),
            "smoke": Family(YES_NO, (), (0.5,)),
            "tub": Family(YES_NO, ("asia",), (0.05, 0.01)),
            "lung": Family(YES_NO, ("smoke",), (0.1, 0.01)),
            "bronc": Family(YES_NO, ("smoke",), (0.6, 0.3)),
            "either": Family(YES_NO, ("lung", "tub"), (1.0, 1.0, 1.0, 0.0)),
            "xray": Family(YES_NO, ("either",), (0.98, 0.05)),
            "dysp": Family(YES_NO, ("bronc", "either"), (0.9, 0.8, 0.7, 0.1)),
        },
        rows=2000,
    ),
    "cancer": Source(
        "Lung cancer: two causes and two symptoms (Korb and Nicholson 2010)",
        {
            "Pollution": Family(("low", "high"), (), (0.9,)),
            "Smoker": Family(TRUE_FALSE, (), (0.3,)),
            "Cancer": Family(TRUE_FALSE, ("Pollution", "Smoker"), (0.03, 0.001, 0.05, 0.02)),
            "Xray": Family(("positive", "negative"), ("Cancer",), (0.9, 0.2)),
            "Dyspnoea": Family(TRUE_FALSE, ("Cancer",), (0.65, 0.3)),
        },
        rows=5000,
    ),
    "earthquake": Source(
        "A burglar alarm, what sets it off, and who calls (Korb and Nicholson 2010)",
        {
            "Burglary": Family(TRUE_FALSE, (), (0.01,)),
            "Earthquake": Family(TRUE_FALSE, (), (0.02,)),
            "Alarm": Family(TRUE_FALSE, ("Burglary", "Earthquake"), (0.95, 0.94, 0.29, 0.001)),
            "JohnCalls": Family(TRUE_FALSE, ("Alarm",), (0.9, 0.05)),
            "MaryCalls": Family(TRUE_FALSE, ("Alarm",), (0.7, 0.01)),
        },
        rows=5000,
    ),
}


@dataclass(frozen=True)
class Example:
    """Data whose origin is known.

    Attributes
    ----------
    name, about
        What it is, and where its tables come from.
    columns
        The rows, column by column.
    truth
        The network that the rows were drawn from.
    """

    name: str
    about: str
    columns: Mapping[str, tuple[str, ...]]
    truth: Network

    @cached_property
    def data(self) -> Dataset:
        """The rows as every stage takes them."""
        return as_dataset(self.columns)

    def write_csv(self, path: str | PathLike[str]) -> Path:
        """Write the rows to a CSV file with a header line, and return its path."""
        with atomic_text_file(path) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows(zip(*self.columns.values(), strict=True))
        return Path(path)


def example(name: str = "asia", rows: int | None = None, seed: int = 1) -> Example:
    """Return example data with the network they were drawn from.

    Parameters
    ----------
    name
        ``"asia"``, ``"cancer"`` or ``"earthquake"``.
    rows
        How many rows to draw; by default a number that leaves something open.
    seed
        Where the random numbers start.

    Raises
    ------
    ParameterError
        When there is no such example, or the number of rows is not positive.

    Examples
    --------
    >>> import crediblenet as cn
    >>> asia = cn.example("asia", rows=100)
    >>> asia.data
    Dataset(8 variables, 100 rows, 15 distinct)
    >>> asia.truth.parents["dysp"]
    ('bronc', 'either')
    """
    if name not in EXAMPLES:
        raise ParameterError(f"there is no example {name!r}; there are {', '.join(EXAMPLES)}")
    source = EXAMPLES[name]
    rows = source.rows if rows is None else rows
    if rows < 1:
        raise ParameterError(f"the number of rows must be at least 1, not {rows}")
    columns = draw(source.families, rows, random.Random(seed))  # noqa: S311 - not for secrets
    truth = Network.from_parents({v: family.parents for v, family in source.families.items()})
    return Example(name, source.about, columns, truth)


def draw(
    families: Mapping[str, Family], rows: int, generator: random.Random
) -> dict[str, tuple[str, ...]]:
    """Draw rows, each variable given its parents."""
    table: dict[str, list[str]] = {variable: [] for variable in families}
    for row in range(rows):
        for variable, family in families.items():
            configuration = 0
            for parent in family.parents:
                state = families[parent].states.index(table[parent][row])
                configuration = 2 * configuration + state
            is_first = generator.random() < family.first[configuration]
            table[variable].append(family.states[0 if is_first else 1])
    return {variable: tuple(values) for variable, values in table.items()}
