"""What the work on one part came to, in a form that can be sent to another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .. import _core
from ..bounds import Part

__all__ = ["Outcome", "Spare"]


class Spare(NamedTuple):
    """Networks that a stopped search may have instead of those found in parts.

    An attempt at the whole search space had found them when it was given up, or they fit one
    order. Some of them may be among those of parts: a stopped search has either.
    """

    circuit: _core.Circuit
    root: int
    note: str  # for the user: which networks they are
    networks: int  # that cost at most `within`, which are soon counted
    within: int


@dataclass
class Outcome:
    """What the work on one part came to.

    Attributes
    ----------
    rest
        The parts that are still to be worked on: the part itself when the work was stopped.
    learnt
        The state of the part's bounder; None when the work was not begun.
    stopped_by
        Why the work was stopped; None when it was not.
    whole
        The part once it is tightened, if it is the whole search space and not yet exact.
    circuit, root
        The networks that were found: a node of a circuit.
    spare
        What was given up, if it was an attempt at the whole search space.
    told
        The part's share, if the control that is watched here has heard of it already.
    seconds, counted
        How long the stages took, and what they counted.
    """

    rest: list[Part]
    learnt: Mapping[str, Any] | None = None
    stopped_by: str | None = None
    whole: Part | None = None
    circuit: _core.Circuit | None = None
    root: int | None = None
    spare: Spare | None = None
    told: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)

    def count(self, numbers: Mapping[str, Any]) -> None:
        """Add what one run of the compiler counted."""
        for name in ("nodes", "cache_hits", "dead_ends"):
            self.counted[name] = self.counted.get(name, 0) + numbers[name]

    def __getstate__(self) -> dict[str, Any]:
        """Return what to send: of the circuit, the nodes that the networks need.

        Their order is kept, so that the receiver's circuit becomes the same as without
        sending.
        """
        # Another control was told, and a spare is not worth sending.
        state = {**self.__dict__, "circuit": None, "spare": None, "told": 0.0}
        if self.circuit is not None and self.root is not None:
            needed = _core.Circuit()
            state["root"] = needed.absorb(self.circuit, self.root)
            state["circuit"] = needed.nodes_from(0)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what was sent."""
        self.__dict__.update(state)
        if state["circuit"] is not None:
            self.circuit = _core.Circuit()
            self.circuit.append(*state["circuit"])
