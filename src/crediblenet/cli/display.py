"""Showing how far a run is: a live display on a terminal, log lines elsewhere."""

from __future__ import annotations

import sys
import time
from datetime import timedelta
from types import TracebackType
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as LiveProgress

from ..progress import Progress
from .text import plain, safe

__all__ = ["Display", "LiveDisplay", "LogDisplay", "SilentDisplay", "make_display"]

STAGES = {
    "data": "Reading the data",
    "scores": "Scoring parent sets",
    "bounds": "Proving the optimum",
    "enumeration": "Finding all networks",
    "averages": "Averaging over them",
    "files": "Writing the results",
}

#: What `Progress.visited` and `Progress.found` count in each stage.
COUNTED = {
    "scores": ("sets seen", "candidates kept"),
    "bounds": ("steps", "candidates left"),
    "enumeration": ("search nodes", "networks"),
}


class Display(Protocol):
    """A progress callback that is open while a run goes on."""

    def __call__(self, progress: Progress) -> None:
        """Show one report."""

    def __enter__(self) -> Display:
        """Begin to show."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the terminal tidy."""


def details(progress: Progress) -> str:
    """Return a report's message, or else what was counted so far, in words."""
    if progress.message or progress.note:
        return safe(progress.message or progress.note)
    words = COUNTED.get(progress.stage, ("seen", "found"))
    counts = zip((progress.visited, progress.found), words, strict=True)
    return ", ".join(f"{count:,} {word}" for count, word in counts if count)


class SilentDisplay:
    """Shows nothing."""

    def __call__(self, progress: Progress) -> None:
        """Ignore a report."""

    def __enter__(self) -> SilentDisplay:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class LogDisplay:
    """One line when a stage begins or ends, and now and then in between.

    Lines are held back for a moment, so that a mistake in the input, which is usually
    noticed at once, leaves its own line and no other.

    Parameters
    ----------
    interval
        Seconds between two lines of the same stage.
    """

    HOLD_SECONDS = 2.0

    def __init__(self, interval: float = 10.0) -> None:
        self.interval = interval
        self.stage = ""
        self.logged = ""
        self.last = 0.0
        self.held: list[str] | None = []
        self.started = self.stage_began = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        """Print a line if it says something new."""
        now = time.monotonic()
        new_stage = progress.stage != self.stage
        if new_stage:
            self.stage_began = now
        if new_stage or progress.message or progress.note or now - self.last >= self.interval:
            self.stage, self.last = progress.stage, now
            self.log(progress)
        if self.held is not None and now - self.started > self.HOLD_SECONDS:
            self.release()

    def log(self, progress: Progress) -> None:
        """Print one line, or hold it back."""
        line = STAGES.get(progress.stage, safe(progress.stage))
        if progress.fraction is not None and 0 < progress.fraction < 1:
            spent = time.monotonic() - self.stage_began
            line += f", {progress.fraction:.{0 if progress.fraction >= 0.1 else 2}%}"
            if spent >= self.interval:
                left = timedelta(seconds=round(spent * (1 / progress.fraction - 1)))
                line += f" (at this rate {left} left)"
        more = details(progress)
        if not more and progress.stage == self.logged:
            more = f"{time.monotonic() - self.started:.0f} s so far"  # nothing to count yet
        self.logged = progress.stage
        if more:
            line += f": {more}"
        if self.held is None:
            print(f"crediblenet: {line}", file=sys.stderr, flush=True)
        else:
            self.held.append(line)

    def release(self) -> None:
        """Print what was held back, and hold back nothing more."""
        lines, self.held = self.held or [], None
        for line in lines:
            print(f"crediblenet: {line}", file=sys.stderr, flush=True)

    def __enter__(self) -> LogDisplay:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.release()


class LiveDisplay:
    """One moving line per stage, drawn by rich on stderr."""

    def __init__(self, console: Console) -> None:
        self.live = LiveProgress(
            SpinnerColumn(finished_text="[green]✓[/green]"),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            TimeRemainingColumn(elapsed_when_finished=False),
            TextColumn("{task.fields[details]}", markup=False),
            console=console,
        )
        self.stage = ""
        self.task: TaskID | None = None

    def __call__(self, progress: Progress) -> None:
        """Move the line of the stage; a new stage ends the one before it."""
        if progress.stage != self.stage:
            self.finish()
            self.stage = progress.stage
            label = STAGES.get(progress.stage, safe(progress.stage))
            self.task = self.live.add_task(f"{label:<21}", total=None, details="")
        if self.task is None:
            return
        if progress.note:
            self.live.console.print(plain(progress.note))
            return
        fraction = progress.fraction
        shown = plain(details(progress)).plain
        if fraction is None or fraction <= 0:
            self.live.update(self.task, total=None, details=shown)
        else:
            self.live.update(self.task, total=1.0, completed=min(1.0, fraction), details=shown)

    def finish(self) -> None:
        """Mark the present stage as done."""
        if self.task is not None:
            self.live.update(self.task, total=1.0, completed=1.0)
            self.task = None

    def __enter__(self) -> LiveDisplay:
        self.live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.finish()
        self.live.stop()


def make_display(*, quiet: bool, no_progress: bool) -> Display:
    """Choose what suits the options and the terminal."""
    console = Console(stderr=True)
    if quiet or no_progress:
        return SilentDisplay()
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveDisplay(console)
    return LogDisplay()
