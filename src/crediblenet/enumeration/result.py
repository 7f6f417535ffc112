"""What a search hands back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..compiled_set import CompiledSet
from ..representatives import Representatives

__all__ = ["SearchResult"]


@dataclass(frozen=True)
class SearchResult:
    """What a search found.

    Attributes
    ----------
    network_set
        The networks.
    complete
        Whether these are all networks within epsilon of the optimum.
    stopped_by
        What ended the search early: ``"time"``, ``"memory"``, ``"limit"``,
        ``"interrupted"``; None when it is complete.
    interrupted
        Whether Ctrl-C was pressed, be it too late to end the search early.
    optimal_cost
        The least cost found, in grid units.
    gap
        No network is better than the best one by more than this, in nats; 0.0 when the
        optimum is proved.
    representatives
        One network per Markov equivalence class, where the costs are score-equivalent.
    seconds
        How long the stages took.
    statistics
        What the stages counted.
    memory_foreseen
        What `StageMemory` said before each stage, as plain values.
    notes
        What the user should know.
    """

    network_set: CompiledSet
    complete: bool
    stopped_by: str | None
    interrupted: bool
    optimal_cost: int
    gap: float
    representatives: Representatives | None
    seconds: Mapping[str, float]
    statistics: Mapping[str, Any]
    memory_foreseen: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def n_networks(self) -> int:
        """How many networks were found."""
        return self.network_set.count(self.network_set.max_cost)
