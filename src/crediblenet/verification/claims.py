"""What a result says of itself: in memory, or in the files of a run directory."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..credible_set import CredibleSet
from ..exceptions import RunDirectoryError
from ..network import Network as ResultNetwork
from ..reference import Network
from ..run_directory import StrPath, load, n_stored_classes

__all__ = ["ClaimedClass", "ClaimedEdges", "Claims", "claims_of_result", "claims_of_run"]


@dataclass(frozen=True)
class ClaimedClass:
    """One line of the list of classes."""

    network: Network
    cost: float
    size: int
    weight: float


@dataclass(frozen=True)
class ClaimedEdges:
    """The table of edge probabilities: row source, column target."""

    directed: NDArray[np.float64]
    adjacent: NDArray[np.float64]
    compelled: NDArray[np.float64] | None
    exact: bool


@dataclass(frozen=True)
class Claims:
    """Everything that is checked.

    Attributes
    ----------
    names, score, ess, epsilon, bayes_factor, optimal_cost
        As a `CredibleSet` has them.
    n_networks, n_classes, complete, stopped_by
        As a `CredibleSet` has them.
    n_rows
        How many rows the data have; None when that is not said.
    n_listed_classes
        How many of them `classes` lists; fewer than all in a run that has very many.
    n_classes_of_networks
        How many classes the stored networks have; None when they cannot be counted, and
        for a result in memory, which says nothing else anyway.
    whole_classes
        Whether a class is in or out as a whole.
    prior
        What is equally probable beforehand; None when the prior is the user's own.
    data_options
        How the data were read.
    networks, classes, edges
        Functions that list the networks with their costs, the classes, and the
        probabilities of edges.
    """

    names: tuple[str, ...]
    score: str
    ess: float
    epsilon: float
    bayes_factor: float
    n_rows: int | None
    optimal_cost: float
    n_networks: int
    n_classes: int | None
    n_listed_classes: int
    n_classes_of_networks: int | None
    complete: bool
    stopped_by: str | None
    whole_classes: bool
    prior: Literal["dags", "classes"] | None
    data_options: Mapping[str, Any]
    networks: Callable[[], Iterator[tuple[Network, float]]]
    classes: Callable[[], Iterator[ClaimedClass]]
    edges: Callable[[], ClaimedEdges]


def claims_of_result(result: CredibleSet) -> Claims:
    """Return what a result in memory says."""

    def networks() -> Iterator[tuple[Network, float]]:
        for network in result.networks():
            yield plain(network), math.nan if network.cost is None else network.cost

    def classes() -> Iterator[ClaimedClass]:
        for found in result.classes():
            yield ClaimedClass(plain(found.representative), found.cost, found.size, found.weight)

    def edges() -> ClaimedEdges:
        stated = result.edge_probabilities()
        return ClaimedEdges(
            stated.directed.values,
            stated.adjacent.values,
            None if stated.compelled is None else stated.compelled.values,
            exact=stated.method == "exact",
        )

    return Claims(
        names=result.names,
        score=result.score,
        ess=float(result.table.metadata.get("ess") or 1.0),
        epsilon=result.epsilon,
        bayes_factor=result.bayes_factor,
        n_rows=result.n_rows,
        optimal_cost=result.optimal_cost,
        n_networks=result.n_networks,
        n_classes=result.n_classes,
        n_listed_classes=result.n_classes or 0,
        n_classes_of_networks=None,
        complete=result.complete,
        stopped_by=result.stopped_by,
        whole_classes=result.complete and result.table.score_equivalent,
        prior=result.prior.over if result.prior.is_uniform_over_parents else None,
        data_options=result.statistics.get("data_options", {}),
        networks=networks,
        classes=classes,
        edges=edges,
    )


def plain(network: ResultNetwork) -> Network:
    """Return a network in the form of the reference."""
    return tuple(map(frozenset, network.parent_sets))


def claims_of_run(directory: StrPath) -> Claims:
    """Return what the files of a run say.

    The summary, the list of classes and the table of edges are read as they stand, not as
    the package would compute them from the networks again.
    """
    place = Path(directory)
    result = load(place)
    number = {name: v for v, name in enumerate(result.names)}
    about = json.loads((place / "summary.json").read_text(encoding="utf-8"))

    def classes() -> Iterator[ClaimedClass]:
        stored = pq.read_table(place / "classes.parquet")
        return claimed_classes(place, stored, number)

    def edges() -> ClaimedEdges:
        with (place / "edges.csv").open(encoding="utf-8", newline="") as file:
            return claimed_edges(place, csv.DictReader(file), number)

    in_memory = claims_of_result(result)
    return Claims(
        names=result.names,
        score=about["score"],
        ess=in_memory.ess,
        epsilon=result.epsilon,
        bayes_factor=math.inf if about["bayes_factor"] is None else about["bayes_factor"],
        n_rows=about["rows"],
        optimal_cost=about["optimal_cost"],
        n_networks=about["networks"],
        n_classes=about["classes"],
        n_listed_classes=listed_classes(place, about),
        n_classes_of_networks=in_memory.n_classes,
        complete=about["complete"],
        stopped_by=about["stopped_by"],
        whole_classes=in_memory.whole_classes,
        prior=in_memory.prior,
        data_options=in_memory.data_options,
        networks=in_memory.networks,
        classes=classes,
        edges=edges,
    )


def listed_classes(place: Path, about: Mapping[str, Any]) -> int:
    """Return how many lines classes.parquet is said to have: fewer when a run had no time.

    Where nobody could say how many classes there are it has some all the same.
    """
    if about["classes"] is None:
        return int(pq.read_metadata(place / "classes.parquet").num_rows)
    said, usual = about.get("classes_stored"), n_stored_classes(about["classes"])
    return min(said, usual) if isinstance(said, int) and said >= 0 else usual


def claimed_classes(
    place: Path, stored: pa.Table, number: Mapping[str, int]
) -> Iterator[ClaimedClass]:
    """Read the lines of classes.parquet."""
    for line in stored.to_pylist():
        try:
            yield ClaimedClass(
                tuple(frozenset(number[name] for name in parents) for parents in line["parents"]),
                float(line["cost"]),
                int(line["networks"]),
                float(line["weight"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise RunDirectoryError(
                f"{place}: classes.parquet cannot be used: {error!r}"
            ) from error


def claimed_edges(
    place: Path, lines: csv.DictReader[str], number: Mapping[str, int]
) -> ClaimedEdges:
    """Read edges.csv; a pair that is not there has probability zero."""
    columns = {
        name: np.zeros((len(number), len(number)))
        for name in ("probability", "adjacency", "compelled")
        if name in (lines.fieldnames or ())
    }
    exact = True
    try:
        for line in lines:
            pair = number[variable(line["source"])], number[variable(line["target"])]
            for name, values in columns.items():
                values[pair] = float(line[name])
                exact = exact and float(line[f"{name}_se"]) == 0.0
        return ClaimedEdges(
            columns["probability"], columns["adjacency"], columns.get("compelled"), exact
        )
    except (KeyError, TypeError, ValueError, csv.Error) as error:
        raise RunDirectoryError(f"{place}: edges.csv cannot be used: {error!r}") from error


def variable(cell: str) -> str:
    """Return the name in a cell; an apostrophe in front keeps it from being a formula."""
    return cell.removeprefix("'")
