"""What makes two commands the same: their data, their options and the program's version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data import ContinuousDataset, Dataset
from ..score_table import ScoreTable

__all__ = ["Fingerprint", "fingerprint"]

#: Goes up when a checkpoint of another build must not be continued.
STATE_VERSION = 3


@dataclass(frozen=True)
class Fingerprint:
    """A digest of each thing that the result of a run depends on.

    Attributes
    ----------
    parts
        The digests, by what they are of: ``"data"``, ``"options"``, ``"version"``.
    """

    parts: Mapping[str, str]

    def differences(self, stored: Any) -> list[str]:
        """Return what is not the same in a stored fingerprint.

        >>> Fingerprint({"data": "a", "options": "b"}).differences({"data": "a"})
        ['options']
        """
        if not isinstance(stored, Mapping):
            return list(self.parts)
        return [name for name, digest in self.parts.items() if stored.get(name) != digest]


def fingerprint(
    source: Dataset | ContinuousDataset | ScoreTable, options: Mapping[str, Any]
) -> Fingerprint:
    """Return the fingerprint of a run.

    Limits of time and memory and the number of threads do not belong to the options: the
    result does not depend on them, and a run may go on with others.
    """
    from .. import __version__

    return Fingerprint(
        {
            "data": digest_of(_contents(source)),
            "options": digest_of([dict(options)]),
            "version": f"{__version__}, state {STATE_VERSION}",
        }
    )


def _contents(source: Dataset | ContinuousDataset | ScoreTable) -> Iterable[Any]:
    yield type(source).__name__
    yield list(source.names)
    if isinstance(source, ScoreTable):
        yield from (source.offsets, source.parents, source.costs, source.score, source.epsilon)
        yield [source.score_equivalent, source.grid_bits]
    elif isinstance(source, Dataset):
        yield [list(labels) for labels in source.states]
        yield from (source.codes, source.weights)
    else:
        yield source.values


def digest_of(values: Iterable[Any]) -> str:
    """Return a digest of arrays and plain values, in this order.

    >>> digest_of([1, "a"]) == digest_of([1, "a"]) != digest_of([1, "b"])
    True
    """
    digest = hashlib.sha256()
    for value in values:
        if isinstance(value, np.ndarray):
            digest.update(f"{value.dtype}{value.shape}".encode())
            digest.update(np.ascontiguousarray(value).data)
        else:
            digest.update(json.dumps(value, sort_keys=True).encode())
        digest.update(b"\n")
    return digest.hexdigest()
