"""The state of one search between two parts: enough to go on as if nothing had happened."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..bounds import STATE_CLASSES
from ..exceptions import RunDirectoryError
from ..plain_words import one_line
from .bundle import read_bundle, write_bundle

if TYPE_CHECKING:
    from .checkpoint import Checkpoint

__all__ = ["Packer", "Resumable", "SearchCheckpoint", "unpack"]

# What a state that was not written by `Packer`, or does not fit the search, ends in.
_UNUSABLE = (
    AttributeError,
    IndexError,
    KeyError,
    MemoryError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)


class Resumable(Protocol):
    """A search whose state can be written down between two parts."""

    circuit: _core.Circuit

    def state(self) -> dict[str, Any]:
        """Return everything but the circuit, in values that a `Packer` knows."""

    def resume(self, state: dict[str, Any]) -> None:
        """Take over a state; KeyError, TypeError or ValueError when it does not fit."""


class SearchCheckpoint:
    """Where one search writes down its state.

    The nodes of the circuit never change, so each time only the new ones are written, into
    a file of their own; then the state, which says how many such files belong to it.

    Parameters
    ----------
    run
        The checkpoint of the run.
    folder
        Where this search is kept.
    """

    def __init__(self, run: Checkpoint, folder: Path) -> None:
        self.run = run
        self.folder = folder
        self._segments = 0
        self._nodes = 0

    @property
    def due(self) -> bool:
        """Whether it is time to write."""
        return self.run.due

    @property
    def begun(self) -> bool:
        """Whether the run is long enough to have written anything."""
        return self.run.begun

    def record(self, search: Resumable) -> None:
        """Write down the state of a search."""
        self.run.write(lambda: self._write(search))

    def _write(self, search: Resumable) -> None:
        self.folder.mkdir(exist_ok=True)
        if len(search.circuit) > self._nodes:
            kind, count, values = search.circuit.nodes_from(self._nodes)
            arrays = {"kind": kind, "count": count, "values": values}
            write_bundle(self._segment(self._segments), {"start": self._nodes}, arrays)
            self._segments += 1
            self._nodes = len(search.circuit)
        packer = Packer()
        packed = packer.pack(search.state())
        about = {"segments": self._segments, "nodes": self._nodes}
        write_bundle(self.folder / "state", {**about, "state": packed}, packer.arrays)

    def restore(self, search: Resumable) -> bool:
        """Set a search to the state that was written down; whether there was one.

        Raises
        ------
        RunDirectoryError
            When what is there cannot be used.
        """
        stored = read_bundle(self.folder / "state")
        if stored is None:
            return False
        try:
            values, arrays = stored
            self._read_nodes(search.circuit, values["segments"], values["nodes"])
            search.resume(unpack(values["state"], arrays))
        except _UNUSABLE as error:
            raise RunDirectoryError(
                f"{self.folder} cannot be used ({one_line(error)}); delete {self.folder.parent} "
                "to begin again"
            ) from error
        self._segments, self._nodes = values["segments"], values["nodes"]
        return True

    def _read_nodes(self, circuit: _core.Circuit, segments: int, nodes: int) -> None:
        for number in range(segments):
            segment = read_bundle(self._segment(number))
            if segment is None or segment[0]["start"] != len(circuit):
                raise ValueError("networks are missing")
            circuit.append(**segment[1])
        if len(circuit) != nodes:
            raise ValueError("networks are missing")

    def _segment(self, number: int) -> Path:
        return self.folder / f"nodes-{number}"


class Packer:
    """Turns values into what JSON can hold, and arrays aside.

    Knows lists, dictionaries, plain values, arrays, bytes and the dataclasses of the bounds.

    Examples
    --------
    >>> packer = Packer()
    >>> packed = packer.pack({"a": (1, None, b"x"), "b": np.array([True, False])})
    >>> unpack(packed, packer.arrays)
    {'a': (1, None, b'x'), 'b': array([ True, False])}
    """

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}

    def pack(self, value: Any) -> Any:
        """Return a value for JSON."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, (list, tuple)):
            return {type(value).__name__: [self.pack(item) for item in value]}
        if isinstance(value, dict):
            return {"dict": [[self.pack(k), self.pack(v)] for k, v in value.items()]}
        if isinstance(value, bytes):
            return {"bytes": value.hex()}
        if isinstance(value, np.ndarray):
            return self._array(value)
        if is_dataclass(value) and type(value) in STATE_CLASSES:
            return self._fields(value)
        raise TypeError(f"a checkpoint cannot hold a {type(value).__name__}")

    def _array(self, array: NDArray[Any]) -> Any:
        name = str(len(self.arrays))
        if array.dtype == bool:
            self.arrays[name] = np.packbits(array.reshape(-1))
            return {"bits": [name, list(array.shape)]}
        self.arrays[name] = array
        return {"array": name}

    def _fields(self, value: Any) -> Any:
        packed = {field.name: self.pack(getattr(value, field.name)) for field in fields(value)}
        return {"object": [type(value).__name__, packed]}


def unpack(packed: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """Return the value that `Packer.pack` turned into this.

    Raises
    ------
    KeyError, TypeError, ValueError, IndexError
        When it did not.
    """
    if not isinstance(packed, dict):
        return packed
    ((kind, content),) = packed.items()
    if kind == "list":
        return [unpack(item, arrays) for item in content]
    if kind == "tuple":
        return tuple(unpack(item, arrays) for item in content)
    if kind == "dict":
        return {unpack(k, arrays): unpack(v, arrays) for k, v in content}
    if kind == "bytes":
        return bytes.fromhex(content)
    if kind == "array":
        return arrays[content]
    if kind == "bits":
        name, shape = content
        bits = arrays[name]
        count = int(np.prod(shape, dtype=np.int64))
        if len(bits) != -(-count // 8):
            raise ValueError("bits are missing")
        return np.unpackbits(bits, count=count).astype(bool).reshape(shape)
    if kind == "object":
        name, packed_fields = content
        (made,) = (known for known in STATE_CLASSES if known.__name__ == name)
        return made(**{k: unpack(v, arrays) for k, v in packed_fields.items()})
    raise ValueError(f"unknown kind {kind!r}")
