"""What the networks of a credible set agree on, and what they leave open."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from .edge_probabilities import EdgeProbabilities

__all__ = ["Agreement", "PairOpinion", "agreement"]

#: From here on a probability counts as one: the sums behind it are rounded.
CERTAIN = 1 - 1e-9


@dataclass(frozen=True)
class PairOpinion:
    """How the networks judge one pair of variables, the likelier direction first.

    Attributes
    ----------
    source, target
        The variables; source -> target is at least as probable as the reverse.
    adjacency
        Probability of an edge in either direction.
    forward, backward
        Probability of source -> target, and of target -> source.
    """

    source: str
    target: str
    adjacency: float
    forward: float
    backward: float


@dataclass(frozen=True)
class Agreement:
    """The pairs of variables, sorted by how the networks judge them.

    Attributes
    ----------
    directed
        In every network there is an edge, in the same direction.
    adjacent
        In every network there is an edge, but its direction differs.
    contested
        An edge in some networks and none in others: the most undecided first.
    n_absent
        How many pairs are adjacent in no network at all.
    """

    directed: tuple[PairOpinion, ...]
    adjacent: tuple[PairOpinion, ...]
    contested: tuple[PairOpinion, ...]
    n_absent: int

    def most_probable(self, count: int) -> list[PairOpinion]:
        """Return the contested pairs that most likely have an edge."""
        return sorted(self.contested, key=lambda pair: _rank(-pair.adjacency, pair))[:count]


def _rank(number: float, pair: PairOpinion) -> tuple[float, str, str]:
    """Return a sort key: by number, ties by name, so that column order plays no part."""
    return round(number, 9), pair.source, pair.target


def agreement(edges: EdgeProbabilities) -> Agreement:
    """Sort the pairs of variables by what the networks say about them.

    Parameters
    ----------
    edges
        The edge probabilities of a credible set.

    Returns
    -------
    Agreement
        Pairs with equal numbers are in the order of their names.
    """
    names, p, q = edges.names, edges.directed.values, edges.adjacent.values
    directed, adjacent, contested = [], [], []
    n_absent = 0
    by_name = sorted(range(len(names)), key=lambda i: names[i])
    for a, b in itertools.combinations(by_name, 2):
        if q[a, b] <= 0:
            n_absent += 1
            continue
        # Equally probable directions, up to rounding, stay in the order of the names.
        i, j = (b, a) if p[b, a] > p[a, b] + 1e-9 else (a, b)
        pair = PairOpinion(names[i], names[j], float(q[i, j]), float(p[i, j]), float(p[j, i]))
        if pair.forward >= CERTAIN:
            directed.append(pair)
        elif pair.adjacency >= CERTAIN:
            adjacent.append(pair)
        else:
            contested.append(pair)
    contested.sort(key=lambda pair: _rank(abs(pair.adjacency - 0.5), pair))
    return Agreement(tuple(directed), tuple(adjacent), tuple(contested), n_absent)
