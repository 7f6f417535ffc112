"""Classes of 100,000 random networks; the answers are checked against slow definitions."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from crediblenet import reference
from crediblenet.classes import (
    Bits,
    canonical_members,
    class_sizes,
    cpdags,
    feature_sums,
    group_networks,
)
from crediblenet.network_batch import parent_matrix

pytestmark = pytest.mark.benchmark(min_rounds=3, max_time=0.5)

NETWORKS = 100_000
# Classes with more members are not walked through to check them.
MOST_MEMBERS = 200

Parents = tuple[frozenset[int], ...]


def random_networks(n: int, seed: int) -> Bits:
    """Return networks with 1.5 parents per variable on average, each in an order of its own."""
    rng = np.random.default_rng(seed)
    packed = np.zeros((NETWORKS, n, 1), dtype=np.uint64)
    place = np.argsort(rng.random((NETWORKS, n)), axis=1)
    for parent in range(n):
        earlier = place[:, parent, None] < place
        arc = earlier & (rng.random((NETWORKS, n)) < 3 / (n - 1))
        packed[:, :, 0] |= arc.astype(np.uint64) << np.uint64(parent)
    return packed


@pytest.fixture(scope="module", params=[20, 57])
def networks(request: pytest.FixtureRequest) -> Bits:
    """Return the same networks for every benchmark."""
    return random_networks(request.param, seed=request.param)


def as_sets(network: Bits) -> Parents:
    """Return one network as sets."""
    matrix = parent_matrix(network[None])[0]
    return tuple(frozenset(np.flatnonzero(column).tolist()) for column in matrix.T)


def test_cpdags(benchmark: BenchmarkFixture, networks: Bits) -> None:
    """CPDAGs; compelled edges are those that all members share."""
    compelled, reversible = benchmark(cpdags, networks)
    arcs, edges = parent_matrix(compelled[:2000]), parent_matrix(reversible[:2000])
    given = parent_matrix(networks[:2000])
    assert (arcs | arcs.transpose(0, 2, 1) | edges == given | given.transpose(0, 2, 1)).all()
    small = [g for g, size in enumerate(class_sizes(networks[:200])) if size <= MOST_MEMBERS]
    assert len(small) >= 20
    for g in small:
        expected = reference.compelled_edges(as_sets(networks[g]))
        assert set(zip(*(axis.tolist() for axis in np.nonzero(arcs[g])), strict=True)) == expected


def test_class_sizes(benchmark: BenchmarkFixture, networks: Bits) -> None:
    """Sizes; those of small classes by walking through the class."""
    sizes = benchmark(class_sizes, networks)
    small = [g for g in range(200) if sizes[g] <= MOST_MEMBERS]
    assert len(small) >= 20
    for g in small:
        assert sizes[g] == reference.class_size(as_sets(networks[g]))


def test_canonical_members(benchmark: BenchmarkFixture, networks: Bits) -> None:
    """Canonical members; each is in the class of its network."""
    members = benchmark(canonical_members, networks)
    for g in range(200):
        assert reference.markov_class(as_sets(members[g])) == reference.markov_class(
            as_sets(networks[g])
        )


def test_group_networks(benchmark: BenchmarkFixture, networks: Bits) -> None:
    """Groups; a network and its canonical member are in the same one."""
    half = NETWORKS // 2
    both = np.concatenate([networks[:half], canonical_members(networks[:half])])
    groups = benchmark(group_networks, both)
    assert (groups[:half] == groups[half:]).all()
    assert len(np.unique(groups)) == len(np.unique(both[half:], axis=0))


def test_feature_sums(benchmark: BenchmarkFixture, networks: Bits) -> None:
    """Edge probabilities; the two directions of an edge add up to its adjacency."""
    sums = benchmark(feature_sums, networks, np.full(NETWORKS, 1 / NETWORKS))
    np.testing.assert_allclose(sums.directed + sums.directed.T, sums.adjacent, rtol=1e-9)
