"""The last accepted figures, and what is slower than they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["LIMIT", "Change", "compare", "read", "write"]

#: So many times slower than accepted is too slow.
LIMIT = 1.5


@dataclass(frozen=True)
class Change:
    """A task now and when it was accepted, as ratios to the calibration loop.

    Attributes
    ----------
    task
        Its name.
    accepted
        The accepted ratio; None for a task that is new.
    now
        The ratio now; None for a task that is no more.
    """

    task: str
    accepted: float | None
    now: float | None

    @property
    def factor(self) -> float | None:
        """How many times slower it has become; None when there is nothing to compare."""
        if self.accepted is None or self.now is None:
            return None
        return self.now / self.accepted

    def is_slower(self, limit: float = LIMIT) -> bool:
        """Say whether it has become slower by more than a factor."""
        return self.factor is not None and self.factor > limit


def compare(accepted: Mapping[str, float], now: Mapping[str, float]) -> list[Change]:
    """Return every task of either side.

    Examples
    --------
    >>> changes = compare({"search": 2.0, "read": 1.0}, {"search": 3.5, "read": 1.2})
    >>> [change.task for change in changes if change.is_slower()]
    ['search']
    """
    names = dict.fromkeys([*accepted, *now])
    return [Change(name, accepted.get(name), now.get(name)) for name in names]


def read(path: Path) -> dict[str, float]:
    """Return the accepted ratios; none when nothing was accepted yet."""
    if not path.is_file():
        return {}
    known = json.loads(path.read_text(encoding="utf-8"))
    return {str(task): float(ratio) for task, ratio in known.items()}


def write(path: Path, ratios: Mapping[str, float]) -> None:
    """Accept ratios."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rounded = {task: float(f"{ratio:.4g}") for task, ratio in ratios.items()}
    path.write_text(json.dumps(rounded, indent=2) + "\n", encoding="utf-8")
