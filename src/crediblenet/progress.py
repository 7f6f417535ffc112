"""Watching a long computation: what it reports, and how Ctrl-C reaches it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from . import interruption
from .memory import MemoryBudget

__all__ = ["Progress", "ProgressCallback", "Watchable", "each_note_once", "run_watched"]

T = TypeVar("T")

#: How often the waiting thread looks, in seconds: an interruption takes at most this
#: long to reach the core, well inside the promised 0.2 s.
POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Progress:
    """How far a run is; handed to the ``progress`` callback several times a second.

    Attributes
    ----------
    stage
        ``"data"``, ``"scores"``, ``"bounds"``, ``"enumeration"`` or ``"averages"``.
    fraction
        Estimated share of the stage that is done, from 0 to 1; None when unknown.
    visited
        Parent sets, subsets or search nodes seen so far in this stage.
    found
        Candidate parent sets or networks found so far in this stage.
    message
        A few words on what is being done, or empty.
    note
        Something that should stay in view, such as how much memory the stage will need.
    """

    stage: str
    fraction: float | None = None
    visited: int = 0
    found: int = 0
    message: str = ""
    note: str = ""


ProgressCallback = Callable[[Progress], None]


def each_note_once(progress: ProgressCallback) -> ProgressCallback:
    """Return a callback that hands on all reports, but for notes that were heard before.

    The k best are looked for in several searches of nearly the same.

    >>> heard = each_note_once(lambda report: print(report.note))
    >>> for _ in range(2):
    ...     heard(Progress("scores", note="memory: 2 MB at least"))
    memory: 2 MB at least
    """
    heard: set[tuple[str, str]] = set()

    def hand_on(report: Progress) -> None:
        key = report.stage, report.note
        if report.note and key in heard:
            return
        heard.add(key)
        progress(report)

    return hand_on


class Watchable(Protocol):
    """What `run_watched` needs of a control; ``crediblenet._core.Control`` is one."""

    @property
    def visited(self) -> int:
        """Items seen so far."""

    @property
    def found(self) -> int:
        """Items found so far."""

    @property
    def fraction(self) -> float:
        """Estimated share done."""

    def interrupt(self) -> None:
        """Ask the run to end soon."""

    def exhaust(self) -> None:
        """Ask the run to end soon, because the memory limit is reached."""


def run_watched(
    function: Callable[[], T],
    control: Watchable,
    stage: str,
    progress: ProgressCallback | None = None,
    memory: MemoryBudget | None = None,
    *,
    partial: bool = False,
) -> T:
    """Call a function of the core so that it can be watched and interrupted.

    Python runs signal handlers in the main thread and between bytecodes only, so a
    call into the core would be deaf to Ctrl-C. The call is therefore made in a thread of
    its own while this one waits, reports progress and listens. On Ctrl-C the control is
    told to stop, and the function returns or raises soon. A second Ctrl-C does not wait for that.

    Parameters
    ----------
    function
        The call to make; it must watch `control` and release the interpreter lock.
    control
        What the call is watched and stopped through.
    stage
        The stage's name, for the reports.
    progress
        Called from this thread with a `Progress`. An exception that it raises
        stops the run and is then raised here.
    memory
        Stops the run when it is used up, whoever used it.
    partial
        Whether what the function returns after Ctrl-C is returned here, too: it may be part of
        a result, and `control` knows the reason. Otherwise Ctrl-C is never forgotten, not even
        when the function was about to return anyway.

    Returns
    -------
    T
        What the function returned.

    Raises
    ------
    Exception
        Whatever the function or the callback raised.
    KeyboardInterrupt
        After Ctrl-C, unless a partial result is wanted.
    """
    results: list[T] = []
    errors: list[BaseException] = []
    # Not Thread.join: before Python 3.13, an exception in the middle of it can leave the
    # thread marked as ended while it still runs.
    finished = threading.Event()

    def call() -> None:
        try:
            results.append(function())
        except BaseException as error:  # handed over to the waiting thread
            errors.append(error)
        finally:
            finished.set()

    interrupted = False
    callback_error: Exception | None = None
    try:
        threading.Thread(target=call, name=f"crediblenet-{stage}", daemon=True).start()
    except KeyboardInterrupt:  # while it starts: nobody would wait for it any more
        control.interrupt()
        raise
    while not finished.is_set():
        try:
            # Two loops, because handlers run when one begins again, which must be in the try.
            while not finished.wait(POLL_SECONDS):
                interruption.raise_unheard()  # in case that an exception got lost
                if memory is not None and memory.bytes_left() == 0:
                    control.exhaust()
                if progress and callback_error is None:
                    progress(Progress(stage, control.fraction, control.visited, control.found))
        except KeyboardInterrupt:
            interruption.hear()
            if interrupted:
                raise
            interrupted = True
            control.interrupt()
        except Exception as error:  # the callback's: end the run before raising it
            callback_error = error
            control.interrupt()
    # No name here may keep an error that is raised: its traceback keeps this frame, and all that
    # the run took would stay until the garbage collector finds the two.
    if callback_error is not None:
        errors = [callback_error]
        del callback_error
    if errors:
        raise errors.pop()
    if interrupted and not partial:
        raise KeyboardInterrupt
    return results.pop()
