"""A limit on the number of parents keeps or leaves out whole equivalence classes."""

from __future__ import annotations

import math
from functools import cache

import pytest

import crediblenet as cn
from crediblenet import reference
from crediblenet.reference import Network
from instances import random_data
from test_against_reference import EPSILONS, dataset_of

EQUIVALENT = ("bic", "bdeu", "aic", "qnml")


@cache
def all_classes(n: int) -> tuple[tuple[Network, ...], ...]:
    """Return every class of `n` variables with all its networks."""
    by_class = reference.group_by_class(dict.fromkeys(reference.all_dags(n), 0.0))
    return tuple(map(tuple, by_class.values()))


@pytest.mark.parametrize(("n", "classes"), [(2, 2), (3, 11), (4, 185), (5, 8782)])
def test_the_largest_number_of_parents_belongs_to_the_class(n: int, classes: int) -> None:
    """Proved in docs/algorithm.md; here it is seen in every network of up to five variables."""
    assert len(all_classes(n)) == classes
    for members in all_classes(n):
        assert len({max(map(len, network)) for network in members}) == 1, members


@pytest.mark.parametrize("max_parents", [1, 2])
def test_limited_classes_are_whole(max_parents: int) -> None:
    """Networks, classes, sizes and costs are those of all DAGs within the limit."""
    limited = 0
    for seed in range(60):
        data = random_data(seed, variables=(3, 4), rows=(5, 200))
        score = EQUIVALENT[seed % len(EQUIVALENT)]
        epsilon = EPSILONS[seed % len(EPSILONS)]
        costs = reference.local_costs(data.rows, score, max_parents=max_parents)
        expected = reference.networks_within(costs, epsilon)
        unlimited = reference.networks_within(reference.local_costs(data.rows, score), epsilon)
        limited += expected.keys() != unlimited.keys()
        table = cn.score(
            dataset_of(data), score=score, epsilon=epsilon, max_parents=max_parents, threads=1
        )
        late = cn.find(
            cn.score(dataset_of(data), score=score, epsilon=epsilon, threads=1),
            epsilon=epsilon,
            max_parents=max_parents,
            threads=1,
        )
        about = f"{score}, epsilon {epsilon}, {data}"
        assert table.score_equivalent, about
        for result in (cn.find(table, epsilon=epsilon, threads=1), late):
            assert result.table.score_equivalent, about
            assert result.n_networks == len(expected), about
            sizes = {
                reference.markov_class(tuple(map(frozenset, c.representative.parent_sets))): c.size
                for c in result.classes()
            }
            by_class = reference.group_by_class(expected)
            assert sizes == {key: len(members) for key, members in by_class.items()}, about
            for key, members in by_class.items():
                assert sizes[key] == reference.class_size(members[0]), about
    assert limited > 0


def test_large_limited_sets_are_found_by_class() -> None:
    """One network per class is found without listing the others."""
    result = cn.find(cn.example("asia").data, max_parents=1, epsilon=math.log(150))
    assert result.table.score_equivalent
    assert result.n_networks == sum(c.size for c in result.classes())
