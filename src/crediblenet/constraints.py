"""What the user knows of the structure: required and forbidden arcs, tiers, few parents."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import networkx as nx

from .exceptions import FormatError, ParameterError

__all__ = ["Arc", "Constraints", "Tiers", "read_tiers"]

#: An arc as users write it: ``"rain->wet"`` or ``("rain", "wet")``.
Arc = str | tuple[str, str]

#: Tiers as users write them: names by tier, earliest first, or a tier number by name,
#: or a file with one tier per line.
Tiers = Sequence[Sequence[str]] | Mapping[str, int] | str | Path


@dataclass(frozen=True)
class Constraints:
    """Which parent sets are allowed, by column number.

    Attributes
    ----------
    required
        For each variable the parents that it must have.
    forbidden
        For each variable the parents that it must not have.
    max_parents
        The most parents that a variable may have; None for no limit.
    """

    required: tuple[frozenset[int], ...]
    forbidden: tuple[frozenset[int], ...]
    max_parents: int | None = None

    @classmethod
    def parse(
        cls,
        names: Sequence[str],
        *,
        require: Iterable[Arc] = (),
        forbid: Iterable[Arc] = (),
        tiers: Tiers | None = None,
        max_parents: int | None = None,
    ) -> Constraints:
        """Read constraints as users write them, and check that a network can meet them.

        Parameters
        ----------
        names
            The variables, in the order of their columns.
        require, forbid
            Arcs that every, or no, network has: ``"rain->wet"`` or ``("rain", "wet")``.
        tiers
            Groups of variables in time: no arc leads from a later group to an earlier
            one. Variables that are in no group are not restricted.
        max_parents
            The most parents that a variable may have.

        Raises
        ------
        ParameterError
            When a name is unknown or the constraints contradict each other.

        Examples
        --------
        >>> names = ["season", "rain", "wet"]
        >>> tiers = [["season"], ["wet"]]
        >>> constraints = Constraints.parse(names, require=["rain->wet"], tiers=tiers)
        >>> [sorted(parents) for parents in constraints.required]
        [[], [], [1]]
        >>> [sorted(parents) for parents in constraints.forbidden]
        [[2], [], []]
        """
        index = {name: k for k, name in enumerate(names)}
        required: list[set[int]] = [set() for _ in names]
        forbidden: list[set[int]] = [set() for _ in names]
        for arc in require:
            parent, child = parse_arc(arc, index)
            required[child].add(parent)
        for arc in forbid:
            parent, child = parse_arc(arc, index)
            if parent in required[child]:
                raise ParameterError(
                    f"the arc {names[parent]}->{names[child]} is both required and forbidden"
                )
            forbidden[child].add(parent)
        tier_of = parse_tiers(tiers, index) if tiers is not None else {}
        for child, child_tier in tier_of.items():
            for parent, parent_tier in tier_of.items():
                if parent_tier > child_tier:
                    if parent in required[child]:
                        raise ParameterError(
                            f"the arc {names[parent]}->{names[child]} is required, but "
                            f"{names[parent]} is in a later tier than {names[child]}"
                        )
                    forbidden[child].add(parent)
        if max_parents is not None:
            if max_parents < 0:
                raise ParameterError(f"max_parents must not be negative, but it is {max_parents}")
            for child, parents in enumerate(required):
                if len(parents) > max_parents:
                    raise ParameterError(
                        f"{names[child]} has {len(parents)} required parents, but max_parents "
                        f"is {max_parents}"
                    )
        check_acyclic(names, required)
        return cls(tuple(map(frozenset, required)), tuple(map(frozenset, forbidden)), max_parents)

    @property
    def any_arc(self) -> bool:
        """Whether some arc is required or forbidden."""
        return any(self.required) or any(self.forbidden)

    def allows(self, child: int, parents: Iterable[int]) -> bool:
        """Return whether a variable may have these parents and no others.

        >>> Constraints.parse(["a", "b"], forbid=["a->b"]).allows(1, [0])
        False
        """
        chosen = frozenset(parents)
        return (
            self.required[child] <= chosen
            and not self.forbidden[child] & chosen
            and (self.max_parents is None or len(chosen) <= self.max_parents)
        )


def parse_arc(arc: Arc, index: Mapping[str, int]) -> tuple[int, int]:
    """Return parent and child of an arc by column number.

    A name may contain ``->`` itself: the arc is then cut where both halves are names.
    """
    if isinstance(arc, str):
        places = [k for k in range(len(arc)) if arc.startswith("->", k)]
        if not places:
            raise ParameterError(f"{arc!r} is not an arc: write parent->child")
        cuts = [(arc[:k].strip(), arc[k + 2 :].strip()) for k in places]
        known = [(a, b) for a, b in cuts if a in index and b in index]
        if len(known) > 1:
            raise ParameterError(f"{arc!r} can be read in two ways: give (parent, child) instead")
        parent, child = known[0] if known else cuts[0]
    else:
        try:
            parent, child = arc
        except (TypeError, ValueError):
            raise ParameterError(f"{arc!r} is not an arc: write (parent, child)") from None
    ends = find_name(parent, index), find_name(child, index)
    if ends[0] == ends[1]:
        raise ParameterError(f"the arc {parent}->{child} leads from a variable to itself")
    return ends


def find_name(name: str, index: Mapping[str, int]) -> int:
    """Return the column of a variable, or say which one may have been meant."""
    if name in index:
        return index[name]
    close = difflib.get_close_matches(str(name), index, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else f"; they are {', '.join(index)[:200]}"
    raise ParameterError(f"there is no variable {name!r}{hint}")


def parse_tiers(tiers: Tiers, index: Mapping[str, int]) -> dict[int, int]:
    """Return the tier of each variable that has one."""
    if isinstance(tiers, str | Path):
        tiers = read_tiers(tiers)
    if isinstance(tiers, Mapping):
        return {find_name(name, index): tier for name, tier in tiers.items()}
    tier_of: dict[int, int] = {}
    for number, group in enumerate(tiers):
        if isinstance(group, str):
            raise ParameterError(f"tier {number + 1} must be a list of names, not {group!r}")
        for name in group:
            variable = find_name(name, index)
            if variable in tier_of:
                raise ParameterError(
                    f"{name} is in tier {tier_of[variable] + 1} and in tier {number + 1}"
                )
            tier_of[variable] = number
    return tier_of


def read_tiers(path: str | Path) -> list[list[str]]:
    """Read a tiers file: one tier per line, earliest first, names separated by commas."""
    try:
        with Path(path).open(newline="", encoding="utf-8") as file:
            lines = [[cell.strip() for cell in line] for line in csv.reader(file)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(f"{path}: not a tiers file in UTF-8: {error}") from None
    tiers = [[cell for cell in line if cell] for line in lines]
    return [tier for tier in tiers if tier]


def check_acyclic(names: Sequence[str], required: Sequence[Iterable[int]]) -> None:
    """Raise ParameterError when the required arcs form a cycle, and show it."""
    graph = nx.DiGraph(
        (parent, child) for child, parents in enumerate(required) for parent in sorted(parents)
    )
    try:
        cycle = nx.find_cycle(graph)
    except nx.NetworkXNoCycle:
        return
    path = "->".join(names[parent] for parent, _ in cycle)
    raise ParameterError(f"the required arcs form a cycle: {path}->{names[cycle[0][0]]}")
