"""`search`: the whole search of one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from ..checkpoints import SearchCheckpoint
from ..exceptions import ParameterError
from ..feasibility import require_a_network
from ..memory import GIGABYTE, MemoryBudget
from ..progress import ProgressCallback
from ..score_table import ScoreTable
from ..threads import thread_count
from .crew import Crew, ThreadCrew
from .parts_search import PartsSearch
from .result import SearchResult
from .space import SearchSpace

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["search"]


def search(
    table: ScoreTable,
    epsilon: float,
    *,
    limit: int | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    checkpoint: SearchCheckpoint | None = None,
    client: Client | None = None,
) -> SearchResult:
    """Find every network of a table within epsilon of the optimum.

    Parameters
    ----------
    table
        The candidate parent sets with their costs.
    epsilon
        How far above the optimal cost, in nats.
    limit
        Keep only the best networks, about so many: as many whole levels of equal cost as
        fit, and at least one.
    time_limit, memory_limit
        In seconds and GB; the result is then marked incomplete.
    threads
        How many threads to use; all processors by default.
    progress
        Called with a `Progress` several times a second.
    checkpoint
        Where the state is written now and then, and taken from if it is there.
    client
        A ``dask.distributed.Client``: its workers work on the parts instead of threads here.

    Examples
    --------
    >>> import crediblenet as cn
    >>> table = cn.score(cn.example("cancer").data, bayes_factor=3)
    >>> found = search(table, epsilon=0.0)
    >>> found.complete
    True
    """
    if not epsilon >= 0:
        raise ParameterError(f"epsilon must be zero or more, not {epsilon}")
    if epsilon > table.epsilon * (1 + 1e-12):
        raise ParameterError(
            f"the scores were pruned for epsilon = {table.epsilon:.6g}, so that networks within "
            f"{epsilon:.6g} may be missing; score the data again with the larger value"
        )
    require_a_network(table)
    memory_bytes = float("inf") if memory_limit is None else memory_limit * GIGABYTE
    control = _core.Control(
        time_limit=float("inf") if time_limit is None else max(0.0, time_limit),
        memory_limit=memory_bytes,
    )
    if limit is not None and limit < 1:
        raise ParameterError(f"limit must be at least 1, not {limit}")
    memory = MemoryBudget(memory_limit)
    space = SearchSpace.within(table, epsilon)
    crew: Crew
    if client is None:
        crew = ThreadCrew(space, control, thread_count(threads))
    else:
        from ..cluster import ClusterCrew

        crew = ClusterCrew(client, space, control, memory_bytes)
    run = PartsSearch(space, crew, control, progress, checkpoint, memory, threads)
    return run.run(limit)
