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

    def exhaust(self) -> None:
        """Ask the run to end soon, because the memory limit is reached."""

    def poll(self) -> bool:
        """Look at the clock; whether the run is stopped."""

    @property
    def seconds_left(self) -> float:
        """Seconds until the time limit; infinity without one."""

    @property
    def stopped_by(self) -> str | None:
        """Why the run was stopped, or None."""

    @property
    def visited(self) -> int:
        """Parent sets, subsets or search nodes seen so far."""

    @property
    def found(self) -> int:
        """Candidate sets or networks found so far."""

    def fits(self, amount: int) -> bool:
        """Whether so much more memory is allowed."""

    def foresee(self, least: float, expected: float, most: float) -> None:
        """Report what is known of the memory of a run on another machine."""

    @property
    def fraction(self) -> float:
        """Estimated share of the stage that is done, between 0 and 1."""

    def discover(self, amount: int) -> None:
        """Report that so many more were found."""

    def advance(self, fraction: float, settled: float = 0.0) -> None:
        """Report that so much of the stage is done; so much of it was pending before."""

    @property
    def memory_peak(self) -> int:
        """Most bytes that the run announced at any time."""

    @property
    def memory_forecast(self) -> tuple[float, float, float]:
        """Bytes that the run will announce: surely, as expected (0: unknown), at most."""

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

class ScoreJournal:
    """Finished pieces of scoring in a file, for a run that is killed."""

    def __init__(self) -> None:
        """A journal that keeps nothing until it is opened."""

    def open(self, path: str, key: str) -> bool:
        """Use a file, with what a run of the same key has left in it; whether it works."""

    @property
    def found(self) -> int:
        """How many pieces were found in the file."""

    @property
    def error(self) -> str:
        """Why the file cannot be used; or nothing."""

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
    journal: ScoreJournal | None = None,
) -> dict[str, Any]:
    """Candidate parent sets of discrete data, with costs in units of the grid."""

def score_continuous(
    values: NDArray[np.float64],
    score: str,
    alpha_mu: float,
    epsilon: float,
    max_parents: int,
    constant: Sequence[bool],
    required: Sequence[Sequence[int]],
    forbidden: Sequence[Sequence[int]],
    rules: Sequence[str],
    threads: int,
    control: Control,
    journal: ScoreJournal | None = None,
) -> dict[str, Any]:
    """The same for continuous data; or just 'dependent', a variable that is a linear function of others."""

# ---- Bounds ----

max_subset_block: int = 28

def subset_program_bytes(n: int) -> int:
    """Memory that the subset program needs for a block of n variables."""

class Problem:
    """Candidate parent sets with integer costs."""

    @staticmethod
    def make(offsets: NDArray[np.int64], parents: _Bits, costs: NDArray[np.int64]) -> Problem:
        """A problem from the arrays of a score table."""

    def rows(self) -> NDArray[np.uint32]:
        """The rows that are still candidates, ascending."""

    def filter(self, keep: NDArray[np.uint8]) -> None:
        """Keep only the candidates whose row is flagged."""

    def components(self) -> NDArray[np.uint32]:
        """The strongly connected component of each variable, parents' first."""

    def order_search(
        self, restarts: int, seed: int, x: _Floats, control: Control
    ) -> tuple[int, NDArray[np.uint32]]:
        """(cost, rows) of a good network; x may be empty."""

    def search_neighbourhoods(
        self,
        rows: NDArray[np.uint32],
        x: _Floats,
        work: int,
        heat: int,
        seed: int,
        control: Control,
    ) -> tuple[int, NDArray[np.uint32]]:
        """(cost, rows) of a network near one that is no worse; x may be empty."""

    def wide_order(
        self,
        order: NDArray[np.uint32],
        weights: _Floats,
        work: int,
        seed: int,
        control: Control,
    ) -> NDArray[np.uint32]:
        """An order that as much weight of networks fits, or more."""

    def violated_clusters(
        self,
        x: _Floats,
        max_k: int,
        least: float,
        most_parallel: float,
        limit: int,
        control: Control,
    ) -> tuple[_Bits, NDArray[np.uint32], _Floats]:
        """(members, k, violation) of cluster inequalities that x breaks, by more than the least."""

    def annealed_clusters(
        self,
        x: _Floats,
        walks: int,
        seed: int,
        least: float,
        most_parallel: float,
        limit: int,
        control: Control,
    ) -> tuple[_Bits, NDArray[np.uint32], _Floats]:
        """(members, k, violation) of others, with k = 1, found by annealing."""

    def violated_local_cuts(
        self, x: _Floats, variables: int, limit: int, control: Control
    ) -> tuple[_Bits, NDArray[np.int64], NDArray[np.uint32], _Bits, NDArray[np.uint32], _Floats]:
        """(members, offsets, variables, parents, weights, distance) of local cuts that x breaks."""

    def local_cut_coefficients(
        self,
        rows: NDArray[np.uint32],
        members: _Bits,
        offsets: NDArray[np.int64],
        variables: NDArray[np.uint32],
        parents: _Bits,
        weights: NDArray[np.uint32],
    ) -> NDArray[np.uint32]:
        """The coefficient of each row in each local cut."""

    def local_cut_right_sides(
        self,
        members: _Bits,
        offsets: NDArray[np.int64],
        variables: NDArray[np.uint32],
        parents: _Bits,
        weights: NDArray[np.uint32],
    ) -> NDArray[np.int64]:
        """The right side of each local cut."""

    def local_cut_shares(
        self,
        members: _Bits,
        offsets: NDArray[np.int64],
        variables: NDArray[np.uint32],
        parents: _Bits,
        weights: NDArray[np.uint32],
        values: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """For each row the sum of its coefficients times the values of the local cuts."""

    def reduced_costs(
        self, members: _Bits, k: NDArray[np.uint32], values: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The cost of each row less the multipliers of the clusters it counts for."""

    def counting(
        self, rows: NDArray[np.uint32], members: _Bits, k: NDArray[np.uint32]
    ) -> NDArray[np.uint8]:
        """Which rows count for which clusters: 0 or 1."""

    def subset_search(
        self,
        block: NDArray[np.uint32],
        members: _Bits,
        k: NDArray[np.uint32],
        values: NDArray[np.int64],
        limit: int,
        slack: int,
        max_work: int,
        control: Control,
    ) -> tuple[bool, int, int | None, NDArray[np.uint32]]:
        """(finished, work, optimum, rows) of a larger block, given multipliers."""

    def subset_program(
        self, block: NDArray[np.uint32], slack: int, control: Control
    ) -> tuple[int | None, NDArray[np.uint32]]:
        """(optimum, rows in some network within the slack) of a small block.

        The optimum is None when no choice of candidates is acyclic.
        """

# ---- Enumeration ----

class Circuit:
    """Networks in compiled form, while they are found."""

    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def compile(
        self,
        problem: Problem,
        members: NDArray[np.uint64],
        k: NDArray[np.uint32],
        values: NDArray[np.int64],
        max_cost: int,
        node_limit: int,
        dead_end_limit: int,
        probing: bool,
        ascending: bool,
        share: float,
        control: Control,
        statistics: dict[str, Any],
    ) -> int | None:
        """Add every network that costs at most `max_cost`; their node, or None.

        Gives up after branching on `node_limit` states, and after `dead_end_limit` dead ends,
        where these are not 0. With a share, what this is of the whole, the control hears how
        far the search is.
        """

    def compile_layers(
        self,
        problem: Problem,
        max_cost: int,
        step_limit: int,
        share: float,
        control: Control,
        statistics: dict[str, Any],
    ) -> int | None:
        """The same, layer by layer: the blocks must be small."""

    def absorb(self, other: Circuit, root: int) -> int:
        """Add a node of another circuit and all below it; its number here."""

    def nodes_from(
        self, start: int
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32]]:
        """(kind, count, values) of the nodes from this number on."""

    def append(
        self, kind: NDArray[np.uint8], count: NDArray[np.uint32], values: NDArray[np.uint32]
    ) -> None:
        """Add nodes that `nodes_from` gave."""

    def choice(self, nodes: NDArray[np.uint32]) -> int:
        """The union of sets that have no network in common."""

    def product(self, nodes: NDArray[np.uint32]) -> int:
        """The networks of one from each of several sets, of different variables."""

    def least_cost(self, node: int, costs: NDArray[np.int64]) -> int:
        """The cost of the cheapest network of a node."""

    def network(self, rows: NDArray[np.uint32]) -> int:
        """The set of one network."""

class CompiledSet:
    """The networks within a cost limit."""

    @staticmethod
    def make(
        circuit: Circuit,
        root: int,
        offsets: NDArray[np.int64],
        costs: NDArray[np.int64],
        max_cost: int,
        most_levels: int,
        longest: int,
        control: Control,
    ) -> CompiledSet:
        """The networks of a node that cost at most `max_cost`."""

    @staticmethod
    def from_arrays(
        kind: NDArray[np.uint8],
        first: NDArray[np.uint64],
        n_children: NDArray[np.uint32],
        children: NDArray[np.uint32],
        offsets: NDArray[np.int64],
        costs: NDArray[np.int64],
        max_cost: int,
        most_levels: int,
        longest: int,
        control: Control,
    ) -> CompiledSet:
        """A set from what `to_arrays` gave."""

    def to_arrays(
        self,
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]:
        """(kind, first, n_children, children): the circuit."""

    @property
    def n_nodes(self) -> int:
        """Nodes of the circuit."""

    @property
    def n_entries(self) -> int:
        """Distinct costs, over all nodes."""

    def count(self, max_cost: int, control: Control) -> tuple[int, int]:
        """(networks, greatest): how many cost at most `max_cost`, and the most that one costs."""

    def levelled_within(
        self, max_cost: int, most_levels: int, control: Control
    ) -> CompiledSet | None:
        """The networks that cost at most `max_cost`, with levels; None if these are too many."""

    @property
    def least_cost(self) -> int:
        """The cost of the best network."""

    @property
    def has_levels(self) -> bool:
        """Whether `levels` and `list` can be had."""

    def levels(self) -> tuple[NDArray[np.int64], list[int]]:
        """(costs, counts): distinct costs, least first, and how many networks have each."""

    def candidate_log_weights(self, max_cost: int, unit: float, control: Control) -> _Floats:
        """For each row the log weight of the networks that use it."""

    def list(self, start: int, count: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """(costs, rows) of the networks with ranks from `start`, by cost."""

    def local_classes(
        self,
        offsets: NDArray[np.int64],
        costs: NDArray[np.int64],
        parents: NDArray[np.uint64],
        context: NDArray[np.uint32],
        members: NDArray[np.uint16],
        max_cost: int,
        most_steps: int,
        most_classes: int,
        threads: int,
        control: Control,
    ) -> dict[str, Any]:
        """One network per class of some variables, the others as in `context`."""
