"""The package against the oracle, on thousands of random instances, set for set."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Iterable

import numpy as np
import pytest

import crediblenet as cn
from brute_force import AllNetworks
from crediblenet import reference
from crediblenet.data import Dataset, as_dataset
from instances import DataInstance, random_data, random_table

EPSILONS = (0.0, math.log(3), math.log(20), math.log(150))

# Each score with the rules that apply to it.
RULES = {
    "bic": ("R1", "R2", "R3", "C4", "R5"),
    "aic": ("R1", "R2", "R3", "R5"),
    "bdeu": ("R1", "R6"),
    "bds": ("R1", "R6"),
    "k2": ("R1", "R6"),
    "fnml": ("R1", "R6"),
    "qnml": ("R1",),
}
# More of the scores that have more rules.
SCORES = ("bic", "bdeu", "bic", "aic", "bdeu", "bic", "aic", "k2", "bds", "fnml", "qnml")

SEEDS_PER_TEST = 100


def dataset_of(data: DataInstance, states: Iterable[int] | None = None) -> Dataset:
    """Return the data as the package takes them; constant columns are no surprise here."""
    columns = {f"V{v}": column for v, column in enumerate(np.array(data.rows).T)}
    declared = (
        None
        if states is None
        else {name: range(k) for name, k in zip(columns, states, strict=True)}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cn.DataWarning)
        return as_dataset(columns, states=declared)


def assert_same_credible_set(
    pruned: AllNetworks, whole: AllNetworks, epsilon: float, about: object
) -> None:
    """See that pruning lost no credible network and let no other in."""
    assert abs(pruned.optimum - whole.optimum) < 1e-8, about
    differences = whole.differences(pruned, epsilon)
    assert not differences, f"{len(differences)} differ, such as {differences[0]}; {about}"


def test_fast_brute_force_is_the_reference() -> None:
    """Adding up with numpy gives the same set as the plain search."""
    for seed in range(60):
        instance = random_table(seed, variables=(2, 4))
        plain = reference.networks_within(instance.costs, instance.epsilon)
        fast = AllNetworks.of(instance.costs)
        dags = reference.all_dags(instance.n_variables)
        within = fast.within(instance.epsilon)
        assert {dag for dag, inside in zip(dags, within, strict=True) if inside} == set(plain)


@pytest.mark.parametrize("first_seed", range(0, 1000, SEEDS_PER_TEST))
def test_pruned_tables_lose_nothing(first_seed: int) -> None:
    """All rules together, and each alone, leave exactly the credible set of all parent sets.

    They do if and only if every parent set that a credible network uses is kept, and every
    cost is right: then no network gets in that was not there.
    """
    for seed in range(first_seed, first_seed + SEEDS_PER_TEST):
        # Every tenth is a sample so small that a limit on the parents bites.
        data = random_data(seed) if seed % 10 else random_data(seed, (5, 5), (1, 9))
        score = SCORES[seed % len(SCORES)]
        ess = random.Random(seed).choice([0.1, 1.0, 10.0])
        costs = reference.local_costs(data.rows, score, ess=ess)
        whole = AllNetworks.of(costs)
        dataset = dataset_of(data)
        together = RULES[score]
        for epsilon in EPSILONS:
            used = whole.used(epsilon)
            for rules in (together, *((rule,) for rule in together)):
                table = cn.score(
                    dataset, score=score, ess=ess, epsilon=epsilon, rules=rules, threads=1
                )
                about = f"{score}, ess {ess}, epsilon {epsilon}, rules {rules}, {data}"
                kept = reference.costs_of_table(table)
                for options, plain, needed in zip(kept, costs, used, strict=True):
                    assert all(abs(cost - plain[ps]) < 1e-9 for ps, cost in options.items()), about
                    assert needed <= options.keys(), about
                if rules == together:  # once more, by comparing the sets themselves
                    assert_same_credible_set(AllNetworks.of(kept), whole, epsilon, about)


@pytest.mark.parametrize(
    ("score", "rule"), [(score, rule) for score, rules in RULES.items() for rule in rules]
)
def test_every_rule_has_work(score: str, rule: str) -> None:
    """Each rule removes something from some of these data, or the tests above say nothing."""
    for seed in range(0, 2200, 10):
        dataset = dataset_of(random_data(seed, (5, 5), (1, 9)))
        table = cn.score(dataset, score=score, epsilon=0.0, rules=[rule], threads=1)
        if table.metadata["removed"][rule]:
            return
    pytest.fail(f"{rule} never removes anything")


@pytest.mark.parametrize("score", RULES)
def test_nothing_pruned(score: str) -> None:
    """With epsilon infinite, the table has every parent set with its cost."""
    for seed in range(30):
        data = random_data(seed)
        table = cn.score(dataset_of(data), score=score, epsilon=math.inf, threads=1)
        expected = reference.local_costs(data.rows, score)
        found = reference.costs_of_table(table)
        assert [options.keys() for options in found] == [options.keys() for options in expected]
        for options, plain in zip(found, expected, strict=True):
            assert options == pytest.approx(plain, abs=1e-9), data


@pytest.mark.parametrize("first_seed", range(0, 200, SEEDS_PER_TEST))
def test_declared_states(first_seed: int) -> None:
    """States that are declared and never occur count, and pruning stays safe."""
    for seed in range(first_seed, first_seed + SEEDS_PER_TEST):
        data = random_data(seed)
        rng = random.Random(seed)
        arities = [max(column) + 1 + rng.randint(0, 2) for column in zip(*data.rows, strict=True)]
        score = SCORES[seed % len(SCORES)]
        epsilon = EPSILONS[seed % len(EPSILONS)]
        costs = reference.local_costs(data.rows, score, arities=arities)
        table = cn.score(dataset_of(data, arities), score=score, epsilon=epsilon, threads=1)
        about = f"{score}, epsilon {epsilon}, arities {arities}, {data}"
        kept = AllNetworks.of(reference.costs_of_table(table))
        assert_same_credible_set(kept, AllNetworks.of(costs), epsilon, about)


@pytest.mark.parametrize("first_seed", range(0, 300, SEEDS_PER_TEST))
def test_constraints(first_seed: int) -> None:
    """Under arc constraints and a parent limit the set is that of the parent sets allowed."""
    for seed in range(first_seed, first_seed + SEEDS_PER_TEST):
        data = random_data(seed, variables=(3, 5), rows=(10, 200))
        rng = random.Random(seed)
        dataset = dataset_of(data)
        order = rng.sample(range(data.n_variables), data.n_variables)
        pairs = [
            (a, b)
            for k, b in enumerate(order)
            for a in order[:k]
            if not {a, b} & set(dataset.constant)
        ]
        required = [pair for pair in pairs if rng.random() < 0.15]
        most_required = max(sum(b == v for _, b in required) for v in order)
        max_parents = rng.choice([None, max(1, most_required), max(2, most_required)])
        forbidden = [
            (a, b)
            for a in order
            for b in order
            if a != b and (a, b) not in required and rng.random() < 0.2
        ]
        score = SCORES[seed % len(SCORES)]
        epsilon = EPSILONS[seed % len(EPSILONS)]
        costs = [
            {
                parents: cost
                for parents, cost in options.items()
                if all(a in parents for a, b in required if b == child)
                and not any(a in parents for a, b in forbidden if b == child)
            }
            for child, options in enumerate(
                reference.local_costs(data.rows, score, max_parents=max_parents)
            )
        ]
        table = cn.score(
            dataset,
            score=score,
            epsilon=epsilon,
            max_parents=max_parents,
            require=[(f"V{a}", f"V{b}") for a, b in required],
            forbid=[(f"V{a}", f"V{b}") for a, b in forbidden],
            threads=1,
        )
        about = (
            f"{score}, epsilon {epsilon}, max_parents {max_parents}, required {required}, "
            f"forbidden {forbidden}, {data}"
        )
        kept = AllNetworks.of(reference.costs_of_table(table))
        assert_same_credible_set(kept, AllNetworks.of(costs), epsilon, about)
        assert not table.score_equivalent or not (required or forbidden), about
