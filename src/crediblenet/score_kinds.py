"""Which scores and pruning rules there are, and what is known of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .exceptions import ParameterError

__all__ = ["RULES", "SCORES", "ScoreKind", "check_rules", "find_score"]


@dataclass(frozen=True)
class ScoreKind:
    """What is known of a score."""

    equivalent: bool
    """Whether Markov equivalent networks always have equal costs."""
    continuous: bool = False
    """Whether it is for continuous data."""
    uses_ess: bool = False
    """Whether it depends on the equivalent sample size."""


SCORES = {
    "bic": ScoreKind(equivalent=True),
    "aic": ScoreKind(equivalent=True),
    "bdeu": ScoreKind(equivalent=True, uses_ess=True),
    "qnml": ScoreKind(equivalent=True),
    "bds": ScoreKind(equivalent=False, uses_ess=True),
    "k2": ScoreKind(equivalent=False),
    "fnml": ScoreKind(equivalent=False),
    "bic-g": ScoreKind(equivalent=True, continuous=True),
    "bge": ScoreKind(equivalent=True, continuous=True, uses_ess=True),
}

#: The pruning rules: what each one says, and its proof, is in cpp/scores/rules.h.
RULES = ("R1", "R2", "R3", "C4", "R5", "R6")


def find_score(name: str) -> ScoreKind:
    """Return what is known of a score."""
    if name not in SCORES:
        raise ParameterError(f"there is no score {name!r}; they are {', '.join(SCORES)}")
    return SCORES[name]


def check_rules(rules: Iterable[str] | None) -> list[str]:
    """Return the rules to use, all of them by default."""
    if rules is None:
        return list(RULES)
    chosen = [rules] if isinstance(rules, str) else list(rules)
    for rule in chosen:
        if rule not in RULES:
            raise ParameterError(f"there is no rule {rule!r}; they are {', '.join(RULES)}")
    return chosen
