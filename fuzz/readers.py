"""One function per reader: whatever the bytes, a result or one clear error, nothing else."""

from __future__ import annotations

import atexit
import hashlib
import json
import shutil
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import crediblenet as cn
from crediblenet.checkpoints.bundle import read_bundle
from crediblenet.checkpoints.search_state import unpack
from crediblenet.constraints import Constraints, read_tiers
from crediblenet.data import as_continuous, as_dataset
from crediblenet.exceptions import CredibleNetError, DataWarning
from crediblenet.fitted_network import FittedNetwork
from crediblenet.network import Network
from crediblenet.score_table import ScoreTable

__all__ = ["TARGETS", "check"]

NAMES = ["a", "b", "c", "d"]


@cache
def scratch() -> Path:
    """Return a directory for this process, in memory where that is possible."""
    memory = Path("/dev/shm")  # noqa: S108 - a new directory is made in it
    place = tempfile.mkdtemp(prefix="crediblenet-fuzz.", dir=memory if memory.is_dir() else None)
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return Path(place)


def file_reader(name: str, read: Callable[[Path], Any]) -> Callable[[bytes], None]:
    """Return a target that puts the bytes into a file and reads it."""

    def target(content: bytes) -> None:
        path = scratch() / name
        path.write_bytes(content)
        read(path)

    return target


def text_reader(read: Callable[[str], Any]) -> Callable[[bytes], None]:
    """Return a target for a reader that takes text."""

    def target(content: bytes) -> None:
        read(content.decode("utf-8", "replace"))

    return target


@cache
def finished_run() -> Path:
    """Return a small run, to be damaged."""
    place = scratch() / "run"
    cn.find(cn.example("cancer", rows=60).data, bayes_factor=3).save(place)
    return place


def read_run(content: bytes) -> None:
    """Replace one file of a run, with a digest that fits, and load it.

    The first byte says which file.
    """
    place = scratch() / "damaged"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(finished_run(), place)
    names = ["summary.json", *sorted(p.name for p in place.glob("*.parquet"))]
    name = names[content[0] % len(names)] if content else names[0]
    (place / name).write_bytes(content[1:])
    if name != "summary.json":
        about = json.loads((place / "summary.json").read_text())
        digest = hashlib.sha256(content[1:]).hexdigest()
        about["files"][name] = {"bytes": len(content) - 1, "sha256": digest}
        (place / "summary.json").write_text(json.dumps(about))
    result = cn.load(place)
    _ = result.n_networks, result.n_classes, result.optimal
    result.edge_probabilities()
    result.summary()


def read_state(content: bytes) -> None:
    """Read a file of a checkpoint, and, as JSON, the state in it."""
    path = scratch() / "state"
    path.write_bytes(content)
    read_bundle(path)
    try:
        unpack(json.loads(content), {})
    except (KeyError, TypeError, ValueError, IndexError, RecursionError):
        return  # what `SearchCheckpoint.restore` turns into one clear error


def read_arc(text: str) -> None:
    """Read an arc as it is given to ``--require``."""
    Constraints.parse(NAMES, require=[text], max_parents=2)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "csv": file_reader("data.csv", lambda path: as_dataset(path, missing="state")),
    "csv-numbers": file_reader("numbers.csv", as_continuous),
    "dat": file_reader("data.dat", as_dataset),
    "parquet": file_reader("data.parquet", as_dataset),
    "jkl": file_reader("scores.jkl", ScoreTable.from_jkl),
    "pss": file_reader("scores.pss", ScoreTable.from_pss),
    "bif": file_reader("network.bif", FittedNetwork.from_bif),
    "xmlbif": file_reader("network.xml", FittedNetwork.from_xmlbif),
    "dot": text_reader(Network.from_dot),
    "graphml": text_reader(Network.from_graphml),
    "model-string": text_reader(Network.from_model_string),
    "tiers": file_reader("tiers.txt", read_tiers),
    "arcs": text_reader(read_arc),
    "run": read_run,
    "checkpoint": read_state,
}


def check(target: Callable[[bytes], None], content: bytes) -> None:
    """Call a target; raise AssertionError or whatever else unless it does as it should."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            target(content)
        except CredibleNetError as error:
            message = str(error)
            if not message or not message.isprintable():
                raise AssertionError(f"not one printable line: {message!r}") from error
