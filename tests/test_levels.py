"""Several Bayes factors from one search."""

from __future__ import annotations

import math

import numpy as np
import pytest

from crediblenet.credible_set import CredibleSet
from crediblenet.exceptions import ParameterError
from listed import listed_set, random_results


def test_each_level_is_what_a_search_gives() -> None:
    """Counts and edge probabilities equal those of a set found with that factor."""
    for instance, found, _ in random_results(range(40)):
        factors = [f for f in (1.0, 2.0, 3.0, 20.0) if math.log(f) <= found.epsilon]
        levels = found.levels(factors)
        for k, factor in enumerate(levels.bayes_factors):
            listed, networks = listed_set(found.table, math.log(factor))
            searched = CredibleSet(found.table, listed, math.log(factor))
            assert levels.n_networks[k] == len(networks), instance
            expected = searched.edge_probabilities(compelled=False).matrix
            np.testing.assert_allclose(levels.edges[k], expected, rtol=1e-12)


def test_levels_without_asking_for_any() -> None:
    """The customary levels as far as the set reaches, and its own."""
    found = next(r for _, r, _ in random_results(range(40)) if r.epsilon == math.log(20))
    assert found.levels().bayes_factors == pytest.approx((3.0, 20.0))
    assert found.at(bayes_factor=5).levels().bayes_factors == pytest.approx((3.0, 5.0))
    with pytest.raises(ParameterError, match="search again for 150"):
        found.levels([3, 150])
    with pytest.raises(ParameterError, match="at least one"):
        found.levels([])
    endless = CredibleSet(found.table, found.network_set, math.inf)
    assert endless.levels().bayes_factors == (3.0, 20.0, 150.0, math.inf)


def test_table_of_levels() -> None:
    """One column per level, edges that move most first."""
    found = max((r for _, r, _ in random_results(range(40))), key=lambda r: r.n_networks)
    levels = found.levels([2, 1])
    frame = levels.to_pandas()
    assert list(frame.columns) == ["source", "target", "bf_1", "bf_2", "range"]
    assert frame.range.is_monotonic_decreasing
    assert (frame.range == (frame.bf_1 - frame.bf_2).abs()).all()
    assert repr(levels).startswith("Levels by Bayes factor (1: ")
