"""Who works on the parts: threads of this process, or others that do the same."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Protocol

from .. import _core
from ..bounds import Part
from .outcome import Outcome
from .part_work import work_on
from .space import SearchSpace

__all__ = ["Crew", "Pending", "ThreadCrew"]


class Pending(Protocol):
    """Work on a part that was begun."""

    def outcome(self) -> Outcome:
        """Wait for what it comes to; when the run is stopped, what there is of it."""


class Crew(Protocol):
    """Works on parts, several at a time, while it is open."""

    def __enter__(self) -> Crew:
        """Be ready for work."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave nothing running."""

    def begin(self, part: Part, known: Mapping[str, Any]) -> Pending:
        """Begin the work on a part, with what the bounder knows now."""


class ThreadCrew:
    """Threads of this process.

    Parameters
    ----------
    space
        What is searched.
    control
        Stops the work.
    threads
        How many.
    """

    def __init__(self, space: SearchSpace, control: _core.Control, threads: int) -> None:
        self._space = space
        self._control = control
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads)

    def __enter__(self) -> ThreadCrew:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def begin(self, part: Part, known: Mapping[str, Any]) -> Pending:
        """Begin the work on a part."""
        threads = self._threads if part.share == 1.0 else 1  # there is no other work yet
        future = self._pool.submit(work_on, part, known, self._space, self._control, threads)
        return _InThread(part, future, self._control)


class _InThread:
    def __init__(self, part: Part, future: Future[Outcome], control: _core.Control) -> None:
        self._part = part
        self._future = future
        self._control = control

    def outcome(self) -> Outcome:
        if self._control.poll():
            self._future.cancel()  # unless it has begun; then it ends soon
        try:
            return self._future.result()
        except CancelledError:
            return Outcome([self._part])
