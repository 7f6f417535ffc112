"""A finished run on disk: written as a whole, read back with checks.

=====================  ===============================================================
``summary.json``       what was asked and found; the list of the files with their digests
``classes.parquet``    one line per equivalence class: see `run_tables.class_table`
``edges.csv``          edge probabilities; texts are kept from being formulas, see
                       `run_tables.safe_cell`
``optimal.bif``        the best network with probabilities, if the data are discrete and here
``optimal.dot``        the best network for Graphviz, edges by probability
``scores.jkl``         the candidate parent sets, for other programs
``scores.parquet``     the same, to read the run back
``networks*.parquet``  the networks, to read the run back
``report.html``        written by the report stage
=====================  ===============================================================

DuckDB, pandas and R read the Parquet, CSV and JSON files without this package. No name of a
variable is ever part of a file name.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .atomic_directory import present
from .compiled_set import CompiledSet
from .credible_set import CredibleSet
from .data import ContinuousDataset, Dataset
from .data_summary import DataSummary
from .exceptions import LimitError, ParameterError, RunDirectoryError
from .network_formats.dot import dot_text
from .network_set import ListedSet, NetworkSet, network_set_kinds
from .parameters import ParameterPrior, fit_network
from .plain_words import one_line
from .prior import Prior
from .representatives import FoundClasses, Representatives, StoredClasses
from .run_place import FORMAT, RunPlace, StrPath, claim
from .run_schema import SUMMARY
from .run_tables import (
    edges_csv,
    read_score_table,
    score_table,
    stored_representatives,
)
from .score_table import ScoreTable
from .shapes import WHOLE, ShapeError, parse_json
from .summary import finite, jsonable, summary

__all__ = ["FORMAT", "StrPath", "load", "n_stored_classes", "save"]

# How many classes are stored when there are more than `STORED_CLASSES`, or not counted.
FIRST_CLASSES = 1000
STORED_CLASSES = 500_000

# Sums of numbers beyond this would not stay finite.
LARGEST_PRIOR = 1e100

# What making a result of tables that do not fit together ends in.
_UNUSABLE = (
    AttributeError,
    IndexError,
    KeyError,
    OverflowError,
    TypeError,
    ValueError,
    ParameterError,
    pa.ArrowException,
)


def save(
    result: CredibleSet,
    directory: StrPath | RunPlace,
    *,
    overwrite: bool = False,
    more: Callable[[Path], None] | None = None,
) -> Path:
    """Write a result into a directory that appears as a whole or not at all.

    Parameters
    ----------
    result
        The credible set.
    directory
        Where; it must not be there yet, or be empty. Or a place that was claimed before.
    overwrite
        Whether an earlier run in that place may be replaced. Anything else never is.
    more
        Writes further files into the directory, before it appears.

    Raises
    ------
    RunDirectoryError
        When the place is taken, or the disk refuses.
    """
    if not isinstance(directory, RunPlace):
        with claim(directory, overwrite=overwrite) as place:
            return save(result, place, more=more)

    def fill(scratch: Path) -> dict[str, Any]:
        about = _write_files(result, scratch)
        result.report(scratch / "report.html")  # anew at any time, so its digest is not kept
        if more is not None:
            more(scratch)
        return about

    if callable(result.prior.log_prior):
        raise ParameterError(
            "a prior that is a function cannot be saved: save the result without it, and give it "
            "to with_prior again after loading; or use a mapping from (parent, child) to numbers"
        )
    stopped = result.stopped_by in ("time", "memory", "interrupted")
    return directory.write(fill, finished=not stopped)


def _write_files(result: CredibleSet, scratch: Path) -> dict[str, Any]:
    """Write everything but the summary, and return the summary."""
    about = summary(result)
    edges = result.edge_probabilities()
    _write(scratch / "edges.csv", edges_csv(edges))
    best = result.optimal
    shares = {(e.source, e.target): e.probability for e in edges}
    _write(scratch / "optimal.dot", dot_text(best, shares))
    notes = []
    if isinstance(result.data, Dataset):
        prior = ParameterPrior(result.score, float(result.table.metadata.get("ess", 1.0)))
        try:
            fit_network(best, result.data, prior).to_bif(scratch / "optimal.bif")
        except LimitError as error:
            notes.append(f"optimal.bif was not written: {error}")
    result.table.to_jkl(scratch / "scores.jkl")
    pq.write_table(score_table(result.table), scratch / "scores.parquet")
    kind = _write_networks(result, scratch)
    stored = _classes(result, about["classes"])
    if about["classes"] is None or len(stored) < about["classes"]:
        notes.append(f"classes.parquet has the {len(stored):,} best classes, not all.")
    if len(stored) < n_stored_classes(about["classes"]):
        about["classes_stored"] = len(stored)
    pq.write_table(stored, scratch / "classes.parquet")
    return {
        "format": FORMAT,
        "crediblenet": _version(),
        **about,
        "notes": [*about["notes"], *notes],
        "names": list(result.names),
        "prior": result.prior.to_dict(),
        "data": None if result.data_summary is None else result.data_summary.to_dict(),
        "statistics": jsonable({**result.statistics, **result.class_statistics}),
        "networks_kind": kind,
        "score_table": {
            "score_equivalent": result.table.score_equivalent,
            "epsilon": finite(result.table.epsilon),
        },
        "files": {path.name: _about_file(path) for path in sorted(scratch.iterdir())},
    }


def _classes(result: CredibleSet, count: int | None) -> pa.Table:
    """Return all classes; the best ones, or none at all, when there are too many."""
    wanted = FIRST_CLASSES
    if count is not None:
        # Under a limit, writing them may take longer than counting them.
        most = max(FIRST_CLASSES, result._members.most_listed)
        wanted = min(most, n_stored_classes(count))
    try:
        return result.class_table(wanted)
    except LimitError:
        return result.class_table(0)


def n_stored_classes(count: int | None) -> int:
    """Return how many lines classes.parquet has at least, if there are so many classes."""
    if count is None:
        return 0
    return count if count <= STORED_CLASSES else FIRST_CLASSES


def _write_networks(result: CredibleSet, scratch: Path) -> str:
    """Write the networks by the kind of their set, and return the kind."""
    networks: Any = result.network_set
    if not hasattr(networks, "to_arrow"):
        raise RunDirectoryError(
            f"networks of the kind {type(networks).__name__} cannot be saved; "
            "they need a method to_arrow"
        )
    for name, table in networks.to_arrow().items():
        if not re.fullmatch(r"[a-z][a-z_]*", name):
            raise RunDirectoryError(f"a table of networks cannot be named {name!r}")
        pq.write_table(table, scratch / f"networks-{name}.parquet")
    return str(networks.kind)


def load(directory: StrPath, *, data: Dataset | ContinuousDataset | None = None) -> CredibleSet:
    """Read a result back.

    Parameters
    ----------
    directory
        Where it was saved.
    data
        The data that it was made from, which a run directory does not hold.

    Raises
    ------
    RunDirectoryError
        When the directory is not a run of this package, was made by a newer version, or a
        file is missing or damaged.
    """
    place = present(Path(directory))
    about = _read_summary(place)
    files = about["files"]
    for name, stated in files.items():
        if Path(name).name != name:
            raise RunDirectoryError(f"{place}: {name!r} is not the name of a file here")
        if name.endswith(".parquet"):
            _check_digest(place / name, stated)
    table = read_score_table(_parquet(place, "scores.parquet", about["candidate_parent_sets"]))
    try:
        loader = network_set_kinds[about["networks_kind"]]
    except KeyError:
        raise RunDirectoryError(
            f"{place}: networks of the kind {about['networks_kind']!r} are not known here; "
            "a newer version may know them"
        ) from None
    stored = {
        name.removeprefix("networks-").removesuffix(".parquet"): _parquet(
            place, name, files[name].get("rows")
        )
        for name in files
        if name.startswith("networks-") and name.endswith(".parquet")
    }
    try:
        _check_agreement(about, table)
        networks = loader(table, stored)
        result = CredibleSet(
            table,
            networks,
            np.inf if about["epsilon"] is None else about["epsilon"],
            complete=about["complete"],
            stopped_by=about["stopped_by"],
            gap=np.inf if about["gap"] is None else about["gap"],
            representatives=_representatives(place, about, table, networks),
            data=data,
            data_summary=None if about["data"] is None else DataSummary.from_dict(about["data"]),
            seconds=about["seconds"],
            statistics=about["statistics"],
            notes=about["notes"],
        )
        return _with_prior(result, Prior.from_dict(about.get("prior", {})))
    except _UNUSABLE as error:
        raise RunDirectoryError(f"{place}: the run cannot be used: {one_line(error)}") from error


def _with_prior(result: CredibleSet, prior: Prior) -> CredibleSet:
    """Return a result with its prior, after seeing that it can be one."""
    if prior == result.prior:
        return result
    values = prior.candidate_log_priors(result.table)
    if np.any(np.abs(values[np.isfinite(values)]) > LARGEST_PRIOR):
        raise ShapeError("the prior in summary.json is too large to be one")
    return result.with_prior(prior.over, log_prior=prior.log_prior, per_edge=prior.per_edge)


def _representatives(
    place: Path, about: Mapping[str, Any], table: ScoreTable, networks: NetworkSet
) -> Representatives | None:
    """Return the stored classes, or the search for them where not all are stored."""
    if isinstance(networks, ListedSet):
        return None  # a listed set is grouped again, which is as quick as reading
    rows = about["files"].get("classes.parquet", {}).get("rows")
    stored = stored_representatives(_parquet(place, "classes.parquet", rows), table)
    if about["classes"] is not None and len(stored.costs) == about["classes"]:
        if stored.costs[0] != networks.optimal_cost:
            raise ShapeError("the first class in classes.parquet is not that of the best network")
        return StoredClasses(stored)
    return FoundClasses(table, networks) if isinstance(networks, CompiledSet) else None


def _read_summary(place: Path) -> dict[str, Any]:
    path = place / "summary.json"
    try:
        about = parse_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunDirectoryError(f"{place} is not a finished run: it has no summary.json") from None
    except OSError as error:
        raise RunDirectoryError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise RunDirectoryError(f"{path} is damaged: {one_line(error)}") from None
    stated = about.get("format") if isinstance(about, dict) else None
    if not isinstance(stated, dict) or stated.get("name") != FORMAT["name"]:
        raise RunDirectoryError(f"{place} is not a run of crediblenet: its summary.json is foreign")
    version = stated.get("version")
    if version != FORMAT["version"]:
        version = version if isinstance(version, int) else "unknown"
        raise RunDirectoryError(
            f"{place} has format version {version}, and this is crediblenet "
            f"{_version()}, which reads version {FORMAT['version']}; install a newer one"
        )
    try:
        SUMMARY(about, WHOLE)
    except ShapeError as error:
        raise RunDirectoryError(f"{path} is damaged: {error}") from None
    return dict(about)


def _check_agreement(about: Mapping[str, Any], table: ScoreTable) -> None:
    """Raise ShapeError unless the summary is one of a run with this table."""
    n = table.n_variables
    if tuple(about["names"]) != table.names or about["variables"] != n:
        raise ShapeError("summary.json and scores.parquet have different variables")
    if about["score"] != table.score:
        raise ShapeError("summary.json and scores.parquet have different scores")
    states = None if about["data"] is None else about["data"].get("states")
    if states is not None and len(states) != n:
        raise ShapeError(f"summary.json has the values of {len(states)} variables, not of {n}")


def _check_digest(path: Path, stated: Mapping[str, Any]) -> None:
    try:
        found = _digest(path)
    except FileNotFoundError:
        raise RunDirectoryError(f"{path} is missing") from None
    except OSError as error:
        raise RunDirectoryError(f"{path} cannot be read: {error.strerror}") from error
    if any(found[key] != stated[key] for key in found):
        raise RunDirectoryError(f"{path} is damaged: it is not the file that the run wrote")


def _parquet(place: Path, name: str, rows: int | None) -> pa.Table:
    """Return a table, if it has as many rows as it should: that is known before it is read."""
    path = place / name
    try:
        with pq.ParquetFile(path) as file:
            found = file.metadata.num_rows
            if rows is not None and found != rows:
                raise RunDirectoryError(f"{path} is damaged: it has {found:,} rows, not {rows:,}")
            return file.read()
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise RunDirectoryError(f"{path} cannot be read: {one_line(error)}") from error


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _digest(path: Path) -> dict[str, Any]:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return {"bytes": path.stat().st_size, "sha256": digest.hexdigest()}


def _about_file(path: Path) -> dict[str, Any]:
    """Return what the summary says of a file."""
    about = _digest(path)
    if path.suffix == ".parquet":
        about["rows"] = pq.read_metadata(path).num_rows
    return about


def _version() -> str:
    from . import __version__

    return __version__
