"""Prediction by all networks, against the full joint distribution of each."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import crediblenet as cn
from crediblenet import reference
from crediblenet.credible_set import CredibleSet
from crediblenet.data import Dataset, as_dataset
from crediblenet.exceptions import ParameterError
from crediblenet.network import Network
from crediblenet.network_set import ListedSet
from crediblenet.parameters import ParameterPrior, fit_network
from crediblenet.prediction import UNKNOWN
from crediblenet.score_table import ScoreTable
from instances import random_data
from listed import bic_table, listed_set

SEEDS = [s for s in range(40) if s not in (1, 2, 5, 6, 7, 8, 12, 13, 22, 24, 39)]  # no constants


def example(seed: int) -> tuple[CredibleSet, Dataset, dict[reference.Network, float]]:
    """Return the credible set of random data with four columns that vary."""
    rows = random_data(seed, variables=(4, 4), rows=(60, 200)).rows
    columns = zip(*rows, strict=True)
    data = as_dataset({f"V{v}": list(column) for v, column in enumerate(columns)})
    table = bic_table(rows)
    epsilon = math.log(20)
    listed, networks = listed_set(table, epsilon)
    return CredibleSet(table, listed, epsilon, data=data), data, networks


def joint(network: Network, data: Dataset, prior: ParameterPrior) -> NDArray[np.float64]:
    """Return the probability of every combination of values, one axis per variable."""
    fitted = fit_network(network, data, prior)
    n = len(data.names)
    total = np.ones(data.arities)
    for v, parents in enumerate(network.parent_sets):
        shape = [data.arities[u] if u in (*parents, v) else 1 for u in range(n)]
        family = (*parents, v)
        total = total * np.transpose(fitted.tables[v], np.argsort(family)).reshape(shape)
    return total


@pytest.mark.parametrize("seed", SEEDS[:12])
@pytest.mark.parametrize("prior", ["dags", "classes"])
def test_predictions_are_those_of_the_joint_distributions(seed: int, prior: str) -> None:
    """The mean over all networks of P(target | all others), every combination of values."""
    result, data, networks = example(seed)
    name = {"dags": "networks", "classes": "classes"}[prior]
    weights = reference.posterior_weights(networks, name)  # type: ignore[arg-type]
    codes = np.indices(data.arities).reshape(4, -1)
    for target in range(4):
        expected = np.zeros((codes.shape[1], data.arities[target]))
        for g, weight in weights.items():
            network = Network(result.names, tuple(tuple(s) for s in g))
            table = np.moveaxis(joint(network, data, ParameterPrior("bic")), target, -1)
            given = table / table.sum(axis=-1, keepdims=True)
            others = tuple(codes[v] for v in range(4) if v != target)
            expected += weight * given[others]
        predictor = result.with_prior(prior).predictor(f"V{target}")  # type: ignore[arg-type]
        found = predictor.probabilities(codes)
        np.testing.assert_allclose(found.values, expected, rtol=1e-10)
        assert found.method == "exact"
        assert predictor.n_configurations <= result.n_networks


def test_unknown_values_are_taken_out_of_the_families() -> None:
    """An unknown child says nothing; an unknown parent's counts are added up."""
    data = as_dataset(
        {
            "a": ["x", "x", "y", "y", "y", "x"],
            "b": ["u", "v", "u", "v", "v", "v"],
            "t": ["0", "0", "1", "1", "0", "1"],
            "c": ["p", "p", "q", "q", "p", "q"],
        }
    )
    network = Network(data.names, ((), (), (0, 1), (2,)))
    table = ScoreTable.from_candidates(
        data.names, [{frozenset(parents): 1.0} for parents in network.parent_sets]
    )
    alone = CredibleSet(table, ListedSet(table, [[0, 1, 2, 3]]), 0.0, data=data)
    predictor = alone.predictor("t")
    without_b = fit_network(Network(data.names, ((), (), (0,), (2,))), data, ParameterPrior())
    full = fit_network(network, data, ParameterPrior())
    codes = np.array([[0, 0, 0], [0, UNKNOWN, 0], [0, 0, 0], [1, 1, UNKNOWN]])
    found = predictor.probabilities(codes).values

    def normalized(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(values / values.sum())

    child = full.tables[3][:, 1]
    np.testing.assert_allclose(found[0], normalized(full.tables[2][0, 0] * child))
    np.testing.assert_allclose(found[1], normalized(without_b.tables[2][0] * child))
    np.testing.assert_allclose(found[2], full.tables[2][0, 0])


def test_drawn_networks_predict_with_a_standard_error() -> None:
    """Beyond the limit, predictions are means over draws, near the exact ones."""
    for seed in SEEDS[:6]:
        result, data, _ = example(seed)
        codes = np.indices(data.arities).reshape(4, -1)
        exact = result.predictor("V0").probabilities(codes)
        predictor = result.predictor("V0", limit=1, samples=2000, seed=5)
        drawn = predictor.probabilities(codes)
        assert drawn.method == "sampling"
        assert predictor.basis == "2,000 networks drawn"
        near = np.abs(exact.values - drawn.values) <= 4 * drawn.standard_errors + 1e-9
        assert near.mean() > 0.99


def test_the_standard_error_is_that_of_the_mean_of_the_draws() -> None:
    """The spread of the draws' own predictions, over the root of their number."""
    result, data, _ = example(0)
    codes = np.indices(data.arities).reshape(4, -1)
    drawn = result.predictor("V0", limit=0, samples=50, seed=4).probabilities(codes)
    prior = ParameterPrior("bic")
    each = []
    for network in result.sample(50, seed=4):
        table = np.moveaxis(joint(network, data, prior), 0, -1)
        share = table / table.sum(axis=-1, keepdims=True)
        each.append(share[tuple(codes[1:])])
    np.testing.assert_allclose(drawn.values, np.mean(each, axis=0), rtol=1e-9)
    errors = np.std(each, axis=0) / math.sqrt(50)
    np.testing.assert_allclose(drawn.standard_errors, errors, rtol=1e-6, atol=1e-8)
    assert errors.max() > 0


def test_one_network_predicts_alone() -> None:
    """The best network's prediction is that of the set of optimal networks, if it is one."""
    result, data, networks = example(0)
    best = result.at(epsilon=0)
    codes = np.indices(data.arities).reshape(4, -1)
    found = best.predictor("V1").probabilities(codes).values
    assert found.shape == (codes.shape[1], data.arities[1])
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert best.n_networks < len(networks)


def test_prediction_needs_data() -> None:
    """A result from a score file has none, unless it is given some."""
    result, data, _ = example(0)
    bare = CredibleSet(result.table, result.network_set, result.epsilon)
    with pytest.raises(ParameterError, match="needs discrete data"):
        bare.predictor("V0")
    assert bare.predictor("V0", data=data).n_configurations > 0
    with pytest.raises(ParameterError, match="no variable 'x'"):
        result.predictor("x")
    other = as_dataset({"a": [1, 2], "b": [1, 2]})
    with pytest.raises(ParameterError, match="same variables"):
        bare.predictor("V0", data=other)


def test_rows_may_be_a_table(tmp_path: Path) -> None:
    """By the names of its columns, in any order; a loaded run takes its data in any form, too."""
    frame = pd.DataFrame({"a": [0, 1, 0, 1, 1, 0], "b": list("xyxyxx"), "c": [1, 1, 0, 0, 1, 0]})
    result = cn.find(frame, bayes_factor=3)
    predictor = result.predictor("b")
    assert isinstance(result.data, Dataset)
    expected = predictor.probabilities(result.data.encode(frame[:4])).values
    np.testing.assert_array_equal(predictor.probabilities(frame[:4]).values, expected)
    np.testing.assert_array_equal(
        predictor.probabilities(frame[["c", "b", "a"]][:4]).values, expected
    )
    loaded = cn.load(result.save(tmp_path / "run"))
    np.testing.assert_array_equal(
        loaded.predictor("b", data=frame).probabilities(frame[:4]).values, expected
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros((4, 3), dtype=int), "codes must have 3 lines"),
        (np.zeros(3, dtype=int), "codes must have 3 lines"),
        (np.full((3, 1), 7), "none of the states"),
        (pd.DataFrame({"a": [0]}), "column"),
    ],
)
def test_rows_that_do_not_fit(rows: Any, message: str) -> None:
    """One clear error, not one of numpy's."""
    result = cn.find({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1], "c": [1, 1, 0, 1]}, bayes_factor=3)
    with pytest.raises(cn.CredibleNetError, match=message):
        result.predictor("b").probabilities(rows)
