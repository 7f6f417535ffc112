"""Probabilities of features against adding up over all networks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import networkx as nx
import numpy as np
import polars
import pytest
from numpy.typing import NDArray

import crediblenet as cn
from crediblenet import reference
from crediblenet.credible_set import CredibleSet
from crediblenet.exceptions import LimitError, ParameterError
from crediblenet.network_set import ListedSet
from crediblenet.score_table import ScoreTable
from instances import random_data
from listed import GRID_BITS, bic_table, listed_set, random_results

PRIORS = {"dags": "networks", "classes": "classes"}

Relation: TypeAlias = Callable[[int, int], Callable[[reference.Network], bool]]


def brute_force(
    networks: dict[reference.Network, float],
    prior: str,
    relation: Relation,
) -> NDArray[np.float64]:
    """Return the probability of a relation for every pair, network by network."""
    weights = reference.posterior_weights(networks, prior)  # type: ignore[arg-type]
    n = len(next(iter(networks)))
    return np.array(
        [
            [reference.probability(relation(a, b), weights) if a != b else 0.0 for b in range(n)]
            for a in range(n)
        ]
    )


def assert_equal(found: NDArray[np.float64], expected: NDArray[np.float64], instance: str) -> None:
    """Compare to 1e-12 relative."""
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300, err_msg=instance)


@pytest.mark.parametrize("prior", PRIORS)
def test_features_of_pairs_equal_brute_force(prior: str) -> None:
    """Edges, adjacencies, compelled edges, paths and blankets on every small instance."""
    for instance, found, networks in random_results(range(120)):
        result = found.with_prior(prior)  # type: ignore[arg-type]

        def expected(
            relation: Relation, networks: dict[reference.Network, float] = networks
        ) -> NDArray[np.float64]:
            return brute_force(networks, PRIORS[prior], relation)

        edges = result.edge_probabilities()
        assert edges.method == "exact"
        assert edges.compelled is not None
        assert_equal(edges.directed.values, expected(reference.directed_edge), instance)
        assert_equal(edges.adjacent.values, expected(reference.adjacency), instance)
        assert_equal(edges.compelled.values, expected(reference.compelled_edge), instance)
        paths = result.path_probabilities()
        assert_equal(paths.values, expected(reference.ancestor), instance)
        blankets = result.markov_blanket_probabilities()
        assert_equal(blankets.values, expected(reference.in_markov_blanket), instance)
        assert paths.method == blankets.method == "exact"


@pytest.mark.parametrize("prior", PRIORS)
def test_other_features_equal_brute_force(prior: str) -> None:
    """V-structures, parent sets and functions of a network on every small instance."""
    for instance, found, networks in random_results(range(80)):
        result = found.with_prior(prior)  # type: ignore[arg-type]
        weights = reference.posterior_weights(networks, PRIORS[prior])  # type: ignore[arg-type]
        names = result.names
        triples = {
            (names[min(pair)], names[c], names[max(pair)]): reference.probability(
                reference.has_v_structure(min(pair), c, max(pair)), weights
            )
            for g in networks
            for pair, c in reference.v_structures(g)
        }
        listed = result.v_structure_probabilities()
        assert {(v.first, v.child, v.second): float(v.probability) for v in listed} == (
            pytest.approx(triples, rel=1e-12)
        ), instance
        values = [float(v.probability) for v in listed]
        assert values == sorted(values, reverse=True)
        for v, name in enumerate(names):
            sets = {
                tuple(names[p] for p in sorted(g[v])): reference.probability(
                    reference.has_parent_set(v, g[v]), weights
                )
                for g in networks
            }
            shown = result.parent_set_probabilities(name)
            assert {s.parents: float(s.probability) for s in shown} == (
                pytest.approx(sets, rel=1e-12)
            ), instance
        edges = sum(w * sum(map(len, g)) for g, w in weights.items())
        for same in (False, True):  # equivalent networks have as many edges
            mean = result.expectation(lambda g: len(g.edges), same_in_class=same)
            assert float(mean) == pytest.approx(edges, rel=1e-12), instance
        connected = result.probability(lambda g: nx.is_weakly_connected(g.to_networkx()))
        expected = sum(w for g, w in weights.items() if is_connected(g))
        assert float(connected) == pytest.approx(expected, rel=1e-12, abs=1e-300), instance


def is_connected(network: reference.Network) -> bool:
    """Say whether all variables hang together."""
    graph = nx.Graph(reference_edges(network))
    graph.add_nodes_from(range(len(network)))
    return bool(nx.is_connected(graph))


def reference_edges(network: reference.Network) -> list[tuple[int, int]]:
    """Return the edges of a plain network."""
    return [(p, child) for child, parents in enumerate(network) for p in parents]


@pytest.mark.parametrize("over", PRIORS)
def test_priors_of_the_user_equal_brute_force(over: str) -> None:
    """A number per edge and per family, on top of either prior."""
    for instance, found, networks in random_results(range(60)):
        names = found.names

        def family(child: str, parents: tuple[str, ...]) -> float:
            return 0.3 * len(child) - 0.7 * len(parents) ** 2 + 0.1 * ("V1" in parents)

        def log_prior(
            g: reference.Network, family: Any = family, names: tuple[str, ...] = names
        ) -> float:
            return math.fsum(
                family(names[v], tuple(names[p] for p in sorted(s))) - 0.5 * len(s)
                for v, s in enumerate(g)
            )

        result = found.with_prior(over, log_prior=family, per_edge=-0.5)  # type: ignore[arg-type]
        # The reference has no such prior, so the costs are changed before it weighs them.
        best = min(networks.values())
        changed = {g: (cost - best) - log_prior(g) for g, cost in networks.items()}
        relations = (reference.directed_edge, reference.adjacency, reference.compelled_edge)
        edges = result.edge_probabilities()
        assert edges.compelled is not None
        for mean, relation in zip(
            (edges.directed, edges.adjacent, edges.compelled), relations, strict=True
        ):
            expected = brute_force(changed, PRIORS[over], relation)
            assert_equal(mean.values, expected, instance)
        weights = [c.weight for c in result.classes()]
        assert sum(weights) == pytest.approx(1.0, rel=1e-12)
        for c in result.classes():
            plain = [tuple(frozenset(s) for s in g.parent_sets) for g in c.networks()]
            posterior = reference.posterior_weights(changed, PRIORS[over])  # type: ignore[arg-type]
            share = sum(posterior[g] for g in plain)
            assert c.weight == pytest.approx(share, rel=1e-9, abs=1e-300), instance


def test_edge_priors_as_a_mapping() -> None:
    """A mapping from edges to numbers is the same as a function that adds them up."""
    _, found, _ = next(random_results(range(10, 11)))
    names = found.names
    edge = (names[0], names[1])
    mapping = found.with_prior(log_prior={edge: 1.5}).edge_probabilities()
    function = found.with_prior(
        log_prior=lambda child, parents: 1.5 * (child == edge[1] and edge[0] in parents)
    ).edge_probabilities()
    np.testing.assert_allclose(mapping.matrix, function.matrix, rtol=1e-13)


def test_a_log_prior_of_edges_is_of_parent_and_child() -> None:
    """A number for (parent, child) weighs that direction, and only that."""
    for instance, found, networks in random_results(range(40)):
        first, second = found.names[:2]
        result = found.with_prior(log_prior={(first, second): 1.25})
        best = min(networks.values())
        changed = {g: (cost - best) - 1.25 * (0 in g[1]) for g, cost in networks.items()}
        expected = brute_force(changed, "networks", reference.directed_edge)
        assert_equal(result.edge_probabilities().directed.values, expected, instance)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": "uniform"}, 'must be "dags" or "classes"'),
        ({"per_edge": math.inf}, "finite"),
        ({"log_prior": lambda _c, _p: math.nan}, "must be a number or minus infinity"),
        ({"log_prior": {("x", "y"): 1.0}}, "pair of variables out of"),
        ({"log_prior": lambda _c, _p: -math.inf}, "rules out every network"),
    ],
)
def test_impossible_priors(options: dict[str, Any], message: str) -> None:
    """What makes no sense is refused with a clear message."""
    _, found, _ = next(random_results(range(10, 11)))
    with pytest.raises(ParameterError, match=message):
        found.with_prior(**options).path_probabilities()


@pytest.mark.parametrize("prior", PRIORS)
def test_sampling_states_its_error(prior: str) -> None:
    """Beyond the limit every feature is within a few standard errors of the exact value."""
    misses = checks = 0
    for _, found, _ in random_results(range(1, 120)):
        if found.n_networks < 20 or not found.table.score_equivalent:
            continue
        result = found.with_prior(prior)  # type: ignore[arg-type]
        few: dict[str, Any] = {"limit": 5, "samples": 2000, "seed": 7}
        for exact, drawn in (
            (result.path_probabilities(), result.path_probabilities(**few)),
            (result.markov_blanket_probabilities(), result.markov_blanket_probabilities(**few)),
        ):
            assert drawn.method == "sampling"
            assert np.all(drawn.standard_errors[~np.eye(len(result.names), dtype=bool)] > 0)
            distance = np.abs(exact.values - drawn.values) / np.maximum(
                drawn.standard_errors, 1e-12
            )
            misses += int(np.sum(distance > 3))
            checks += distance.size
        triples = {(v.first, v.child, v.second): v for v in result.v_structure_probabilities()}
        for v in result.v_structure_probabilities(**few):
            exact_value = float(triples[v.first, v.child, v.second].probability)
            estimate = v.probability
            misses += abs(exact_value - estimate.value) > 3 * estimate.standard_error
            checks += 1
        exact_mean = result.expectation(lambda g: len(g.edges))
        mean = result.expectation(lambda g: len(g.edges), **few)
        assert mean.method == "sampling"
        assert abs(float(exact_mean) - float(mean)) < 5 * mean.standard_error + 1e-12
    assert checks > 100
    assert misses < 0.02 * checks


@pytest.mark.parametrize("per_edge", [0.0, -0.7])
def test_the_standard_error_is_that_of_a_weighted_mean(per_edge: float) -> None:
    """From the same draws, by the textbook: the root of the sum of w^2 (f - mean)^2."""
    found = next(r for _, r, _ in random_results(range(1, 120)) if r.n_networks >= 20)
    result = found.with_prior(per_edge=per_edge)
    draws = found.sample(400, seed=2)
    weights = np.exp([per_edge * len(g.edges) for g in draws])
    weights /= weights.sum()

    def expected(values: NDArray[np.float64]) -> tuple[float, float]:
        mean = float(weights @ values)
        return mean, math.sqrt(float(np.square(weights) @ np.square(values - mean)))

    few: dict[str, Any] = {"limit": 0, "samples": 400, "seed": 2}
    sizes = result.expectation(lambda g: len(g.edges), **few)
    assert (sizes.value, sizes.standard_error) == pytest.approx(
        expected(np.array([len(g.edges) for g in draws], dtype=float))
    )
    a, b = draws[0].edges[0]
    edge = result.probability(lambda g: g.has_edge(a, b), **few)
    mean, error = expected(np.array([g.has_edge(a, b) for g in draws], dtype=float))
    imagined = (mean**2 + (1 - mean) ** 2) / 400**2  # one draw with the edge, one without
    assert edge.value == pytest.approx(mean)
    assert edge.standard_error == pytest.approx(math.sqrt(error**2 + imagined))
    assert 0 < mean < 1


def test_sampled_edges_under_a_prior_of_the_user() -> None:
    """Draws are weighted by a prior that the network set does not know."""
    for _, found, _ in random_results(range(20, 30)):
        if found.n_networks < 20:
            continue
        result = found.with_prior(per_edge=-0.4)
        exact = result.edge_probabilities()
        drawn = result.edge_probabilities(limit=5, samples=4000, seed=3)
        assert drawn.method == "sampling"
        error = np.maximum(drawn.directed.standard_errors, 1e-9)
        assert np.all(np.abs(exact.matrix - drawn.matrix) < 5 * error)


def test_the_same_seed_gives_the_same_estimate() -> None:
    """Sampling repeats with the seed and differs with another."""
    found = max((r for _, r, _ in random_results(range(20))), key=lambda r: r.n_networks)
    first, again, other = (
        found.path_probabilities(limit=1, samples=100, seed=seed).values for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_classes_cut_by_a_forbidden_arc() -> None:
    """Where a constraint cuts through classes, only the networks in the set count."""
    seen = 0
    for seed in range(30):
        data = random_data(seed, variables=(3, 4), rows=(30, 200))
        whole = bic_table(data.rows)
        limited = ScoreTable.from_candidates(
            whole.names,
            [
                {frozenset(p): c for p, c in whole.candidates(v) if v != 1 or 0 not in p}
                for v in range(whole.n_variables)
            ],
            grid_bits=GRID_BITS,
        )
        listed, networks = listed_set(limited, 3.0)
        result = CredibleSet(limited, listed, 3.0)
        groups = reference.group_by_class(networks)
        sizes = sorted(len(group) for group in groups.values())
        assert sorted(c.size for c in result.classes()) == sizes, data
        seen += sizes != sorted(reference.class_size(min(g, key=str)) for g in groups.values())
        for c in result.classes():
            assert len(list(c.networks())) == c.size
        edges = result.edge_probabilities(prior="classes")
        assert edges.compelled is not None
        expected = brute_force(networks, "classes", reference.compelled_edge)
        assert_equal(edges.compelled.values, expected, repr(data))
        expected = brute_force(networks, "classes", reference.directed_edge)
        assert_equal(edges.directed.values, expected, repr(data))
        with pytest.raises(LimitError, match="cut through the classes"):
            result.with_prior("classes").path_probabilities(limit=0)
    assert seen > 0


def test_more_variables_than_fit_a_word() -> None:
    """Features of networks of 70 variables, whose node sets take two words."""
    rng = np.random.default_rng(5)
    n = 70
    # Parents come earlier in one of two orders, so that both directions occur.
    orders = [rng.permutation(n), rng.permutation(n)]
    networks = []
    for number in range(12):
        order = orders[number % 2].tolist()
        sets: list[frozenset[int]] = [frozenset()] * n
        for k, v in enumerate(order[1:], 1):
            chosen = rng.choice(order[:k], size=min(k, int(rng.integers(0, 3))))
            sets[v] = frozenset(chosen.tolist())
        networks.append(tuple(sets))
    candidates = [{g[v]: float(rng.integers(0, 4)) / 64 for g in networks} for v in range(n)]
    table = ScoreTable.from_candidates([f"V{v}" for v in range(n)], candidates)
    row_of = [
        {frozenset(table.parent_set(r)): r for r in range(*table.offsets[v : v + 2].tolist())}
        for v in range(n)
    ]
    rows = [[row_of[v][g[v]] for v in range(n)] for g in networks]
    result = CredibleSet(table, ListedSet(table, rows), math.inf)
    costs = {g: reference.network_cost(g, reference.costs_of_table(table)) for g in networks}
    weights = reference.posterior_weights(costs)
    edges, paths, blankets = np.zeros((3, n, n))
    for g, weight in weights.items():
        graph = nx.DiGraph(reference_edges(g))
        graph.add_nodes_from(range(n))
        for a, b in graph.edges:
            edges[a, b] += weight
        for b in range(n):
            paths[list(nx.ancestors(graph, b)), b] += weight
            others = {a for a in range(n) if reference.in_markov_blanket(a, b)(g)}
            blankets[list(others), b] += weight
    np.testing.assert_allclose(result.edge_probabilities().matrix, edges, rtol=1e-12)
    np.testing.assert_allclose(result.path_probabilities().values, paths, rtol=1e-12)
    found = result.markov_blanket_probabilities().values
    np.testing.assert_allclose(found, blankets, rtol=1e-12)
    assert result.n_classes == len(reference.group_by_class(costs))


def test_what_estimates_and_tables_show() -> None:
    """Single pairs, rows in order, and the way to pandas and polars."""
    _, found, _ = next(random_results(range(10, 11)))
    edges = found.edge_probabilities()
    first = next(iter(edges))
    assert float(edges[first.source, first.target]) == first.probability
    assert str(edges[first.source, first.target]).endswith("network set)")
    frame = edges.to_pandas()
    assert list(frame.columns) == [
        "source",
        "target",
        "probability",
        "probability_se",
        "adjacency",
        "adjacency_se",
        "compelled",
        "compelled_se",
    ]
    assert len(frame) == len(edges) == len(list(edges))
    assert polars.DataFrame(edges).shape == frame.shape
    assert frame.probability.is_monotonic_decreasing
    assert "probability  adjacency" in repr(edges)
    paths = found.path_probabilities()
    a, b, p = next(iter(paths))
    assert float(paths[a, b]) == p
    assert list(paths.to_pandas().columns) == ["first", "second", "probability", "standard_error"]
    assert polars.DataFrame(paths).height == len(list(paths))
    assert "a directed path leads" in repr(paths)
    with pytest.raises(ParameterError, match="no variable 'x'"):
        paths["x", b]
    sampled = found.path_probabilities(limit=1, samples=10)[a, b]
    assert "±" in str(sampled)


@pytest.mark.parametrize(
    "option", [{"limit": -1}, {"samples": 0}, {"seed": -1}], ids=["limit", "samples", "seed"]
)
def test_impossible_efforts(option: dict[str, int]) -> None:
    """Negative limits, no samples and negative seeds are refused."""
    _, found, _ = next(random_results(range(10, 11)))
    with pytest.raises(ParameterError, match=next(iter(option))):
        found.path_probabilities(**option)


def test_an_edge_of_every_network_has_probability_one() -> None:
    """Exactly, however the weights of the parent sets are rounded."""
    certain = 0
    for seed in range(20):
        result = cn.find(cn.example("asia", 1_000, seed).data, bayes_factor=150.0, threads=1)
        common = set.intersection(*(set(network.edges) for network in result.networks()))
        matrix = result.edge_probabilities().matrix
        for source, target in common:
            assert matrix[result.names.index(source), result.names.index(target)] == 1.0, seed
        certain += len(common)
    assert certain > 20
