"""What the networks of a credible set agree on: the methods that ask for averages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from . import averages
from .averages import ParentSetProbability, VStructureProbability
from .coverage import Coverage, coverage
from .credible_base import CredibleBase
from .edge_probabilities import EdgeProbabilities
from .estimate import FeatureEstimate, FeatureMatrix, position
from .network import Network
from .posterior import Effort, EffortOptions, Posterior
from .prior import Prior

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["CredibleFeatures"]

# A Python function is called on no more networks than this without being asked to.
USER_LIMIT = 50_000


class CredibleFeatures(CredibleBase):
    """The averages over a credible set, each exact or with a stated standard error."""

    def coverage(self) -> Coverage:
        """Return how the weight exp(-cost) is spread over the networks."""
        return coverage(self._posterior())

    def edge_probabilities(
        self,
        *,
        prior: Literal["dags", "classes"] | None = None,
        compelled: bool = True,
        limit: int = Effort.limit,
        samples: int = Effort.samples,
        seed: int = Effort.seed,
    ) -> EdgeProbabilities:
        """Return how probable each edge is over the whole set.

        With the default prior, directed edges and adjacencies are exact without listing
        anything, for up to 10^300 networks.

        Parameters
        ----------
        prior
            Another prior than that of this set; see `with_prior`.
        compelled
            Whether to work out which edges are compelled, which takes classes or networks.
        limit
            List at most so many networks or classes; draw networks when there are more.
        samples, seed
            How many networks to draw then, and from which seed.
        """
        posterior = self._posterior()
        if prior is not None:
            posterior = Posterior(posterior.members, posterior.max_cost, Prior(prior))
        effort = Effort(limit, samples, seed)
        directed = averages.directed_edges(posterior, effort)
        return EdgeProbabilities(
            posterior.members.table.names,
            directed,
            averages.adjacencies(directed),
            posterior.class_features(effort).compelled if compelled else None,
        )

    def parent_set_probabilities(
        self, variable: str, **effort: Unpack[EffortOptions]
    ) -> list[ParentSetProbability]:
        """Return the parent sets that a variable has in the set, most probable first.

        Exact without listing anything under the default prior; `limit`, `samples` and
        `seed` are those of `edge_probabilities`.
        """
        posterior = self._posterior()
        number = position(posterior.members.table.names, variable)
        return averages.parent_sets(posterior, number, Effort(**effort))

    def path_probabilities(self, **effort: Unpack[EffortOptions]) -> FeatureMatrix:
        """Return the probability that a directed path leads from one variable to another.

        `limit`, `samples` and `seed` are those of `edge_probabilities`.
        """
        return averages.path_matrix(self._posterior(), Effort(**effort))

    def markov_blanket_probabilities(self, **effort: Unpack[EffortOptions]) -> FeatureMatrix:
        """Return the probability of being in another variable's Markov blanket.

        `limit`, `samples` and `seed` are those of `edge_probabilities`.
        """
        return averages.blanket_matrix(self._posterior(), Effort(**effort))

    def v_structure_probabilities(
        self, **effort: Unpack[EffortOptions]
    ) -> list[VStructureProbability]:
        """Return every a -> c <- b with a and b not adjacent, most probable first.

        `limit`, `samples` and `seed` are those of `edge_probabilities`.
        """
        return averages.v_structures(self._posterior(), Effort(**effort))

    def probability(
        self,
        feature: Callable[[Network], bool],
        *,
        same_in_class: bool = False,
        limit: int = USER_LIMIT,
        samples: int = Effort.samples,
        seed: int = Effort.seed,
    ) -> FeatureEstimate:
        """Return the probability of anything that a network has or has not.

        Parameters
        ----------
        feature
            A function that says whether a network has it.
        same_in_class
            Promise that Markov equivalent networks agree on it, so that one network of
            each class has to be looked at.
        limit, samples, seed
            As for `edge_probabilities`.

        Examples
        --------
        >>> import crediblenet as cn
        >>> from crediblenet.network_set import ListedSet
        >>> table = cn.ScoreTable.from_candidates(
        ...     ["rain", "wet"], [{frozenset(): 2.0}, {frozenset(): 1.0, frozenset({0}): 0.0}]
        ... )
        >>> result = cn.CredibleSet(table, ListedSet(table, [[0, 1], [0, 2]]), epsilon=3.0)
        >>> print(result.probability(lambda g: g.has_edge("rain", "wet")))
        0.731059 (exact: all 2 networks)
        """
        effort = Effort(limit, samples, seed)
        return averages.function_mean(self._posterior(), feature, True, same_in_class, effort)

    def expectation(
        self,
        quantity: Callable[[Network], float],
        *,
        same_in_class: bool = False,
        **effort: Unpack[EffortOptions],
    ) -> FeatureEstimate:
        """Return the posterior mean of any number that a network has, such as its edges.

        The arguments are those of `probability`.
        """
        options: EffortOptions = {"limit": USER_LIMIT, **effort}
        return averages.function_mean(
            self._posterior(), quantity, False, same_in_class, Effort(**options)
        )
