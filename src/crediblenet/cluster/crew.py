"""Workers of a cluster that work on the parts of a search."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import _core
from ..bounds import Part
from ..enumeration.crew import Pending
from ..enumeration.outcome import Outcome
from ..enumeration.space import SearchSpace
from .tasks import RemoteTask, RemoteTasks
from .worker_side import search_part

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["ClusterCrew"]


class ClusterCrew:
    """The workers of a cluster, in the place of threads: see `crediblenet.enumeration.crew`.

    Parameters
    ----------
    client
        The connection to the cluster.
    space
        What is searched; sent to every worker once.
    control
        Stops the work.
    memory
        Bytes that one task may take.
    """

    def __init__(
        self,
        client: Client,
        space: SearchSpace,
        control: _core.Control,
        memory: float = math.inf,
    ) -> None:
        self._control = control
        self._tasks = RemoteTasks(client, "search", space, control, memory)

    def __enter__(self) -> ClusterCrew:
        return self

    def __exit__(self, *_: object) -> None:
        self._tasks.__exit__()

    def begin(self, part: Part, known: Mapping[str, Any]) -> Pending:
        """Send a part to the cluster."""
        return _OnCluster(part, self._tasks.begin(search_part, part, known), self._control)


class _OnCluster:
    def __init__(self, part: Part, task: RemoteTask, control: _core.Control) -> None:
        self._part = part
        self._task = task
        self._control = control

    def outcome(self) -> Outcome:
        outcome: Outcome | None = self._task.result()
        if outcome is None:
            return Outcome([self._part])
        if outcome.stopped_by == "memory":  # there; so the run ends here
            self._control.exhaust()
        return outcome
