"""Many networks at once: features of whole blocks by bit operations.

Each function takes a block of networks as bit sets, an array of shape
(networks, variables, words) in which entry ``[g, v]`` is the parent set of variable
``v`` in network ``g``, and returns one truth value per network and feature.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .classes import Bits

__all__ = ["ancestors", "block_slices", "parent_matrix", "unpack"]

Truth = NDArray[np.bool_]

# Entries of the largest temporary array that a block may need.
_BLOCK_ENTRIES = 1 << 22


def block_slices(n_networks: int, features: int) -> Iterator[slice]:
    """Yield slices that cut the networks into blocks of bounded memory."""
    size = max(1, _BLOCK_ENTRIES // max(1, features))
    for first in range(0, n_networks, size):
        yield slice(first, min(first + size, n_networks))


def unpack(bits: Bits, n: int) -> Truth:
    """Return bit sets of `n` variables as truth values along a new last axis."""
    as_bytes = np.ascontiguousarray(bits, dtype="<u8").view(np.uint8)
    return np.unpackbits(as_bytes, axis=-1, count=n, bitorder="little").view(np.bool_)


def parent_matrix(parents: Bits) -> Truth:
    """Return ``[g, a, b]``: whether a is a parent of b in network g."""
    return unpack(parents, parents.shape[1]).transpose(0, 2, 1)


def ancestors(parents: Bits) -> Truth:
    """Return ``[g, a, b]``: whether a directed path leads from a to b (Warshall's closure)."""
    n = parents.shape[1]
    closure = parents.copy()
    for middle in range(n):
        word = closure[..., middle // 64] >> np.uint64(middle % 64)
        through = (word & np.uint64(1)).astype(np.bool_)
        closure |= np.where(through[..., None], closure[:, middle, None, :], np.uint64(0))
    return unpack(closure, n).transpose(0, 2, 1)
