"""The result of a search: every network within the Bayes factor, and what they agree on."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .credible_class import CredibleClass
from .credible_features import EFFORT, CredibleFeatures
from .credible_pictures import CrediblePictures
from .credible_views import CredibleViews
from .description import as_html, as_text
from .estimate import position
from .exceptions import LimitError, ParameterError
from .log_space import exp_or_inf
from .members import ClassList, Members, Representatives
from .network import Network
from .network_set import NetworkSet
from .parameters import ParameterPrior
from .posterior import Effort, Posterior
from .prediction import Predictor
from .prior import LogPrior, Prior
from .run_tables import class_table
from .score_table import ScoreTable
from .summary import summary

if TYPE_CHECKING:
    from .data import ContinuousDataset, Dataset

__all__ = ["TOLERANCE", "CredibleSet"]

# A network is credible when its cost is within epsilon of the optimum and this much more,
# so that no rounding in somebody else's score file decides what is in the set.
TOLERANCE = 1e-6

# No more classes than this are listed to count them, nor networks to group them.
CLASS_LIMIT = 500_000

# No slice makes a list longer than this; iterate over `networks()` instead.
_LONGEST_SLICE = 10_000_000


class CredibleSet(CredibleFeatures, CredibleViews, CrediblePictures):
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
    seconds
        How long each stage took.
    statistics
        What the stages counted.
    notes
        What the user should know, in sentences.
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
    def network_set(self) -> NetworkSet:
        """The networks as the search handed them over, in grid units."""
        return self._members.network_set

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.table.names

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
    def n_networks(self) -> int:
        """The exact number of networks."""
        return self._members.count(self._max_cost)

    @property
    def n_classes(self) -> int | None:
        """The exact number of Markov equivalence classes, None when too many to list."""
        classes = self._members.class_list(self._max_cost, CLASS_LIMIT)
        return None if classes is None else len(classes)

    @property
    def known_classes(self) -> int | None:
        """The number of classes if it was counted already; counting takes a while."""
        return self._members.known_classes(self._max_cost)

    @property
    def n_rows(self) -> int | None:
        """The number of rows of the data, None when it is not known."""
        if self.data is not None:
            return self.data.n_rows
        rows = self.table.metadata.get("rows")
        return None if rows is None else int(rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know, in sentences."""
        if self.n_classes is not None:
            return self._notes
        reason = (
            "The classes were not counted: "
            f"there are more than {CLASS_LIMIT:,} classes or networks to list."
        )
        return (*(note for note in self._notes if note != reason), reason)

    def _cost_limit(self, epsilon: float) -> int:
        """Return the greatest cost in grid units that is within epsilon of the optimum."""
        margin = math.ldexp(epsilon + TOLERANCE, self.table.grid_bits)
        top = np.iinfo(np.int64).max
        optimal = self._members.network_set.optimal_cost
        return int(top) if margin > top else min(int(top), optimal + math.floor(margin))

    def _posterior(self) -> Posterior:
        return Posterior(self._members, self._max_cost, self.prior)

    # The networks

    def _network(self, cost: int, rows: NDArray[np.int32]) -> Network:
        return self._members.network(cost, rows)

    def networks(self, limit: int | None = None, start: int = 0) -> Iterator[Network]:
        """Yield the networks by increasing cost.

        Parameters
        ----------
        limit
            Stop after so many; None for all.
        start
            How many to skip.
        """
        if start < 0 or (limit is not None and limit < 0):
            raise ParameterError("limit and start must not be negative")
        return self._networks(limit, start)

    def _networks(self, limit: int | None, start: int) -> Iterator[Network]:
        if limit == 0:
            return
        found = self._members.network_set.networks(self._max_cost, start)
        for number, (cost, rows) in enumerate(found, 1):
            yield self._network(cost, rows)
            if number == limit:
                return

    @property
    def optimal(self) -> Network:
        """An optimal network."""
        return next(self.networks(limit=1))

    def __iter__(self) -> Iterator[Network]:
        return self.networks()

    def __len__(self) -> int:
        """Return the number of networks, where it fits an index; see `n_networks`."""
        count = self.n_networks
        if count > sys.maxsize:
            raise OverflowError(
                f"the set has {count:,} networks, more than len() can say; use n_networks"
            )
        return count

    def __bool__(self) -> bool:
        return True

    @overload
    def __getitem__(self, index: int) -> Network: ...
    @overload
    def __getitem__(self, index: slice) -> list[Network]: ...
    def __getitem__(self, index: int | slice) -> Network | list[Network]:
        """Return a network by its rank, or a list of them for a slice."""
        count = self.n_networks
        if isinstance(index, slice):
            # slice.indices works with whole numbers of any size.
            start, stop, step = index.indices(count)
            wanted = range(start, stop, step)
            low, high = (start, stop) if step > 0 else (stop + 1, start + 1)
            if high - low > _LONGEST_SLICE:
                raise LimitError(
                    f"the slice spans {high - low:,} networks; iterate over networks() instead"
                )
            found = list(self.networks(limit=max(0, high - low), start=low))
            return [found[rank - low] for rank in wanted]
        rank = index + count if index < 0 else index
        if not 0 <= rank < count:
            raise IndexError(f"there are {count:,} networks, no number {index}")
        return next(self.networks(limit=1, start=rank))

    def sample(self, count: int, seed: int = 0) -> list[Network]:
        """Draw networks from the posterior over the set, independently, with replacement.

        Exact for the plain weights however large the set is; with another prior the
        networks must be few enough to list.

        Raises
        ------
        LimitError
            When a prior asks for listing and there are too many networks.
        """
        if count < 1:
            raise ParameterError(f"the number of samples must be at least 1, not {count}")
        posterior = self._posterior()
        if posterior.is_plain:
            rows = self.network_set.sample(count, seed, self._max_cost)
        else:
            weighted = posterior.networks(EFFORT.limit)
            if weighted is None:
                raise LimitError(
                    f"{self.n_networks:,} networks are too many to draw from with this prior; "
                    'use prior "dags" and weight the draws, or a smaller Bayes factor'
                )
            chosen = np.random.default_rng(seed).choice(
                len(weighted.rows), size=count, p=weighted.weights
            )
            rows = weighted.rows[chosen]
        costs = self._members.costs(rows)
        return [self._network(int(c), r) for c, r in zip(costs, rows, strict=True)]

    def cost_of(self, network: Network) -> float | None:
        """Return the cost of a network by the scores of this result.

        None when a parent set is not among the candidates: it was pruned, or is forbidden.
        The variables may be in another order.

        Raises
        ------
        ParameterError
            When the network has other variables.
        """
        rows = self._rows_of(network)
        if rows is None:
            return None
        return int(self._members.costs(rows[None])[0]) * self._members.unit

    def _rows_of(self, network: Network) -> NDArray[np.int32] | None:
        if set(network.names) != set(self.names):
            raise ParameterError("the network has other variables than the result")
        place = {name: v for v, name in enumerate(self.names)}
        rows = []
        for name, parents in network.parents.items():
            row = self._members.candidate(place[name], frozenset(place[p] for p in parents))
            if row is None:
                return None
            rows.append((place[name], row))
        return np.array([row for _, row in sorted(rows)], dtype=np.int32)

    def __contains__(self, network: object) -> bool:
        """Say whether a network is in the set; in a partial set, whether it was found."""
        if not isinstance(network, Network) or set(network.names) != set(self.names):
            return False
        rows = self._rows_of(network)
        if rows is None or int(self._members.costs(rows[None])[0]) > self._max_cost:
            return False
        if self.complete:
            return True
        found = self.network_set.networks(self._max_cost)
        return any(np.array_equal(rows, other) for _, other in found)

    def predictor(
        self,
        target: str,
        *,
        data: Dataset | None = None,
        smoothing: float = 1.0,
        limit: int = EFFORT.limit,
        samples: int = EFFORT.samples,
        seed: int = EFFORT.seed,
    ) -> Predictor:
        """Return a predictor of one variable from the others, by all networks together.

        Parameters
        ----------
        target
            The variable.
        data
            What to estimate the probabilities from; the data of this result by default.
        smoothing
            For scores without a prior of their own: how many imagined rows each parent
            configuration starts with; see `crediblenet.parameters.ParameterPrior`.
        limit, samples, seed
            As for `edge_probabilities`.

        Raises
        ------
        ParameterError
            When there are no discrete data, or they have other variables.
        """
        from .data import Dataset

        source = self.data if data is None else data
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
            Effort(limit, samples, seed),
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

    # The classes

    def classes(self, limit: int | None = None) -> Iterator[CredibleClass]:
        """Yield the Markov equivalence classes by increasing cost.

        Parameters
        ----------
        limit
            Stop after so many; None for all.

        Raises
        ------
        LimitError
            When there are too many classes to list.
        """
        if limit is not None and limit < 0:
            raise ParameterError("limit must not be negative")
        return self._classes(*self._weighted_classes(limit), limit)

    def _weighted_classes(self, limit: int | None) -> tuple[ClassList, NDArray[np.float64]]:
        """Return the classes with their weights; the first ones, where that is enough."""
        posterior = self._posterior()
        weights = None
        if limit == 0:
            return self._members.no_classes(), np.zeros(0)
        classes = self._members.class_list(self._max_cost, CLASS_LIMIT)
        if classes is not None:
            weights = posterior.class_weights(classes, CLASS_LIMIT)
        elif limit is not None and limit <= CLASS_LIMIT:
            classes = self._members.first_classes(self._max_cost, limit)
            weights = None if classes is None else posterior.first_class_weights(classes)
        if classes is None or weights is None:
            raise LimitError(
                f"{self.n_networks:,} networks are in too many classes to list; take a smaller "
                "Bayes factor with at()"
            )
        return classes, weights

    def _classes(
        self, classes: ClassList, weights: NDArray[np.float64], limit: int | None
    ) -> Iterator[CredibleClass]:
        for c in range(len(classes) if limit is None else min(limit, len(classes))):
            cost = int(classes.costs[c])
            yield CredibleClass(
                cost=cost * self._members.unit,
                size=classes.sizes[c],
                weight=float(weights[c]),
                representative=self._network(cost, classes.rows[c]),
                _members=None if classes.listing is None else partial(self._listed, classes, c),
            )

    def _listed(self, classes: ClassList, number: int) -> Iterator[Network]:
        """Yield the listed networks of one class."""
        listing, member_of = classes.listing, classes.member_of
        if listing is not None and member_of is not None:
            for g in np.flatnonzero(member_of == number).tolist():
                yield self._network(int(listing.costs[g]), listing.rows[g])

    # In and out

    def summary(self) -> dict[str, Any]:
        """Return the facts of the result, ready for JSON; see `crediblenet.summary`."""
        return summary(self)

    def class_table(self, limit: int = CLASS_LIMIT) -> pa.Table:
        """Return the classes as an Arrow table; see `crediblenet.run_tables.class_table`.

        Parameters
        ----------
        limit
            At most so many, the best ones.
        """
        classes, weights = self._weighted_classes(limit)
        if len(classes) > limit:
            classes, weights = classes.first(limit), weights[:limit]
        return class_table(self, classes, weights, self._members.unit)

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
