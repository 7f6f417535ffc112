"""The search against the oracle: the same networks, costs, counts and classes."""

from __future__ import annotations

import math
import random
from collections import Counter
from functools import cache
from typing import Any

import highspy
import numpy as np
import pytest

import crediblenet as cn
from crediblenet import _core, reference
from crediblenet.bounds.clusters import Clusters
from crediblenet.credible_set import CredibleSet
from crediblenet.enumeration import SearchResult, search
from crediblenet.enumeration.crew import ThreadCrew
from crediblenet.enumeration.parts_search import PartsSearch
from crediblenet.enumeration.space import SearchSpace
from crediblenet.exceptions import CredibleNetError
from crediblenet.score_table import ScoreTable
from instances import TableInstance, random_data, random_table
from listed import bic_table, on_grid
from test_against_reference import EPSILONS, SCORES, dataset_of

SEEDS_PER_TEST = 250


def found_networks(table: ScoreTable, epsilon: float) -> dict[reference.Network, float]:
    """Return every network that the search finds, with its cost; none may come twice."""
    return networks_of(table, search(table, epsilon, threads=1))


def networks_of(table: ScoreTable, found: SearchResult) -> dict[reference.Network, float]:
    """Return every network of a search, with its cost; none may come twice."""
    assert found.complete
    assert found.stopped_by is None
    networks = found.network_set
    parents = [frozenset(table.parent_set(row)) for row in range(len(table))]
    costs: dict[reference.Network, float] = {}
    previous = networks.optimal_cost
    for units, rows in networks.networks(2**62):
        assert units >= previous
        previous = units
        network = tuple(parents[row] for row in rows.tolist())
        assert network not in costs
        costs[network] = math.ldexp(units, -table.grid_bits)
    levels, counts = networks.levels()
    assert sum(counts) == len(costs)
    assert dict(zip(levels.tolist(), counts, strict=True)) == count_levels(costs, table.grid_bits)
    return costs


def count_levels(costs: dict[reference.Network, float], grid_bits: int) -> dict[int, int]:
    """Return how many networks there are at each cost, in grid units."""
    levels: dict[int, int] = {}
    for cost in costs.values():
        units = round(math.ldexp(cost, grid_bits))
        levels[units] = levels.get(units, 0) + 1
    return levels


@pytest.mark.parametrize("first_seed", range(0, 1500, SEEDS_PER_TEST))
def test_networks_of_random_tables(first_seed: int) -> None:
    """The search finds exactly the networks of the oracle, each once, at its cost."""
    for seed in range(first_seed, first_seed + SEEDS_PER_TEST):
        instance = random_table(seed)
        table = on_grid(instance.table)
        expected = reference.networks_within_by_sinks(table, instance.epsilon)
        if not expected:
            with pytest.raises(
                CredibleNetError, match="no network can be made of these parent sets"
            ):
                search(table, instance.epsilon)
            continue
        assert found_networks(table, instance.epsilon) == expected, instance


def allow_states(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let attempts at compiling take only so many states."""
    monkeypatch.setattr("crediblenet.enumeration.part_work.ATTEMPT", 0)
    monkeypatch.setattr("crediblenet.enumeration.part_work.FEWEST_STATES", number)
    monkeypatch.setattr("crediblenet.enumeration.part_work.RELAXED_ATTEMPT", number)


def counted_in_equal_searches(number: int) -> Counter[str]:
    """Search random tables, compare with the reference, and add up the statistics."""
    counted: Counter[str] = Counter()
    for seed in range(number):
        instance, table, expected = larger_instance(seed)
        if expected:
            found = search(table, instance.epsilon, threads=1)
            assert networks_of(table, found) == expected, instance
            counted.update(found.statistics)
    return counted


@cache
def larger_instance(seed: int) -> tuple[TableInstance, ScoreTable, dict[reference.Network, float]]:
    """Return a random table of four to eight variables, and the networks that it has."""
    instance = random_table(seed, variables=(4, 8))
    table = on_grid(instance.table)
    return instance, table, reference.networks_within_by_sinks(table, instance.epsilon)


def counted_walks(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return what counts how often clusters are looked for on walks, and found."""
    counted: Counter[str] = Counter()
    annealed = Clusters.annealed

    def counting(*arguments: Any) -> Clusters:
        clusters = annealed(*arguments)
        counted.update(looked=1, found=len(clusters))
        return clusters

    monkeypatch.setattr(Clusters, "annealed", staticmethod(counting))
    return counted


@pytest.mark.parametrize("way", ["search", "relaxation", "splits", "restart", "cuts", "walks"])
def test_ways_that_small_tables_do_not_take(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is for many variables finds the same networks: each way alone."""
    # No table is small enough for the program over subsets.
    monkeypatch.setattr("crediblenet.bounds.method.SUBSET_SECONDS", 1e6)
    monkeypatch.setattr("crediblenet.bounds.bounder.SMALL_BLOCK", 0)
    if way != "search":  # nor for the search over them
        for work in ("WORK_PER_TRY", "WORK_AT_THE_END", "WHOLE_WORK", "PART_WORK"):
            monkeypatch.setattr(f"crediblenet.bounds.bounder.{work}", 0)
    with_cuts = way in ("cuts", "walks")
    if with_cuts or way in ("splits", "restart"):  # and hardly any for one attempt at compiling
        allow_states(2, monkeypatch)
        monkeypatch.setattr("crediblenet.enumeration.part_work.TIGHT", 0.0)
        monkeypatch.setattr("crediblenet.enumeration.parts_search.RESTART_ROUNDS", 0)
    if with_cuts or way == "splits":
        monkeypatch.setattr("crediblenet.enumeration.parts_search.RESTART_WORK", 0)
    monkeypatch.setattr("crediblenet.enumeration.part_work.CUTTING", with_cuts)
    if with_cuts:  # in every part, whether they help or not
        monkeypatch.setattr("crediblenet.enumeration.part_work.TIGHT", -1e9)
        monkeypatch.setattr("crediblenet.bounds.bounder.WORTH_KEEPING", -math.inf)
    if way == "walks":  # as if these were many variables
        monkeypatch.setattr("crediblenet.bounds.bounder.FEW_VARIABLES", 1)
    walks = counted_walks(monkeypatch)
    counted = counted_in_equal_searches(100 if with_cuts else 300)
    assert (walks["looked"] > 0) == (way == "walks")
    assert (walks["found"] > 0) == (way == "walks")
    assert counted["subset_programs"] == 0
    assert counted["linear_programs"] > 0
    assert (counted["subset_searches"] > 0) == (way in ("search", "restart"))
    assert (counted["splits"] > 0) == (with_cuts or way in ("splits", "restart"))
    assert (counted["cut_programs"] > 0) == with_cuts


def test_linear_programs_that_go_round_in_circles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is given up after a step, twice, and solved by the primal method: the same networks."""
    monkeypatch.setattr("crediblenet.bounds.method.SUBSET_SECONDS", 1e6)
    monkeypatch.setattr("crediblenet.bounds.bounder.SMALL_BLOCK", 0)
    monkeypatch.setattr("crediblenet.bounds.relaxation.FEW_STEPS", 1)
    monkeypatch.setattr("crediblenet.bounds.relaxation.STEPS_PER_LINE", 0)
    monkeypatch.setattr("crediblenet.bounds.relaxation.PRIMAL_STEPS", 10**6)
    from_nothing = 0
    clear = highspy.Highs.clearSolver

    def counted(model: highspy.Highs) -> object:
        nonlocal from_nothing
        from_nothing += 1
        return clear(model)

    monkeypatch.setattr(highspy.Highs, "clearSolver", counted)
    assert counted_in_equal_searches(100)["linear_programs"] > 100
    assert from_nothing > 50


@pytest.mark.parametrize("probed", [True, False])
@pytest.mark.parametrize("filtered", [True, False])
def test_exact_parts_that_are_too_large_to_be_compiled_at_once(
    filtered: bool, probed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are split, with and without filtering the halves, and every network is in one."""
    allow_states(1, monkeypatch)
    monkeypatch.setattr("crediblenet.enumeration.part_work.LAYERED", False)
    for attempt in ("FILTERED_ATTEMPT", "EXACT_ATTEMPT", "PROBED_ATTEMPT"):
        monkeypatch.setattr(f"crediblenet.enumeration.part_work.{attempt}", 1)
    if probed:
        monkeypatch.setattr("crediblenet.enumeration.part_work.MANY_DEAD_ENDS", -1)
    if not filtered:
        monkeypatch.setattr("crediblenet.enumeration.part_work.SPLIT_SECONDS", -1.0)
    counted = counted_in_equal_searches(100)
    assert counted["splits"] > 100
    assert counted["linear_programs"] == 0
    assert (counted["subset_programs"] > 100 + counted["splits"]) == filtered


def test_parts_that_are_compiled_layer_by_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the first attempt gives up is done, and every network is found once."""
    allow_states(1, monkeypatch)
    counted = counted_in_equal_searches(600)
    assert counted["layered_parts"] > 400
    assert counted["splits"] == 0


def test_layers_that_take_too_long_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the part is compiled as if they had not been tried, and nothing is there twice."""
    allow_states(1, monkeypatch)
    monkeypatch.setattr("crediblenet.enumeration.part_work.LAYERED_STEPS", 3)
    monkeypatch.setattr("crediblenet.enumeration.part_work.FILTERED_ATTEMPT", 1)
    counted = counted_in_equal_searches(100)
    assert counted["layered_parts"] == 0
    assert counted["splits"] > 100


def test_networks_are_announced_while_parts_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the progress calls found so far are the networks of the parts that are done."""
    monkeypatch.setattr("crediblenet.bounds.method.SUBSET_SECONDS", 1e6)
    monkeypatch.setattr("crediblenet.bounds.bounder.HOPEFUL_GAP", -1.0)
    allow_states(2, monkeypatch)
    monkeypatch.setattr("crediblenet.enumeration.agenda.LEAST_IN_WORK", 1)
    monkeypatch.setattr("crediblenet.enumeration.part_work.TIGHT", 0.0)
    # Tables that are split, and whose first part is not empty.
    for seed in (27, 142, 163, 290):
        instance = random_table(seed, variables=(4, 8))
        control = _core.Control()
        space = SearchSpace.within(on_grid(instance.table), instance.epsilon)
        one = PartsSearch(space, ThreadCrew(space, control, 1), control, lambda _: None)
        found = one.run(None)
        assert found.statistics["splits"] > 0
        assert 0 < control.found < sum(found.network_set.levels()[1])


@pytest.mark.parametrize("first_seed", range(0, 1000, SEEDS_PER_TEST))
def test_networks_and_classes_of_random_data(first_seed: int) -> None:
    """From data to classes: networks, classes, sizes and costs are those of all DAGs."""
    for seed in range(first_seed, first_seed + SEEDS_PER_TEST):
        data = random_data(seed, variables=(2, 4))
        score = SCORES[seed % len(SCORES)]
        epsilon = EPSILONS[seed % len(EPSILONS)]
        table = cn.score(dataset_of(data), score=score, epsilon=epsilon, threads=1)
        found = search(table, epsilon, threads=1)
        result = CredibleSet(
            table, found.network_set, epsilon, representatives=found.representatives
        )
        expected = reference.networks_within(reference.local_costs(data.rows, score), epsilon)
        networks = {
            tuple(map(frozenset, network.parent_sets)): network.cost
            for network in result.networks()
        }
        about = f"{score}, epsilon {epsilon}, {data}"
        assert networks == pytest.approx(expected, abs=1e-8), about
        assert result.n_networks == len(expected), about
        classes = reference.group_by_class(expected)
        sizes = {
            reference.markov_class(tuple(map(frozenset, c.representative.parent_sets))): c.size
            for c in result.classes()
        }
        assert sizes == {key: len(members) for key, members in classes.items()}, about
        assert result.n_classes == len(classes), about


@pytest.mark.parametrize("seed", range(150))
def test_weights_of_candidates(seed: int) -> None:
    """How probable each parent set is comes out as by adding up over the networks."""
    instance = random_table(seed)
    table = on_grid(instance.table)
    expected = reference.networks_within_by_sinks(table, instance.epsilon)
    if not expected:
        return
    networks = search(table, instance.epsilon, threads=1).network_set
    log_weights = networks.candidate_log_weights(2**62)
    best = min(expected.values())
    for child in range(table.n_variables):
        for row in range(int(table.offsets[child]), int(table.offsets[child + 1])):
            parents = frozenset(table.parent_set(row))
            costs = [cost for network, cost in expected.items() if network[child] == parents]
            weight = math.fsum(math.exp(best - cost) for cost in costs)
            found = math.exp(log_weights[row])
            assert found == pytest.approx(weight, rel=1e-9, abs=1e-300), instance


def test_wide_tables_without_a_network() -> None:
    """Cycles that cannot be avoided are found beyond a machine word of variables."""
    n = 70
    cycle = [{frozenset({(v + 1) % n}): 1.0} for v in range(n)]
    names = [f"V{v}" for v in range(n)]
    with pytest.raises(CredibleNetError, match="V0, V1, V2, V3, V4 and 65 more"):
        search(ScoreTable.from_candidates(names, cycle), 1.0)
    cycle[69][frozenset()] = 2.0
    assert found_networks(ScoreTable.from_candidates(names, cycle), 1.0).popitem()[1] == n + 1


def test_columns_in_another_order() -> None:
    """The set does not depend on the order of the variables."""
    for seed in range(150):
        instance = random_table(seed, variables=(4, 8))
        table = on_grid(instance.table)
        if not reference.networks_within_by_sinks(table, 0.0):
            continue
        n = table.n_variables
        order = random.Random(seed).sample(range(n), n)
        place = {v: k for k, v in enumerate(order)}
        plain = reference.costs_of_table(table)
        shuffled = on_grid(
            ScoreTable.from_candidates(
                [table.names[v] for v in order],
                [{frozenset(place[p] for p in ps): c for ps, c in plain[v].items()} for v in order],
            )
        )
        straight = found_networks(table, instance.epsilon)
        turned = {
            tuple(frozenset(order[p] for p in network[place[v]]) for v in range(n)): cost
            for network, cost in found_networks(shuffled, instance.epsilon).items()
        }
        assert turned == straight, instance


def test_draws_have_the_right_frequencies() -> None:
    """Networks are drawn in proportion to exp(-cost)."""
    table = bic_table(random_data(23, variables=(3, 3), rows=(60, 60)).rows)
    expected = reference.posterior_weights(reference.networks_within(table, math.log(20)))
    networks = search(table, math.log(20), threads=1).network_set
    count = 20_000
    drawn: dict[reference.Network, int] = dict.fromkeys(expected, 0)
    for rows in np.asarray(networks.sample(count, 1, 2**62)):
        drawn[tuple(frozenset(table.parent_set(row)) for row in rows.tolist())] += 1
    for network, weight in expected.items():
        # Five standard errors of a binomial frequency.
        assert abs(drawn[network] / count - weight) < 5 * math.sqrt(weight / count)
