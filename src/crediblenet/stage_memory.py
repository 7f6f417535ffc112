"""How much memory the stages after scoring are going to need, said before they begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from . import _core
from .bounds.method import blocks, suits_subsets
from .memory import bytes_in_words
from .progress import Progress, ProgressCallback

if TYPE_CHECKING:
    from .credible_set import CredibleSet
    from .enumeration.space import SearchSpace

__all__ = ["StageMemory", "averages_memory", "bounds_memory", "search_memory"]

#: Bytes besides the sets of parents, per candidate: of the core's copy, and of the arrays here.
COPY_BYTES, ARRAY_BYTES = 18, 18
#: Where vectors grow, and two copies are there at a time, it is so many times as much; and a
#: subset program keeps lists of its own, in so many bytes per candidate.
GROWING_COPIES, LIST_BYTES = 4, 64

#: Bytes of averages: per network of the circuit and cost, per local class and each of its
#: variables, and per network or class that is listed, besides its sets of parents.
ENTRY_BYTES, CLASS_BYTES, MEMBER_BYTES, LISTED_BYTES = 24, 250, 2, 200
#: The most local classes, in bytes, and the most networks that are listed.
MOST_CLASS_BYTES, MOST_LISTED = 10**9, 500_000
#: Features are added up in blocks of so many entries, each of so many bytes.
BLOCK_ENTRIES, BLOCK_BYTES = 1 << 22, 12
#: Bytes of the files: per candidate, per pair of variables, and of the libraries in any case.
ROW_BYTES, PAIR_BYTES, FILE_BYTES = 400, 500, 40 << 20


@dataclass(frozen=True)
class StageMemory:
    """What a stage is going to need besides what the process holds already, in bytes.

    Attributes
    ----------
    least
        What is surely needed.
    expected
        What it will come to; None where nobody can know.
    most
        It will not be more; None where nobody can know.
    purpose
        What it is needed for.

    Examples
    --------
    >>> print(StageMemory(2e6, None, None, "for linear programs"))
    memory: 1.9 MB at least, for linear programs
    """

    least: float
    expected: float | None
    most: float | None
    purpose: str

    def __str__(self) -> str:
        amounts = [
            "" if self.expected is None else f"about {bytes_in_words(self.expected)} expected",
            f"{bytes_in_words(self.least)} at least",
            "" if self.most is None else f"{bytes_in_words(self.most)} at most",
        ]
        return f"memory: {', '.join(filter(None, [*amounts, self.purpose]))}"

    def warning(self, limit: float) -> str:
        """Return a warning if more is needed than the limit in bytes, nothing otherwise."""
        if self.least <= limit:
            return ""
        return (
            f"warning: at least {bytes_in_words(self.least)} of memory needed, and the limit "
            f"leaves {bytes_in_words(limit)}; the run ends there, with what it has by then"
        )

    def tell(self, stage: str, limit: float, progress: ProgressCallback | None) -> None:
        """Say it before the stage begins."""
        if progress is not None:
            for note in filter(None, (str(self), self.warning(limit))):
                progress(Progress(stage, note=note))

    def to_dict(self) -> dict[str, Any]:
        """Return it for the statistics of a result."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Any) -> StageMemory | None:
        """Return what `to_dict` made this of, None if that is something else.

        >>> StageMemory.from_dict({"least": "much"}) is None
        True
        """
        if not isinstance(stored, Mapping) or set(stored) != {f.name for f in fields(cls)}:
            return None
        amounts = [stored["least"], stored["expected"] or 0.0, stored["most"] or 0.0]
        known = all(isinstance(amount, float) for amount in amounts)
        return cls(**stored) if known and isinstance(stored["purpose"], str) else None


def bounds_memory(space: SearchSpace, control: _core.Control) -> StageMemory:
    """Return what bounding the whole search space needs, by the method that will be used.

    The tables of the subset program are known exactly. How many inequalities a linear
    relaxation comes to is not: only what the candidates take is.
    """
    table = space.table
    problem = _core.Problem.make(table.offsets, table.parents, space.costs)
    sizes = [len(block) for block in blocks(problem)]
    largest = max(sizes, default=0)
    least = _least_for_candidates(space)
    if suits_subsets(sizes, len(table), control):
        tables = _core.subset_program_bytes(largest)
        copies = GROWING_COPIES * _copy_bytes(space) + LIST_BYTES + ARRAY_BYTES
        expected = tables + copies * len(table)
        purpose = f"for the subset program over {largest} variables"
        if largest == 0:
            return StageMemory(least, float(expected), None, "to choose parents independently")
        return StageMemory(least + (16 << largest), float(expected), None, purpose)
    purpose = "for linear programs"
    if suits_subsets(sizes, len(table)):
        table_bytes = bytes_in_words(_core.subset_program_bytes(largest))
        purpose += (
            f", because the table of the subset program over {largest} variables would take "
            f"{table_bytes}, which is more than the limit allows"
        )
    return StageMemory(least, None, None, purpose)


def search_memory(space: SearchSpace) -> StageMemory:
    """Return what the search needs before it has found anything."""
    purpose = "for the candidates; what is found comes on top"
    return StageMemory(_least_for_candidates(space), None, None, purpose)


def averages_memory(result: CredibleSet, listed: int) -> StageMemory:
    """Return what averages, files and the report need.

    Parameters
    ----------
    result
        What was found.
    listed
        How many networks or classes may be listed.
    """
    n, rows = len(result.names), len(result.table)
    found = min(result.n_networks, listed)
    sets = 8 * n * result.table.parents.shape[1]
    classes = min(found * (CLASS_BYTES + MEMBER_BYTES * n), MOST_CLASS_BYTES)
    listing = min(found, MOST_LISTED) * (4 * n + 8 + 2 * sets + LISTED_BYTES)
    features = min(found * n * n, BLOCK_ENTRIES) * BLOCK_BYTES
    files = ROW_BYTES * rows + PAIR_BYTES * n * n + FILE_BYTES
    weights = ENTRY_BYTES * result.statistics.get("circuit_levels", 0)
    least = 8 * rows + 48 * n * n
    most = float(weights + classes + listing + features + files)
    return StageMemory(float(least), None, most, "for averages, files and the report")


def _copy_bytes(space: SearchSpace) -> int:
    """Return the bytes of one candidate in the core's copy of a table: its parents twice."""
    return 16 * int(space.table.parents.shape[1]) + COPY_BYTES


def _least_for_candidates(space: SearchSpace) -> float:
    """Return the bytes of one copy of the candidates, and of the arrays beside it."""
    return float((_copy_bytes(space) + ARRAY_BYTES) * len(space.table))
