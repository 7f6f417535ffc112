"""The parts of the engine, and what switches each of them off."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import Any

from crediblenet import bounds
from crediblenet.bounds import Bounder, Clusters, Guide

__all__ = ["PARTS", "Part", "find_part"]


@dataclass(frozen=True)
class Part:
    """A part of the engine.

    Attributes
    ----------
    name
        For people.
    module, attribute
        The constant, or function, of crediblenet that the part depends on.
    off
        What it is replaced by.
    instead
        What happens without it.
    """

    name: str
    module: str
    attribute: str
    off: Any
    instead: str

    def switch_off(self) -> None:
        """Switch the part off in this process, for good.

        Raises
        ------
        AttributeError
            When the engine has no such constant any more: say how it is done now.
        """
        module = importlib.import_module(self.module)
        getattr(module, self.attribute)
        setattr(module, self.attribute, self.off)


def no_class_search(*_: Any) -> None:
    """Stand in for the class-level search: there is none."""


def no_guide(bounder: Bounder, part: bounds.Part) -> Guide:
    """Stand in for the multipliers of a part: there are none."""
    none = Clusters.none(bounder.table.parents.shape[1])
    return Guide(bounder.problem(part.keep), none, 0)


PARTS = (
    Part(
        "subset program",
        "crediblenet.bounds.method",
        "SUBSET_SECONDS",
        math.inf,
        "the linear relaxation alone bounds every block",
    ),
    Part(
        "linear relaxation",
        "crediblenet.bounds.method",
        "LINEAR_SECONDS",
        1e9,  # not infinity, which is what a block takes that is too large for the other
        "the subset program bounds every block that fits the memory",
    ),
    Part(
        "search over subsets",
        "crediblenet.bounds.bounder",
        "HOPEFUL_GAP",
        -1.0,
        "reduced costs, splitting and compiling have to do without exact filtering",
    ),
    Part(
        "rows with k = 2",
        "crediblenet.bounds.clusters",
        "MAX_K",
        1,
        "only clusters with k = 1 are separated",
    ),
    Part(
        "local search",
        "crediblenet.bounds.bounder",
        "RESTARTS",
        1,
        "one start instead of 400 finds the first network",
    ),
    Part(
        "splitting on arcs",
        "crediblenet.enumeration.part_work",
        "ATTEMPT",
        10**15,
        "a part is compiled, however long it takes",
    ),
    Part(
        "strong branching",
        "crediblenet.bounds.bounder",
        "WORTH_TRYING",
        math.inf,
        "a part is split on the arc whose share in the relaxed solution is nearest to a half",
    ),
    Part(
        "cuts",
        "crediblenet.enumeration.part_work",
        "CUTTING",
        False,
        "a part that clusters do not bound well is split at once",
    ),
    Part(
        "dual ascent",
        "crediblenet.enumeration.part_work",
        "ASCENDING",
        False,
        "states of the compiler are bounded by multipliers and independent choices",
    ),
    Part(
        "multipliers in states",
        "crediblenet.enumeration.part_work",
        "guide",
        no_guide,
        "states of the compiler are bounded by dual ascent alone",
    ),
    Part(
        "probing",
        "crediblenet.enumeration.part_work",
        "MANY_DEAD_ENDS",
        math.inf,
        "no option is tried before its variable's turn",
    ),
    Part(
        "layers",
        "crediblenet.enumeration.part_work",
        "LAYERED",
        False,
        "few variables with many networks are compiled like many variables",
    ),
    Part(
        "class level",
        "crediblenet.enumeration.parts_search",
        "FoundClasses",
        no_class_search,
        "the classes are found by comparing all networks",
    ),
)


def find_part(name: str) -> Part:
    """Return a part by its name."""
    return next(part for part in PARTS if part.name == name)
