"""One function per reader: whatever the bytes, a result or one clear error, nothing else."""

from __future__ import annotations

import atexit
import hashlib
import io
import json
import os
import resource
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import crediblenet as cn
from crediblenet._core import Circuit
from crediblenet.checkpoints import Checkpoint, Fingerprint
from crediblenet.checkpoints.bundle import MAGIC
from crediblenet.checkpoints.search_state import SearchCheckpoint
from crediblenet.constraints import Constraints, read_tiers
from crediblenet.data import as_continuous, as_dataset
from crediblenet.exceptions import CredibleNetError, DataWarning
from crediblenet.fitted_network import FittedNetwork
from crediblenet.network import Network
from crediblenet.score_table import ScoreTable

__all__ = ["JSON_PARTS", "LONGEST", "PARTS", "TARGETS", "bounded_memory", "check"]

NAMES = ["a", "b", "c", "d"]

#: The longest case: every file in the corpus fits, or libFuzzer would cut it off.
LONGEST = 16_384
#: What one case may take: seconds of a processor, and bytes besides what the process has.
MOST_SECONDS = 5.0
MOST_BYTES = 1 << 30


@cache
def scratch() -> Path:
    """Return a directory for this process, in memory where that is possible."""
    memory = Path("/dev/shm")  # noqa: S108 - a new directory is made in it
    chosen = memory if memory.is_dir() and "TMPDIR" not in os.environ else None
    place = tempfile.mkdtemp(prefix="crediblenet-fuzz.", dir=chosen)
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
def finished_run() -> tuple[Path, dict[str, bytes]]:
    """Return a small run, to be damaged, and its files as they were."""
    place = scratch() / "run"
    cn.find(cn.example("cancer", rows=60).data, bayes_factor=3).save(place)
    return place, {path.name: path.read_bytes() for path in place.iterdir()}


#: What the first byte of a case for `read_run` says is to be replaced: a file, or the values in
#: one, which are JSON: the description in the schema of the scores, or the columns of a table.
PARTS = (
    "summary.json",
    "classes.parquet",
    "networks-circuit.parquet",
    "scores.parquet",
    "description",
    "columns of classes.parquet",
    "columns of networks-circuit.parquet",
    "columns of scores.parquet",
)
JSON_PARTS = {0, 4, 5, 6, 7}


def read_run(content: bytes) -> None:
    """Replace one part of a run, with a digest that fits, load it and ask for everything."""
    place, files = finished_run()
    part = PARTS[content[0] % len(PARTS)] if content else PARTS[0]
    content = content[1:]
    if part == "description":
        part, content = "scores.parquet", described(files["scores.parquet"], content)
    elif part.startswith("columns of "):
        part = part.removeprefix("columns of ")
        content = with_columns(files[part], content)
    stated = json.loads(files["summary.json"])["files"]
    if part == "summary.json":
        changed = {part: with_files(content, stated)}
    else:
        # The number of rows is left out: it would keep nearly every change away.
        stated[part] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        changed = {part: content, "summary.json": with_files(files["summary.json"], stated)}
    try:
        for name, text in changed.items():
            (place / name).write_bytes(text)
        ask_everything(cn.load(place))
    finally:
        for name in changed:
            (place / name).write_bytes(files[name])


def with_files(summary: bytes, stated: dict[str, Any]) -> bytes:
    """Return a summary with the digests of the files that are there, if it has any."""
    try:
        about = json.loads(summary)
        for name, entry in about["files"].items():
            entry.update(stated.get(name, {}))
            if "rows" not in stated.get(name, {}):
                entry.pop("rows", None)
        return json.dumps(about).encode()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return summary


def described(scores: bytes, description: bytes) -> bytes:
    """Return the file of scores with another description."""
    table = pq.read_table(io.BytesIO(scores))
    return parquet(table.replace_schema_metadata({"crediblenet": description}))


def with_columns(file: bytes, columns: bytes) -> bytes:
    """Return a file with other values, as far as its columns can hold them."""
    table = pq.read_table(io.BytesIO(file))
    try:
        new = json.loads(columns)
        for number, field in enumerate(table.schema):
            if field.name in new:
                values = pa.array(new[field.name], field.type)
                table = (
                    table.set_column(number, field, values)
                    if len(values) == len(table)
                    else table.drop_columns([field.name])
                )
    except (pa.ArrowException, ValueError, TypeError, OverflowError, RecursionError):
        return file
    return parquet(table)


def parquet(table: pa.Table) -> bytes:
    """Return a table as a file."""
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def ask_everything(result: cn.CredibleSet) -> None:
    """Ask for all that a result knows, and have it saved and reported once more."""
    _ = result.n_networks, result.n_classes, result.optimal, str(result)
    result.edge_probabilities()
    json.dumps(result.summary(), allow_nan=False)
    result.report(scratch() / "report.html")
    result.save(scratch() / "again", overwrite=True)


class AnySearch:
    """A search that takes every state."""

    def __init__(self) -> None:
        self.circuit = Circuit()

    def state(self) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def resume(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        if not isinstance(state, dict):
            raise TypeError("not a state")


def read_state(content: bytes) -> None:
    """Restore a search from a file of a checkpoint.

    The bytes are a whole file, if they begin with a bracket; otherwise what a file says, up
    to the first zero, and an array: the digests are made to fit.
    """
    folder = scratch() / "search"
    folder.mkdir(exist_ok=True)
    if not content.startswith(b"["):
        content = bundle(content)
    (folder / "state").write_bytes(content)
    SearchCheckpoint(Checkpoint(folder, Fingerprint({})), folder).restore(AnySearch())


def bundle(content: bytes) -> bytes:
    """Return the file of a checkpoint with these values and bits."""
    text, _, bits = content.partition(b"\0")
    arrays = json.dumps([["0", "uint8", [len(bits)]]])
    digest = hashlib.sha256(bits).hexdigest()
    values = text.decode("utf-8", "replace")
    about = f'{{"values": {values}, "arrays": {arrays}, "sha256": "{digest}"}}'
    header = json.dumps([MAGIC, hashlib.sha256(about.encode()).hexdigest(), about])
    return header.encode() + b"\n" + bits


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
    began = time.process_time()
    _check_outcome(target, content)
    seconds = time.process_time() - began
    if seconds > MOST_SECONDS:
        raise AssertionError(f"{seconds:.1f} seconds for {len(content)} bytes")


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Let nothing take more than `MOST_BYTES` besides what the process has: it fails instead."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = pages * resource.getpagesize() + MOST_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _check_outcome(target: Callable[[bytes], None], content: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            target(content)
        except CredibleNetError as error:
            message = str(error)
            if not message or not message.isprintable():
                raise AssertionError(f"not one printable line: {message!r}") from error
