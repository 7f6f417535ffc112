"""Held-out predictions: one network, the average over the credible set, naive Bayes.

Run ``python -m benchmarks.prediction`` for the table in docs/prediction.md. Every data set
comes with scikit-learn; numbers are cut into three bins with equally many training rows. Each
line is the mean over random stratified splits, and the difference between the average and the
single network has the standard error of the paired differences.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.naive_bayes import CategoricalNB

from crediblenet.category_codes import ColumnCodes
from crediblenet.classifier import CredibleClassifier

__all__ = ["SOURCES", "Comparison", "study"]

BINS = 3
Table = tuple[NDArray[np.float64], NDArray[np.int64]]


def breast_cancer() -> Table:
    """Return the ten means; the errors and extremes repeat them."""
    rows, target = load_breast_cancer(return_X_y=True)
    return rows[:, :10], target


def digits() -> Table:
    """Return the 8 x 8 pictures as the means of 2 x 2 pixels: 16 columns."""
    rows, target = load_digits(return_X_y=True)
    return rows.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(len(rows), 16), target


SOURCES: dict[str, Callable[[], Table]] = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "breast cancer": breast_cancer,
    "digits": digits,
}


@dataclass(frozen=True)
class Comparison:
    """Mean log loss and accuracy of each model over the splits.

    Attributes
    ----------
    name, n_train, n_splits
        Which data, how many training rows, how many random splits.
    log_loss, accuracy
        Means by model: ``"best"``, ``"average"``, ``"naive Bayes"``.
    difference, standard_error
        Log loss of the average minus that of the best network, negative when averaging
        helps, with the standard error of the mean of the paired differences.
    networks
        Median number of credible networks.
    """

    name: str
    n_train: int
    n_splits: int
    log_loss: dict[str, float]
    accuracy: dict[str, float]
    difference: float
    standard_error: float
    networks: float


def predictions(
    train: Table, rows: NDArray[np.float64]
) -> tuple[dict[str, NDArray[np.float64]], int]:
    """Return each model's probabilities for held-out rows, and the number of networks."""
    columns = [ColumnCodes.learn(train[0][:, v], BINS) for v in range(rows.shape[1])]

    def coded(values: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.column_stack([codes.apply(values[:, v]) for v, codes in enumerate(columns)])

    fitted, held_out = coded(train[0]), coded(rows)
    average = CredibleClassifier().fit(fitted, train[1])
    best = CredibleClassifier(average=False).fit(fitted, train[1])
    naive = CategoricalNB(min_categories=BINS).fit(fitted, train[1])
    models: dict[str, Any] = {"best": best, "average": average, "naive Bayes": naive}
    found = {name: model.predict_proba(held_out) for name, model in models.items()}
    return found, 0 if average.result_ is None else average.result_.n_networks


def study(name: str, n_train: int, n_splits: int) -> Comparison:
    """Compare the models on random splits of one data set."""
    rows, target = SOURCES[name]()
    splits = StratifiedShuffleSplit(n_splits, train_size=n_train, random_state=0)
    losses: dict[str, list[float]] = {}
    hits: dict[str, list[float]] = {}
    networks = []
    for train, test in splits.split(rows, target):
        found, count = predictions((rows[train], target[train]), rows[test])
        networks.append(count)
        for model, shares in found.items():
            labels = np.arange(shares.shape[1])
            losses.setdefault(model, []).append(log_loss(target[test], shares, labels=labels))
            hits.setdefault(model, []).append(
                accuracy_score(target[test], np.argmax(shares, axis=1))
            )
    paired = np.array(losses["average"]) - np.array(losses["best"])
    return Comparison(
        name,
        n_train,
        n_splits,
        {model: float(np.mean(values)) for model, values in losses.items()},
        {model: float(np.mean(values)) for model, values in hits.items()},
        float(np.mean(paired)),
        float(np.std(paired, ddof=1) / math.sqrt(len(paired))),
        float(np.median(networks)),
    )


def table(comparisons: Iterator[Comparison]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    yield (
        "| data, training rows | networks | log loss: best | average | naive Bayes "
        "| average − best | accuracy: best | average | naive Bayes |"
    )
    yield "|---" * 9 + "|"
    for c in comparisons:
        loss, hits = c.log_loss, c.accuracy
        yield (
            f"| {c.name}, {c.n_train} | {c.networks:,.0f} | {loss['best']:.3f} "
            f"| {loss['average']:.3f} | {loss['naive Bayes']:.3f} "
            f"| {c.difference:+.4f} ± {c.standard_error:.4f} | {hits['best']:.3f} "
            f"| {hits['average']:.3f} | {hits['naive Bayes']:.3f} |"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=30)
    options = parser.parse_args()
    sizes = {
        "iris": (30, 100),
        "wine": (30, 100),
        "breast cancer": (30, 100, 400),
        "digits": (100, 400),
    }
    chosen = (
        study(name, n_train, options.splits) for name, each in sizes.items() for n_train in each
    )
    for line in table(chosen):
        print(line, flush=True)


if __name__ == "__main__":
    main()
