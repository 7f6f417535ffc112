"""Markov equivalence classes of many networks at once.

Two networks are Markov equivalent when they have the same adjacencies and the same
v-structures a -> c <- b with a and b not adjacent (Verma and Pearl, 1990). Every function
takes networks as bit sets, an array of shape (networks, variables, words) in which bit
``j % 64`` of ``[g, i, j // 64]`` says whether variable j is a parent of variable i in network
g; `pack_networks` makes one. For a single class with named variables see
`crediblenet.cpdag.Cpdag`.

The work is done by the compiled core on all cores, a few microseconds per network, and can
be interrupted. No result depends on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .exceptions import ParameterError
from .progress import run_watched
from .threads import thread_count

__all__ = [
    "Bits",
    "FeatureSums",
    "Sameness",
    "VStructureSums",
    "are_canonical",
    "are_equivalent",
    "canonical_members",
    "class_sizes",
    "cpdags",
    "feature_sums",
    "group_networks",
    "network_hashes",
    "pack_networks",
    "sample_members",
    "v_structure_sums",
]

Bits: TypeAlias = NDArray[np.uint64]
Sameness: TypeAlias = Literal["class", "collider-pattern", "skeleton"]

T = TypeVar("T")

# Smaller calls end sooner than a thread to watch them is started.
_WATCHED_SETS = 1 << 18


def pack_networks(
    networks: Iterable[Sequence[Iterable[int]]], n_variables: int | None = None
) -> Bits:
    """Pack networks, each given as the parents of every variable, into bit sets.

    Parameters
    ----------
    networks
        For each network and variable the column numbers of the parents.
    n_variables
        How many variables each network has; needed only when there may be no network.

    Returns
    -------
    ndarray of uint64
        Shape (networks, variables, words).

    Examples
    --------
    >>> pack_networks([[[], [0], [0, 1]]]).tolist()
    [[[0], [1], [3]]]
    """
    listed = list(networks)
    if n_variables is None:
        if not listed:
            raise ParameterError("n_variables is needed to pack an empty list of networks")
        n_variables = len(listed[0])
    packed = np.zeros((len(listed), n_variables, max(1, -(-n_variables // 64))), dtype=np.uint64)
    for g, network in enumerate(listed):
        if len(network) != n_variables:
            raise ParameterError(
                f"network {g} has {len(network)} parent sets, but there are {n_variables} variables"
            )
        for child, parents in enumerate(network):
            for parent in parents:
                if not 0 <= parent < n_variables:
                    raise ParameterError(
                        f"network {g} has parent number {parent}, but the variables are "
                        f"numbered 0 to {n_variables - 1}"
                    )
                packed[g, child, parent // 64] |= np.uint64(1 << parent % 64)
    return packed


def _checked(parents: ArrayLike) -> Bits:
    """Return the networks as the core takes them; acyclicity is checked there."""
    array = np.asarray(parents)
    if array.dtype != np.uint64 or array.ndim != 3:
        raise ParameterError(
            "networks must be an array of uint64 with shape (networks, variables, words), "
            f"not of {array.dtype} with shape {array.shape}; pack_networks makes one"
        )
    n, words = array.shape[1:]
    if not 1 <= n <= _core.max_nodes or words != -(-n // 64):
        raise ParameterError(
            f"networks of {n} variables with {words} words per parent set cannot be: there must "
            f"be 1 to {_core.max_nodes} variables, and one word per 64 of them, rounded up"
        )
    return np.ascontiguousarray(array)


def _run(
    parents: ArrayLike, threads: int | None, call: Callable[[Bits, int, _core.Control], T]
) -> T:
    """Call the core on checked networks, interruptibly when it takes long."""
    networks = _checked(parents)
    used = thread_count(threads)
    control = _core.Control()
    try:
        if networks.size < _WATCHED_SETS:
            return call(networks, used, control)
        return run_watched(lambda: call(networks, used, control), control, "averages")
    except ValueError as error:
        raise ParameterError(str(error)) from None


def cpdags(parents: ArrayLike, *, threads: int | None = None) -> tuple[Bits, Bits]:
    """Return the completed partially directed graph of each network's class.

    Parameters
    ----------
    parents
        The networks as bit sets.
    threads
        How many threads to use; all cores by default.

    Returns
    -------
    compelled
        The parents by edges that point the same way in every member of the class.
    reversible
        The neighbours by the other edges; each edge is listed at both ends.

    Raises
    ------
    ParameterError
        When a network is not a directed acyclic graph; the message says which.

    Examples
    --------
    >>> compelled, reversible = cpdags(pack_networks([[[], [], [0, 1], [2]], [[], [0], [1], []]]))
    >>> compelled[:, :, 0].tolist()
    [[0, 0, 3, 4], [0, 0, 0, 0]]
    >>> reversible[:, :, 0].tolist()
    [[0, 0, 0, 0], [2, 5, 2, 0]]
    """
    return _run(parents, threads, _core.cpdags)


def canonical_members(parents: ArrayLike, *, threads: int | None = None) -> Bits:
    """Return one fixed member of each network's class, the same for equivalent networks.

    Its reversible edges are oriented by maximum cardinality search from the first column,
    with ties to the lower column, so it has no covered edge from a higher to a lower column.

    Examples
    --------
    >>> canonical_members(pack_networks([[[1], [2], []]]))[:, :, 0].tolist()
    [[0, 1, 2]]
    """
    return _run(parents, threads, _core.canonical_members)


def are_canonical(parents: ArrayLike, *, threads: int | None = None) -> NDArray[np.bool_]:
    """Return whether each network is the canonical member of its class.

    Examples
    --------
    >>> are_canonical(pack_networks([[[], [0]], [[1], []]])).tolist()
    [True, False]
    """
    return _run(parents, threads, _core.are_canonical).view(np.bool_)


def are_equivalent(
    first: ArrayLike, second: ArrayLike, *, threads: int | None = None
) -> NDArray[np.bool_]:
    """Return whether the networks of two blocks are Markov equivalent, pair by pair.

    Examples
    --------
    >>> chain, collider = pack_networks([[[], [0], [1]]]), pack_networks([[[], [0, 2], []]])
    >>> are_equivalent(chain, pack_networks([[[1], [2], []]])).tolist()
    [True]
    >>> are_equivalent(chain, collider).tolist()
    [False]
    """
    if np.shape(first) != np.shape(second):
        raise ParameterError(
            f"blocks of shapes {np.shape(first)} and {np.shape(second)} cannot be compared"
        )
    one, other = cpdags(first, threads=threads), cpdags(second, threads=threads)
    # A class is determined by its graph, and the graph by the class.
    differs = (one[0] ^ other[0]) | (one[1] ^ other[1])
    return np.asarray(~differs.any(axis=(1, 2)), dtype=np.bool_)


def class_sizes(parents: ArrayLike, *, threads: int | None = None) -> list[int]:
    """Return the exact number of networks in each network's class.

    Examples
    --------
    >>> class_sizes(pack_networks([[[], [0], [1]], [[], [0], [0, 1]], [[], [], [0, 1]]]))
    [3, 6, 1]
    """
    return _run(parents, threads, _core.class_sizes)


def sample_members(parents: ArrayLike, *, seed: int, threads: int | None = None) -> Bits:
    """Return a member of each network's class, drawn uniformly.

    Row g depends on the seed, on g and on the class alone.

    Examples
    --------
    >>> chain = pack_networks([[[], [0], [1]]])
    >>> draws = sample_members(np.repeat(chain, 3000, axis=0), seed=1)
    >>> members, counts = np.unique(draws, axis=0, return_counts=True)
    >>> len(members), bool(counts.min() > 900)
    (3, True)
    """
    if not 0 <= seed < 1 << 64:
        raise ParameterError(f"seed must be between 0 and 2**64 - 1, not {seed}")
    return _run(
        parents, threads, lambda bits, t, control: _core.sample_members(bits, seed, t, control)
    )


def network_hashes(
    parents: ArrayLike, same: Sameness = "class", *, threads: int | None = None
) -> Bits:
    """Return 128 bits per network that are equal for networks that are the same.

    Parameters
    ----------
    parents
        The networks as bit sets.
    same
        When two networks are the same: Markov equivalent (``"class"``), same adjacencies
        and same converging pairs a -> c <- b whether or not a and b are adjacent
        (``"collider-pattern"``, what Liao et al. (2019) count), or same adjacencies
        (``"skeleton"``).
    threads
        How many threads to use; all cores by default.

    Returns
    -------
    ndarray of uint64
        Shape (networks, 2). The same on every machine. Different networks may have equal
        hashes, if only with probability 2**-128; `group_networks` compares in full.
    """
    return _run(
        parents, threads, lambda bits, t, control: _core.network_hashes(bits, same, t, control)
    )


def group_networks(
    parents: ArrayLike, same: Sameness = "class", *, threads: int | None = None
) -> NDArray[np.int64]:
    """Return the group of each network, numbered from 0 by first appearance.

    Parameters
    ----------
    parents
        The networks as bit sets.
    same
        Which networks belong together; see `network_hashes`.
    threads
        How many threads to use; all cores by default.

    Examples
    --------
    >>> networks = pack_networks([[[], [0], [1]], [[], [0, 2], []], [[1], [2], []]])
    >>> group_networks(networks).tolist()
    [0, 1, 0]
    >>> group_networks(networks, "skeleton").tolist()
    [0, 0, 0]
    """
    return _run(
        parents, threads, lambda bits, t, control: _core.group_networks(bits, same, t, control)
    )


@dataclass(frozen=True)
class FeatureSums:
    """Sums over classes of weight times the share of the members with a feature.

    Attributes
    ----------
    directed
        ``[a, b]``: a -> b.
    compelled
        ``[a, b]``: a -> b in every member of the class.
    adjacent
        ``[a, b]``: a -> b or b -> a.
    blanket
        ``[a, b]``: a is in the Markov blanket of b.
    """

    directed: NDArray[np.float64]
    compelled: NDArray[np.float64]
    adjacent: NDArray[np.float64]
    blanket: NDArray[np.float64]


def _weights(weights: ArrayLike, parents: ArrayLike) -> NDArray[np.float64]:
    array = np.ascontiguousarray(weights, dtype=np.float64)
    if array.shape != (len(np.asarray(parents)),):
        raise ParameterError("there must be one weight per network")
    return array


def feature_sums(
    parents: ArrayLike, weights: ArrayLike, *, threads: int | None = None
) -> FeatureSums:
    """Add up features over classes without listing their members.

    Parameters
    ----------
    parents
        One network per class, any member.
    weights
        The weight of each whole class, shared equally by its members.
    threads
        How many threads to use; all cores by default.

    Examples
    --------
    The chain 0 -> 1 -> 2 has the members 0 -> 1 -> 2, 0 <- 1 <- 2 and 0 <- 1 -> 2.

    >>> feature_sums(pack_networks([[[], [0], [1]]]), [3.0]).directed.tolist()
    [[0.0, 1.0, 0.0], [2.0, 0.0, 2.0], [0.0, 1.0, 0.0]]
    """
    each = _weights(weights, parents)
    return FeatureSums(
        *_run(parents, threads, lambda bits, t, control: _core.feature_sums(bits, each, t, control))
    )


@dataclass(frozen=True)
class VStructureSums:
    """The v-structures of some classes, and how much weight has each.

    Attributes
    ----------
    triples
        Rows (a, c, b) for a -> c <- b with a < b not adjacent, in ascending order.
    weights
        The sum of the weights of the classes that have it.
    """

    triples: NDArray[np.int64]
    weights: NDArray[np.float64]


def v_structure_sums(
    parents: ArrayLike, weights: ArrayLike, *, threads: int | None = None
) -> VStructureSums:
    """Add up the weights of the classes that have each v-structure.

    Parameters
    ----------
    parents
        One network per class, any member: all have the same v-structures.
    weights
        The weight of each class.
    threads
        How many threads to use; all cores by default.

    Examples
    --------
    >>> found = v_structure_sums(pack_networks([[[], [], [0, 1]], [[], [0], [0, 1]]]), [0.5, 0.5])
    >>> found.triples.tolist(), found.weights.tolist()
    ([[0, 2, 1]], [0.5])
    """
    each = _weights(weights, parents)
    return VStructureSums(
        *_run(
            parents,
            threads,
            lambda bits, t, control: _core.v_structure_sums(bits, each, t, control),
        )
    )
