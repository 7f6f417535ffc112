"""Files of a checkpoint that are well formed, have the right digest, and say something else."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crediblenet.checkpoints.bundle import read_bundle, write_bundle

ODD_VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 10**6, 2**31, 2**63, -(2**64), 0.5, -1e308, "", "x"),
    *({"list": []}, {"tuple": []}, {"dict": []}, {"array": "0"}, {"bytes": "00"}, [], {}),
]


def forge(path: Path, rng: np.random.Generator) -> None:
    """Change one value or one array of a file, and write it again."""
    stored = read_bundle(path)
    assert stored is not None
    values, arrays = copy.deepcopy(stored)
    if arrays and rng.random() < 0.5:
        name = sorted(arrays)[rng.integers(len(arrays))]
        arrays[name] = _other_array(arrays[name], rng)
    else:
        places = list(_places(values))
        holder, key = places[rng.integers(len(places))]
        holder[key] = ODD_VALUES[rng.integers(len(ODD_VALUES))]
    write_bundle(path, values, arrays)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the place of every value inside a value."""
    keys: Any = value if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from _places(value[key])


def _other_array(array: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Return another array: of another size or kind, or with other numbers in it."""
    changed = array.copy()
    flat = changed.reshape(-1)
    how = rng.integers(7)
    if how == 0:
        return array[:-1]
    if how == 1:
        return np.concatenate([array, array])
    if how == 2:
        return array[::-1].copy()
    if how == 3:
        return array.astype(rng.choice(["uint8", "uint32", "int64", "uint64"]))
    if how == 4:
        return array.reshape(1, *array.shape)
    if how == 5 and array.dtype.kind == "f":
        flat[rng.integers(0, len(flat), 3)] = rng.choice([np.nan, np.inf, -np.inf, 1e300], 3)
    elif len(flat):
        raw = flat.view(np.uint8)
        raw[rng.integers(0, len(raw), 3)] = rng.integers(0, 256, 3)
    return changed
