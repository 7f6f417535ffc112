"""A scikit-learn classifier that averages over all credible networks."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .category_codes import ColumnCodes
from .credible_set import CredibleSet
from .data import Dataset
from .data.distinct import distinct_rows
from .exceptions import CredibleNetError, ParameterError
from .find import find

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ModuleNotFoundError as error:
    raise CredibleNetError(
        "the classifier needs scikit-learn: pip install 'crediblenet[sklearn]'"
    ) from error

__all__ = ["CredibleClassifier"]


class CredibleClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict a class by averaging over every network that the data cannot rule out.

    The columns and the class together are one data set; its credible set is found as by
    `crediblenet.find`, and the probability of a class is the mean of what its networks say.

    Parameters
    ----------
    network_score, ess, bayes_factor, max_parents
        ``score`` and the others of `crediblenet.find`; `score` is scikit-learn's method.
    average
        Whether to average over the set; otherwise over the optimal networks alone, all of
        which tie.
    prior
        What is equally probable beforehand: ``"dags"`` or ``"classes"``.
    bins
        Numeric columns with more different values are cut into as many bins, each with
        about equally many rows of the training data.
    smoothing
        For scores without a prior of their own: how many imagined rows each parent
        configuration starts with.
    time_limit
        Seconds for the search; when they are over, what was found so far is used, with a
        warning.
    limit, samples
        Networks are listed up to `limit`, and `samples` are drawn when there are more.
    threads
        How many threads the search uses; all processors by default.
    random_state
        Seed of the draws.

    Attributes
    ----------
    classes_
        The classes.
    result_
        The credible set behind the predictions; None when there was nothing to learn from.
    method_
        ``"exact"`` when all networks are averaged, ``"sampling"`` when they were drawn.

    Notes
    -----
    A value that did not occur in training counts as not known: as a child of the class it
    says nothing, and as another parent it is summed out.

    Examples
    --------
    >>> import numpy as np
    >>> from crediblenet.classifier import CredibleClassifier
    >>> X = np.array([["sun"], ["sun"], ["rain"], ["rain"]] * 5)
    >>> y = np.array(["out", "out", "in", "in"] * 5)
    >>> CredibleClassifier().fit(X, y).predict([["rain"], ["sun"]]).tolist()
    ['in', 'out']
    """

    def __init__(
        self,
        *,
        network_score: str = "bic",
        ess: float = 1.0,
        bayes_factor: float = 20.0,
        max_parents: int | None = None,
        average: bool = True,
        prior: Literal["dags", "classes"] = "dags",
        bins: int = 5,
        smoothing: float = 1.0,
        time_limit: float | None = None,
        limit: int = 200_000,
        samples: int = 10_000,
        threads: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.network_score = network_score
        self.ess = ess
        self.bayes_factor = bayes_factor
        self.max_parents = max_parents
        self.average = average
        self.prior = prior
        self.bins = bins
        self.smoothing = smoothing
        self.time_limit = time_limit
        self.limit = limit
        self.samples = samples
        self.threads = threads
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any) -> CredibleClassifier:  # noqa: N803 - scikit-learn's name
        """Find the credible networks of the columns and the class.

        Parameters
        ----------
        X
            A table or array of any values, without missing ones.
        y
            The class of each row.
        """
        if not (isinstance(self.bins, int) and self.bins >= 2):
            raise ParameterError(f"bins must be a whole number of at least 2, not {self.bins!r}")
        X, y = validate_data(self, X, y, dtype=None)  # noqa: N806
        check_classification_targets(y)
        self.classes_, target = np.unique(y, return_inverse=True)
        self._columns = [ColumnCodes.learn(X[:, v], self.bins) for v in range(X.shape[1])]
        codes = self._encode(X)
        # A column with one value has no say, and would only be warned of.
        varying = [v for v in range(len(codes)) if codes[v].min() < codes[v].max()]
        self._used = np.array(varying, dtype=np.intp)
        self._share = np.bincount(target) / len(target)
        self.result_: CredibleSet | None = None
        self.method_ = "exact"
        if len(self._used) and len(self.classes_) > 1:
            self._learn(np.vstack([codes[self._used], target]))
        return self

    def _learn(self, codes: NDArray[np.int64]) -> None:
        names = self._names()
        states = [self._columns[v].labels for v in self._used]
        distinct, weights = distinct_rows(codes.astype(np.uint16))
        data = Dataset(
            names, (*states, tuple(str(c) for c in range(len(self.classes_)))), distinct, weights
        )
        result = find(
            data,
            score=self.network_score,
            ess=self.ess,
            bayes_factor=self.bayes_factor,
            max_parents=self.max_parents,
            time_limit=self.time_limit,
            threads=self.threads,
        )
        if not result.complete:
            warnings.warn(
                f"the search was stopped by {result.stopped_by}; predictions average over the "
                f"{result.n_networks:,} networks found",
                RuntimeWarning,
                stacklevel=3,
            )
        self.result_ = result.with_prior(self.prior)
        used = self.result_ if self.average else self.result_.at(epsilon=0.0)
        self._predictor = used.predictor(
            names[-1],
            smoothing=self.smoothing,
            limit=self.limit,
            samples=self.samples,
            seed=self.random_state,
        )
        self.method_ = self._predictor.method

    def _names(self) -> tuple[str, ...]:
        """Return the names of the columns in use, and a name for the class."""
        given = getattr(self, "feature_names_in_", None)
        names = [str(given[v]) if given is not None else f"x{v}" for v in self._used]
        if len({name.strip() for name in names} - {""}) < len(names):
            names = [f"x{v}" for v in self._used]
        target = "class"
        while target in names:
            target += "_"
        return (*names, target)

    def _encode(self, X: NDArray[Any]) -> NDArray[np.int64]:  # noqa: N803
        return np.array([codes.apply(X[:, v]) for v, codes in enumerate(self._columns)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the probability of each class, in the order of `classes_`."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=None, reset=False)  # noqa: N806
        if self.result_ is None:
            return np.tile(self._share, (len(X), 1))
        codes = self._encode(X)[self._used]
        unused = np.zeros((1, codes.shape[1]), dtype=np.int64)
        return self._predictor.probabilities(np.vstack([codes, unused])).values

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the most probable class of each row."""
        probabilities = self.predict_proba(X)
        return np.asarray(self.classes_[np.argmax(probabilities, axis=1)])
