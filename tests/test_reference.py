"""The oracle itself, against libraries, known numbers and definitions."""

from __future__ import annotations

import itertools
import math
import random

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

from crediblenet import reference
from crediblenet.exceptions import DataError, ParameterError
from crediblenet.reference import LocalCosts, Network, Parents
from crediblenet.reference.gaussian import bge_log_marginal_likelihood, log_determinant
from crediblenet.reference.networks import subsets
from crediblenet.reference.scores import observed_arities
from crediblenet.reference.sinks import is_in_order
from instances import random_continuous_rows, random_data, random_table


def edges(network: Network) -> list[tuple[int, int]]:
    """Return the edges (from, to)."""
    return [(p, child) for child, parents in enumerate(network) for p in sorted(parents)]


# Networks ------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "number"), [(0, 1), (1, 1), (2, 3), (3, 25), (4, 543), (5, 29281)])
def test_number_of_dags(n: int, number: int) -> None:
    """The numbers of labelled DAGs are OEIS A003024, and none is listed twice."""
    dags = reference.all_dags(n)
    assert len(dags) == len(set(dags)) == number


def test_dags_are_acyclic_for_networkx() -> None:
    """Another library agrees that each is acyclic, and that no other graph on 3 is."""
    listed = set(reference.all_dags(3))
    choices = [
        list(
            itertools.chain.from_iterable(
                itertools.combinations([v for v in range(3) if v != child], size)
                for size in range(3)
            )
        )
        for child in range(3)
    ]
    for parents in itertools.product(*choices):
        network = tuple(map(frozenset, parents))
        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from(range(3))
        graph.add_edges_from(edges(network))
        assert nx.is_directed_acyclic_graph(graph) == (network in listed)


def test_six_variables_are_too_many_to_try() -> None:
    """The exhaustive search says where it ends."""
    with pytest.raises(ParameterError, match="at most 5 variables, not for 6"):
        reference.all_dags(6)


def test_no_network_at_all() -> None:
    """Where every choice closes a cycle the credible set is empty."""
    costs: LocalCosts = [{frozenset({1}): 1.0}, {frozenset({0}): 1.0}]
    assert reference.networks_within(costs, 10.0) == {}
    assert reference.networks_within_by_sinks(costs, 10.0) == {}
    assert reference.optimal_cost(costs) == math.inf


@pytest.mark.parametrize("seed", range(300))
def test_two_searches_agree(seed: int) -> None:
    """Taking away sinks finds the same networks with the same costs as trying every DAG."""
    instance = random_table(seed, variables=(2, 4) if seed % 10 else (5, 5))
    tried = reference.networks_within(instance.costs, instance.epsilon)
    built = reference.networks_within_by_sinks(instance.costs, instance.epsilon)
    assert built == tried, instance
    if tried:
        assert reference.optimal_cost(instance.costs) == pytest.approx(min(tried.values()))


def test_sinks_meet_every_dag_once() -> None:
    """With all parent sets at the same cost, the search by sinks lists all 29,281 DAGs."""
    costs = [dict.fromkeys(subsets({0, 1, 2, 3, 4} - {child}), 1.0) for child in range(5)]
    found = reference.networks_within_by_sinks(costs, 0.0)
    assert set(found) == set(reference.all_dags(5))


def test_one_order_of_sinks_per_dag() -> None:
    """Of all orders in which a DAG can be taken apart, exactly one is accepted."""
    for dag in reference.all_dags(4):
        parents = dict(enumerate(dag))
        accepted = [
            order
            for order in itertools.permutations(range(4))
            if all(dag[sink].isdisjoint(order[:k]) for k, sink in enumerate(order))
            and all(is_in_order(sink, order[:k], parents) for k, sink in enumerate(order))
        ]
        assert len(accepted) == 1, dag


def test_threshold_includes_ties_and_tolerance() -> None:
    """A network exactly at the threshold, or within the tolerance above it, is credible."""
    costs: LocalCosts = [{frozenset(): 1.0}, {frozenset(): 1.0, frozenset({0}): 2.0}]
    assert len(reference.networks_within(costs, 1.0)) == 2
    assert len(reference.networks_within(costs, 1.0 - 5e-7)) == 2
    assert len(reference.networks_within(costs, 1.0 - 5e-6)) == 1
    assert len(reference.networks_within(costs, 1.0 - 5e-6, tau=1e-5)) == 2


def test_score_table_is_accepted() -> None:
    """A score table and its dictionaries are the same thing."""
    instance = random_table(3, variables=(4, 4))
    table = instance.table
    assert reference.costs_of_table(table) == list(instance.costs)
    assert reference.networks_within(table, 1.0) == reference.networks_within(instance.costs, 1.0)
    assert reference.optimal_cost(table) == reference.optimal_cost(instance.costs)


# Scores --------------------------------------------------------------------------------


def dense_counts(
    rows: tuple[tuple[int, ...], ...], child: int, parents: list[int], arities: tuple[int, ...]
) -> NDArray[np.float64]:
    """Return the full table n_jk, zeros included, by numpy."""
    codes = np.array([[sorted(set(c)).index(x) for x in c] for c in zip(*rows, strict=True)])
    shape = [arities[p] for p in parents]
    j = np.ravel_multi_index(codes[parents], shape) if parents else np.zeros(len(rows), int)
    table = np.zeros((math.prod(shape), arities[child]))
    np.add.at(table, (j, codes[child]), 1)
    return table


def scipy_cost(score: str, table: NDArray[np.float64], ess: float) -> float:
    """Return the cost from full tables, zeros included, with the functions of scipy."""
    q, r = (int(size) for size in table.shape)
    n_j = table.sum(axis=1)
    fit = -float(special.xlogy(table, table).sum() - special.xlogy(n_j, n_j).sum())
    occurring = n_j > 0
    if score == "bic":
        return fit + q * (r - 1) * math.log(float(n_j.sum())) / 2
    if score == "aic":
        return fit + q * (r - 1)
    if score in ("bdeu", "k2", "bds"):
        a = np.full(table.shape, 1.0 if score == "k2" else ess / (q * r))
        if score == "bds":
            table, n_j = table[occurring], n_j[occurring]
            a = np.full(table.shape, ess / (occurring.sum() * r))
        a_j = a.sum(axis=1)
        return -float(
            (special.gammaln(a_j) - special.gammaln(a_j + n_j)).sum()
            + (special.gammaln(a + table) - special.gammaln(a)).sum()
        )
    raise AssertionError(score)


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", "bds", "k2"])
def test_scores_against_scipy(score: str) -> None:
    """Sums over full tables with scipy give the same cost to 1e-9."""
    for seed in range(60):
        data = random_data(seed)
        ess = random.Random(seed).choice([0.1, 1.0, 10.0])
        arities = observed_arities(data.rows)
        costs = reference.local_costs(data.rows, score, ess=ess)
        for child, options in enumerate(costs):
            for parents, cost in options.items():
                table = dense_counts(data.rows, child, sorted(parents), arities)
                assert cost == pytest.approx(scipy_cost(score, table, ess), abs=1e-9), data


@pytest.mark.parametrize(("n", "values"), list(itertools.product([0, 1, 2, 5, 9], [1, 2, 3, 4])))
def test_regret_is_its_definition(n: int, values: int) -> None:
    """The recurrence gives the sum over all ways to share n rows among the values."""
    total = sum(
        math.factorial(n)
        / math.prod(map(math.factorial, shares))
        * math.prod((h / n) ** h if h else 1.0 for h in shares)
        for shares in itertools.product(range(n + 1), repeat=values)
        if sum(shares) == n
    )
    assert reference.log_nml_regret(n, values) == pytest.approx(math.log(total), abs=1e-12)


def test_regret_of_many_values() -> None:
    """The regret of many values neither overflows nor loses digits."""
    # Two rows are alike in r ways, of likelihood 1, or differ in r(r - 1), of 1/4 each.
    for values in (2, 10, 1000, 100_000):
        expected = math.log(values + values * (values - 1) / 4)
        assert reference.log_nml_regret(2, values) == pytest.approx(expected, rel=1e-12)
    assert 1000 < reference.log_nml_regret(5000, 10_000) < 10_000


def nml_cost(sample: list[int], values: int) -> float:
    """Return -ln of the normalized maximum likelihood of one variable, by brute force."""

    def likelihood(xs: tuple[int, ...]) -> float:
        return math.prod((xs.count(x) / len(xs)) ** xs.count(x) for x in set(xs))

    everything = itertools.product(range(values), repeat=len(sample))
    return -math.log(likelihood(tuple(sample)) / math.fsum(map(likelihood, everything)))


def test_nml_scores_by_their_definitions() -> None:
    """The fNML and qNML of a tiny sample equal sums over all samples of that size."""
    rows = [(0, 0), (0, 1), (1, 1), (0, 0), (1, 1), (0, 0)]
    pairs = [2 * a + b for a, b in rows]
    whole = nml_cost(pairs, 4) - nml_cost([a for a, _ in rows], 2)
    assert reference.local_cost(rows, "qnml", 1, {0}) == pytest.approx(whole, abs=1e-10)
    parts = sum(nml_cost([b for a, b in rows if a == value], 2) for value in (0, 1))
    assert reference.local_cost(rows, "fnml", 1, {0}) == pytest.approx(parts, abs=1e-10)
    alone = nml_cost([b for _, b in rows], 2)
    for score in ("fnml", "qnml"):
        assert reference.local_cost(rows, score, 1, ()) == pytest.approx(alone, abs=1e-10)


@pytest.mark.parametrize("score", reference.DISCRETE_SCORES)
def test_which_scores_are_equivalent(score: str) -> None:
    """Equivalent networks cost the same under a score-equivalent score, and only there."""
    largest = 0.0
    for seed in range(20):
        data = random_data(seed, variables=(3, 3))
        costs = reference.networks_within(reference.local_costs(data.rows, score), 1e9)
        for members in reference.group_by_class(costs).values():
            members_costs = [costs[member] for member in members]
            largest = max(largest, max(members_costs) - min(members_costs))
    if reference.DISCRETE_SCORES[score].score_equivalent:
        assert largest < 1e-9
    else:
        assert largest > 1e-3


def test_declared_states_change_the_score() -> None:
    """A declared state that never occurs costs parameters."""
    rows = [(0, 0), (1, 1), (0, 1), (1, 0)]
    assert reference.local_cost(rows, "aic", 1, {0}, arities=(2, 3)) == pytest.approx(
        reference.local_cost(rows, "aic", 1, {0}) + 2
    )


def test_constant_column_stands_alone() -> None:
    """A column of one value is nobody's parent and has none, whatever is declared."""
    rows = [(0, 7, 0), (1, 7, 1), (1, 7, 0)]
    costs = reference.local_costs(rows, "bic", arities=(2, 3, 2))
    assert list(costs[1]) == [frozenset()]
    assert list(costs[0]) == [frozenset(), frozenset({2})]


def test_parent_limit() -> None:
    """A limit on the parents leaves out larger sets and nothing else."""
    rows = random_data(5, variables=(4, 4), rows=(50, 50)).rows
    limited, unlimited = (reference.local_costs(rows, "bic", max_parents=m) for m in (1, None))
    assert [{p: c for p, c in costs.items() if len(p) <= 1} for costs in unlimited] == limited


def test_unknown_score() -> None:
    """An unknown name is answered with the known ones."""
    with pytest.raises(ParameterError, match=r"unknown score 'bicc'.* bic, aic, bdeu"):
        reference.local_cost([(0,)], "bicc", 0, ())


# Gaussian scores -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_gaussian_bic_is_a_regression(seed: int) -> None:
    """A least-squares fit by numpy has the same log-likelihood and number of parameters."""
    rows = random_continuous_rows(seed)
    x = np.array(rows)
    n = len(rows)
    for child, options in enumerate(reference.local_costs(rows, "bic-g")):
        for parents, cost in options.items():
            design = np.column_stack([np.ones(n), x[:, sorted(parents)]])
            beta = np.linalg.lstsq(design, x[:, child])[0]
            residuals = x[:, child] - design @ beta
            fit = stats.norm.logpdf(residuals, scale=residuals.std()).sum()
            expected = -fit + (len(parents) + 2) * math.log(n) / 2
            assert cost == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_bge_is_a_product_of_predictions(seed: int) -> None:
    """The ln p(data) equals the sum of predictive multivariate t log densities, row by row."""
    rows = random_continuous_rows(seed)
    n = len(rows[0])
    alpha_mu, alpha_w, nu = 1.5, n + 4.0, [0.5] * n
    t = alpha_mu * (alpha_w - n - 1) / (alpha_mu + 1)
    mu, kappa, degrees, precision = np.array(nu), alpha_mu, alpha_w, t * np.eye(n)
    total = 0.0
    for row in np.array(rows):
        df = degrees - n + 1
        shape = precision * (kappa + 1) / (kappa * df)
        total += stats.multivariate_t.logpdf(row, mu, shape, df=df)
        precision = precision + kappa / (kappa + 1) * np.outer(row - mu, row - mu)
        mu = (kappa * mu + row) / (kappa + 1)
        kappa, degrees = kappa + 1, degrees + 1
    found = bge_log_marginal_likelihood(reference.moments(rows), range(n), alpha_mu, alpha_w, nu)
    assert found == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("score", reference.GAUSSIAN_SCORES)
def test_gaussian_scores_are_equivalent(score: str) -> None:
    """Equivalent networks have equal Gaussian costs."""
    for seed in range(5):
        rows = random_continuous_rows(seed, variables=(3, 3))
        costs = reference.networks_within(reference.local_costs(rows, score), 1e9)
        for members in reference.group_by_class(costs).values():
            assert np.ptp([costs[member] for member in members]) < 1e-9


def test_linear_dependence_is_an_error() -> None:
    """A column that is the multiple of another has no Gaussian score."""
    with pytest.raises(DataError, match="linearly dependent"):
        log_determinant([[1.0, 2.0], [2.0, 4.0]])


# Classes -------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "number"), [(1, 1), (2, 2), (3, 11), (4, 185)])
def test_number_of_classes(n: int, number: int) -> None:
    """The numbers of Markov equivalence classes are OEIS A007984."""
    assert len(reference.group_by_class(reference.all_dags(n))) == number


def test_members_by_reversals_are_the_class() -> None:
    """Reversing covered edges reaches exactly the networks of the same class."""
    for members in reference.group_by_class(reference.all_dags(4)).values():
        assert reference.class_members(members[0]) == frozenset(members)
        assert reference.class_size(members[-1]) == len(members)


def test_compelled_edges() -> None:
    """A collider is compelled, and so is the edge that would otherwise make a new one."""
    collider_then_edge: Network = (frozenset(), frozenset(), frozenset({0, 1}), frozenset({2}))
    assert reference.compelled_edges(collider_then_edge) == {(0, 2), (1, 2), (2, 3)}
    chain = (frozenset[int](), frozenset({0}), frozenset({1}))
    assert reference.compelled_edges(chain) == frozenset()


def test_counting_without_listing() -> None:
    """Sizes and compelled edges by rules are those of the listed classes."""
    rng = random.Random(5)
    for dag in (*reference.all_dags(4), *rng.sample(reference.all_dags(5), 300)):
        assert reference.count_class_members(dag) == reference.class_size(dag), dag
        assert reference.compelled_edges_by_rules(dag) == reference.compelled_edges(dag), dag


@pytest.mark.parametrize("n", [3, 6, 8])
def test_sizes_that_are_known(n: int) -> None:
    """A path of n nodes has n orientations, a star n, a clique n factorial."""
    path = tuple(frozenset({v - 1} if v else ()) for v in range(n))
    star = tuple(frozenset({0} if v else ()) for v in range(n))
    clique = tuple(frozenset(range(v)) for v in range(n))
    assert reference.count_class_members(path) == n
    assert reference.count_class_members(star) == n
    assert reference.count_class_members(clique) == math.factorial(n)


def test_collider_patterns_are_finer_than_classes() -> None:
    """Complete networks are one class, but converging pairs tell three patterns apart."""
    complete = [dag for dag in reference.all_dags(3) if len(edges(dag)) == 3]
    assert len(set(map(reference.markov_class, complete))) == 1
    assert len(set(map(reference.collider_pattern, complete))) == 3


# Features ------------------------------------------------------------------------------


def random_weights(seed: int) -> dict[Network, float]:
    """Return random weights of some networks on four variables that add up to 1."""
    rng = random.Random(seed)
    costs = {dag: rng.uniform(0, 5) for dag in rng.sample(reference.all_dags(4), 40)}
    return reference.posterior_weights(costs)


@pytest.mark.parametrize("seed", range(5))
def test_features_against_networkx(seed: int) -> None:
    """Paths, adjacencies and Markov blankets are what networkx says they are."""
    weights = random_weights(seed)
    for a, b in itertools.permutations(range(4), 2):
        path = adjacent = blanket = 0.0
        for network, weight in weights.items():
            graph: nx.DiGraph[int] = nx.DiGraph()
            graph.add_nodes_from(range(4))
            graph.add_edges_from(edges(network))
            path += weight * nx.has_path(graph, a, b)
            adjacent += weight * graph.to_undirected().has_edge(a, b)
            blanket += weight * nx.moral_graph(graph).has_edge(a, b)
        assert reference.probability(reference.ancestor(a, b), weights) == pytest.approx(path)
        assert reference.probability(reference.adjacency(a, b), weights) == pytest.approx(adjacent)
        found = reference.probability(reference.in_markov_blanket(a, b), weights)
        assert found == pytest.approx(blanket)


def test_parent_set_probabilities_add_up() -> None:
    """The parent sets of a variable exclude each other, and an edge is their sum."""
    weights = random_weights(7)
    sets: list[Parents] = list(subsets([0, 1, 3]))
    by_set = {s: reference.probability(reference.has_parent_set(2, s), weights) for s in sets}
    assert sum(by_set.values()) == pytest.approx(1)
    edge = reference.probability(reference.directed_edge(1, 2), weights)
    assert edge == pytest.approx(sum(weight for s, weight in by_set.items() if 1 in s))


def test_v_structure_needs_parents_that_are_not_adjacent() -> None:
    """A collider counts only while its parents have no edge between them."""
    open_collider: Network = (frozenset[int](), frozenset({0, 2}), frozenset[int]())
    closed_collider: Network = (frozenset({2}), frozenset({0, 2}), frozenset[int]())
    weights: dict[Network, float] = {open_collider: 0.75, closed_collider: 0.25}
    for a, b in [(0, 2), (2, 0)]:
        feature = reference.has_v_structure(a, 1, b)
        assert reference.probability(feature, weights) == 0.75
    assert reference.probability(reference.compelled_edge(0, 1), weights) == 0.75
    assert reference.probability(reference.directed_edge(0, 1), weights) == 1.0


def test_two_priors() -> None:
    """Uniform over networks, a class weighs by its size; uniform over classes, it does not."""
    costs = dict.fromkeys(reference.all_dags(2), 5.0)
    adjacency = reference.adjacency(0, 1)
    for prior, expected in (("dags", 2 / 3), ("classes", 1 / 2)):
        weights = reference.posterior_weights(costs, prior)  # type: ignore[arg-type]
        assert reference.probability(adjacency, weights) == pytest.approx(expected)


def test_weights_of_huge_costs() -> None:
    """Costs of a million do not make the weights vanish."""
    empty, edge = (frozenset[int](), frozenset[int]()), (frozenset[int](), frozenset({0}))
    weights = reference.posterior_weights({empty: 1e6, edge: 1e6 + math.log(3)})
    assert weights[empty] == pytest.approx(0.75)
