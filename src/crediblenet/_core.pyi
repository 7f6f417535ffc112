"""The compiled core of crediblenet."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Bits: TypeAlias = NDArray[np.uint64]
_Floats: TypeAlias = NDArray[np.float64]

max_nodes: int = 512

class Control:
    """How one run of the core is watched and stopped, from any thread."""

    def __init__(
        self, time_limit: float = float("inf"), memory_limit: float = float("inf")
    ) -> None:
        """Start the clock: seconds from now, and bytes."""

    def interrupt(self) -> None:
        """Ask the run to end soon, as a user's Ctrl-C does."""

    @property
    def stopped_by(self) -> str | None:
        """Why the run was stopped, or None."""

    @property
    def visited(self) -> int:
        """Parent sets, subsets or search nodes seen so far."""

    @property
    def found(self) -> int:
        """Candidate sets or networks found so far."""

    @property
    def fraction(self) -> float:
        """Estimated share of the stage that is done, between 0 and 1."""

    @property
    def memory_peak(self) -> int:
        """Most bytes that the run announced at any time."""

# ---- Equivalence classes ----
# Networks are bit sets of shape (networks, variables, words). A network that is not a
# directed acyclic graph is a ValueError that names it.

def cpdags(parents: _Bits, threads: int, control: Control) -> tuple[_Bits, _Bits]:
    """Compelled parents and neighbours by reversible edges, per network."""

def canonical_members(parents: _Bits, threads: int, control: Control) -> _Bits:
    """The canonical member of each network's class."""

def are_canonical(parents: _Bits, threads: int, control: Control) -> NDArray[np.uint8]:
    """Whether each network is the canonical member of its class."""

def class_sizes(parents: _Bits, threads: int, control: Control) -> list[int]:
    """The exact number of members of each network's class."""

def sample_members(parents: _Bits, seed: int, threads: int, control: Control) -> _Bits:
    """A uniformly drawn member of each network's class."""

def network_hashes(parents: _Bits, same: str, threads: int, control: Control) -> _Bits:
    """128-bit hashes that are equal for networks that are the same."""

def group_networks(parents: _Bits, same: str, threads: int, control: Control) -> NDArray[np.int64]:
    """The group of each network among those that are the same, by first appearance."""

def feature_sums(
    parents: _Bits, weights: _Floats, threads: int, control: Control
) -> tuple[_Floats, _Floats, _Floats, _Floats]:
    """Weighted sums over classes: directed, compelled, adjacent, Markov blanket."""

def v_structure_sums(
    parents: _Bits, weights: _Floats, threads: int, control: Control
) -> tuple[NDArray[np.int64], _Floats]:
    """The v-structures, and the sums of the weights of the classes with them."""

def orientation_counts(parents: _Bits) -> list[tuple[int, int, int]]:
    """(tail, head, members) for both directions of each reversible edge of one class."""

class ClassMembers:
    """Walks through the members of one class."""

    def __init__(self, parents: _Bits) -> None:
        """Begin before the first member of the class of one network."""

    def next(self, count: int) -> _Bits:
        """The next members, at most `count`; fewer at the end, then none."""

def score_discrete(
    codes: NDArray[np.uint16],
    arities: Sequence[int],
    weights: NDArray[np.int64],
    score: str,
    ess: float,
    epsilon: float,
    max_parents: int,
    constant: Sequence[bool],
    required: Sequence[Sequence[int]],
    forbidden: Sequence[Sequence[int]],
    rules: Sequence[str],
    threads: int,
    control: Control,
) -> dict[str, Any]:
    """Candidate parent sets of discrete data, with costs in units of the grid."""
