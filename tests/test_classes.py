"""Classes of many networks at once, against the definitions."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from crediblenet import _core, reference
from crediblenet.classes import (
    Bits,
    Sameness,
    are_canonical,
    are_equivalent,
    canonical_members,
    class_sizes,
    cpdags,
    feature_sums,
    group_networks,
    network_hashes,
    pack_networks,
    sample_members,
    v_structure_sums,
)
from crediblenet.enumeration import search
from crediblenet.exceptions import ParameterError
from crediblenet.network_batch import parent_matrix
from crediblenet.scores import score

Parents = tuple[frozenset[int], ...]


@cache
def all_dags(n: int) -> tuple[Parents, ...]:
    """Return every DAG with n variables."""
    return tuple(reference.all_dags(n))


def random_dag(rng: random.Random, n: int, mean_parents: float) -> Parents:
    """Return a DAG along a random order of the variables."""
    order = rng.sample(range(n), n)
    chance = min(1.0, 2 * mean_parents / max(1, n - 1))
    parents: list[frozenset[int]] = [frozenset()] * n
    for i, child in enumerate(order):
        parents[child] = frozenset(p for p in order[:i] if rng.random() < chance)
    return tuple(parents)


def unpacked(block: Bits) -> list[Parents]:
    """Return the networks of a block as sets."""
    return [
        tuple(frozenset(np.flatnonzero(matrix[:, child]).tolist()) for child in range(len(matrix)))
        for matrix in parent_matrix(block)
    ]


@pytest.mark.parametrize(("n", "classes"), [(1, 1), (2, 2), (3, 11), (4, 185), (5, 8782)])
def test_every_small_dag(n: int, classes: int) -> None:
    """Groups, sizes and compelled edges are those of the definitions, for all DAGs."""
    dags = all_dags(n)
    bits = pack_networks(dags)
    groups = defaultdict(list)
    for number, dag in enumerate(dags):
        groups[reference.markov_class(dag)].append(number)
    assert len(groups) == classes

    found = group_networks(bits)
    assert found.max() + 1 == classes
    sizes = class_sizes(bits)
    compelled, reversible = cpdags(bits)
    shared = unpacked(compelled)
    either = unpacked(reversible)
    canonical = canonical_members(bits)
    is_canonical = are_canonical(bits)
    for members in groups.values():
        assert len({int(found[m]) for m in members}) == 1
        always = tuple(frozenset.intersection(*(dags[m][y] for m in members)) for y in range(n))
        ever = tuple(frozenset.union(*(dags[m][y] for m in members)) for y in range(n))
        for m in members:
            assert sizes[m] == len(members)
            assert shared[m] == always
            assert either[m] == tuple(e - a for e, a in zip(ever, always, strict=True))
        assert int(is_canonical[members].sum()) == 1
        chosen = members[int(np.argmax(is_canonical[members]))]
        assert (canonical[members] == bits[chosen]).all()


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_collider_patterns_and_skeletons(n: int) -> None:
    """The other two ways to be the same partition all DAGs as their definitions do."""
    dags = all_dags(n)
    bits = pack_networks(dags)
    ways: list[tuple[Sameness, object]] = [
        ("collider-pattern", [reference.collider_pattern(d) for d in dags]),
        ("skeleton", [reference.skeleton(d) for d in dags]),
        ("class", [reference.markov_class(d) for d in dags]),
    ]
    for same, keys in ways:
        assert isinstance(keys, list)
        number: dict[object, int] = {}
        expected = [number.setdefault(key, len(number)) for key in keys]
        assert group_networks(bits, same).tolist() == expected
        hashes = [tuple(h) for h in network_hashes(bits, same).tolist()]
        assert len(set(hashes)) == len(number)
        assert len(set(zip(hashes, expected, strict=True))) == len(number)


@pytest.mark.parametrize("seed", range(60))
def test_larger_dags_against_covered_edge_reversals(seed: int) -> None:
    """Size, compelled edges and canonical member of random DAGs with 6 to 8 variables."""
    rng = random.Random(seed)
    dag = random_dag(rng, rng.randint(6, 8), rng.choice([0.8, 1.2, 1.6]))
    bits = pack_networks([dag])
    members = reference.class_members(dag)
    assert class_sizes(bits) == [len(members)], dag
    compelled = unpacked(cpdags(bits)[0])[0]
    assert {(x, y) for y, xs in enumerate(compelled) for x in xs} == reference.compelled_edges(dag)
    canonical = unpacked(canonical_members(bits))[0]
    assert canonical in members
    block = pack_networks(sorted(members, key=lambda m: [sorted(s) for s in m]))
    assert (canonical_members(block) == pack_networks([canonical])).all()
    assert are_canonical(block).sum() == 1
    assert not group_networks(block).any()
    for a, b in reference.covered_edges(canonical):
        assert a < b


def test_equivalence_pair_by_pair() -> None:
    """Every pair of networks with three variables."""
    dags = all_dags(3)
    pairs = [(a, b) for a in dags for b in dags]
    found = are_equivalent(pack_networks(a for a, _ in pairs), pack_networks(b for _, b in pairs))
    expected = [reference.markov_class(a) == reference.markov_class(b) for a, b in pairs]
    assert found.tolist() == expected


@pytest.mark.parametrize("seed", range(25))
def test_feature_sums_are_sums_over_members(seed: int) -> None:
    """Directed, compelled, adjacent, blanket and v-structure sums equal those by listing."""
    rng = random.Random(seed)
    n = rng.randint(2, 7)
    dags = [random_dag(rng, n, rng.choice([0.5, 1.0, 1.5])) for _ in range(20)]
    weights = [rng.random() for _ in dags]
    directed, adjacent, compelled, blanket = np.zeros((4, n, n))
    triples: Counter[tuple[int, int, int]] = Counter()
    for dag, weight in zip(dags, weights, strict=True):
        members = reference.class_members(dag)
        for member in members:
            for y, parents in enumerate(member):
                for x in parents:
                    directed[x, y] += weight / len(members)
        for x, y in reference.compelled_edges(dag):
            compelled[x, y] += weight
        for y, parents in enumerate(dag):
            for x in parents:
                adjacent[x, y] += weight
                adjacent[y, x] += weight
        for a in range(n):
            for b in range(n):
                families = [dag[y] | {y} for y in range(n)]
                if a != b and any({a, b} <= family for family in families):
                    blanket[a, b] += weight
        for pair, c in reference.v_structures(dag):
            a, b = sorted(pair)
            triples[(a, c, b)] += weight  # type: ignore[assignment]
    sums = feature_sums(pack_networks(dags), weights)
    np.testing.assert_allclose(sums.directed, directed, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(sums.compelled, compelled, rtol=1e-12)
    np.testing.assert_allclose(sums.adjacent, adjacent, rtol=1e-12)
    np.testing.assert_allclose(sums.blanket, blanket, rtol=1e-12)
    found = v_structure_sums(pack_networks(dags), weights)
    assert [tuple(t) for t in found.triples.tolist()] == sorted(triples)
    np.testing.assert_allclose(found.weights, [triples[t] for t in sorted(triples)], rtol=1e-12)


@pytest.mark.parametrize("n", [64, 65, 70, 130, 300, 512])
def test_wide_networks(n: int) -> None:
    """More variables than a machine word: embedding a network far apart changes nothing."""
    rng = random.Random(n)
    for _ in range(10):
        small = random_dag(rng, 7, 1.3)
        place = sorted(rng.sample(range(n), 7))
        wide: list[frozenset[int]] = [frozenset()] * n
        for y, parents in enumerate(small):
            wide[place[y]] = frozenset(place[x] for x in parents)
        bits, narrow = pack_networks([wide]), pack_networks([small])
        assert class_sizes(bits) == class_sizes(narrow)
        for large, tight in zip(
            (*cpdags(bits), canonical_members(bits)),
            (*cpdags(narrow), canonical_members(narrow)),
            strict=True,
        ):
            expected: list[frozenset[int]] = [frozenset()] * n
            for y, parents in enumerate(unpacked(tight)[0]):
                expected[place[y]] = frozenset(place[x] for x in parents)
            assert unpacked(large) == [tuple(expected)]
        sums, tight_sums = feature_sums(bits, [1.0]), feature_sums(narrow, [1.0])
        assert (sums.directed[np.ix_(place, place)] == tight_sums.directed).all()
        assert np.count_nonzero(sums.directed) == np.count_nonzero(tight_sums.directed)


def test_sizes_beyond_machine_words() -> None:
    """A complete network of k variables has k! members, exactly."""
    factorial = 1
    for k in range(1, 80):
        factorial *= k
        bits = pack_networks([[range(i) for i in range(k)]])
        assert class_sizes(bits) == [factorial]


def test_threads_change_nothing() -> None:
    """Every result is the same, bit for bit, with one thread and with several."""
    rng = random.Random(5)
    dags = [random_dag(rng, 12, 1.2) for _ in range(3000)]
    bits = pack_networks(dags)
    weights = [rng.random() for _ in dags]
    for one, four in (
        (cpdags(bits, threads=1), cpdags(bits, threads=4)),
        (
            (sample_members(bits, seed=3, threads=1),),
            (sample_members(bits, seed=3, threads=4),),
        ),
        ((group_networks(bits, threads=1),), (group_networks(bits, threads=4),)),
    ):
        for a, b in zip(one, four, strict=True):
            assert (a == b).all()
    assert class_sizes(bits, threads=1) == class_sizes(bits, threads=4)
    first = feature_sums(bits, weights, threads=1)
    second = feature_sums(bits, weights, threads=4)
    assert (first.directed == second.directed).all()
    assert (
        v_structure_sums(bits, weights, threads=1).weights
        == v_structure_sums(bits, weights, threads=4).weights
    ).all()


def test_samples_are_uniform_members() -> None:
    """Draws stay in the class and every member comes up about equally often."""
    dag: Parents = (
        frozenset(),
        frozenset({0}),
        frozenset({0, 1}),
        frozenset({1, 2}),
        frozenset({3}),
    )
    members = reference.class_members(dag)
    each = 1000
    block = np.repeat(pack_networks([dag]), each * len(members), axis=0)
    seen = Counter(unpacked(sample_members(block, seed=11)))
    assert set(seen) == members
    # Chi-square: mean k - 1, standard deviation sqrt(2 (k - 1)).
    chi_square = sum((count - each) ** 2 / each for count in seen.values())
    freedom = len(members) - 1
    assert abs(chi_square - freedom) < 5 * (2 * freedom) ** 0.5
    assert (sample_members(block[:50], seed=11) == sample_members(block, seed=11)[:50]).all()
    assert (sample_members(block[:50], seed=12) != sample_members(block[:50], seed=11)).any()


@pytest.mark.parametrize(
    ("name", "networks", "patterns", "classes"),
    [
        ("hepatitis", 580, 105, 102),
        ("tic-tac-toe", 192, 64, 8),
        ("voting", 27, 2, 2),
        ("wine", 308, 51, 7),
        ("zoo", 49, 13, 13),
    ],
)
def test_credible_sets_of_the_paper(
    data_file: Callable[[str], Path], name: str, networks: int, patterns: int, classes: int
) -> None:
    """Credible sets at Bayes factor 3: the paper's networks and |M|, and true classes.

    All members of a class are in the set, so the sizes add up to the number of networks.
    """
    table = score(data_file(name), header=False, bayes_factor=3)
    found = search(table, math.log(3)).network_set
    greatest = int(found.levels()[0][-1])
    rows = np.concatenate([block for _, block in found.blocks(greatest, 1 << 16)])
    bits = table.parents[rows]
    group = group_networks(bits)
    assert len(rows) == networks
    assert group_networks(bits, "collider-pattern").max() + 1 == patterns
    assert group.max() + 1 == classes
    first = np.unique(group, return_index=True)[1]
    assert class_sizes(bits[first]) == np.bincount(group).tolist()


def test_no_networks() -> None:
    """An empty block has empty results."""
    bits = pack_networks([], n_variables=3)
    assert class_sizes(bits) == []
    assert group_networks(bits).shape == (0,)
    assert cpdags(bits)[0].shape == (0, 3, 1)
    assert feature_sums(bits, []).directed.tolist() == np.zeros((3, 3)).tolist()


def test_a_long_call_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C reaches the core: a stopped control ends the call as KeyboardInterrupt."""
    stopped = _core.Control()
    stopped.interrupt()
    monkeypatch.setattr(_core, "Control", lambda: stopped)
    with pytest.raises(KeyboardInterrupt):
        cpdags(pack_networks([[[], [0]]]))


@pytest.mark.parametrize(
    ("bits", "message"),
    [
        (pack_networks([[[], [0]], [[1], [0]]]), "network 1 has a directed cycle"),
        (pack_networks([[[0], []]]), "network 0 has a variable that is its own parent"),
        (np.full((1, 2, 1), 4, dtype=np.uint64), "a parent that is not one of its variables"),
        (np.zeros((1, 2, 2), dtype=np.uint64), "2 variables with 2 words"),
        (np.zeros((1, 513, 9), dtype=np.uint64), "513 variables"),
        (np.zeros((1, 0, 0), dtype=np.uint64), "0 variables"),
        (np.zeros((2, 1), dtype=np.uint64), "pack_networks makes one"),
        (np.zeros((1, 2, 1), dtype=np.int64), "not of int64"),
    ],
)
def test_what_is_no_network(bits: Bits, message: str) -> None:
    """Anything but directed acyclic graphs is refused with one clear line."""
    with pytest.raises(ParameterError, match=message):
        class_sizes(bits)


def test_other_errors() -> None:
    """Bad options are refused with one clear line."""
    bits = pack_networks([[[], [0]]])
    with pytest.raises(ParameterError, match="'class', 'collider-pattern' or 'skeleton'"):
        group_networks(bits, "twins")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="threads must be between 1 and 1024, not 0"):
        class_sizes(bits, threads=0)
    with pytest.raises(ParameterError, match="seed must be between"):
        sample_members(bits, seed=-1)
    with pytest.raises(ParameterError, match="one weight per network"):
        feature_sums(bits, [1.0, 2.0])
    with pytest.raises(ParameterError, match="cannot be compared"):
        are_equivalent(bits, pack_networks([[[], [], []]]))
    with pytest.raises(ParameterError, match="n_variables is needed"):
        pack_networks([])
    with pytest.raises(ParameterError, match="network 1 has 1 parent sets"):
        pack_networks([[[], []], [[]]])
    with pytest.raises(ParameterError, match="parent number 7"):
        pack_networks([[[7], []]])
