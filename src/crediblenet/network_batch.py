"""Many networks at once: features of whole blocks by bit operations.

Each function takes a block of networks as bit sets, an array of shape
(networks, variables, words) in which entry ``[g, v]`` is the parent set of variable
``v`` in network ``g``, and returns one truth value per network and feature.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ancestors",
    "block_slices",
    "equivalence_keys",
    "has_v_structures",
    "markov_blankets",
    "parent_matrix",
    "unpack",
]

Bits = NDArray[np.uint64]
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


def _has_bit(bits: Bits, node: int) -> Truth:
    word = bits[..., node // 64] >> np.uint64(node % 64)
    return (word & np.uint64(1)).astype(np.bool_)


def _set_bit(bits: Bits, where: Truth, node: int) -> None:
    bits[..., node // 64] |= where.astype(np.uint64) << np.uint64(node % 64)


def _neighbours(parents: Bits) -> Bits:
    """Return for each variable its parents and children."""
    n = parents.shape[1]
    neighbours = parents.copy()
    for child in range(n):
        _set_bit(neighbours, unpack(parents[:, child], n), child)
    return neighbours


def ancestors(parents: Bits) -> Truth:
    """Return ``[g, a, b]``: whether a directed path leads from a to b (Warshall's closure)."""
    n = parents.shape[1]
    closure = parents.copy()
    for middle in range(n):
        through = _has_bit(closure, middle)
        closure |= np.where(through[..., None], closure[:, middle, None, :], np.uint64(0))
    return unpack(closure, n).transpose(0, 2, 1)


def markov_blankets(parents: Bits) -> Truth:
    """Return ``[g, a, b]``: whether a is in the Markov blanket of b."""
    n = parents.shape[1]
    blankets = _neighbours(parents)
    for child in range(n):
        is_parent = unpack(parents[:, child], n)
        blankets |= np.where(is_parent[..., None], parents[:, child, None, :], np.uint64(0))
    blanket = unpack(blankets, n)
    blanket[:, np.arange(n), np.arange(n)] = False  # a parent is among its child's parents
    return blanket


def has_v_structures(parents: Bits, triples: NDArray[np.intp]) -> Truth:
    """Return ``[g, t]``: whether network g has the v-structure a -> c <- b of triple t."""
    a, c, b = triples.T
    n = parents.shape[1]
    edge = unpack(parents, n)
    adjacent = edge[:, a, b] | edge[:, b, a]
    return edge[:, c, a] & edge[:, c, b] & ~adjacent


def equivalence_keys(parents: Bits) -> NDArray[np.void]:
    """Return a key per network that is equal exactly for Markov equivalent networks.

    The key is the skeleton with the set E of edges that are in some v-structure. It
    determines the v-structures, hence the class (Verma and Pearl, 1990): a -> c <- b is
    one exactly when a -> c and b -> c are in E and a, b are not adjacent.
    """
    k, n, words = parents.shape
    neighbours = _neighbours(parents)
    immoral = np.zeros_like(parents)
    for a in range(n):
        not_adjacent = ~neighbours[:, a]
        not_adjacent[:, a // 64] &= ~(np.uint64(1) << np.uint64(a % 64))
        # Which variables c have a as a parent, and another one that is not adjacent to a?
        unshielded = np.any(parents & not_adjacent[:, None, :], axis=-1)
        _set_bit(immoral, _has_bit(parents, a) & unshielded, a)
    key = np.concatenate([neighbours, immoral], axis=1)
    return key.reshape(k, -1).view(np.dtype((np.void, 2 * n * words * 8))).reshape(k)
