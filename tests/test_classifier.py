"""The classifier among scikit-learn's tools."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from crediblenet.classifier import CredibleClassifier
from crediblenet.exceptions import ParameterError


@parametrize_with_checks([CredibleClassifier(bins=3)])  # type: ignore[untyped-decorator]
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    """Every check of scikit-learn's own suite; no failure is expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.fixture
def weather() -> tuple[pd.DataFrame, pd.Series]:
    """Return words, numbers and a column that never changes, with a class."""
    rng = np.random.default_rng(3)
    rain = rng.random(300) < 0.4
    grass = np.where(rng.random(300) < 0.9, rain, ~rain)
    frame = pd.DataFrame(
        {
            "sky": np.where(rain, "grey", "blue"),
            "humidity": rng.normal(size=300) + 2.0 * rain,
            "planet": "earth",
            "class": rng.integers(0, 3, 300),
        }
    )
    return frame, pd.Series(np.where(grass, "wet", "dry"))


def test_tables_with_words_and_numbers(weather: tuple[pd.DataFrame, Any]) -> None:
    """Names of columns are kept; the class finds a name of its own."""
    frame, target = weather
    model = CredibleClassifier().fit(frame, target)
    assert model.result_ is not None
    assert model.result_.names == ("sky", "humidity", "class", "class_")
    assert model.method_ == "exact"
    assert set(model.classes_) == {"dry", "wet"}
    assert model.score(frame, target) > 0.85
    shares = model.predict_proba(frame)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_values_never_seen_before(weather: tuple[pd.DataFrame, Any]) -> None:
    """A new category counts as not known, and a number beyond the range as extreme."""
    frame, target = weather
    model = CredibleClassifier().fit(frame, target)
    strange = frame.head(4).copy()
    strange["sky"] = "green"
    strange["humidity"] = 1e9
    shares = model.predict_proba(strange)
    assert np.all((shares > 0) & (shares < 1))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_average_and_best_alone() -> None:
    """The best networks alone are a part of the average."""
    # Noisy copies of something hidden: many networks over them are about as good.
    rng = np.random.default_rng(1)
    hidden = rng.random(60) < 0.5
    copies = np.where(rng.random((6, 60)) < 0.8, hidden, ~hidden).astype(int)
    frame, target = copies[:5].T, copies[5]
    many, best = (CredibleClassifier(average=a).fit(frame, target) for a in (True, False))
    assert many.result_ is not None
    assert best.result_ is not None
    assert many.result_.n_networks == best.result_.n_networks
    assert not np.array_equal(many.predict_proba(frame), best.predict_proba(frame))
    optimal = best.result_.at(epsilon=0)
    assert best._predictor.basis == f"all {optimal.n_networks:,} networks"


def test_works_with_scikit_learns_tools() -> None:
    """Cross-validation, pipelines, cloning."""
    data = load_iris()
    scores = cross_val_score(CredibleClassifier(bins=3), data.data, data.target, cv=3)
    assert scores.mean() > 0.85
    cut = KBinsDiscretizer(3, encode="ordinal", quantile_method="averaged_inverted_cdf")
    pipeline = make_pipeline(cut, CredibleClassifier())
    assert cross_val_score(pipeline, data.data, data.target, cv=3).mean() > 0.85
    copy = clone(CredibleClassifier(bayes_factor=3.0))
    assert copy.get_params()["bayes_factor"] == 3.0


def test_a_fitted_model_can_be_pickled(weather: tuple[pd.DataFrame, Any]) -> None:
    """With its credible set, which answers as before."""
    frame, target = weather
    model = CredibleClassifier().fit(frame, target)
    assert model.result_ is not None
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    assert np.array_equal(again.predict_proba(frame), model.predict_proba(frame))
    assert again.result_.n_networks == model.result_.n_networks
    assert again.result_.n_classes == model.result_.n_classes


def test_nothing_to_learn_from() -> None:
    """Constant columns leave the shares of the classes; one class is certain."""
    model = CredibleClassifier().fit([["a"], ["a"], ["a"]], ["x", "x", "y"])
    assert model.result_ is None
    np.testing.assert_allclose(model.predict_proba([["b"]]), [[2 / 3, 1 / 3]])
    model = CredibleClassifier().fit([["a"], ["b"]], ["x", "x"])
    assert model.predict([["a"]]).tolist() == ["x"]


@pytest.mark.parametrize("bins", [1, 0, 2.5, "many"])
def test_impossible_bins(bins: Any) -> None:
    """At least two bins, in whole numbers."""
    with pytest.raises(ParameterError, match="bins must be"):
        CredibleClassifier(bins=bins).fit([["a"], ["b"]], ["x", "y"])


def test_many_networks_are_drawn(weather: tuple[pd.DataFrame, Any]) -> None:
    """Beyond the limit the model says that it samples, and repeats with the seed."""
    frame, target = weather
    models = [
        CredibleClassifier(limit=1, samples=50, random_state=4).fit(frame, target) for _ in range(2)
    ]
    assert models[0].method_ == "sampling"
    assert np.array_equal(models[0].predict_proba(frame), models[1].predict_proba(frame))
