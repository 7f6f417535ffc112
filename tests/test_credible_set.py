"""The credible set: counts, order, subsets, weights."""

from __future__ import annotations

import gc
import math
import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

import crediblenet as cn
from crediblenet import _core, reference
from crediblenet.credible_set import CredibleSet
from crediblenet.exceptions import LimitError, ParameterError
from crediblenet.level_counts import LevelCounts, Spread
from crediblenet.network_set import Enough, ListedSet, never
from crediblenet.score_table import ScoreTable
from instances import random_data
from listed import listed_set, random_results

NO = frozenset[int]()


@pytest.fixture
def result() -> CredibleSet:
    """Three binary variables with many networks close to the optimum."""
    sets = [
        {frozenset(s): 1.0 + 0.25 * len(s) + 0.125 * v for s in ([], [a], [b], [a, b])}
        for v, (a, b) in enumerate([(1, 2), (0, 2), (0, 1)])
    ]
    table = ScoreTable.from_candidates(["x", "y", "z"], sets)
    return CredibleSet(table, listed_set(table, math.log(20))[0], math.log(20))


class Endless:
    """A set of 10**30 networks at two costs, to see what does not list them."""

    n_variables = 1
    optimal_cost = 10**6 * 2**32

    max_cost = optimal_cost + 2**32
    two = LevelCounts(np.array([optimal_cost, max_cost]), [1, 10**30], 2.0**-32)

    def levels(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return two levels, one nat apart."""
        return self.two.costs, list(self.two.counts)

    def steps(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return how many networks there are up to each of them."""
        return self.two.costs, self.two.running

    def count(self, max_cost: int) -> int:
        """Return how many networks there are up to a cost."""
        return self.two.count(max_cost)

    def cost_at_rank(self, rank: int) -> int | None:
        """Return the cost of a network."""
        return self.two.cost_at_rank(rank)

    def spread(self, max_cost: int) -> Spread:
        """Return how the weight is spread."""
        return self.two.spread(max_cost)

    def candidate_log_weights(
        self, max_cost: int, control: _core.Control | None = None
    ) -> NDArray[np.float64]:
        """Return what one candidate weighs that is in all of them."""
        del control
        count = 10**30 if max_cost >= self.optimal_cost + 2**32 else 0
        return np.array([math.log1p(count * math.exp(-1))])

    def networks(self, max_cost: int, start: int = 0) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """Yield the same network again and again."""
        if start == 0:
            yield self.optimal_cost, np.zeros(1, dtype=np.int32)
        while max_cost > self.optimal_cost:
            yield self.optimal_cost + 2**32, np.zeros(1, dtype=np.int32)

    def blocks(
        self, max_cost: int, size: int, start: int = 0
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """Refuse: nothing may list this set."""
        raise AssertionError((max_cost, size, start))

    def sample(
        self, count: int, seed: int, max_cost: int, is_enough: Enough = never
    ) -> NDArray[np.int32]:
        """Draw the only network there is."""
        del seed, max_cost, is_enough
        return np.zeros((count, 1), dtype=np.int32)


@pytest.fixture
def endless() -> CredibleSet:
    """Return a set far too large to list, with a cost of a million."""
    return CredibleSet(ScoreTable.from_candidates(["v"], [{NO: 1e6}]), Endless(), 2.0)


def test_holds_the_networks_of_brute_force() -> None:
    """The same networks with the same costs, by increasing cost."""
    for instance, found, networks in random_results(range(60)):
        listed = {tuple(frozenset(s) for s in g.parent_sets): g.cost for g in found}
        assert listed == pytest.approx(networks, rel=0, abs=1e-9), instance
        costs = [g.cost for g in found]
        assert costs == sorted(costs), instance  # type: ignore[type-var]
        assert found.n_networks == len(found) == len(networks), instance
        assert found.n_classes == len(reference.group_by_class(networks)), instance
        assert found.optimal_cost == pytest.approx(min(networks.values()), abs=1e-9), instance


def test_subset_without_searching_again() -> None:
    """`at` gives what a search with the smaller factor gives."""
    for instance, found, networks in random_results(range(60)):
        for factor in (1.0, 2.0, 3.0, 20.0):
            if math.log(factor) > found.epsilon:
                with pytest.raises(ParameterError, match="search again"):
                    found.at(bayes_factor=factor)
                continue
            smaller = found.at(bayes_factor=factor)
            best = min(networks.values())
            inside = {g: c for g, c in networks.items() if c <= best + math.log(factor) + 1e-6}
            assert smaller.n_networks == len(inside), instance
            assert smaller.n_classes == len(reference.group_by_class(inside)), instance
            assert len(list(smaller)) == len(inside), instance


def test_a_network_beyond_the_factor_is_not_in_the_set(result: CredibleSet) -> None:
    """Membership follows the level, and the network keeps its cost."""
    part = result.at(epsilon=0.5)
    inside = [network in part for network in result]
    costs = [network.cost or 0.0 for network in result]
    assert inside == [cost - result.optimal_cost <= 0.5 for cost in costs]
    assert True in inside
    assert False in inside
    outside = list(result)[inside.index(False)]
    assert part.cost_of(outside) == outside.cost


def test_classes_are_those_of_brute_force() -> None:
    """Costs, sizes, weights, members and graphs of every class."""
    for instance, found, networks in random_results(range(60)):
        for prior, name in (("dags", "networks"), ("classes", "classes")):
            weights = reference.posterior_weights(networks, name)  # type: ignore[arg-type]
            groups = reference.group_by_class(networks)
            classes = list(found.with_prior(prior).classes())  # type: ignore[arg-type]
            assert len(classes) == len(groups) == found.n_classes, instance
            assert [c.cost for c in classes] == sorted(c.cost for c in classes)
            for c in classes:
                plain = [tuple(frozenset(s) for s in g.parent_sets) for g in c.networks()]
                group = groups[reference.markov_class(plain[0])]
                assert set(plain) == set(group), instance
                assert c.size == len(plain) == len(group), instance
                assert c.weight == pytest.approx(sum(weights[g] for g in group), rel=1e-12)
                assert c.cost == pytest.approx(min(networks[g] for g in group), abs=1e-9)
                assert c.representative in c.networks(), instance
                assert {g.cost for g in c.networks()} <= {g.cost for g in found}
                compelled = {
                    (found.names[a], found.names[b]) for a, b in reference.compelled_edges(plain[0])
                }
                assert set(c.cpdag().directed) == compelled, instance


def test_first_classes_only(result: CredibleSet) -> None:
    """A limit stops early, and a set with too many classes says so."""
    assert [c.cost for c in result.classes(limit=2)] == [c.cost for c in result.classes()][:2]
    with pytest.raises(ParameterError, match="negative"):
        result.classes(limit=-1)


def test_indexing_and_slicing(result: CredibleSet) -> None:
    """A set is a sequence by increasing cost."""
    everything = list(result)
    assert result[0] == everything[0] == result.optimal
    assert result[-1] == everything[-1]
    assert result[2:7] == everything[2:7]
    assert result[::-3] == everything[::-3]
    assert result[5:2] == []
    assert list(result.networks(limit=3, start=2)) == everything[2:5]
    with pytest.raises(IndexError, match="there are 25 networks"):
        result[25]


def test_large_sets_cost_no_more_than_what_is_looked_at(endless: CredibleSet) -> None:
    """10**30 networks can be counted, weighed, and looked at one by one."""
    assert endless.n_networks == 10**30 + 1
    assert endless.n_classes is None
    with pytest.raises(LimitError, match="too many classes"):
        endless.classes()
    assert endless.optimal_cost == 1e6
    assert endless[3].cost == 1e6 + 1
    with pytest.raises(OverflowError, match="use n_networks"):
        len(endless)
    with pytest.raises(LimitError, match=r"iterate over networks\(\)"):
        endless[:]
    spread = endless.coverage()
    assert spread.entropy == pytest.approx(math.log(10**30), rel=1e-12)
    assert spread.effective_networks == pytest.approx(1e30, rel=1e-9)
    assert spread.worst_bayes_factor == pytest.approx(math.e)
    assert endless.at(epsilon=0).n_networks == 1
    assert "1,000,000,000,000,000,000,000,000,000,001 networks" in repr(endless)
    assert bool(endless)


def test_coverage_is_that_of_brute_force() -> None:
    """Entropy, effective number and the weight of the best network."""
    for instance, found, networks in random_results(range(40)):
        weights = reference.posterior_weights(networks).values()
        entropy = -math.fsum(w * math.log(w) for w in weights if w > 0)
        spread = found.coverage()
        assert spread.entropy == pytest.approx(entropy, abs=1e-9), instance
        assert spread.effective_networks == pytest.approx(math.exp(entropy), rel=1e-8), instance
        assert spread.best_weight == pytest.approx(max(weights), rel=1e-9), instance


def test_draws_are_networks_of_the_set(result: CredibleSet) -> None:
    """Draws follow the weights, with any prior, and repeat with the seed."""
    everything = list(result)
    draws = result.sample(500, seed=1)
    assert set(draws) <= set(everything)
    assert [g.cost for g in draws] == [next(e.cost for e in everything if e == g) for g in draws]
    assert draws == result.sample(500, seed=1)
    assert draws != result.sample(500, seed=2)
    sparse = result.with_prior(per_edge=-50.0).sample(20)
    assert all(not g.edges for g in sparse)
    with pytest.raises(ParameterError, match="at least 1"):
        result.sample(0)


@pytest.mark.parametrize("epsilon", [-1.0, math.nan])
def test_impossible_epsilon(result: CredibleSet, epsilon: float) -> None:
    """Negative deviations and no numbers are refused."""
    with pytest.raises(ParameterError, match="epsilon must be zero or more"):
        CredibleSet(result.table, result.network_set, epsilon)
    with pytest.raises(ParameterError, match="zero or more"):
        result.at(epsilon=epsilon)


def test_impossible_levels(result: CredibleSet) -> None:
    """A Bayes factor below one, both spellings at once, or none."""
    with pytest.raises(ParameterError, match="at least 1"):
        result.at(bayes_factor=0.5)
    for both in ({}, {"bayes_factor": 2.0, "epsilon": 1.0}):
        with pytest.raises(ParameterError, match="either"):
            result.at(**both)


def test_sets_and_tables_must_fit(result: CredibleSet) -> None:
    """Networks of other variables are refused."""
    other = ScoreTable.from_candidates(["a"], [{NO: 1.0}])
    with pytest.raises(ParameterError, match="different variables"):
        CredibleSet(result.table, ListedSet(other, [[0]]), 1.0)


def test_classes_take_little_memory() -> None:
    """At most 200 bytes for each class, besides its parent sets."""
    rows = random_data(3, variables=(5, 5), rows=(40, 40)).rows
    columns = {f"V{v}": list(column) for v, column in enumerate(zip(*rows, strict=True))}
    result = cn.find(columns, epsilon=1000.0)  # every network there is
    gc.collect()
    tracemalloc.start()
    try:
        assert result.n_classes == 8782  # all classes of five variables
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    parent_sets = 5 * 4  # one candidate number per variable
    assert kept / 8782 <= 200 + parent_sets
