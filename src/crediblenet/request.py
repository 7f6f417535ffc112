"""Which networks a user asks for: within a distance of the optimum, or the k best."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from .exceptions import ParameterError

__all__ = ["DEFAULT_BAYES_FACTOR", "Request"]

#: "Strong evidence" begins here, by the customary levels 3, 20 and 150.
DEFAULT_BAYES_FACTOR = 20.0


@dataclass(frozen=True)
class Request:
    """A set of networks, as the user describes it.

    Attributes
    ----------
    kind
        ``"epsilon"``: within so many nats of the optimum. ``"factor"``: within that factor
        of the least cost. ``"k"``, ``"k_classes"``: so many networks or classes.
    value
        The number that goes with it.
    """

    kind: Literal["epsilon", "factor", "k", "k_classes"]
    value: float

    @classmethod
    def parse(
        cls,
        *,
        bayes_factor: float | None = None,
        epsilon: float | None = None,
        factor: float | None = None,
        k: int | None = None,
        k_classes: int | None = None,
    ) -> Request:
        """Check what the user gave: at most one of these, a Bayes factor of 20 if none.

        Raises
        ------
        ParameterError
            When there are two, or one makes no sense.

        Examples
        --------
        >>> Request.parse(k=10)
        Request(kind='k', value=10)
        >>> Request.parse(bayes_factor=1)
        Request(kind='epsilon', value=0.0)
        """
        given = {
            "bayes_factor": bayes_factor,
            "epsilon": epsilon,
            "factor": factor,
            "k": k,
            "k_classes": k_classes,
        }
        names = [name for name, value in given.items() if value is not None]
        if len(names) > 1:
            raise ParameterError(f"give {names[0]} or {names[1]}, not both")
        if k is not None or k_classes is not None:
            count = k if k is not None else k_classes
            if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                raise ParameterError(
                    f"{names[0]} must be a whole number of at least 1, not {count}"
                )
            return cls("k" if k is not None else "k_classes", count)
        if factor is not None:
            if not 1 <= factor < math.inf:
                raise ParameterError(f"factor must be at least 1 and finite, not {factor}")
            return cls("factor", float(factor))
        if epsilon is not None:
            if not epsilon >= 0:
                raise ParameterError(f"epsilon must be 0 or more, not {epsilon}")
            return cls("epsilon", float(epsilon))
        bayes_factor = DEFAULT_BAYES_FACTOR if bayes_factor is None else bayes_factor
        if not bayes_factor >= 1:
            raise ParameterError(f"bayes_factor must be 1 or more, not {bayes_factor}")
        return cls("epsilon", math.log(bayes_factor))
