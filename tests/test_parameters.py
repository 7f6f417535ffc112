"""Probabilities of families: posterior means by hand, and their limits."""

from __future__ import annotations

import numpy as np
import pytest

from crediblenet.data import Dataset, as_dataset
from crediblenet.exceptions import LimitError, ParameterError
from crediblenet.network import Network
from crediblenet.parameters import ParameterPrior, family_table, fit_network


@pytest.fixture
def data() -> Dataset:
    """Six rows of a binary and a three-valued variable; b is never 'w' when a is 'y'."""
    return as_dataset({"a": ["x", "x", "x", "x", "y", "y"], "b": ["u", "u", "v", "w", "v", "v"]})


@pytest.mark.parametrize(
    ("prior", "imagined"),
    [
        (ParameterPrior("bdeu", ess=12.0), 12 / 6),
        (ParameterPrior("k2"), 1.0),
        (ParameterPrior("bic"), 1 / 3),
        (ParameterPrior("aic", smoothing=6.0), 2.0),
        (ParameterPrior("bds", ess=12.0), 12 / 6),
    ],
)
def test_posterior_means(data: Dataset, prior: ParameterPrior, imagined: float) -> None:
    """Counts plus imagined counts, over their sum."""
    counts = np.array([[2.0, 1.0, 1.0], [0.0, 2.0, 0.0]])
    expected = (counts + imagined) / (counts + imagined).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(family_table(data, 1, (0,), prior), expected, rtol=1e-15)


def test_configurations_that_never_occur() -> None:
    """BDs spreads its sample over what occurs; what does not is uniform."""
    data = as_dataset({"a": ["x", "y"], "b": ["u", "v"], "c": ["s", "t"]})
    table = family_table(data, 2, (0, 1), ParameterPrior("bds", ess=4.0))
    assert table.shape == (2, 2, 2)
    np.testing.assert_array_equal(table[0, 1], [0.5, 0.5])
    np.testing.assert_allclose(table[0, 0], [2 / 3, 1 / 3])


def test_fitted_network_has_all_tables(data: Dataset) -> None:
    """Each variable given its parents, labels from the data."""
    fitted = fit_network(Network(("a", "b"), ((1,), ())), data, ParameterPrior("k2"))
    assert fitted.states == (("x", "y"), ("u", "v", "w"))
    np.testing.assert_allclose(fitted.tables[1], [3 / 9, 4 / 9, 2 / 9])
    np.testing.assert_allclose(fitted.tables[0][0], [3 / 4, 1 / 4])


def test_networks_of_other_variables_are_refused(data: Dataset) -> None:
    """The order of the columns counts."""
    with pytest.raises(ParameterError, match="same variables"):
        fit_network(Network(("b", "a"), ((), ())), data, ParameterPrior())


def test_tables_that_would_not_fit() -> None:
    """A table of more than 16 million entries is an error, not a crash."""
    wide = as_dataset({f"v{i}": [str(k) for k in range(8)] for i in range(9)})
    with pytest.raises(LimitError, match="134,217,728 entries"):
        family_table(wide, 8, tuple(range(8)), ParameterPrior())


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_impossible_priors(value: float) -> None:
    """Sample sizes are positive and finite."""
    with pytest.raises(ParameterError, match="ess must be a positive number"):
        ParameterPrior("bdeu", ess=value)
    with pytest.raises(ParameterError, match="smoothing must be"):
        ParameterPrior("bic", smoothing=value)
