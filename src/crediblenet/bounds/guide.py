"""What compiling a part begins with: costs, and multipliers that bound them."""

from __future__ import annotations

from typing import NamedTuple

from .. import _core
from .bounder import Bounder
from .clusters import Clusters
from .part import Part

__all__ = ["Guide", "guide"]


class Guide(NamedTuple):
    """A problem with multipliers that bound its networks.

    Attributes
    ----------
    problem
        The candidates, perhaps with lower costs.
    clusters
        Inequalities with multipliers.
    spared
        By how much every network costs less in `problem` than it should, at least.
    """

    problem: _core.Problem
    clusters: Clusters
    spared: int


def guide(bounder: Bounder, part: Part) -> Guide:
    """Return what compiling a part begins with.

    Cuts are put into the costs. A network's coefficients in a cut add up to at least
    the right side. So if every candidate costs less by its coefficients times the cuts'
    multipliers, every network costs less by at least the right sides times them: a network
    within the limit is within the limit that is lower by that, and the bound of the
    clusters' multipliers is as good as that of all inequalities together. Others may slip
    in; they are left out when networks are counted at their own costs.
    """
    problem = bounder.problem(part.keep)
    if part.strong is None:
        none = Clusters.none(bounder.table.parents.shape[1])
        return Guide(problem, part.clusters or none, 0)
    cuts = part.strong.cuts
    cheaper = bounder.problem(part.keep, bounder.costs - cuts.shares(problem))
    return Guide(cheaper, part.strong.clusters, cuts.worth(problem))
