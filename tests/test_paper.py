"""The numbers of Liao, Sharma, Cussens & van Beek (AAAI 2019), table 1, by the whole program.

Their column |M| counts skeletons with *all* converging pairs ("collider patterns"), which
is finer than Markov equivalence; both numbers are checked here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import crediblenet as cn
from crediblenet import reference

# BIC, Bayes factor 3: networks, collider patterns (the paper's |M|), Markov classes.
TABLE = {
    "wine": (308, 51, 7),
    "tic-tac-toe": (192, 64, 8),
    "zoo": (49, 13, 13),
    "voting": (27, 2, 2),
    "hepatitis": (580, 105, 102),
    "horse": (1643, 246, 244),
}


@pytest.mark.parametrize("name", TABLE)
def test_networks_patterns_and_classes(name: str, data_file: Callable[[str], Path]) -> None:
    """Networks and patterns are the paper's, classes are those of a full enumeration."""
    path = data_file(name)
    result = cn.find(path, header=False, score="bic", bayes_factor=3)
    networks = [tuple(map(frozenset, network.parent_sets)) for network in result.networks()]
    patterns = {reference.collider_pattern(network) for network in networks}
    classes = reference.group_by_class(networks)
    assert (len(networks), len(patterns), len(classes)) == TABLE[name]
    assert result.complete
    assert (result.n_networks, result.n_classes) == (len(networks), len(classes))
    cn.verify(result, path, header=False)
