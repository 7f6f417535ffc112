"""How much memory scoring is going to need: known before, or expected after its first levels."""

from __future__ import annotations

from dataclasses import dataclass

from . import _core
from .memory import bytes_in_words
from .progress import Progress, ProgressCallback

__all__ = ["Foreteller", "MemoryForecast"]


@dataclass(frozen=True)
class MemoryForecast:
    """What scoring is going to need besides what the process holds already, in bytes.

    Attributes
    ----------
    least
        What is surely needed.
    expected
        What it will come to if large parent sets survive the pruning as those of two and
        three parents did; the same as `most` where no rule drops whole families, and None
        until sets of two parents are scored.
    most
        It cannot be more: from the numbers of variables, states, rows and threads alone, as
        if no set were pruned for its score.

    Examples
    --------
    >>> print(MemoryForecast(least=2e6, expected=None, most=5e9))
    memory: 1.9 MB at least, 5 GB at most
    """

    least: float
    expected: float | None
    most: float

    @classmethod
    def of(cls, control: _core.Control) -> MemoryForecast:
        """Return what is known so far in a run."""
        least, expected, most = control.memory_forecast
        return cls(least, expected or None, most)

    def __str__(self) -> str:
        likely = (
            "" if self.expected is None else f"about {bytes_in_words(self.expected)} expected, "
        )
        return (
            f"memory: {likely}{bytes_in_words(self.least)} at least, "
            f"{bytes_in_words(self.most)} at most"
        )

    def warning(self, limit: float) -> str:
        """Return a warning if more is expected than the limit in bytes, nothing otherwise."""
        if self.expected is None or self.expected <= limit:
            return ""
        return (
            f"warning: about {bytes_in_words(self.expected)} of memory expected, and the limit is "
            f"{bytes_in_words(limit)}; scoring goes on, and ends with an error if it gets there"
        )


@dataclass
class Foreteller:
    """Hands progress on, with a note whenever more is known of the memory that is needed.

    Parameters
    ----------
    control
        What the run is watched through.
    limit
        In bytes; a note warns when more is expected.
    progress
        Where reports and notes go.
    """

    control: _core.Control
    limit: float
    progress: ProgressCallback
    told: str = ""

    def __call__(self, progress: Progress) -> None:
        """Hand on a report."""
        self.tell()
        self.progress(progress)

    def tell(self) -> None:
        """Say what is new."""
        known = MemoryForecast.of(self.control)
        words = str(known)
        if known.most == 0 or words == self.told:
            return
        self.told = words
        for note in filter(None, (words, known.warning(self.limit))):
            self.progress(Progress("scores", self.control.fraction, note=note))
