"""The result of a search: every network within the Bayes factor, and what they agree on."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .credible_classes import NOT_COUNTED, CredibleClasses
from .credible_features import CredibleFeatures
from .credible_networks import CredibleNetworks
from .credible_pictures import CrediblePictures
from .credible_views import CredibleViews
from .data_summary import DataSummary
from .description import as_html, as_text
from .estimate import position
from .exceptions import ParameterError
from .log_space import exp_or_inf
from .members import Members
from .network_set import NetworkSet
from .parameters import ParameterPrior
from .posterior import Effort, EffortOptions
from .prediction import Predictor
from .prior import LogPrior, Prior
from .representatives import Representatives
from .score_table import TOLERANCE, ScoreTable
from .summary import summary

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .data import ContinuousDataset, Dataset

__all__ = ["CredibleSet"]


class CredibleSet(
    CredibleNetworks, CredibleClasses, CredibleFeatures, CredibleViews, CrediblePictures
):
    """Every network whose cost is within epsilon of the optimum.

    Behaves like a sequence of networks by increasing cost, but makes a network only when
    it is looked at: a set of 10^12 networks costs no more than its compiled form.

    Parameters
    ----------
    table
        The candidate parent sets with their costs.
    network_set
        The networks, as the search hands them over.
    epsilon
        How far from the optimum, in nats; infinity for all that `network_set` holds.
    complete
        Whether every such network is there.
    stopped_by
        Why the search ended early: ``"time"``, ``"memory"``, ``"limit"`` or
        ``"interrupted"``; None when it is complete.
    gap
        The optimum is proved up to this many nats; 0.0 when it is proved.
    representatives
        One network per Markov equivalence class, from the class-level search.
    data
        The data that were scored, for parameters and prediction.
    data_summary
        What is known of the data where they are not here, as in a loaded run.
    seconds
        How long each stage took.
    statistics
        What the stages counted.
    notes
        What the user should know, in sentences.

    Examples
    --------
    `crediblenet.find` makes one:

    >>> import crediblenet as cn
    >>> result = cn.find(cn.example("cancer").data, bayes_factor=20)
    >>> result.n_networks, result.n_classes, result.complete
    (5, 2, True)
    >>> [round(network.cost, 3) for network in result[:3]]
    [10605.733, 10608.642, 10608.642]
    >>> round(float(result.edge_probabilities()["Cancer", "Xray"]), 4)
    0.9552
    >>> result.at(bayes_factor=3).n_networks
    1
    """

    def __init__(
        self,
        table: ScoreTable,
        network_set: NetworkSet,
        epsilon: float,
        *,
        complete: bool = True,
        stopped_by: str | None = None,
        gap: float = 0.0,
        representatives: Representatives | None = None,
        data: Dataset | ContinuousDataset | None = None,
        data_summary: DataSummary | None = None,
        seconds: Mapping[str, float] | None = None,
        statistics: Mapping[str, Any] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        if math.isnan(epsilon) or epsilon < 0:
            raise ParameterError(f"epsilon must be zero or more, not {epsilon}")
        if network_set.n_variables != table.n_variables:
            raise ParameterError("the networks and the score table have different variables")
        self.table = table
        self.epsilon = float(epsilon)
        self.complete = complete
        self.stopped_by = stopped_by
        self.gap = gap
        self.data = data
        self.data_summary = data_summary if data is None else DataSummary.of(data)
        self.seconds = dict(seconds or {})
        self.statistics = dict(statistics or {})
        self.prior = Prior()
        self._notes = tuple(notes)
        # Only a complete set from such a table holds its classes as a whole.
        whole = complete and table.score_equivalent
        self._members = Members(table, network_set, whole, representatives)
        self._max_cost = self._cost_limit(self.epsilon)

    # What it is

    @property
    def score(self) -> str:
        """What the costs are: ``"bic"``, ``"bdeu"``, ..."""
        return self.table.score

    @property
    def optimal_cost(self) -> float:
        """The least cost, in nats."""
        return self._members.network_set.optimal_cost * self._members.unit

    @property
    def bayes_factor(self) -> float:
        """How many times more probable than a network the best one may be: exp(epsilon)."""
        # exp(log(20)) is 19.999999999999996, which nobody asked for.
        return float(f"{exp_or_inf(self.epsilon):.12g}")

    @property
    def n_rows(self) -> int | None:
        """The number of rows of the data, None when it is not known."""
        if self.data_summary is not None:
            return self.data_summary.rows
        rows = self.table.metadata.get("rows")
        return None if rows is None else int(rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know, in sentences."""
        # A run that was read back may have more time for its classes than it once had.
        others = tuple(note for note in self._notes if not note.startswith(NOT_COUNTED))
        reason = self.why_no_classes
        return others if reason is None else (*others, reason)

    def list_at_most(
        self,
        count: int,
        draws: int,
        in_time: int | None = None,
        seconds_each: float = math.inf,
    ) -> None:
        """List no more networks or classes than this, for classes and for averages.

        What would need more is left out, or estimated from a sample that says so. May be
        called while another thread looks for classes: that ends within milliseconds.

        Parameters
        ----------
        count
            How many are listed at most.
        draws
            How many are drawn at most.
        in_time
            How many could be listed in the time that there is, whatever memory they take:
            counting classes may take as long. By default `count`.
        seconds_each
            How long it may take to weigh all networks without listing them, for exact averages,
            and to draw networks where that is given up.

        Raises
        ------
        ParameterError
            When one of them is not at least 1.
        """
        in_time = count if in_time is None else in_time
        least = min(count, draws, in_time)
        if least < 1:
            raise ParameterError(f"at least 1 network must be allowed, not {least}")
        self._members.list_at_most(count, draws, in_time, seconds_each)

    def _cost_limit(self, epsilon: float) -> int:
        """Return the greatest cost in grid units that is within epsilon of the optimum."""
        # So far that it is everything, and not so far that the power of two overflows.
        margin = math.ldexp(min(epsilon, 1e200) + TOLERANCE, self.table.grid_bits)
        top = np.iinfo(np.int64).max
        optimal = self._members.network_set.optimal_cost
        return int(top) if margin > top else min(int(top), optimal + math.floor(margin))

    def predictor(
        self,
        target: str,
        *,
        data: Any = None,
        smoothing: float = 1.0,
        **effort: Unpack[EffortOptions],
    ) -> Predictor:
        """Return a predictor of one variable from the others, by all networks together.

        Parameters
        ----------
        target
            The variable.
        data
            What to estimate the probabilities from, in any form that `find` takes; the data of
            this result by default.
        smoothing
            For scores without a prior of their own: how many imagined rows each parent
            configuration starts with; see `crediblenet.parameters.ParameterPrior`.
        **effort
            `limit`, `samples` and `seed`, as for `edge_probabilities`.

        Raises
        ------
        ParameterError
            When there are no discrete data, or they have other variables.
        """
        from .data import Dataset, as_dataset

        source = self.data if data is None else data
        if data is not None and not isinstance(data, Dataset):
            source = as_dataset(data, **self.statistics.get("data_options", {}))
        if not isinstance(source, Dataset):
            raise ParameterError(
                "prediction needs discrete data: give data=, since this result was made from "
                "a score file, read from a directory or learned from numbers"
            )
        prior = ParameterPrior(self.score, float(self.table.metadata.get("ess", 1.0)), smoothing)
        return Predictor(
            self._posterior(),
            source,
            position(self.names, target),
            prior,
            Effort(**effort),
        )

    # Other views of the same search

    def _view(self, epsilon: float, prior: Prior) -> CredibleSet:
        view = object.__new__(CredibleSet)
        view.__dict__.update(self.__dict__)
        view.epsilon = epsilon
        view.prior = prior
        view._max_cost = self._cost_limit(epsilon)
        return view

    def at(self, *, bayes_factor: float | None = None, epsilon: float | None = None) -> CredibleSet:
        """Return the networks within a smaller Bayes factor, without searching again."""
        if (bayes_factor is None) == (epsilon is None):
            raise ParameterError("give either bayes_factor or epsilon")
        if epsilon is None:
            assert bayes_factor is not None  # noqa: S101 - checked above
            if not bayes_factor >= 1:
                raise ParameterError(f"a Bayes factor is at least 1, not {bayes_factor}")
            epsilon = math.log(bayes_factor)
        if not epsilon >= 0:
            raise ParameterError(f"epsilon must be zero or more, not {epsilon}")
        if epsilon > self.epsilon + 1e-9:
            raise ParameterError(
                f"the search went to a Bayes factor of {self.bayes_factor:.6g} "
                f"(epsilon {self.epsilon:.6g}); search again for {exp_or_inf(epsilon):.6g}"
            )
        return self._view(min(epsilon, self.epsilon), self.prior)

    def with_prior(
        self,
        prior: Literal["dags", "classes"] = "dags",
        *,
        log_prior: LogPrior | None = None,
        per_edge: float = 0.0,
    ) -> CredibleSet:
        """Return the same networks with other prior weights.

        The prior changes the weights, not which networks are in the set.

        Parameters
        ----------
        prior
            ``"dags"`` or ``"classes"``: what is equally probable beforehand.
        log_prior
            Added to the log weight: a function of (variable, parents) summed over the
            variables, or a mapping from (parent, child) to a number.
        per_edge
            Added to the log weight for every edge.

        Notes
        -----
        Exact while the networks (or, for ``"classes"`` alone, the classes) can be listed.
        Beyond that, averages come from draws that are weighted by the prior, with a
        standard error.
        """
        return self._view(self.epsilon, Prior(prior, log_prior, per_edge))

    # In and out

    def summary(self) -> dict[str, Any]:
        """Return the facts of the result, ready for JSON; see `crediblenet.summary`."""
        return summary(self)

    def save(self, directory: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the result into a directory; see `crediblenet.run_directory`.

        Parameters
        ----------
        directory
            Where; it must not be there yet, or be empty.
        overwrite
            Whether an earlier run in that place may be replaced.
        """
        from .run_directory import save

        return save(self, directory, overwrite=overwrite)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)
