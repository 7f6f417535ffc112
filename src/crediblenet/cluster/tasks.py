"""Tasks of one run on a cluster: sent, watched, sent again when lost, cancelled at the end."""

from __future__ import annotations

import math
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import _core
from ..exceptions import ClusterError
from .reports import topic_of
from .worker_side import TaskLimits, interrupt

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["RemoteTask", "RemoteTasks"]

#: Seconds between two looks at the control while waiting.
POLL_SECONDS = 0.02
#: Seconds that the tasks of a stopped run have to hand in what they have; a user who pressed
#: Ctrl-C does not wait.
GRACE = 0.3
#: A task is sent at most so many times, on top of what the scheduler does itself when a worker
#: is lost.
SENDINGS = 20
#: Seconds between two looks at the control while there is no worker to send anything to.
WORKER_SECONDS = 1.0
#: Results that are fetched at a time.
FETCHING = 4


class RemoteTasks:
    """The tasks of one stage of a run, which have one large argument in common.

    Parameters
    ----------
    client
        The connection to the cluster.
    name
        What the dashboard shows: the beginning of each task's key.
    shared
        The first argument of every task. It is sent once, to all workers.
    control
        Stops the run here; then the tasks are stopped, too.
    memory
        Bytes that one task may take.
    """

    def __init__(
        self,
        client: Client,
        name: str,
        shared: Any,
        control: _core.Control,
        memory: float = math.inf,
    ) -> None:
        self.client = client
        self.control = control
        self.memory = memory
        self.run = uuid.uuid4().hex
        self.fetching = ThreadPoolExecutor(FETCHING, thread_name_prefix="crediblenet-fetch")
        self._name = name
        self._shared = shared
        self._sent: Future[Any] | None = None
        self._numbers = 0
        self._open: set[RemoteTask] = set()
        self._give_up = math.inf

    def __enter__(self) -> RemoteTasks:
        return self

    def __exit__(self, *_: object) -> None:
        if self._open:
            futures = [task.future for task in self._open if task.future is not None]
            with suppress(OSError):  # without a scheduler there is nothing to stop
                self.stop()
                self.client.cancel(futures, force=True)
        self.fetching.shutdown(wait=False, cancel_futures=True)
        self._open.clear()
        self._sent = None

    @contextmanager
    def heard_by(self, listener: Callable[[Mapping[str, Any]], None]) -> Iterator[None]:
        """Hand what the tasks tell about themselves to a listener, in another thread."""
        topic = topic_of(self.run)
        self._check_connection()
        self.client.subscribe_topic(topic, lambda event: listener(event[1]))
        try:
            yield
        finally:
            if self.client.status == "running":
                self.client.unsubscribe_topic(topic)

    def begin(self, function: Callable[..., Any], *arguments: Any) -> RemoteTask:
        """Send a task: ``function(shared, limits, *arguments)``."""
        task = RemoteTask(self, function, arguments)
        self._open.add(task)
        task.send()
        return task

    def submit(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Future[Any]:
        """Hand a task to the scheduler.

        Raises
        ------
        ClusterError
            When the scheduler is gone.
        """
        self._numbers += 1
        self._check_connection()
        try:
            return self.client.submit(
                function,
                self._shared_future(),
                TaskLimits(self.run, self.control.seconds_left, self.memory),
                *arguments,
                key=f"{self._name}-{self.run}-{self._numbers}",
                pure=False,
            )
        except OSError as error:
            raise scheduler_gone(error) from error

    def _check_connection(self) -> None:
        if self.client.status in ("closing", "closed"):
            raise scheduler_gone("the connection is closed")

    def _shared_future(self) -> Future[Any]:
        """Return the common argument on the cluster, sent again if all copies are lost.

        Waits for a worker as long as the run goes on.
        """
        failures = 0
        while self._sent is None or self._sent.status != "finished":
            try:
                self.client.wait_for_workers(1, timeout=WORKER_SECONDS)
                self._sent = self.client.scatter(
                    self._shared, broadcast=True, hash=False, timeout=WORKER_SECONDS
                )
            except TimeoutError as error:
                if self.control.poll():
                    raise CancelledError from error
            except OSError:
                # A worker that dies while it is being sent the data closes the stream, too.
                failures += 1
                if self.client.status != "running" or failures == SENDINGS:
                    raise
                time.sleep(POLL_SECONDS)
        return self._sent

    @property
    def sent(self) -> Future[Any] | None:
        """The common argument as it was sent last."""
        return self._sent

    def distrust(self, sent: Future[Any] | None) -> None:
        """Send the common argument again next time, unless that was done since.

        Its status is not to be trusted when the last worker that had it has just died: the
        news may be on their way.
        """
        if self._sent is sent:
            self._sent = None

    def finished(self, task: RemoteTask) -> None:
        """Forget a task."""
        self._open.discard(task)

    def stop(self) -> None:
        """Ask the workers to hand in what they have; once."""
        if self._give_up == math.inf:
            hurried = self.control.stopped_by == "interrupted"
            self._give_up = time.monotonic() + (0.0 if hurried else GRACE)
            self.client.run(interrupt, self.run, wait=False, on_error="ignore")

    def is_given_up(self) -> bool:
        """Tell whether a stopped run waits no more."""
        if not self.control.poll():
            return False
        self.stop()
        return time.monotonic() >= self._give_up


class RemoteTask:
    """One task on the cluster."""

    def __init__(
        self, tasks: RemoteTasks, function: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> None:
        self.future: Future[Any] | None = None
        self._tasks = tasks
        self._function = function
        self._arguments = arguments
        self._sendings = 0
        self._shared: Future[Any] | None = None
        self._done = threading.Event()
        self._value: Any = None
        self._error: BaseException | None = None

    def send(self) -> None:
        """Send it, for the first time or once more."""
        self._sendings += 1
        self._done.clear()
        self._error = None
        try:
            self.future = self._tasks.submit(self._function, self._arguments)
        except CancelledError as error:
            self._error = error
            self._done.set()
            return
        self._shared = self._tasks.sent
        self.future.add_done_callback(partial(self._fetch_later, self._tasks.fetching))

    def _fetch_later(self, pool: ThreadPoolExecutor, future: Future[Any]) -> None:
        try:
            pool.submit(self._fetch, future)
        except RuntimeError:
            self._done.set()  # the run is over, and nobody waits

    def _fetch(self, future: Future[Any]) -> None:
        try:
            self._value = future.result()
        except BaseException as error:  # handed over to the waiting thread
            self._error = error
        self._done.set()

    def result(self) -> Any:
        """Wait for what the task returns; None when the run is stopped before that.

        Raises
        ------
        ClusterError
            When workers died again and again.
        """
        from distributed import KilledWorker

        while True:
            while not self._done.wait(POLL_SECONDS):
                if self._tasks.is_given_up():
                    return None
            if self._error is None:
                self._tasks.finished(self)
                return self._value
            # Its workers died too often for the scheduler, or with the last copy of the data.
            if not isinstance(self._error, KilledWorker | CancelledError):
                self._tasks.finished(self)
                raise self._error
            if self._tasks.control.poll():
                return None
            if self._sendings >= SENDINGS:
                raise ClusterError(
                    f"a task was given up after its workers died {SENDINGS} times or more; they "
                    "may be short of memory: start them with a larger --memory-limit"
                ) from self._error
            self._tasks.distrust(self._shared)
            self.send()


def scheduler_gone(reason: object) -> ClusterError:
    """Return the error that says so."""
    return ClusterError(
        f"the scheduler of the cluster is gone ({reason}); start it again and repeat the command, "
        "which goes on with what it has written to its run directory"
    )
